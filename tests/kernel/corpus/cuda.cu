/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda.cu - indices, shared memory, atomics, warps, functions of CUDA. */

__global__ void indices(int *o)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
        z = blockIdx.z * blockDim.z + threadIdx.z;
    int w = gridDim.x * blockDim.x, h = gridDim.y * blockDim.y;
    o[(z * h + y) * w + x] = x + 100 * y + 10000 * z + (int)gridDim.z;
}
// run indices 2x3x2 4x2x2 : i32*192:zero

__global__ void reverse(const int *x, int *o)
{
    __shared__ int s[64]; __shared__ int total; int t = threadIdx.x, i = blockIdx.x * 64 + t;
    if (t == 0) total = 0;
    s[t] = x[i]; __syncthreads(); atomicAdd(&total, s[t]); __syncthreads();
        o[i] = s[63 - t] + total;
}
// run reverse 2 64 : i32*128:data i32*128:zero

__global__ void dynamic(const float *x, float *o, int n)
{
    extern __shared__ float s[]; float *a = s, *b = (float *)&s[n]; int t = threadIdx.x;
    a[t] = x[t]; b[t] = x[t] * 2; __syncthreads(); o[t] = a[n - 1 - t] + b[(t + 1) % n];
}
// run dynamic 1 32 : f32*32:data f32*32:zero i32=32

__global__ void tree(const float *x, float *o)
{
    __shared__ float s[2][64]; int t = threadIdx.x; s[0][t] = x[t]; s[1][t] = -x[t];
        __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k >>= 1) { if (t < k) { s[0][t] += s[0][t + k];
        s[1][t] = fmaxf(s[1][t], s[1][t + k]); } __syncthreads(); }
    if (t < 2) o[t] = s[t][0];
}
// run tree 1 64 : f32*64:data f32*2:zero

__global__ void atomics(const int *x, int *o, unsigned *u, unsigned long long *w, float *f,
        double *d)
{
    int v = x[threadIdx.x];
    atomicAdd(&o[0], v); atomicSub(o + 1, v); atomicMin(&o[2], v); atomicMax(&o[3], v);
        atomicAnd(&o[4], v);
        atomicOr(&o[5], v); atomicXor(&o[6], v);
    atomicAdd(u, (unsigned)v); atomicInc(&u[1], 5); atomicDec(&u[2], 7); atomicMax(&u[3], v);
        atomicAdd(w, (unsigned long long)v); atomicMax(&w[1], 5);
    atomicAdd(f, v * 0.5f); atomicAdd(d, (double)v); atomicExch(&f[1], v);
        int old = atomicAdd(&o[7], 1);
        o[16 + threadIdx.x] = old;
    unsigned long long *p = (unsigned long long *)&d[1], seen = *p, was; do { was = seen;
        seen = atomicCAS(p, was, __double_as_longlong(v + __longlong_as_double(was)));
        } while (was != seen);
}
// run atomics 2 16 : i32*16:data i32*32:ramp u32*4:zero u64*2:zero f32*2:zero f64*2:zero

__global__ void warps(const int *x, int *o, float *f)
{
    int t = threadIdx.x, v = x[t]; o += t * 12; float g = v;
    for (int k = 16; k > 0; k /= 2) g += __shfl_down_sync(0xffffffff, g, k);
    f[t] = g; o[0] = __shfl_sync(0xffffffff, v, 3); o[1] = __shfl_up_sync(~0u, v, 2);
        o[2] = __shfl_xor_sync(~0u, v, 5); o[3] = __shfl_down_sync(~0u, v, 1, 8);
    o[4] = __any_sync(~0u, v > 95); o[5] = __all_sync(~0u, v > -101);
        o[6] = __ballot_sync(~0u, v & 1);
        o[7] = __match_any_sync(~0u, v & 3);
    o[8] = __popc(__activemask()); o[9] = __syncthreads_count(v > 0);
        o[10] = __syncthreads_and(v != 0) + 2 * __syncthreads_or(v == 3);
        o[11] = __shfl_sync(~0u, v, t + 1, 4);
    __syncwarp();
}
// run warps 1 64 : i32*64:data i32*768:zero f32*64:zero

