/* SPDX-License-Identifier: BSD-3-Clause */
/* test_ptx.c - the fake driver's interpreter of PTX: what instructions give, threads together, calls,
 * graphs; and that it says what it does not know and which memory is not there. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/cuda/cuda_device.h"
#include "cuda/fake.h"
#include "harness.h"
#include "ptxas.h"

static struct table {
#define CU(name, symbol, arguments) CUresult (*name) arguments;
#include "backend/cuda/cuda_driver.def"
} cu;
static void (*forget_failures)(void);

enum { BYTES = 4096 };
static CUdeviceptr memory;
static CUstream stream;

static bool opened(void)
{
    static bool is_open;
    void *fake = is_open ? NULL : fake_open(NULL, "libfake_libcuda.so");
    if (fake == NULL)
        return is_open;
#define CU(name, symbol, arguments) *(void **)&cu.name = dlsym(fake, #symbol);
#include "backend/cuda/cuda_driver.def"
    *(void **)&forget_failures = dlsym(fake, "fake_cuda_reset");
    CUcontext context;
    setenv("FAKE_CUDA_RUN", "1", 1);
    is_open = cu.cuInit(0) == 0 && cu.cuDevicePrimaryCtxRetain(&context, 0) == 0 &&
              cu.cuCtxSetCurrent(context) == 0 && cu.cuMemAlloc(&memory, BYTES) == 0 &&
              cu.cuStreamCreate(&stream, 0) == 0;
    return is_open;
}

/* What the interpreter says on stderr is expected, and kept from the test's output. */
static int quiet_stderr(void)
{
    fflush(stderr);
    int kept = dup(2);
    FILE *nowhere = fopen("/dev/null", "w");
    dup2(fileno(nowhere), 2);
    fclose(nowhere);
    return kept;
}

static void loud_stderr(int kept)
{
    dup2(kept, 2);
    close(kept);
}

#define HEAD ".version 7.0\n.target sm_75\n.address_size 64\n"
#define ENTRY ".visible .entry k(.param .u64 p)\n{\n.reg .pred %p<9>;\n.reg .b16 %h<9>;\n" \
              ".reg .b32 %r<40>;\n.reg .b64 %d<40>;\n.reg .f32 %f<9>;\n.reg .f64 %g<9>;\n" \
              "ld.param.u64 %d0, [p];\n"

typedef struct launched { CUmodule module; CUfunction function; } launched;

static CUresult load(const char *text, launched *l)
{
    CUresult r = cu.cuModuleLoadDataEx(&l->module, text, 0, NULL, NULL);
    return r != 0 ? r : cu.cuModuleGetFunction(&l->function, l->module, "k");
}

/* k over the memory, which is given and taken back. */
static CUresult run(const char *text, unsigned blocks, unsigned threads, void *data, size_t bytes)
{
    launched l;
    int kept = quiet_stderr();
    CUresult r = load(text, &l);
    loud_stderr(kept);
    if (r != 0)
        return r;
    CUlaunchConfig how = {blocks, 1, 1, threads, 1, 1, 0, stream, NULL, 0};
    void *parameters[] = {&memory};
    cu.cuMemcpyHtoDAsync(memory, data, bytes, stream);
    kept = quiet_stderr();
    r = cu.cuLaunchKernelEx(&how, l.function, parameters, NULL);
    loud_stderr(kept);
    forget_failures();
    cu.cuMemcpyDtoHAsync(data, memory, bytes, stream);
    cu.cuModuleUnload(l.module);
    return r;
}

/* ---- one instruction -------------------------------------------------------------------------- */

