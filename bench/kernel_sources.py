# SPDX-License-Identifier: BSD-3-Clause
"""Ten well-known kernels as CUDA programmers write them, each with the loop that a C programmer writes for
a CPU."""
from dataclasses import dataclass

import numpy


@dataclass
class Kernel:
    """source: CUDA C, whose kernel has the name. data(rng): NumPy's arrays and numbers, as arguments. launches(args):
    (grid, block, arguments by number or value, shared bytes) of one run. loop: C for a CPU, the function loop_<name>."""
    name: str
    source: str
    data: object
    launches: object
    loop: str


SAXPY = Kernel("saxpy", r"""
extern "C" __global__ void saxpy(const float *x, float *y, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}""", lambda rng, s: [rng.random(s * 10_000_000, "f4"), rng.random(s * 10_000_000, "f4"), numpy.float32(0.5),
                      numpy.int32(s * 10_000_000)],
    lambda a: [(((int(a[3]) + 255) // 256,), (256,), a, 0)], r"""
void loop_saxpy(const float *restrict x, float *restrict y, float a, int n) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) y[i] = a * x[i] + y[i];
}""")

TRANSPOSE = Kernel("transpose", r"""
#define TILE 32
#define ROWS 8
extern "C" __global__ void transpose(const float *in, float *out, int n) {
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}""", lambda rng, s: [rng.random((s * 2048, s * 2048), "f4"), numpy.zeros((s * 2048, s * 2048), "f4"),
                      numpy.int32(s * 2048)],
    lambda a: [((int(a[2]) // 32,) * 2, (32, 8), a, 0)], r"""
void loop_transpose(const float *restrict in, float *restrict out, int n) {
    #pragma omp parallel for
    for (int bi = 0; bi < n; bi += 32)
        for (int bj = 0; bj < n; bj += 32)
            for (int i = bi; i < bi + 32; i++)
                for (int j = bj; j < bj + 32; j++) out[i * n + j] = in[j * n + i];
}""")

MATMUL = Kernel("matmul", r"""
#define B 16
extern "C" __global__ void matmul(const float *a, const float *b, float *c, int n) {
    __shared__ float as[B][B], bs[B][B];
    int row = blockIdx.y * B + threadIdx.y, col = blockIdx.x * B + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < n / B; t++) {
        as[threadIdx.y][threadIdx.x] = a[row * n + t * B + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(t * B + threadIdx.y) * n + col];
        __syncthreads();
        for (int k = 0; k < B; k++) sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + col] = sum;
}""", lambda rng, s: [rng.random((s * 512, s * 512), "f4"), rng.random((s * 512, s * 512), "f4"),
                      numpy.zeros((s * 512, s * 512), "f4"), numpy.int32(s * 512)],
    lambda a: [((int(a[3]) // 16,) * 2, (16, 16), a, 0)], r"""
void loop_matmul(const float *restrict a, const float *restrict b, float *restrict c, int n) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) c[i * n + j] = 0;
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++) c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
}""")

HISTOGRAM = Kernel("histogram", r"""
extern "C" __global__ void histogram(const unsigned char *data, unsigned int *bins, int n) {
    __shared__ unsigned int local[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x) local[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[data[i]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x) atomicAdd(&bins[b], local[b]);
}""", lambda rng, s: [rng.integers(0, 256, s * 10_000_000, "u1"), numpy.zeros(256, "u4"),
                      numpy.int32(s * 10_000_000)],
    lambda a: [((512,), (256,), a, 0)], r"""
void loop_histogram(const unsigned char *restrict data, unsigned int *restrict bins, int n) {
    #pragma omp parallel
    {
        unsigned int local[256] = {0};
        #pragma omp for
        for (int i = 0; i < n; i++) local[data[i]]++;
        #pragma omp critical
        for (int b = 0; b < 256; b++) bins[b] += local[b];
    }
}""")

REDUCE = Kernel("reduce", r"""
extern "C" __global__ void reduce(const float *x, float *partial, int n) {
    extern __shared__ float s[];
    int tid = threadIdx.x;
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + tid; i < n; i += blockDim.x * gridDim.x) sum += x[i];
    s[tid] = sum;
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k >>= 1) {
        if (tid < k) s[tid] += s[tid + k];
        __syncthreads();
    }
    if (tid == 0) partial[blockIdx.x] = s[0];
}""", lambda rng, s: [rng.random(s * 10_000_000, "f4"), numpy.zeros(1024, "f4"), numpy.int32(s * 10_000_000)],
    lambda a: [((1024,), (256,), a, 1024)], r"""
