/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_target.c - what the emitters made, as machine code of this processor's family or as PTX. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/Error.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#include "codegen/llvm_api.h"
#include "codegen/llvm_emit.h"
#include "codegen/llvm_grid.h"
#include "codegen/llvm_guard.h"
#include "codegen/llvm_lir.h"

#include <llvm/Config/llvm-config.h>

_Static_assert(LLVM_VERSION_MAJOR == HDI_LLVM_MAJOR, "the disk cache names the version");

/* What code is made for: the level of an instruction set, not the processor at hand, so that what
 * lies in the disk cache serves every machine of that level. */
typedef struct target {
    const char *triple, *cpu;
    LLVMRelocMode reloc;
    LLVMCodeModel model;
    LLVMCodeGenFileType file;
    const hdi_lir_target *lir; /* LLVM's passes go over its IR; NULL: not a kernel in lowered IR */
} target;

static void init_targets(void)
{
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
}

static target host_target(int isa)
{
    static const char *const cpus[] = {"x86-64-v2", "x86-64-v3", "x86-64-v4"};
    return (target){"x86_64-unknown-linux-gnu", cpus[isa], LLVMRelocPIC, LLVMCodeModelSmall,
                    LLVMObjectFile, NULL};
}

static target gpu_target(int arch)
{
    return (target){"nvptx64-nvidia-cuda", arch >= 90   ? "sm_90"
                                           : arch >= 80 ? "sm_80"
                                                        : "sm_75",
                    LLVMRelocDefault, LLVMCodeModelDefault, LLVMAssemblyFile, NULL};
}

const char *hdi_llvm_version(void)
{
    static char text[32];
    unsigned major, minor, patch;
    LLVMGetVersion(&major, &minor, &patch);
    snprintf(text, sizeof text, "%u.%u.%u", major, minor, patch);
    return text;
}

int hdi_llvm_code_version(void)
{
    return HDI_LLVM_CODE_VERSION;
}

static bool failed(hdi_llvm_object *out, const char *what, char *message)
{
    snprintf(out->error, sizeof out->error, "%s%s%s", what, message != NULL ? ": " : "",
             message != NULL ? message : "");
    if (message != NULL)
        LLVMDisposeMessage(message);
    return false;
}

/* One per compile: a machine is not to be shared between threads, and costs 0.3 ms once, 20 us
 * later. */
static LLVMTargetMachineRef new_machine(const target *t, char **message)
{
    LLVMTargetRef found;
    if (LLVMGetTargetFromTriple(t->triple, &found, message))
        return NULL;
    /* Where the passes vectorize, gathers are slower than loads one by one, in most loops. */
    const char *features =
        t->lir != NULL && t->lir->arch == 0 ? "+prefer-no-gather,+prefer-no-scatter" : "";
    const bool quick = t->lir != NULL && t->lir->quick;
    return LLVMCreateTargetMachine(found, t->triple, t->cpu, features,
                                   quick ? LLVMCodeGenLevelNone : LLVMCodeGenLevelDefault,
                                   t->reloc, t->model);
}

static char *copy_text(const char *text, size_t bytes)
{
    char *copy = malloc(bytes + 1);
    if (copy != NULL) {
        memcpy(copy, text, bytes);
        copy[bytes] = '\0';
    }
    return copy;
}

static void take_texts(LLVMTargetMachineRef machine, LLVMModuleRef module, int texts,
                       hdi_llvm_object *out)
{
    if (texts & HDI_LLVM_IR) {
        char *text = LLVMPrintModuleToString(module);
        out->text[0] = copy_text(text, strlen(text));
        LLVMDisposeMessage(text);
    }
    if (texts & HDI_LLVM_ASM) {
        LLVMModuleRef copy = LLVMCloneModule(module);   /* emitting changes it */
        LLVMMemoryBufferRef b = NULL;
        char *message = NULL;
        if (!LLVMTargetMachineEmitToMemoryBuffer(machine, copy, LLVMAssemblyFile, &message, &b)) {
            out->text[1] = copy_text(LLVMGetBufferStart(b), LLVMGetBufferSize(b));
            LLVMDisposeMemoryBuffer(b);
        }
        LLVMDisposeMessage(message);
        LLVMDisposeModule(copy);
    }
}

static bool take_object(LLVMMemoryBufferRef buffer, hdi_llvm_object *out)
{
    out->size = LLVMGetBufferSize(buffer);
    out->bytes = copy_text(LLVMGetBufferStart(buffer), out->size);   /* PTX is to end with a 0 */
    LLVMDisposeMemoryBuffer(buffer);
    return out->bytes != NULL || failed(out, "out of memory", NULL);
}

/* In debug builds: is what we emitted well formed? */
static bool valid(LLVMModuleRef module, hdi_llvm_object *out)
{
#ifdef HDI_DEBUG
    char *message = NULL;
    if (LLVMVerifyModule(module, LLVMReturnStatusAction, &message))
        return failed(out, "the generated code is not valid", message);
    LLVMDisposeMessage(message);
#else
    (void)module;
    (void)out;
#endif
    return true;
}

