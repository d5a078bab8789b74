/* SPDX-License-Identifier: BSD-3-Clause */
/* arithmetic.cu - conversions, signs, shifts, literals, constants. */

template <typename A, typename B> __device__ void pair(A a, B b, double *o)
{
    o[0] += a + b; o[1] += a - b; o[2] += a * b; o[3] += a < b; o[4] += a >= b; o[5] += a == b;
    o[6] += (A)b; o[7] += (B)a; o[8] += a ? b : a; o[9] += sizeof(a + b);
    A c = a; c += b; o[10] += c;
    c = a; c -= 1; o[11] += c; c += 1; o[12] += c; o[13] += -a; o[14] += +b; o[15] += !a;
}
template <typename A> __device__ void row(A a, int v, double *o)
{
    pair(a, (bool)(v & 1), o); pair(a, (char)v, o); pair(a, (signed char)v, o);
    pair(a, (unsigned char)v, o); pair(a, (short)v, o); pair(a, (unsigned short)v, o);
    pair(a, v, o); pair(a, (unsigned)v, o); pair(a, (long)v, o); pair(a, (unsigned long)v, o);
    pair(a, (long long)v, o); pair(a, (unsigned long long)v, o); pair(a, (float)v, o);
    pair(a, (double)v, o);
}
__global__ void pairs_signed(double *o, int v)
{
    o += threadIdx.x * 16;
    v += threadIdx.x;
    row((char)v, v + 1, o); row((short)v, 3 - v, o); row(v, v, o); row((long)v, -v, o);
        row((long long)v, 7, o);
}
// run pairs_signed 1 8 : f64*128:zero i32=-4
__global__ void pairs_unsigned(double *o, int v)
{
    o += threadIdx.x * 16;
    row((unsigned char)v, v + 1, o); row((unsigned short)v, 303 - v, o); row((unsigned)v, v, o);
    row((unsigned long)v, 5, o); row((bool)v, 1, o); row((unsigned long long)v, 222 - v, o);
}
// run pairs_unsigned 1 1 : f64*16:zero i32=200
__global__ void pairs_real(double *o, int v)
{
    o += threadIdx.x * 16;
    row((float)v / 3, v + 1, o); row((double)v / 7, 3 + v, o);
}
// run pairs_real 1 2 : f64*32:zero i32=11

__global__ void division(const int *x, const int *y, int *o, unsigned *p)
{
    int i = threadIdx.x, d = y[i] == 0 ? 3 : y[i];
    o[i * 4] = x[i] / d; o[i * 4 + 1] = x[i] % d; o[i * 4 + 2] = -x[i] / d;
        o[i * 4 + 3] = x[i] % -d;
    p[i * 2] = (unsigned)x[i] / (unsigned)d; p[i * 2 + 1] = (unsigned)x[i] % (unsigned)d;
}
// run division 1 32 : i32*32:data i32*32:data i32*128:zero u32*64:zero

__global__ void shifts(const int *x, long long *o)
{
    int i = threadIdx.x, v = x[i];
    unsigned u = v; long long w = (long long)v << 20; unsigned char c = v; short s = v;
    o += i * 12;
    o[0] = v >> (i & 31); o[1] = u >> (i & 31); o[2] = u << (i & 31); o[3] = w >> 7;
        o[4] = c << 3; o[5] = c >> 2;
    o[6] = s >> 1; o[7] = (v >> 3) + (v >> 1 > 2); u >>= 3; o[8] = u; v <<= 2; o[9] = v; w >>= 2;
        o[10] = w;
    s >>= 2; o[11] = s;
}
// run shifts 1 32 : i32*32:data i64*384:zero