/* %r1, %d1, %h1, %f1, %g1 are x, %r2... y, %r3... z; the result is %d9, or (wide: 0) 32 bits of %r9. */
static const struct row { const char *text; int wide; uint64_t x, y, z, want; } rows[] = {
    {"add.s32 %r9, %r1, -1;", 0, 0, 0, 0, 0xffffffff},
    {"sub.s64 %d9, %d1, %d2;", 1, 3, 5, 0, UINT64_MAX - 1},
    {"mul.hi.s32 %r9, %r1, %r2;", 0, 0xffffffff, 2, 0, 0xffffffff},
    {"mul.hi.u32 %r9, %r1, %r2;", 0, 0xffffffff, 2, 0, 1},
    {"mul.hi.u64 %d9, %d1, %d2;", 1, UINT64_MAX, UINT64_MAX, 0, UINT64_MAX - 1},
    {"mul.hi.s64 %d9, %d1, %d2;", 1, UINT64_MAX, UINT64_MAX, 0, 0},
    {"mul.wide.s16 %r9, %h1, %h2;", 0, 0x8000, 2, 0, 0xffff0000},
    {"mul.wide.u32 %d9, %r1, %r2;", 1, 0xffffffff, 0xffffffff, 0, 0xfffffffe00000001},
    {"mad.lo.s32 %r9, %r1, %r2, %r3;", 0, 7, 5, 0xfffffff0, 19},
    {"div.s32 %r9, %r1, %r2;", 0, 0xfffffff9, 2, 0, 0xfffffffd},
    {"rem.s32 %r9, %r1, %r2;", 0, 0xfffffff9, 2, 0, 0xffffffff},
    {"div.s64 %d9, %d1, %d2;", 1, UINT64_C(1) << 63, UINT64_MAX, 0, UINT64_C(1) << 63},
    {"min.s32 %r9, %r1, %r2;", 0, 0xffffffff, 1, 0, 0xffffffff},
    {"min.u32 %r9, %r1, %r2;", 0, 0xffffffff, 1, 0, 1},
    {"abs.s32 %r9, %r1;", 0, 0xfffffffe, 0, 0, 2},
    {"shl.b32 %r9, %r1, %r2;", 0, 1, 31, 0, 0x80000000},
    {"shl.b32 %r9, %r1, %r2;", 0, 1, 32, 0, 0},
    {"shr.u32 %r9, %r1, %r2;", 0, 0x80000000, 40, 0, 0},
    {"shr.s32 %r9, %r1, %r2;", 0, 0x80000000, 40, 0, 0xffffffff},
    {"shr.s64 %d9, %d1, %r2;", 1, UINT64_C(1) << 63, 63, 0, UINT64_MAX},
    {"shf.l.wrap.b32 %r9, %r1, %r2, %r3;", 0, 0x80000000, 1, 33, 3},
    {"bfe.u32 %r9, %r1, %r2, %r3;", 0, 0xabcd, 4, 8, 0xbc},
    {"bfe.s32 %r9, %r1, %r2, %r3;", 0, 0xabcd, 4, 8, 0xffffffbc},
    {"bfi.b32 %r9, %r1, %r2, %r3, 8;", 0, 0xff, 0x11111111, 8, 0x1111ff11},
    {"brev.b32 %r9, %r1;", 0, 1, 0, 0, 0x80000000},
    {"clz.b32 %r9, %r1;", 0, 0, 0, 0, 32},
    {"clz.b64 %r9, %d1;", 0, 1, 0, 0, 63},
    {"popc.b32 %r9, %r1;", 0, 0xf0f0, 0, 0, 8},
    {"prmt.b32 %r9, %r1, %r2, 30309;", 0, 0x44332211, 0x88776655, 0, 0x88777766},
    {"mov.b64 {%r7, %r8}, %d1;\nmov.b64 %d9, {%r8, %r7};", 1, 0x1111111122222222, 0, 0,
     0x2222222211111111},
    {"setp.lt.s32 %p1, %r1, %r2;\nselp.b32 %r9, 7, 8, %p1;", 0, 0xffffffff, 0, 0, 7},
    {"setp.lo.u32 %p1, %r1, %r2;\nselp.b32 %r9, 7, 8, %p1;", 0, 0xffffffff, 0, 0, 8},
    {"setp.ltu.f32 %p1, %f1, %f2;\n@!%p1 bra OUT;\nmov.b32 %r9, 5;\nOUT:", 0, 0x7fc00000, 0, 0, 5},
    {"mov.b32 %r9, 4;\nsetp.ne.f64 %p1, %g1, %g1;\n@%p1 mov.b32 %r9, 5;", 0, 0x7ff8000000000000, 0, 0,
     4},
    {"add.rn.f32 %f8, %f1, %f2;\nmov.b32 %r9, %f8;", 0, 0x7f800000, 0xff800000, 0, 0x7fffffff},
    {"fma.rn.f64 %g8, %g1, %g1, 0dBFF0000000000002;\nmov.b64 %d9, %g8;", 1, 0x3ff0000000000001, 0, 0,
     0x3970000000000000},
    {"min.f32 %f8, %f1, %f2;\nmov.b32 %r9, %f8;", 0, 0x7fc00000, 0x3f800000, 0, 0x3f800000},
    {"max.NaN.f32 %f8, %f1, %f2;\nmov.b32 %r9, %f8;", 0, 0x7fc00000, 0x3f800000, 0, 0x7fffffff},
    {"max.f32 %f8, %f1, %f2;\nmov.b32 %r9, %f8;", 0, 0x80000000, 0, 0, 0},
    {"copysign.f32 %f8, %f1, %f2;\nmov.b32 %r9, %f8;", 0, 0x80000000, 0x3f800000, 0, 0xbf800000},
    {"cvt.rni.f32.f32 %f8, %f1;\nmov.b32 %r9, %f8;", 0, 0x40200000, 0, 0, 0x40000000},
    {"cvt.rmi.f32.f32 %f8, %f1;\nmov.b32 %r9, %f8;", 0, 0xc0200000, 0, 0, 0xc0400000},
    {"cvt.rzi.s32.f32 %r9, %f1;", 0, 0x4f800000, 0, 0, 0x7fffffff},
    {"cvt.rzi.s32.f32 %r9, %f1;", 0, 0x7fc00000, 0, 0, 0},
    {"cvt.rzi.s64.f32 %d9, %f1;", 1, 0x7fc00000, 0, 0, UINT64_C(1) << 63},
    {"cvt.rzi.u32.f64 %r9, %g1;", 0, 0xbff0000000000000, 0, 0, 0},
    {"cvt.rn.f32.u64 %f8, %d1;\nmov.b32 %r9, %f8;", 0, 0x8000008000000001, 0, 0, 0x5f000001},
    {"cvt.s8.s32 %h8, %r1;\ncvt.s32.s16 %r9, %h8;", 0, 0x1ff, 0, 0, 0xffffffff},
    {"cvt.rn.f16.f32 %h8, %f1;\ncvt.u32.u16 %r9, %h8;", 0, 0x477ff000, 0, 0, 0x7c00},
    {"cvt.f32.f16 %f8, %h1;\nmov.b32 %r9, %f8;", 0, 0x3c00, 0, 0, 0x3f800000},
    {"{ .reg .b32 t; mov.b64 {t, %r9}, %d1; }", 0, 0x1234567800000000, 0, 0, 0x12345678},
    {"atom.global.add.u32 %r8, [%d0+64], 5;\natom.global.inc.u32 %r7, [%d0+64], 4;\n"
     "ld.global.u32 %r9, [%d0+64];\nadd.s32 %r9, %r9, %r7;", 0, 0, 0, 0, 5},
};

