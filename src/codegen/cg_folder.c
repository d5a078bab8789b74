/* SPDX-License-Identifier: BSD-3-Clause */
/* cg_folder.c - finding, opening and sweeping the folder of the disk cache. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE   /* O_NOFOLLOW, O_DIRECTORY */
#endif
#include "codegen/cg_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/beside.h"

enum { BLOCK = 4096, HOUR = 3600 };
#define LIMIT ((int64_t)256 << 20)

/* ---- where ----------------------------------------------------------------------------------- */

/* Folders are made below base's first `there` bytes, which are a folder already or nothing is. */
static void join(hdi_cg_place *out, const char *base, size_t there, const char *rest)
{
    int n = snprintf(out->path, sizeof out->path, "%s%s", base, rest);
    out->there = there;
    if (n < 0 || (size_t)n >= sizeof out->path) {
        out->path[0] = '\0';
        snprintf(out->note, sizeof out->note, "the path of the folder is too long");
    }
}

/* The home of the user in the system's list of users. */
static void from_passwd(hdi_cg_place *out)
{
    struct passwd user, *found = NULL;
    char text[4096];
    if (getpwuid_r(geteuid(), &user, text, sizeof text, &found) == 0 && found != NULL &&
        found->pw_dir != NULL && found->pw_dir[0] == '/')
        join(out, found->pw_dir, strlen(found->pw_dir), "/.cache/heddle");
    else
        snprintf(out->note, sizeof out->note, "there is no home folder; HEDDLE_CACHE can name one");
}

/* Bytes of the folder that it is in. */
static size_t parent_of(const char *path)
{
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        n--;
    while (n > 1 && path[n - 1] != '/')
        n--;
    return n;
}

static void find_path(hdi_cg_place *out)
{
    const char *own = hdi_file_wish("HEDDLE_CACHE");
    const char *xdg = hdi_file_wish("XDG_CACHE_HOME");
    const char *home = hdi_file_wish("HOME");
    if (own != NULL && (strcmp(own, "0") == 0 || strcmp(own, "off") == 0))
        snprintf(out->note, sizeof out->note, "switched off by HEDDLE_CACHE");
    else if (own != NULL && own[0] == '/')
        join(out, own, 0, "");
    else if (own != NULL)   /* it would move with the working directory */
        snprintf(out->note, sizeof out->note, "HEDDLE_CACHE is not a path from the root");
    else if (xdg != NULL && xdg[0] == '/')
        join(out, xdg, parent_of(xdg), "/heddle");
    else if (home != NULL && home[0] == '/')
        join(out, home, strlen(home), "/.cache/heddle");
    else
        from_passwd(out);
}

void hdi_cg_place_find(hdi_cg_place *out)
{
    const char *text = getenv("HEDDLE_CACHE_SIZE");
    memset(out, 0, sizeof *out);
    out->limit = LIMIT;
    find_path(out);
    if (text == NULL || text[0] == '\0')
        return;
    char *end = NULL;
    errno = 0;
    long long size = strtoll(text, &end, 10);
    if (errno == 0 && *end == '\0' && size >= 0)
        out->limit = size;
    else if (out->note[0] == '\0')
        snprintf(out->note, sizeof out->note, "HEDDLE_CACHE_SIZE is not a number of bytes");
}

/* ---- opening --------------------------------------------------------------------------------- */

/* Makes the folder, and those above it that are missing, but no home: a user whose home does not
 * exist shall have none by us. Returns why not, as an errno. */
static int make_folders(const hdi_cg_place *place)
{
    char part[HDI_CG_PATH];
    const char *path = place->path;
    size_t n = strlen(path);
    int error = 0;
    for (size_t i = place->there + 1; i <= n; i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        memcpy(part, path, i);
        part[i] = '\0';
        error = mkdir(part, 0700) == 0 || errno == EEXIST ? 0 : errno;
    }
    return error;
}

/* NULL: it can be trusted. */
static const char *distrust(int fd)
{
    struct stat s;
    if (fstat(fd, &s) != 0)
        return "cannot be looked at";
    errno = 0;
    if (s.st_uid != geteuid())
        return "it belongs to another user";
    if (s.st_mode & (S_IWGRP | S_IWOTH))
        return "other users can write to it";
    return NULL;
}

