/* SPDX-License-Identifier: BSD-3-Clause */
/* programs.cu - kernels as tutorials and CuPy's users have them. */

#define TILE 8
extern "C" __global__ void matmul(const float *__restrict__ A, const float *__restrict__ B,
        float *C, int M, int K, int N)
{
    __shared__ float As[TILE][TILE + 1], Bs[TILE][TILE + 1];
    int ty = threadIdx.y, tx = threadIdx.x, row = blockIdx.y * TILE + ty,
        col = blockIdx.x * TILE + tx;
    float acc = 0.0f;
    for (int t = 0; t < (K + TILE - 1) / TILE; ++t) {
        As[ty][tx] = row < M && t * TILE + tx < K ? A[row * K + t * TILE + tx] : 0.0f;
        Bs[ty][tx] = col < N && t * TILE + ty < K ? B[(t * TILE + ty) * N + col] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; ++k) acc += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
// run matmul 2x2 8x8 : f32*130:data f32*130:data f32*169:zero i32=13 i32=10 i32=13

extern "C" __global__ void reduce(const double *x, double *out, int n)
{
    extern __shared__ double sdata[];
    unsigned int tid = threadIdx.x; double s = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + tid; i < n;
        i += (size_t)blockDim.x * gridDim.x) s += x[i];
    sdata[tid] = s; __syncthreads();
    for (unsigned int k = blockDim.x / 2; k > 32; k >>= 1) { if (tid < k) sdata[tid] += sdata[tid + k];
        __syncthreads(); }
    if (tid < 32) { double v = sdata[tid] + sdata[tid + 32]; for (int off = 16; off;
        off >>= 1) v += __shfl_down_sync(0xffffffffu, v, off); if (tid == 0) out[blockIdx.x] = v; }
}
// run reduce 3 64 : f64*1000:data f64*3:zero i32=1000

extern "C" __global__ void histogram(const unsigned char *data, unsigned int *hist, int n)
{
    __shared__ unsigned int local[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x, stride = blockDim.x * gridDim.x;
    while (i < n) { atomicAdd(&local[data[i]], 1u); i += stride; }
    __syncthreads();
    for (int k = threadIdx.x; k < 256; k += blockDim.x) if (local[k]) atomicAdd(&hist[k], local[k]);
}
// run histogram 2 32 : u8*500:data u32*256:zero i32=500

extern "C" __global__ void scan(const int *in, int *out, int n)
{
    extern __shared__ int temp[];
    int t = threadIdx.x, pout = 0, pin = 1;
    temp[t] = t > 0 ? in[t - 1] : 0;
    __syncthreads();
    for (int offset = 1; offset < n; offset *= 2) {
        pout = 1 - pout; pin = 1 - pout;
        temp[pout * n + t] = temp[pin * n + t];
        if (t >= offset) temp[pout * n + t] += temp[pin * n + t - offset];
        __syncthreads();
    }
    out[t] = temp[pout * n + t];
}
// run scan 1 64 : i32*64:data i32*64:zero i32=64

__device__ float3 bodyBodyInteraction(float4 bi, float4 bj, float3 ai)
{
    float3 r; r.x = bj.x - bi.x; r.y = bj.y - bi.y; r.z = bj.z - bi.z;
    float distSqr = r.x * r.x + r.y * r.y + r.z * r.z + 0.01f,
        distSixth = distSqr * distSqr * distSqr, s = bj.w * (1.0f / sqrtf(distSixth));
    ai.x += r.x * s; ai.y += r.y * s; ai.z += r.z * s;
    return ai;
}
extern "C" __global__ void nbody(const float4 *pos, float4 *acc, int n)
{
    __shared__ float4 shPosition[16];
    int gtid = blockIdx.x * blockDim.x + threadIdx.x; float4 myPosition = pos[gtid];
        float3 a = {0.0f, 0.0f, 0.0f};
    for (int i = 0, tile = 0; i < n; i += 16, tile++) {
        shPosition[threadIdx.x] = pos[tile * blockDim.x + threadIdx.x]; __syncthreads();
        for (int j = 0; j < blockDim.x; j++) a = bodyBodyInteraction(myPosition, shPosition[j], a);
        __syncthreads();
    }
    acc[gtid] = make_float4(a.x, a.y, a.z, 0.0f);
}
// run nbody 2 16 : f32*128:data f32*128:zero i32=32

extern "C" __global__ void mandelbrot(int *out, int w, int h, int maxiter)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= w || py >= h) return;
    double x0 = 3.5 * px / w - 2.5, y0 = 2.0 * py / h - 1, x = 0, y = 0; int i = 0;
    for (; x * x + y * y <= 4 && i < maxiter; i++) { double t = x * x - y * y + x0;
        y = 2 * x * y + y0; x = t; }
    out[py * w + px] = i;
}
// run mandelbrot 3x3 8x8 : i32*400:zero i32=20 i32=20 i32=50

