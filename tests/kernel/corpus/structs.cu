/* SPDX-License-Identifier: BSD-3-Clause */
/* structs.cu - structs, unions, CUDA's vectors, members, operators. */

struct Point { float x, y; int n; };
struct Line { Point a, b; char tag; double w[2]; };
union Word { float f; unsigned u; unsigned char b[4]; };
__device__ Point middle(const Point &a, Point b) { Point r; r.x = (a.x + b.x) / 2;
        r.y = (a.y + b.y) / 2;
        r.n = a.n + b.n; return r; }
__device__ void move(Line *l, float d) { l->a.x += d; (*l).b.y -= d; l->w[1] = d; }
__device__ Point made(float x) { if (x < 0) return {-x, 0, 1}; Point p = {x, x * 2}; return p; }
__global__ void plain(const float *x, float *o, Point given)
{
    int i = threadIdx.x; Point p = {x[i], 1.5f, 2}, q = p, r; q.x += 1; r = middle(p, q);
        Line l = {p, {1, 2}, 'c'};
        move(&l, 0.5f);
    Line m = l; m.a = r; Point ps[2] = {{1, 2, 3}, r}; ps[0].n++; Word w; w.f = x[i];
        w.u ^= 0x80000000u;
        p = r = made(x[i]);
    o += i * 16;
    o[0] = q.x; o[1] = r.x; o[2] = l.a.x; o[3] = l.b.y; o[4] = l.w[0] + l.w[1]; o[5] = m.a.n;
        o[6] = ps[0].n;
        o[7] = ps[1].y; o[8] = w.f;
    o[9] = sizeof(Line); o[10] = given.x + given.n; o[11] = p.y; o[12] = made(3).n;
        o[13] = (x[i] > 0 ? p : q).x;
        o[14] = l.tag; o[15] = w.b[3];
}
// run plain 1 16 : f32*16:data f32*256:zero bytes12:zero

__global__ void vectors(const float4 *x, float4 *o, const int2 *y, float *z)
{
    int i = threadIdx.x; float4 a = x[i], b = make_float4(1, 2, 3, a.x);
        float3 c = make_float3(a.x, a.y, a.z);
        int2 d = y[i]; d.x++;
    uchar4 e = make_uchar4(1, 2, 3, 255); double2 f = make_double2(a.w, 2); a.x += b.w * c.z;
        a.y = d.x + d.y + e.w + f.x * f.y;
    o[i] = a; o[i].z = b.z; z[i] = ((const float *)&x[i])[2] + sizeof(float3) + sizeof(double4);
        float2 g = {a.x};
        z[i] += g.x + g.y;
    float4 *p = &o[i]; p->w = 7; reinterpret_cast<float2 *>(z)[8 + i] = make_float2(a.x, a.y);
}
// run vectors 1 8 : f32*32:data f32*32:zero i32*16:data f32*32:zero

struct Vec { float x, y; __device__ Vec() : x(0), y(0) {} __device__ Vec(float a,
        float b = 1) : x(a), y(b) {}
    __device__ float dot(const Vec &o) const { return x * o.x + y * o.y;
        } __device__ Vec &scale(float s) { x *= s;
        this->y *= s; return *this; }
    __device__ Vec operator+(const Vec &o) const { return Vec(x + o.x, y + o.y); }
        __device__ Vec &operator+=(Vec o) { x += o.x; y += o.y; return *this; }
    __device__ float operator[](int i) const { return i ? y : x;
        } __device__ float &operator()(int i) {
        return i ? y : x; }
    __device__ bool operator<(const Vec &o) const { return x < o.x; } static const int dim = 2;
        __device__ static int count() { return dim; } };
__device__ Vec operator*(float s, const Vec &v) { return Vec(s * v.x, s * v.y); }
__device__ Vec operator-(const Vec &v) { return Vec(-v.x, -v.y); }
__device__ float2 operator+(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
template <typename T> struct Box { T v[4]; int n; __device__ void push(T x) {
        if (n < 4) v[n++] = x; }
        __device__ T sum() const { T s = 0; for (int i = 0; i < n; i++) s += v[i]; return s; } };
__global__ void members(const float *x, float *o)
{
    int i = threadIdx.x; Vec a(x[i]), b(2, 3), c, d = a + b; c += d; c.scale(2).scale(0.5f);
        a(1) = 9; Box<int> k;
        k.n = 0; k.push(3); k.push(i);
    Vec e = 2 * (a + -b); Vec f = Vec(1, 1) + Vec(2, 2); float2 g = make_float2(1,
        2) + make_float2(3, 4);
    o += i * 12;
    o[0] = a.dot(b); o[1] = c.x; o[2] = d[1]; o[3] = a[1]; o[4] = e.y; o[5] = f.x; o[6] = a < b;
        o[7] = Vec::dim;
        o[8] = Vec::count(); o[9] = k.sum(); o[10] = g.y;
    Vec list[3]; list[1] = a; o[11] = list[0].x + list[1].y;
}
// run members 1 8 : f32*8:data f32*96:zero

struct Node { int value, next; };
typedef struct { unsigned long long key; short s; bool b; } Entry;
struct __align__(16) Wide { float a; struct { int p, q; } in; union { int i; float f; }; };
__global__ void layouts(Node *nodes, Entry *e, Wide *w, int *o)
{
    int i = threadIdx.x, at = 0, s = 0; for (int k = 0; k < 5; k++) { nodes[k].value = k * k;
        nodes[k].next = (k + 2) % 5; }
    for (int k = 0; k < 4; k++) { s = s * 10 + nodes[at].value; at = nodes[at].next; }
    e[i].key = 1ull << (i + 30); e[i].s = -i; e[i].b = i & 1; w[i].in.q = 5; w[i].f = 1;
        w[i].a = w[i].i;
    o[i * 4] = s; o[i * 4 + 1] = sizeof(Entry); o[i * 4 + 2] = sizeof(Wide) + alignof(Wide);
        Entry t = e[i];
        o[i * 4 + 3] = t.s + t.b + (int)(t.key >> 30);
}
// run layouts 1 4 : i32*16:zero u8*64:zero u8*128:zero i32*16:zero
