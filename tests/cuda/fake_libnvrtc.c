/* SPDX-License-Identifier: BSD-3-Clause */
/* fake_libnvrtc.c - stands in for NVIDIA's run-time compiler: the "image" of a source is the PTX that
 * stands in it, between a line of @ptx and a line of @end; without those lines, what the compiler
 * that FAKE_NVRTC_NVCC names makes of it. A source with @wrong does not compile.
 * Signatures as the NVRTC documentation has them. fake_nvrtc_count(): how often it has compiled. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

typedef struct program {
    char *source, *image, log[4096];
    size_t bytes;
    int wrong;
    char lowered[128];
} program;

EXPORT int nvrtcVersion(int *major, int *minor);
EXPORT const char *nvrtcGetErrorString(int code);
EXPORT int nvrtcCreateProgram(program **p, const char *source, const char *name, int nheaders,
                              const char *const *headers, const char *const *names);
EXPORT int nvrtcDestroyProgram(program **p);
EXPORT int nvrtcAddNameExpression(program *p, const char *name);
EXPORT int nvrtcGetLoweredName(program *p, const char *name, const char **lowered);
EXPORT int nvrtcCompileProgram(program *p, int noptions, const char *const *options);
EXPORT int nvrtcGetProgramLogSize(program *p, size_t *size);
EXPORT int nvrtcGetProgramLog(program *p, char *log);
EXPORT int nvrtcGetCUBINSize(program *p, size_t *size);
EXPORT int nvrtcGetCUBIN(program *p, char *image);
EXPORT int fake_nvrtc_count(void);

static int compiled;

int fake_nvrtc_count(void)
{
    return compiled;
}

int nvrtcVersion(int *major, int *minor)
{
    *major = 13;
    *minor = 0;
    return 0;
}

const char *nvrtcGetErrorString(int code)
{
    return code == 6 ? "NVRTC_ERROR_COMPILATION" : "NVRTC_ERROR";
}

int nvrtcCreateProgram(program **p, const char *source, const char *name, int nheaders,
                       const char *const *headers, const char *const *names)
{
    const char *begin = strstr(source, "@ptx\n"), *end = strstr(source, "@end");
    (void)name, (void)headers, (void)names;
    if (nheaders != 0 || (*p = calloc(1, sizeof **p)) == NULL)
        return 1;
    (*p)->wrong = strstr(source, "@wrong") != NULL;
    snprintf((*p)->log, sizeof (*p)->log, "kernel.cu(1): error: @wrong");
    if (begin == NULL || end == NULL)
        (*p)->source = strdup(source);
    if ((*p)->wrong || begin == NULL || end == NULL)
        return 0;
    begin += strlen("@ptx\n");
    (*p)->bytes = (size_t)(end - begin) + 1;
    (*p)->image = calloc((*p)->bytes, 1);
    memcpy((*p)->image, begin, (*p)->bytes - 1);
    return 0;
}

int nvrtcDestroyProgram(program **p)
{
    free((*p)->source);
    free((*p)->image);
    free(*p);
    *p = NULL;
    return 0;
}

/* f<float> is called f_float in the image. */
int nvrtcAddNameExpression(program *p, const char *name)
{
    size_t n = 0;
    for (; *name != '\0' && n + 1 < sizeof p->lowered; name++)
        if (*name != '>')
            p->lowered[n++] = *name == '<' ? '_' : *name;
    p->lowered[n] = '\0';
    return 0;
}

int nvrtcGetLoweredName(program *p, const char *name, const char **lowered)
{
    *lowered = p->lowered;
    return name != NULL && p->lowered[0] != '\0' ? 0 : 1;
}

/* All of a file, which ends with a 0; NULL: there is none. */
static char *contents(const char *path, size_t *bytes)
{
    FILE *f = fopen(path, "r");
    char *text = f != NULL ? calloc(1, 1 << 22) : NULL;
    *bytes = text != NULL ? fread(text, 1, (1 << 22) - 1, f) + 1 : 0;
    if (f != NULL)
        fclose(f);
    return text;
}

static void compile_by(program *p, const char *nvcc)
{
    char folder[] = "/tmp/fake_nvrtc_XXXXXX", command[1024], path[64];
    if (mkdtemp(folder) == NULL)
        return;
    snprintf(path, sizeof path, "%s/k.cu", folder);
    FILE *f = fopen(path, "w");
    if (f != NULL) {
        fputs(p->source, f);
        fclose(f);
    }
    snprintf(command, sizeof command, "%s -arch=sm_90 -std=c++17 -ptx -o %s/k.ptx %s 2>%s/log", nvcc,
             folder, path, folder);
    p->wrong = system(command) != 0;
    size_t bytes;
    snprintf(path, sizeof path, "%s/log", folder);
    char *log = contents(path, &bytes);
    snprintf(p->log, sizeof p->log, "%s", log != NULL ? log : "");
    free(log);
    snprintf(path, sizeof path, "%s/k.ptx", folder);
    p->image = contents(path, &p->bytes);
    snprintf(command, sizeof command, "rm -r %s", folder);
    (void)!system(command);
}

int nvrtcCompileProgram(program *p, int noptions, const char *const *options)
{
    const char *nvcc = getenv("FAKE_NVRTC_NVCC");
    if (noptions < 2 || strncmp(options[0], "--gpu-architecture=sm_", 22) != 0)
        return 5;
    compiled++;
    if (p->source != NULL && nvcc != NULL && !p->wrong)
        compile_by(p, nvcc);
    return p->wrong || p->image == NULL ? 6 : 0;
}

int nvrtcGetProgramLogSize(program *p, size_t *size)
{
    *size = strlen(p->log) + 1;
    return 0;
}

int nvrtcGetProgramLog(program *p, char *log)
{
    strcpy(log, p->log);
    return 0;
}

int nvrtcGetCUBINSize(program *p, size_t *size)
{
    *size = p->bytes;
    return 0;
}

int nvrtcGetCUBIN(program *p, char *image)
{
    memcpy(image, p->image, p->bytes);
    return 0;
}
