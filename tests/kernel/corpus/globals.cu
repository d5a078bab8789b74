/* SPDX-License-Identifier: BSD-3-Clause */
/* globals.cu - variables of the module: all kernels of the file share them, in the order of the runs. */
__device__ int count = 3, calls;
__constant__ float weights[5] = {0.5f, 0.25f};
__device__ double grid[2][3] = {{1, 2, 3}, {4}};
__device__ const short steps[] = {1, -2, 3};
struct Pair { char tag; double value; int list[3]; };
__device__ Pair pairs[2] = {{'a', 1.5, {1, 2}}, {'b'}};
namespace outer { __device__ unsigned char bytes[7] = "xyz"; namespace inner { __device__ long long wide = -1; } }
using outer::inner::wide;
extern __device__ int later;

__device__ int *place(int i) { return i ? &count : &calls; }
__device__ void bump(double &x, double by) { x += by; }

extern "C" __global__ void write(const int *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) { calls++; *place(1) += n; wide *= 3; later -= 1; }
    if (i < 3) { bump(grid[i & 1][i], x[i]); pairs[i & 1].list[i] = x[i] + steps[i]; }
    if (i < n) atomicAdd(&count, x[i]);
    if (i < 7) outer::bytes[i] ^= (unsigned char)i;
}

extern "C" __global__ void read(double *r) {
    Pair *p = pairs;
    double *g = grid[0];
    r[0] = count; r[1] = calls; r[2] = weights[0] + weights[1] + weights[4];
    for (int i = 0; i < 6; i++) r[3 + i] = g[i];
    for (int k = 0; k < 2; k++, p++) {
        Pair q = *p;
        r[9 + 5 * k] = q.tag; r[10 + 5 * k] = q.value;
        for (int i = 0; i < 3; i++) r[11 + 5 * k + i] = q.list[i];
    }
    for (int i = 0; i < 7; i++) r[19 + i] = outer::bytes[i];
    r[26] = outer::inner::wide; r[27] = later; r[28] = sizeof(grid) + sizeof(outer::bytes);
}

extern "C" __global__ void through_pointers(int *r) {
    int *const list[2] = {place(0), place(1)};
    for (int i = 0; i < 2; i++) *list[i] += 10;
    volatile int *v = &later;
    *v += *v;
    const unsigned char *b = outer::bytes + 2;
    r[0] = b[-1] + b[1]; r[1] = *list[0] + *list[1]; r[2] = (int)(&grid[1][0] - &grid[0][0]);
    r[3] = list[0] == &calls;
}
__device__ int later = 40;
// run read 1 1 : f64*32:zero
// run write 2 8 : i32*16:ramp i32=16
// run read 1 1 : f64*32:zero
// run write 1 4 : i32*16:data i32=3
// run through_pointers 1 1 : i32*4:zero
// run read 1 1 : f64*32:zero
// run through_pointers 1 1 : i32*4:zero