__global__ void literals(double *o)
{
    int n = 0;
    o[n++] = 0x1F; o[n++] = 017; o[n++] = 0b1011; o[n++] = 1'000'000; o[n++] = 'a';
        o[n++] = '\n'; o[n++] = '\x41';
    o[n++] = '\101'; o[n++] = 1e3; o[n++] = 1.5e-3f; o[n++] = .5; o[n++] = 5.; o[n++] = 0x1.8p3;
        o[n++] = 0x1p-2f;
    o[n++] = 4294967295u; o[n++] = 4294967296; o[n++] = 0xffffffff; o[n++] = 10ull; o[n++] = -1u;
        o[n++] = sizeof(0xffffffff);
    o[n++] = sizeof 1L; o[n++] = sizeof(1.0f); o[n++] = sizeof('a'); o[n++] = 1.0f / 3;
        o[n++] = 1 / 3.0;
        o[n++] = 0.1f;
    o[n++] = (float)0.1 == 0.1f; o[n++] = 0.1f + 0.2f; o[n++] = 16777217.0f; o[n++] = 1e-45f;
        o[n++] = 3.4028235e38f;
    o[n++] = 9007199254740993.0; o[n++] = 2147483647 + 1u; o[n++] = 07; o[n++] = 08.5;
}
// run literals 1 1 : f64*40:zero

__global__ void limits_of_types(double *o)
{
    o[0] = INT_MAX; o[1] = INT_MIN; o[2] = UINT_MAX; o[3] = LLONG_MAX; o[4] = FLT_MAX;
        o[5] = FLT_MIN;
        o[6] = FLT_EPSILON;
    o[7] = DBL_MAX; o[8] = DBL_EPSILON; o[9] = INFINITY; o[10] = -INFINITY; o[11] = NAN;
        o[12] = M_PI;
        o[13] = M_SQRT1_2;
    o[14] = CHAR_BIT; o[15] = SHRT_MIN; o[16] = UCHAR_MAX; o[17] = HUGE_VAL; o[18] = DBL_MIN;
        o[19] = LONG_MIN;
}
// run limits_of_types 1 1 : f64*20:zero

__global__ void narrow(const int *x, int *o)
{
    int i = threadIdx.x;
    signed char a = x[i] * 3; unsigned char b = x[i] * 5; short c = x[i] * 1000;
        unsigned short d = x[i] * 999;
        bool e = x[i];
    a += 100; b -= 7; c *= 3; d /= 3; e = !e;
    o[i * 6] = a; o[i * 6 + 1] = b; o[i * 6 + 2] = c; o[i * 6 + 3] = d; o[i * 6 + 4] = e;
        o[i * 6 + 5] = a++ + ++b;
}
// run narrow 1 32 : i32*32:data i32*192:zero

__global__ void to_whole(const float *x, int *o)
{
    int i = threadIdx.x;
    o[i * 5] = (int)x[i]; o[i * 5 + 1] = (int)(x[i] * 0.5); o[i * 5 + 2] = (short)x[i];
        o[i * 5 + 3] = (long long)x[i];
    o[i * 5 + 4] = (unsigned char)(x[i] < 0 ? -x[i] : x[i]);
}
// run to_whole 1 32 : f32*32:data i32*160:zero

__global__ void single_stays(const float *x, float *o, double *p)
{
    int i = threadIdx.x;
    o[i] = 1.0f * x[i] + x[i] / 3.0f - 0.1f; p[i] = 1.0 * x[i] + x[i] / 3.0 - 0.1; o[i] += 0.1;
        o[i] *= 1 / 3.0;
}
// run single_stays 1 32 : f32*32:data f32*32:zero f64*32:zero

__global__ void mixed_sign(const int *x, const unsigned *y, int *o)
{
    int i = threadIdx.x;
    o[i * 4] = x[i] < y[i]; o[i * 4 + 1] = x[i] < (int)y[i]; o[i * 4 + 2] = (x[i] - y[i]) / 3;
        o[i * 4 + 3] = (long)x[i] < y[i];
}
// run mixed_sign 1 32 : i32*32:data u32*32:data i32*128:zero