int hdi_cg_folder_open(const hdi_cg_place *place, bool make, const char **problem)
{
    const char *wrong = "cannot be opened";
    int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, fd = -1;
    errno = 0;
    if (place->path[0] != '\0')
        fd = open(place->path, flags);
    if (fd < 0 && make && errno == ENOENT) {
        int error = make_folders(place);
        fd = open(place->path, flags);
        if (fd < 0 && error != 0) {
            wrong = "cannot be made";
            errno = error;
        }
    } else if (fd < 0 && (errno == ELOOP || errno == ENOTDIR)) {
        wrong = "it is a link or no folder";
        errno = 0;
    }
    if (fd >= 0 && (wrong = distrust(fd)) != NULL) {
        int error = errno;
        close(fd);
        errno = error;
        fd = -1;
    }
    if (fd < 0 && problem != NULL)
        *problem = wrong;
    return fd;
}

/* ---- sweeping -------------------------------------------------------------------------------- */

typedef struct entry {
    int64_t seconds, nanoseconds, space;
    char name[HDI_CG_NAME + 1];
} entry;

typedef struct listing { entry *entries; int64_t n, capacity, space; bool failed; } listing;

int64_t hdi_cg_folder_space(int64_t bytes)
{
    return (bytes + BLOCK - 1) / BLOCK * BLOCK;
}

static bool is_entry(const char *name)
{
    return strlen(name) == HDI_CG_NAME && strspn(name, "0123456789abcdef") == HDI_CG_NAME;
}

static void list_entry(listing *l, const char *name, const struct stat *s)
{
    if (l->n == l->capacity) {
        int64_t more = l->capacity > 0 ? l->capacity * 2 : 256;
        entry *grown = hdi_realloc(l->entries, (size_t)l->capacity * sizeof *grown,
                                   (size_t)more * sizeof *grown);
        if (grown == NULL) {
            l->failed = true;
            return;
        }
        l->entries = grown;
        l->capacity = more;
    }
    entry *e = &l->entries[l->n++];
    e->seconds = s->st_mtim.tv_sec;
    e->nanoseconds = s->st_mtim.tv_nsec;
    e->space = hdi_cg_folder_space(s->st_size);
    memcpy(e->name, name, sizeof e->name);
}

/* Goes through the folder; with a list, notes entries and deletes what was left half written.
 * Returns the space of the entries. */
static int64_t walk(int folder, listing *l)
{
    struct stat s;
    int64_t space = 0;
    time_t now = time(NULL);
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    if (d == NULL) {
        if (fd >= 0)
            close(fd);
        return 0;
    }
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        bool fresh = strncmp(e->d_name, HDI_CG_NEW, sizeof HDI_CG_NEW - 1) == 0;
        if ((!fresh && !is_entry(e->d_name)) ||
            fstatat(folder, e->d_name, &s, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (!fresh) {
            space += hdi_cg_folder_space(s.st_size);
            if (l != NULL)
                list_entry(l, e->d_name, &s);
        } else if (l != NULL && now - s.st_mtim.tv_sec > HOUR)
            unlinkat(folder, e->d_name, 0);
    }
    closedir(d);
    return space;
}

int64_t hdi_cg_folder_bytes(int folder)
{
    return walk(folder, NULL);
}

static int older_first(const void *x, const void *y)
{
    const entry *a = x, *b = y;
    if (a->seconds != b->seconds)
        return a->seconds < b->seconds ? -1 : 1;
    return (a->nanoseconds > b->nanoseconds) - (a->nanoseconds < b->nanoseconds);
}

void hdi_cg_folder_sweep(int folder, int64_t limit)
{
    listing l = {0};
    int64_t space = walk(folder, &l), target = limit - limit / 8;
    /* Without memory for the list it is not known which are the oldest; next time, then. */
    if (space > limit && !l.failed) {
        qsort(l.entries, (size_t)l.n, sizeof *l.entries, older_first);
        for (int64_t i = 0; i < l.n && space > target; i++) {
            unlinkat(folder, l.entries[i].name, 0);   /* or another process did */
            space -= l.entries[i].space;
        }
    }
    hdi_free(l.entries, (size_t)l.capacity * sizeof *l.entries);
}