TEST(ptx, instructions)
{
    REQUIRE(opened());
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const struct row *w = &rows[k];
        char text[2048];
        uint64_t data[16] = {w->x, w->y, w->z};
        snprintf(text, sizeof text,
                 HEAD "%sld.global.u64 %%d1, [%%d0];\nld.global.u64 %%d2, [%%d0+8];\n"
                 "ld.global.v2.u64 {%%d3, _}, [%%d0+16];\n"
                 "cvt.u32.u64 %%r1, %%d1;\ncvt.u32.u64 %%r2, %%d2;\ncvt.u32.u64 %%r3, %%d3;\n"
                 "cvt.u16.u64 %%h1, %%d1;\ncvt.u16.u64 %%h2, %%d2;\nmov.b64 %%g1, %%d1;\n"
                 "mov.b64 %%g2, %%d2;\nmov.b32 %%f1, %%r1;\nmov.b32 %%f2, %%r2;\n%s\n"
                 "st.global.u%d [%%d0+32], %s;\nret;\n}\n",
                 ENTRY, w->text, w->wide ? 64 : 32, w->wide ? "%d9" : "%r9");
        CUresult r = run(text, 1, 1, data, sizeof data);
        uint64_t got = w->wide ? data[4] : (uint32_t)data[4];
        if (!CHECK(r == 0 && got == w->want))
            printf("    %s: error %d, 0x%llx, not 0x%llx\n", w->text, r, (unsigned long long)got,
                   (unsigned long long)w->want);
    }
}

