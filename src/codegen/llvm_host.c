/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_host.c - a chain to machine code of this processor's family. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#include "codegen/llvm_api.h"
#include "codegen/llvm_emit.h"

#include <llvm/Config/llvm-config.h>

_Static_assert(LLVM_VERSION_MAJOR == HDI_LLVM_MAJOR, "the disk cache names the version");

#define TRIPLE "x86_64-unknown-linux-gnu"

static void init_target(void)
{
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
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
 * later. The level of the instruction set, not the processor at hand, so that code in the disk
 * cache serves every machine of that level. */
static LLVMTargetMachineRef new_machine(int isa, char **message)
{
    static const char *const cpus[] = {"x86-64-v2", "x86-64-v3", "x86-64-v4"};
    LLVMTargetRef target;
    if (LLVMGetTargetFromTriple(TRIPLE, &target, message))
        return NULL;
    return LLVMCreateTargetMachine(target, TRIPLE, cpus[isa], "", LLVMCodeGenLevelDefault,
                                   LLVMRelocPIC, LLVMCodeModelSmall);
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
    out->bytes = malloc(out->size);
    if (out->bytes != NULL)
        memcpy(out->bytes, LLVMGetBufferStart(buffer), out->size);
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

static bool generate(LLVMContextRef context, const hdi_chain *c, int texts, hdi_llvm_object *out)
{
    char *message = NULL;
    LLVMMemoryBufferRef buffer = NULL;
    LLVMModuleRef module = hdi_emit_chain(context, c);
    if (module == NULL)
        return failed(out, "an operation has no meaning in generated code", NULL);
    LLVMTargetMachineRef machine = new_machine(c->isa, &message);
    bool done = false;
    if (machine == NULL) {
        failed(out, "no target machine", message);
        LLVMDisposeModule(module);
        return false;
    }
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    LLVMSetModuleDataLayout(module, layout);
    LLVMSetTarget(module, TRIPLE);
    take_texts(machine, module, texts, out);
    if (!valid(module, out)) {
        /* said already */
    } else if (LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMObjectFile, &message,
                                                   &buffer)) {
        failed(out, "no object", message);
    } else {
        done = take_object(buffer, out);
    }
    LLVMDisposeTargetData(layout);
    LLVMDisposeTargetMachine(machine);
    LLVMDisposeModule(module);
    return done;
}

bool hdi_llvm_compile(const hdi_chain *c, int texts, hdi_llvm_object *out)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, init_target);
    *out = (hdi_llvm_object){0};
    LLVMContextRef context = LLVMContextCreate();
    bool done = generate(context, c, texts, out);
    LLVMContextDispose(context);
    return done;
}