extern "C" __global__ void stencil(const float *in, float *out, int nx, int ny)
{
    const int i = threadIdx.x + blockIdx.x * blockDim.x, j = threadIdx.y + blockIdx.y * blockDim.y;
#define IDX(a, b) ((b) * nx + (a))
    if (i > 0 && i < nx - 1 && j > 0 && j < ny - 1)
        out[IDX(i, j)] = 0.25f * (in[IDX(i - 1, j)] + in[IDX(i + 1, j)] + in[IDX(i,
        j - 1)] + in[IDX(i, j + 1)]) - in[IDX(i, j)];
}
// run stencil 2x2 8x8 : f32*195:data f32*195:zero i32=15 i32=13

extern "C" __global__ void odd_even_sort(int *a, int n)
{
    int t = threadIdx.x;
    for (int phase = 0; phase < n; phase++) {
        int i = 2 * t + (phase & 1);
        if (i + 1 < n && a[i] > a[i + 1]) { int tmp = a[i]; a[i] = a[i + 1]; a[i + 1] = tmp; }
        __syncthreads();
    }
}
// run odd_even_sort 1 32 : i32*61:data i32=61

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height)
{
    __shared__ float tile[16][17];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    for (int j = 0; j < 16; j += 4) if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * 16 + threadIdx.x; y = blockIdx.x * 16 + threadIdx.y;
    for (int j = 0; j < 16; j += 4) if (x < height && y + j < width) odata[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}
// run transpose 2x2 16x4 : f32*600:zero f32*600:data i32=30 i32=20

__device__ unsigned int xorshift(unsigned int &state) { state ^= state << 13; state ^= state >> 17;
        state ^= state << 5; return state; }
extern "C" __global__ void monte_carlo(unsigned long long *hits, int n)
{
    unsigned int s = 1234567u + threadIdx.x * 7919u; int in = 0;
    for (int i = 0; i < n; i++) { float x = xorshift(s) * 2.3283064e-10f,
        y = xorshift(s) * 2.3283064e-10f;
        if (x * x + y * y < 1) ++in; }
    atomicAdd(hits, (unsigned long long)in);
}
// run monte_carlo 2 32 : u64*1:zero i32=100

extern "C" __global__ void game_of_life(const bool *a, bool *b, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, n = 0;
    if (x >= w || y >= h) return;
    for (int dy = -1; dy <= 1; dy++) for (int dx = -1; dx <= 1;
        dx++) if (dx || dy) n += a[(y + dy + h) % h * w + (x + dx + w) % w];
    b[y * w + x] = n == 3 || (a[y * w + x] && n == 2);
}
// run game_of_life 2x2 8x8 : b*195:zero b*195:zero i32=15 i32=13

__device__ int find(const int *keys, int n, int k) { int lo = 0, hi = n;
        while (lo < hi) { int mid = (lo + hi) >> 1;
        if (keys[mid] == k) return mid; if (keys[mid] < k) lo = mid + 1; else hi = mid;
        } return -1; }
extern "C" __global__ void search(const int *keys, const int *q, int *o, int n) {
        int i = threadIdx.x;
        o[i] = find(keys, n, q[i]); }
// run search 1 32 : i32*64:ramp i32*32:data i32*32:zero i32=64

extern "C" __global__ void bitonic(int *a)
{
    unsigned t = threadIdx.x;
    for (unsigned k = 2; k <= blockDim.x; k <<= 1) for (unsigned j = k >> 1; j > 0; j >>= 1) {
        unsigned other = t ^ j;
        if (other > t && ((t & k) == 0 ? a[t] > a[other] : a[t] < a[other])) { int v = a[t];
        a[t] = a[other];
        a[other] = v; }
        __syncthreads();
    }
}
// run bitonic 1 64 : i32*64:data