/* ---- together --------------------------------------------------------------------------------- */

/* Sums 96 numbers: within warps, then between them in shared memory; the sum goes to all. */
static const char *const sums =
    HEAD ".func (.param .b32 back) twice(.param .b32 x)\n{\n.reg .b32 %r<3>;\n.local .align 4 .b8 room[8];\n"
    ".reg .b64 %d<3>;\nld.param.b32 %r1, [x];\nmov.u64 %d1, room;\ncvta.local.u64 %d2, %d1;\n"
    "st.u32 [%d2+4], %r1;\nld.local.u32 %r2, [%d1+4];\nadd.s32 %r2, %r2, %r1;\n"
    "st.param.b32 [back], %r2;\nret;\n}\n"
    ENTRY ".shared .align 4 .b8 part[12];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %d1, %r1, 4;\n"
    "add.s64 %d1, %d1, %d0;\nld.global.u32 %r2, [%d1];\n"
    "{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], %r2;\ncall.uni (b), twice, (a);\n"
    "ld.param.b32 %r2, [b];\n}\nmov.u32 %r3, 16;\n"
    "DOWN:\nshfl.sync.down.b32 %r4, %r2, %r3, 31, -1;\nadd.s32 %r2, %r2, %r4;\nshr.u32 %r3, %r3, 1;\n"
    "setp.ne.u32 %p1, %r3, 0;\n@%p1 bra DOWN;\nshfl.sync.idx.b32 %r2, %r2, 0, 31, -1;\n"
    "shr.u32 %r5, %r1, 5;\nmul.lo.s32 %r5, %r5, 4;\nmov.u32 %r6, part;\nadd.s32 %r6, %r6, %r5;\n"
    "and.b32 %r7, %r1, 31;\nsetp.eq.s32 %p2, %r7, 0;\n@%p2 st.shared.u32 [%r6], %r2;\nbar.sync 0;\n"
    "ld.shared.u32 %r8, [part];\nld.shared.u32 %r9, [part+4];\nadd.s32 %r8, %r8, %r9;\n"
    "ld.shared.u32 %r9, [part+8];\nadd.s32 %r8, %r8, %r9;\nsetp.gt.u32 %p3, %r1, 94;\n"
    "bar.red.or.pred %p4, 0, %p3;\nselp.b32 %r8, %r8, 0, %p4;\nst.global.u32 [%d1], %r8;\nret;\n}\n";

TEST(ptx, threads_exchange)
{
    uint32_t data[96], want = 0;
    REQUIRE(opened());
    for (uint32_t k = 0; k < 96; k++) {
        data[k] = k * k + 1;
        want += 2 * data[k];
    }
    CHECK(run(sums, 1, 96, data, sizeof data) == 0);
    for (int k = 0; k < 96; k++)
        CHECK(data[k] == want);
}

static const char *const counts =
    HEAD ENTRY "ld.global.u32 %r1, [%d0];\nadd.s32 %r1, %r1, 1;\nst.global.u32 [%d0], %r1;\nret;\n}\n";

TEST(ptx, every_thread_of_every_block_runs)
{
    uint32_t data[4] = {5};
    REQUIRE(opened());
    CHECK(run(counts, 7, 33, data, sizeof data) == 0);
    CHECK(data[0] == 5 + 7 * 33);
}

