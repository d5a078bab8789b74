/* SPDX-License-Identifier: BSD-3-Clause */
/* control.cu - branches, loops, switch, effects within expressions. */

__global__ void switches(const int *x, int *o)
{
    int i = threadIdx.x, r = 0;
    switch (x[i] & 7) {
    case 0: r = 1; break;
    case 1: r = 2;
    case 2: r += 3; break;
    default: r = 100;
    case 4: { int t = r; r = t + 5; } break;
    case 5: case 6: r = 7; if (x[i] > 0) break; r = 8;
    }
    o[i] = r;
}
// run switches 1 64 : i32*64:data i32*64:zero

__global__ void switch_in_loop(int *o, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        switch (i % 4) {
        case 0: continue;
        case 1: s += 1; break;
        case 3: s += 100; if (i > 20) break;
        }
        s += 10;
        if (s > 1000) break;
    }
    switch (s) {}
    switch (n) { case 40: s++; }
    switch ((char)n) { default: s *= 2; break; case 'A': s = 0; }
    o[threadIdx.x] = s;
}
// run switch_in_loop 1 2 : i32*2:zero i32=40

__global__ void loops(int *o, int n)
{
    int a = 0, b = 0, c = 0, d = 0;
    for (int i = 0; i < n; ++i) for (int j = i; j < n; j += 2) { if (j == 5) continue;
        if (j > 9) break; a += i * j; }
    int i = 0;
    while (i < n) { i++; if (i & 1) continue; b += i; }
    do { c += n; if (c > 30) continue; c++; } while (--n > 3);
    do d++; while (d < 5);
    for (;;) { if (d++ > 10) break; }
    for (int x = 0, y = 10; x < y; x++, y--) d += x * y;
    unsigned u = 10;
    while (u--) d += u;
    for (float f = 0; f < 1; f += 0.25f) d++;
    o[0] = a; o[1] = b; o[2] = c; o[3] = d; o[4] = u; o[5] = i;
}
// run loops 1 1 : i32*6:zero i32=12

__global__ void short_circuit(const int *x, int *o, int n)
{
    int i = threadIdx.x, count = 0;
    if (i < n && x[i] > 0 && ++count) count += 10;
    if (x[i] > 5 || count++ > 3 || (count += 100) > 3) count += 1000;
    bool b = (count & 1) && (count = 7, count > 3);
    int t = x[i] > 0 ? count++ : count--;
    o[i * 4] = count; o[i * 4 + 1] = b; o[i * 4 + 2] = t; o[i * 4 + 3] = !(i < n) || (o[i] = 3);
}
// run short_circuit 1 32 : i32*32:data i32*128:zero i32=20

__global__ void increments(int *o)
{
    int a[8] = {1, 2, 3}, i = 0, j = 5;
    a[i++] = j++; a[i++] += j--; a[++i] = 4; a[7]--; ++a[6]; int k = i++ * 2; k += --j; k -= i--;
    int m = (i = 3, j = 4, i * j), q = i++, r = ++i;
    a[5] = m = q = r; i += j -= 2; (i)++;
    for (int n = 0; n < 8; n++) o[n] = a[n];
    o[8] = i; o[9] = j; o[10] = k; o[11] = m;
    float f = 1.5f; f++; --f; o[12] = f++ * 4; o[13] = f * 4;
}
// run increments 1 1 : i32*14:zero

__global__ void ternaries(const int *x, float *o)
{
    int i = threadIdx.x;
    o[i] = x[i] > 0 ? x[i] < 50 ? 1 : 2.5f : x[i] == 0 ? 0 : -x[i];
    const float *p = x[i] > 0 ? o : 0;
    o[i] += p ? 1 : 0;
    (x[i] & 1) ? (void)(o[i] *= 2) : (void)0;
}
// run ternaries 1 32 : i32*32:data f32*32:zero

__global__ void returns(const int *x, int *o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 40) return;
    o[i] = 1;
    for (int j = 0; j < 10; j++) { if (x[j] == i) return; o[i] += j;
        while (true) { if (j < 100) return; } }
    o[i] = -1;
}
// run returns 2 32 : i32*64:data i32*64:zero

__global__ void dangling(const int *x, int *o)
{
    int i = threadIdx.x;
    if (x[i] > 0) if (x[i] > 50) o[i] = 1; else o[i] = 2; else if (x[i] < -50) o[i] = 3; else ;
    if (int t = x[i] / 10) o[i] += t * 100; else o[i] += 7;
    while (int left = 3 - o[i] % 3) { o[i] += left; if (o[i] % 3 == 0) break; }
}
// run dangling 1 32 : i32*32:data i32*32:zero

__global__ void odd_loops(int *o, int n)
{
    int s = 0;
    for (unsigned i = n; i-- > 0;) s += i;
    for (long i = n; i >= 0; i -= 3) s += (int)i;
    for (int i = 1; i < n; i <<= 1) s ^= i;
    for (int i = n; i != 0; i /= 2) s += i & 1;
    for (unsigned char c = 250; c >= 250; c++) s++;
    int i;
    for (i = 0; i < n; i++) { if (i == 7) i += 2; s += i; }
    for (int a = 0, *p = &a; *p < 5; (*p)++) s += a;
    do { do { s++; if (s % 5 == 0) continue; s += 2; } while (s % 7); if (s % 3 == 0) continue;
        s++; }
        while (s < 200);
    o[0] = s; o[1] = i;
}
// run odd_loops 1 1 : i32*2:zero i32=13

__global__ void comma_and_blocks(int *o)
{
    int x = 1; { int x = 2; { int x = 3; o[0] = x; } o[1] = x; } o[2] = x;
    for (int x = 7; x < 8; x++) o[3] = x;
    int y = (o[4] = 5, 6), z; z = y, y = 2;
    o[5] = y * 10 + z;
    ;;{}
    if (x) ; else o[6] = 1;
}
// run comma_and_blocks 1 1 : i32*8:zero

#pragma unroll
__device__ int many(const int *x, int n)
{
    int s = 0;
    #pragma unroll 4
    for (int i = 0; i < n; i++)
        #pragma unroll
        for (int j = 0; j < 3; j++)
            s += x[(i + j) & 15] * (j + 1);
    if (n > 3)
        #pragma unroll (sizeof(int) > 3 ? 2 : 1)
        for (int i = 0; i < 2; i++) s ^= i << 3;
    else
        #pragma nounroll
        while (n-- > 0) s++;
    return s;
}
#define TURNS 2
extern "C" __global__ void pragmas(const int *x, int *o)
{
    int t = threadIdx.x, s = 0;
    #pragma unroll
    s = many(x + t, 3 + (t & 1));
    switch (t & 3) {
    case 0:
        #pragma unroll TURNS
        do { s += 3; if (s & 8) continue; } while (s < 100);
        break;
    default:
        #pragma once
        s -= 1;
        #pragma unroll
    }
    if (TURNS == 3)
        #pragma unroll
        for (int i = 0; i < TURNS; i++) s = 0;
    do
        #pragma unroll 2
        for (int i = 0; i < 4; i++) { if (i == 2) continue; s += i; }
    #pragma unroll
    while (s < 0);
    o[t] = s;
    #pragma unroll
}
#pragma unroll 3
// run pragmas 1 8 : i32*32:data i32*8:zero