void loop_reduce(const float *restrict x, float *restrict partial, int n) {
    #pragma omp parallel for
    for (int b = 0; b < 1024; b++) {
        float sum = 0;
        for (int from = b * 256; from < n; from += 1024 * 256)
            for (int i = from; i < from + 256 && i < n; i++) sum += x[i];
        partial[b] = sum;
    }
}""")

SCAN = Kernel("scan", r"""
extern "C" __global__ void scan(const float *x, float *y, int n) {
    __shared__ float s[512];
    int tid = threadIdx.x, i = blockIdx.x * 512 + tid;
    s[tid] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int d = 1; d < 512; d *= 2) {
        float v = tid >= d ? s[tid - d] : 0.0f;
        __syncthreads();
        s[tid] += v;
        __syncthreads();
    }
    if (i < n) y[i] = s[tid];
}""", lambda rng, s: [rng.random(s * 4_000_000, "f4"), numpy.zeros(s * 4_000_000, "f4"), numpy.int32(s * 4_000_000)],
    lambda a: [(((int(a[2]) + 511) // 512,), (512,), a, 0)], r"""
void loop_scan(const float *restrict x, float *restrict y, int n) {
    #pragma omp parallel for
    for (int b = 0; b < n; b += 512) {
        float sum = 0;
        for (int i = b; i < b + 512 && i < n; i++) y[i] = sum += x[i];
    }
}""")

STENCIL = Kernel("stencil", r"""
extern "C" __global__ void stencil(const float *__restrict__ u, float *__restrict__ v, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && x < n - 1 && y > 0 && y < n - 1)
        v[y * n + x] = 0.25f * (u[(y - 1) * n + x] + u[(y + 1) * n + x] + u[y * n + x - 1] + u[y * n + x + 1]);
}""", lambda rng, s: [rng.random((s * 2048, s * 2048), "f4"), numpy.zeros((s * 2048, s * 2048), "f4"),
                      numpy.int32(s * 2048)],
    lambda a: [((int(a[2]) // 32, int(a[2]) // 8), (32, 8), a, 0)], r"""