TEST(ptx, graphs_run_what_they_were_given)
{
    launched l;
    CUgraph graph;
    CUgraphNode node[2];
    CUgraphExec executable;
    uint32_t data[64] = {0};
    REQUIRE(opened() && load(counts, &l) == 0);
    cu.cuMemcpyHtoDAsync(memory, data, sizeof data, stream);
    CUdeviceptr first = memory, second = memory + 128;
    void *parameters[] = {&first};
    CUDA_KERNEL_NODE_PARAMS p = {.function = l.function, .grid_x = 2, .grid_y = 1, .grid_z = 1,
                                 .block_x = 3, .block_y = 1, .block_z = 1, .parameters = parameters};
    CHECK(cu.cuGraphCreate(&graph, 0) == 0);
    CHECK(cu.cuGraphAddKernelNode(&node[0], graph, NULL, 0, &p) == 0);
    CHECK(cu.cuGraphAddKernelNode(&node[1], graph, &node[0], 1, &p) == 0);
    REQUIRE(cu.cuGraphInstantiate(&executable, graph, 0) == 0);
    CHECK(cu.cuGraphLaunch(executable, stream) == 0);
    first = second;   /* copied when the node was made: only the next call tells */
    CHECK(cu.cuGraphLaunch(executable, stream) == 0);
    CHECK(cu.cuGraphExecKernelNodeSetParams(executable, node[1], &p) == 0);
    CHECK(cu.cuGraphLaunch(executable, stream) == 0);
    cu.cuMemcpyDtoHAsync(data, memory, sizeof data, stream);
    CHECK(data[0] == 5 * 6 && data[32] == 6);
    cu.cuGraphExecDestroy(executable);
    cu.cuGraphDestroy(graph);
    cu.cuModuleUnload(l.module);
}

/* Shared memory whose size the launch says lies apart from the rest, of which all has places. */
static CUresult run_dynamic(unsigned shared, uint32_t *data)
{
    static const char *const text =
        HEAD ".extern .shared .align 16 .b8 room[];\n" ENTRY ".shared .align 4 .b8 own[8];\n"
        "mov.u32 %r1, room;\nst.shared.u32 [%r1+28], 7;\nst.shared.u32 [own+4], 5;\n"
        "st.shared.u32 [own], 4;\nld.shared.u32 %r2, [room+28];\nld.shared.u32 %r3, [own+4];\n"
        "mul.lo.s32 %r2, %r2, %r3;\nst.global.u32 [%d0], %r2;\nmov.f32 %f1, 0f40800000;\n"
        "rsqrt.approx.f32 %f2, %f1;\nst.global.f32 [%d0+4], %f2;\nret;\n}\n";
    launched l;
    CUresult r = load(text, &l);
    if (r != 0)
        return r;
    void *parameters[] = {&memory};
    const CUlaunchConfig how = {.grid_x = 1, .grid_y = 1, .grid_z = 1, .block_x = 1, .block_y = 1,
                                .block_z = 1, .shared_bytes = shared, .stream = stream};
    int kept = quiet_stderr();
    r = cu.cuLaunchKernelEx(&how, l.function, parameters, NULL);
    loud_stderr(kept);
    forget_failures();
    cu.cuMemcpyDtoHAsync(data, memory, 8, stream);
    cu.cuModuleUnload(l.module);
    return r;
}

TEST(ptx, shared_memory_of_the_launch)
{
    uint32_t data[2] = {0};
    REQUIRE(opened());
    CHECK(run_dynamic(32, data) == 0);
    CHECK(data[0] == 35 && data[1] == 0x3f000000);
    CHECK(run_dynamic(28, data) == 700);
}

/* ---- errors ----------------------------------------------------------------------------------- */

