/* SPDX-License-Identifier: BSD-3-Clause */
/* memory.cu - pointers, arrays, addresses, constants of the module. */

__global__ void walk(const float *x, float *y, int n)
{
    const float *end = x + n, *p = x; float *q = y;
    while (p < end) *q++ = *p++ * 2;
    q[-1] = 9; *(y + 1) = p - x; y[2] = &y[5] - &y[1]; y[3] = end == p; y[4] = q != y;
    3[y] += 1; p = end; y[5] = *--p; p -= 2; y[6] = *p; y[7] = p > x; y[8] = p[1];
    float *const r = y; *r = 4; y[9] = !p; if (p) y[10] = 1;
}
// run walk 1 1 : f32*32:data f32*32:zero i32=20

__global__ void arrays(const int *x, int *o)
{
    int a[3][4], b[2][2] = {{1, 2}, {3}}, c[] = {5, 6, 7}, d[2][3] = {1, 2, 3, 4}, e[40] = {0},
        f[4] = {};
    for (int i = 0; i < 3; i++) for (int j = 0; j < 4; j++) a[i][j] = x[i * 4 + j];
    int *p = a[1], (*q)[4] = a + 1; p[1] += 10; q[1][2] = 77; (*q)[0]++;
    int s = 0; for (int i = 0; i < 12; i++) s = s * 3 + ((int *)a)[i];
    o[0] = s; o[1] = b[0][1] * 10 + b[1][1]; o[2] = sizeof(c) / sizeof(c[0]); o[3] = c[2];
        o[4] = d[1][0];
        o[5] = d[1][2];
    o[6] = e[39] + f[3]; o[7] = sizeof a; o[8] = sizeof(a[0]); o[9] = *a[2]; o[10] = a[2] - a[0];
        o[11] = **(a + 1);
    char t[] = "hey", u[8] = "ab"; o[12] = t[1]; o[13] = sizeof t; o[14] = u[1] + u[5];
        const char *w = "xyz";
        o[15] = w[2];
}
// run arrays 1 1 : i32*16:data i32*16:zero

__device__ void swap_them(int *a, int *b) { int t = *a; *a = *b; *b = t; }
__device__ void twice(int &x) { x *= 2; }
__device__ int &larger(int &a, int &b) { return a > b ? a : b; }
__device__ int largest(const int *a, int n) { int m = a[0]; for (int i = 1; i < n;
        i++) if (a[i] > m) m = a[i];
        return m; }
__global__ void addresses(const int *x, int *o, int n)
{
    int a = x[0], b = x[1], c[4] = {x[2], x[3], x[4], x[5]};
    swap_them(&a, &b); twice(a); twice(c[1]); swap_them(&c[0], c + 3); int *p = &n; *p += 5;
        int **pp = &p; **pp *= 2;
    int &r = c[2]; r = 9; r++; const int &k = a; int i = 1; int &e = c[i]; i = 3; e += 100;
    o[0] = a; o[1] = b; o[2] = c[0]; o[3] = c[1]; o[4] = c[2]; o[5] = c[3]; o[6] = n; o[7] = k;
        o[8] = largest(c, 4);
    twice(o[9]); o[10] = *&a; float f = 1.5f; int bits = *(int *)&f; o[11] = bits;
        *(int *)&f = bits + 1;
        o[12] = f * 1000;
    o[13] = *reinterpret_cast<unsigned *>(&f); o[14] = (long long)&c[1] - (long long)&c[0];
        larger(a, b) = 5;
        o[15] = a + b;
}
// run addresses 1 1 : i32*16:data i32*16:ramp i32=8

__constant__ float weights[5] = {0.1f, 0.2f, 0.4f, 0.2f, 0.1f};
__constant__ int table[2][3] = {{1, 2, 3}, {4, 5, -6}};
__device__ const double factors[] = {1.5, 2.5, -3};
__device__ int counter = 5;
static const int N = 8;
constexpr float scale = 2.0f / 3;
const unsigned mask = (1u << N) - 1;
__global__ void of_module(const float *x, float *o)
{
    int i = threadIdx.x; float s = 0;
    for (int k = 0; k < 5; k++) if (i + k - 2 >= 0 && i + k - 2 < N) s += weights[k] * x[i + k - 2];
    static const int steps[3] = {1, 10, 100}; const float w[2] = {3, s};
    o[i] = s * scale + table[i & 1][i % 3] + factors[i % 3] + (mask & 0x155) + steps[i % 3] + w[1];
    counter++; o[i + N] = counter;
}
// run of_module 1 8 : f32*8:data f32*16:zero

__global__ void bytes(unsigned char *p, short *s, bool *b, long long *w)
{
    int i = threadIdx.x;
    p[i] = p[i] * 3 + 1; s[i] -= p[i]; b[i] = s[i] > 0; w[i] = (long long)s[i] * p[i] << 20;
        b[i] |= i == 3;
        p[i] >>= 1;
}
// run bytes 1 16 : u8*16:data i16*16:data b*16:zero i64*16:zero

__global__ void volatile_too(volatile int *x, int *o)
{
    volatile int t = x[0]; t = t + 1; x[1] = t; o[0] = x[1] + t; register int r = 3; o[1] = r;
        auto z = 2.5f;
        auto *q = o; q[2] = z * 2;
}
// run volatile_too 1 1 : i32*4:ramp i32*4:zero