__global__ void bits(const int *x, long long *o)
{
    int v = x[threadIdx.x]; unsigned u = v; long long w = (long long)v * 123456789;
        o += threadIdx.x * 16;
    o[0] = __popc(u); o[1] = __popcll(w); o[2] = __clz(v); o[3] = __clzll(w); o[4] = __ffs(v);
        o[5] = __ffsll(w);
        o[6] = __brev(u); o[7] = __mulhi(v * 1000000, v);
    o[8] = __umulhi(u, u); o[9] = __mul24(v, 3); o[10] = min(v, 5); o[11] = max(v, -5);
        o[12] = min(u, 7u);
        o[13] = abs(v); o[14] = max((long long)v, w); o[15] = __float_as_int(v * 0.5f);
}
// run bits 1 32 : i32*32:data i64*512:zero

__global__ void functions(const float *x, float *o, double *d)
{
    float v = x[threadIdx.x], p = fabsf(v) + 0.1f; double w = v; o += threadIdx.x * 40;
        d += threadIdx.x * 20; int e;
    o[0] = sinf(v); o[1] = sin(v); o[2] = expf(v / 10); o[3] = logf(p); o[4] = sqrtf(p);
        o[5] = powf(p, 1.5f);
        o[6] = fmodf(v, 3); o[7] = floorf(v); o[8] = ceil(v);
    o[9] = truncf(v); o[10] = roundf(v); o[11] = rintf(v); o[12] = fmaxf(v, 1);
        o[13] = fminf(v, NAN);
        o[14] = atan2f(v, p); o[15] = tanhf(v); o[16] = erff(v / 10);
    o[17] = copysignf(p, v); o[18] = fmaf(v, v, 1); o[19] = rsqrtf(p); o[20] = hypotf(v, p);
        o[21] = cbrtf(v);
        o[22] = ldexpf(v, 3); o[23] = isnan(v / 0 * 0);
    o[24] = isinf(v / 0.0f); o[25] = isfinite(v); o[26] = signbit(v); o[27] = __float2int_rn(v);
        o[28] = __saturatef(v); o[29] = __fdividef(v, 3); o[30] = fabs(v) + abs(v);
    float s, c; sincosf(v, &s, &c); o[31] = s + 10 * c; float i; o[32] = modff(v, &i); o[33] = i;
        o[34] = frexpf(p, &e); o[35] = e; o[36] = lroundf(v); o[37] = fdimf(v, 1); o[38] = __ldg(x);
    d[0] = sin(w); d[1] = exp(w / 10); d[2] = pow(fabs(w), 0.3); d[3] = log10(p);
        d[4] = sqrt((double)p);
        d[5] = floor(w); d[6] = fmin(w, 2); d[7] = cos(1); d[8] = sqrt(2); d[9] = pow(w, 2);
    d[10] = acos(w / 200); d[11] = log1p(fabs(w)); d[12] = nextafter(w, 1e9);
        d[13] = remainder(w, 7);
        d[14] = fmax(v, w); d[15] = tgamma(p / 10); double n; d[16] = modf(w, &n) + n * 1000;
        d[17] = frexp(w, &e) + e; d[18] = ilogb(p); d[19] = lrint(w);
}
// run functions 1 16 : f32*16:data f32*640:zero f64*320:zero

__global__ void __launch_bounds__(256, 2) bounded(int *o) { o[threadIdx.x] = warpSize; }
// run bounded 1 4 : i32*4:zero

__global__ void tells(const int *x)
{
    if (threadIdx.x < 2)
        printf("thread %d of %u: %f %5.2e %lld %c%%\n", threadIdx.x, blockDim.x, x[0] / 8.0f, 1.5,
               1LL << 40, 'c');
    assert(x[0] < 1000 && "fine");
    printf("." ".\n");
}
// run tells 1 4 : i32*4:data

__device__ const char *parity(int i) { return i % 2 ? "odd" : "even"; }
__constant__ char title[] = "a \"title\"";
__global__ void names(const int *x, int n)
{
    const char *list[] = {"zero", "one", "two"};
    char own[4] = {'o', 'w', 'n'};
    for (int i = 0; i < n; i++)
        printf("%d is %s, <%5s|%-6s|%.2s> %*d %-*.*f %s %s 100%%\n", i, parity(i), list[i % 3], "ab", "xyz", i + 3, x[i],
               9, 2, x[i] / 3.0, title, own);
}
// run names 1 1 : i32*8:data i32=7

__global__ void flags(volatile int *f, int *o) { if (threadIdx.x == 0) { o[0] = 5;
        __threadfence(); f[0] = 1; }
        else { while (f[0] == 0) __syncwarp(); o[1] = o[0]; } __syncwarp(); }
// run flags 1 1 : i32*1:zero i32*2:zero