TEST(ptx, faults_are_errors)
{
    enum { INVALID_PTX = 218, ILLEGAL_ADDRESS = 700, MISALIGNED = 716, FAILED = 719 };
    static const struct { const char *text; CUresult want; } wrong[] = {
        {"ret;\n", 0},
        {"frobnicate.b32 %r1, %r2;", INVALID_PTX},
        {"add.rz.f32 %f1, %f2, %f3;", INVALID_PTX},
        {"add.ftz.f32 %f1, %f2, %f3;", INVALID_PTX},
        {"add.s32 %r1, %r2;", INVALID_PTX},
        {"add.s32 %r1, %r2, %r99;", INVALID_PTX},
        {"add.s32 1, %r2, %r3;", INVALID_PTX},
        {"bra NOWHERE;", INVALID_PTX},
        {"call.uni nobody;", INVALID_PTX},
        {"cvt.rp.f32.f64 %f1, %g1;", FAILED},
        {"st.global.u32 [%d0+4096], %r1;", ILLEGAL_ADDRESS},
        {"ld.global.u32 %r1, [%d0+-4];", ILLEGAL_ADDRESS},
        {"mov.b64 %d1, 0;\nld.global.u8 %r1, [%d1];", ILLEGAL_ADDRESS},
        {"ld.shared.u32 %r1, [%d0];", ILLEGAL_ADDRESS},
        {"ld.param.u64 %d1, [p+8];", ILLEGAL_ADDRESS},
        {"ld.global.u32 %r1, [%d0+2];", MISALIGNED},
        {"ld.global.v2.u32 {%r1, %r2}, [%d0+4];", MISALIGNED},
        {"mov.u32 %r1, %tid.x;\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 bar.sync 1;\nbar.sync 0;", FAILED},
        {"mov.u32 %r1, %tid.x;\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 ret;\n"
         "shfl.sync.idx.b32 %r2, %r1, 0, 31, -1;", FAILED},
    };
    REQUIRE(opened());
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        char text[2048];
        uint32_t data[16] = {0};
        snprintf(text, sizeof text, HEAD "%s%s\nret;\n}\n", ENTRY, wrong[k].text);
        CUresult r = run(text, 1, 32, data, sizeof data);
        if (!CHECK(r == wrong[k].want))
            printf("    %s: %d, not %d\n", wrong[k].text, r, wrong[k].want);
    }
}

/* ---- the kernel of replies ------------------------------------------------------------------- */

/* Its text under another name: the fake driver does not run it by its own. */
static bool load_reply(launched *l)
{
    char text[4096];
    const char *name = strstr(hdi_cuda_reply_text, "heddle_reply");
    if (name == NULL || strlen(hdi_cuda_reply_text) >= sizeof text)
        return false;
    snprintf(text, sizeof text, "%.*sk%s", (int)(name - hdi_cuda_reply_text), hdi_cuda_reply_text,
             name + strlen("heddle_reply"));
    return load(text, l) == 0;
}

TEST(reply, every_size_and_alignment)
{
    enum { AT = 64, TO = 2048, PLACE = 4000, NUMBER = 77 };
    REQUIRE(opened());
    CHECK(ptxas_takes(hdi_cuda_reply_text, strlen(hdi_cuda_reply_text), 75));
    launched l;
    REQUIRE(load_reply(&l));
    for (uint32_t bytes = 1; bytes < 1200; bytes += bytes < 40 ? 1 : 113)
        for (uint32_t from = AT; from < AT + 16; from += 4 - from % 3) {
            uint8_t before[BYTES], after[BYTES];
            for (int i = 0; i < BYTES; i++)
                before[i] = (uint8_t)(i * 7 + i / 256 + 1);
            cu.cuMemcpyHtoDAsync(memory, before, BYTES, stream);
            uint64_t to = memory + TO, source = memory + from, place = memory + PLACE;
            uint32_t number = NUMBER, got;
            void *parameters[] = {&to, &source, &bytes, &place, &number};
            CUlaunchConfig how = {1, 1, 1, bytes <= 256 ? 32 : 128, 1, 1, 0, stream, NULL, 0};
            CHECK(cu.cuLaunchKernelEx(&how, l.function, parameters, NULL) == 0);
            cu.cuMemcpyDtoHAsync(after, memory, BYTES, stream);
            memcpy(&got, after + PLACE, sizeof got);
            CHECK(got == NUMBER && memcmp(after + TO, before + from, bytes) == 0);
            CHECK(after[TO + bytes] == before[TO + bytes] && after[TO - 1] == before[TO - 1]);
        }
    cu.cuModuleUnload(l.module);
}