void loop_stencil(const float *restrict u, float *restrict v, int n) {
    #pragma omp parallel for
    for (int y = 1; y < n - 1; y++)
        for (int x = 1; x < n - 1; x++)
            v[y * n + x] = 0.25f * (u[(y - 1) * n + x] + u[(y + 1) * n + x] + u[y * n + x - 1] + u[y * n + x + 1]);
}""")

NBODY = Kernel("nbody", r"""
extern "C" __global__ void nbody(const float4 *p, float4 *acc, int n) {
    __shared__ float4 tile[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = p[i];
    float ax = 0, ay = 0, az = 0;
    for (int t = 0; t < n; t += 128) {
        tile[threadIdx.x] = p[t + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 128; k++) {
            float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
            float r2 = dx * dx + dy * dy + dz * dz + 0.01f;
            float inv = rsqrtf(r2), w = tile[k].w * inv * inv * inv;
            ax += dx * w; ay += dy * w; az += dz * w;
        }
        __syncthreads();
    }
    acc[i] = make_float4(ax, ay, az, 0);
}""", lambda rng, s: [rng.random((s * 4096, 4), "f4"), numpy.zeros((s * 4096, 4), "f4"), numpy.int32(s * 4096)],
    lambda a: [((int(a[2]) // 128,), (128,), a, 0)], r"""
#include <math.h>
void loop_nbody(const float *restrict p, float *restrict acc, int n) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        float ax = 0, ay = 0, az = 0;
        for (int k = 0; k < n; k++) {
            float dx = p[4 * k] - p[4 * i], dy = p[4 * k + 1] - p[4 * i + 1], dz = p[4 * k + 2] - p[4 * i + 2];
            float r2 = dx * dx + dy * dy + dz * dz + 0.01f;
            float inv = 1 / sqrtf(r2), w = p[4 * k + 3] * inv * inv * inv;
            ax += dx * w; ay += dy * w; az += dz * w;
        }
        acc[4 * i] = ax; acc[4 * i + 1] = ay; acc[4 * i + 2] = az; acc[4 * i + 3] = 0;
    }
}""")

MANDELBROT = Kernel("mandelbrot", r"""
extern "C" __global__ void mandelbrot(int *out, int n, int turns) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n) return;
    float cr = -2.0f + 3.0f * x / n, ci = -1.5f + 3.0f * y / n, zr = 0, zi = 0;
    int k = 0;
    while (k < turns && zr * zr + zi * zi < 4.0f) {
        float t = zr * zr - zi * zi + cr;
        zi = 2.0f * zr * zi + ci;
        zr = t;
        k++;
    }
    out[y * n + x] = k;
}""", lambda rng, s: [numpy.zeros((s * 512, s * 512), "i4"), numpy.int32(s * 512), numpy.int32(200)],
    lambda a: [((int(a[1]) // 16,) * 2, (16, 16), a, 0)], r"""
void loop_mandelbrot(int *restrict out, int n, int turns) {
    #pragma omp parallel for schedule(dynamic, 8)
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            float cr = -2.0f + 3.0f * x / n, ci = -1.5f + 3.0f * y / n, zr = 0, zi = 0;
            int k = 0;
            while (k < turns && zr * zr + zi * zi < 4.0f) {
                float t = zr * zr - zi * zi + cr;
                zi = 2.0f * zr * zi + ci;
                zr = t;
                k++;
            }
            out[y * n + x] = k;
        }
}""")

ODD_EVEN = Kernel("odd_even_sort", r"""
extern "C" __global__ void odd_even_sort(int *data) {
    __shared__ int s[512];
    int tid = threadIdx.x;
    int *mine = data + blockIdx.x * 512;
    s[tid] = mine[tid];
    s[tid + 256] = mine[tid + 256];
    __syncthreads();
    for (int phase = 0; phase < 512; phase++) {
        int i = 2 * tid + (phase & 1);
        if (i + 1 < 512 && s[i] > s[i + 1]) { int t = s[i]; s[i] = s[i + 1]; s[i + 1] = t; }
        __syncthreads();
    }
    mine[tid] = s[tid];
    mine[tid + 256] = s[tid + 256];
}""", lambda rng, s: [rng.integers(0, 1 << 30, s * 512 * 400, "i4")],
    lambda a: [((a[0].size // 512,), (256,), a, 0)], r"""
void loop_odd_even_sort(int *data, long n) {
    #pragma omp parallel for
    for (long b = 0; b < n / 512; b++) {
        int *s = data + b * 512;
        for (int phase = 0; phase < 512; phase++)
            for (int i = phase & 1; i + 1 < 512; i += 2) {
                int lo = s[i] < s[i + 1] ? s[i] : s[i + 1], hi = s[i] < s[i + 1] ? s[i + 1] : s[i];
                s[i] = lo; s[i + 1] = hi;
            }
    }
}""")

KERNELS = [SAXPY, TRANSPOSE, MATMUL, HISTOGRAM, REDUCE, SCAN, STENCIL, NBODY, MANDELBROT, ODD_EVEN]