/* What LLVM's passes make of a kernel in lowered IR; what we emit for chains needs none. */
static bool optimized(LLVMModuleRef module, LLVMTargetMachineRef machine, const target *t,
                      hdi_llvm_object *out)
{
    char *message = t->lir != NULL ? hdi_optimize_lir(module, machine, t->lir) : NULL;
    if (message == NULL)
        return true;
    snprintf(out->error, sizeof out->error, "no passes: %s", message);
    LLVMDisposeErrorMessage(message);
    return false;
}

/* Takes the module. NULL: the emitter met an operation that it has no words for. */
static bool generate(LLVMModuleRef module, const target *t, int texts, hdi_llvm_object *out)
{
    char *message = NULL;
    LLVMMemoryBufferRef buffer = NULL;
    if (module == NULL)
        return failed(out, "an operation has no meaning in generated code", NULL);
    LLVMTargetMachineRef machine = new_machine(t, &message);
    bool done = false;
    if (machine == NULL) {
        failed(out, "no target machine", message);
        LLVMDisposeModule(module);
        return false;
    }
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    LLVMSetModuleDataLayout(module, layout);
    LLVMSetTarget(module, t->triple);
    const bool sound = valid(module, out) && optimized(module, machine, t, out);
    if (sound)
        take_texts(machine, module, texts, out);
    if (!sound) {
        /* said already */
    } else if (LLVMTargetMachineEmitToMemoryBuffer(machine, module, t->file, &message, &buffer)) {
        failed(out, "no code", message);
    } else {
        done = take_object(buffer, out);
    }
    LLVMDisposeTargetData(layout);
    LLVMDisposeTargetMachine(machine);
    LLVMDisposeModule(module);
    return done;
}

/* LLVM would print warnings, as of a loop that it could not unroll, and end the process at an
 * error. */
static void diagnosed(LLVMDiagnosticInfoRef info, void *unused)
{
    (void)unused;
    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
        return;
    char *text = LLVMGetDiagInfoDescription(info);
    hdi_llvm_give_up(text);
}

static LLVMContextRef begin(hdi_llvm_object *out)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, init_targets);
    *out = (hdi_llvm_object){0};
    LLVMContextRef context = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(context, diagnosed, NULL);
    return context;
}

/* What is to be compiled: one of the four. */
typedef struct request {
    int texts;
    const hdi_chain *chain;
    const hdi_kernel *kernel;
    const hdi_grid *grid;
    const hdi_sequence *sequence;
    const hdi_lir *lir;
    const hdi_lir_target *lir_target;
} request;

static bool compile(const void *ctx, hdi_llvm_object *out)
{
    const request *r = ctx;
    LLVMContextRef context = begin(out);
    target t;
    LLVMModuleRef module;
    if (r->chain != NULL) {
        t = host_target(r->chain->isa);
        module = hdi_emit_chain(context, r->chain);
    } else if (r->lir != NULL) {
        t = r->lir_target->arch != 0 ? gpu_target(r->lir_target->arch)
                                     : host_target(r->lir_target->isa);
        t.lir = r->lir_target;
        module = hdi_emit_lir(context, r->lir, r->lir_target);
    } else if (r->sequence != NULL) {
        t = gpu_target(r->sequence->body[0].g->arch);
        module = hdi_emit_sequence(context, r->sequence);
    } else {
        t = gpu_target(r->grid->arch);
        module = hdi_emit_grid(context, r->kernel, r->grid);
    }
    bool done = generate(module, &t, r->texts, out);
    LLVMContextDispose(context);
    return done;
}

bool hdi_llvm_compile(const hdi_chain *c, int texts, hdi_llvm_object *out)
{
    return hdi_llvm_guarded(compile, &(request){.texts = texts, .chain = c}, out);
}

bool hdi_llvm_compile_grid(const hdi_kernel *k, const hdi_grid *g, int texts, hdi_llvm_object *out)
{
    return hdi_llvm_guarded(compile, &(request){.texts = texts, .kernel = k, .grid = g}, out);
}

bool hdi_llvm_compile_sequence(const hdi_sequence *s, int texts, hdi_llvm_object *out)
{
    return hdi_llvm_guarded(compile, &(request){.texts = texts, .sequence = s}, out);
}

bool hdi_llvm_compile_lir(const hdi_lir *l, const hdi_lir_target *t, int texts,
                          hdi_llvm_object *out)
{
    return hdi_llvm_guarded(compile, &(request){.texts = texts, .lir = l, .lir_target = t}, out);
}

bool hdi_llvm_words(const hdi_word *list, int n, hdi_llvm_object *out)
{
    LLVMContextRef context = begin(out);
    LLVMModuleRef module = hdi_emit_words(context, list, n);
    target t = gpu_target(75);
    if (module == NULL) {
        failed(out, "an operation has no meaning in generated code", NULL);
    } else {
        LLVMSetTarget(module, t.triple);
        take_texts(NULL, module, HDI_LLVM_IR, out);
        LLVMDisposeModule(module);
    }
    LLVMContextDispose(context);
    return out->text[0] != NULL;
}
