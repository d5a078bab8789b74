/* SPDX-License-Identifier: BSD-3-Clause */
/* npz.c - .npz files: zip files whose members are .npy files. Written are the bytes that Python's
 * zipfile writes for NumPy: stored, of 1980-01-01, sizes of a member in 64 bits in front of it and
 * in 32 in the directory. Reading starts at the directory, which stands at the end. */
#include <errno.h>
#include <string.h>

#include <heddle/files.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "interop/inflate.h"
#include "interop/npy.h"

enum {
    LOCAL_SIZE = 30, LOCAL_EXTRA = 20, CENTRAL_SIZE = 46, END_SIZE = 22,
    LOCATOR64_SIZE = 20, END64_SIZE = 56,
    MOST_COMMENT = 65535,
    STORED = 0, DEFLATED = 8,
    ENCRYPTED = 1, UTF8 = 0x800,
    VERSION = 45,                      /* of the format, with sizes of 64 bits */
    MADE_BY = 3 << 8 | VERSION,        /* on Unix */
    DATE = 33,                         /* 1980-01-01 */
    MOST_NAME = 4096,
    MOST_EXPANSION = 1100              /* deflate makes at most 1032 bytes of one */
};
static const uint32_t LOCAL_MARK = 0x04034b50, CENTRAL_MARK = 0x02014b50, END_MARK = 0x06054b50,
                      END64_MARK = 0x06064b50, LOCATOR64_MARK = 0x07064b50, ALL_ONES = 0xffffffff;
static const int64_t MOST_BYTES = INT32_MAX;      /* zipfile's limit for 32 bits in the directory */

uint32_t hdi_crc32(uint32_t crc, const void *bytes, size_t n)
{
    uint32_t table[256];
    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int bit = 0; bit < 8; bit++)
            table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320 : 0);
    }
    crc = ~crc;
    for (const uint8_t *p = bytes, *end = p + n; p < end; p++)
        crc = crc >> 8 ^ table[(crc ^ *p) & 255];
    return ~crc;
}

/* ---- numbers, lowest byte first -------------------------------------------------------------- */

static uint8_t *put(uint8_t *p, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        *p++ = (uint8_t)(value >> 8 * i);
    return p;
}

static uint64_t get(const uint8_t *p, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint64_t)p[i] << 8 * i;
    return value;
}

/* ---- writing --------------------------------------------------------------------------------- */

typedef struct writer {
    FILE *file;
    const char *path;
    int64_t at;
    uint8_t *central;            /* the directory so far */
    size_t central_size, central_room;
} writer;

static hd_status write_bytes(writer *w, const void *bytes, size_t n)
{
    if (n > 0 && fwrite(bytes, 1, n, w->file) != n)
        return hdi_file_fail("written", w->path);
    w->at += (int64_t)n;
    return HD_OK;
}

static unsigned flags_of(const char *name)
{
    for (; *name != '\0'; name++)
        if ((unsigned char)*name > 127)
            return UTF8;
    return 0;
}

/* One more entry of the directory, of the member that begins at `start`. */
static hd_status add_entry(writer *w, const char *member, uint32_t crc, uint64_t size,
                           uint64_t start)
{
    const size_t length = strlen(member), need = w->central_size + CENTRAL_SIZE + length;
    if (need > w->central_room) {
        uint8_t *more = hdi_realloc(w->central, w->central_room, 2 * need);
        if (more == NULL)
            return hdi_fail(HD_NOMEM, "out of memory for the directory of %s", w->path);
        w->central = more;
        w->central_room = 2 * need;
    }
    uint8_t *p = w->central + w->central_size;
    p = put(put(put(p, CENTRAL_MARK, 4), MADE_BY, 2), VERSION, 2);
    p = put(put(put(put(p, flags_of(member), 2), STORED, 2), 0, 2), DATE, 2);
    p = put(put(put(put(p, crc, 4), size, 4), size, 4), length, 2);
    p = put(put(put(put(p, 0, 2), 0, 2), 0, 2), 0, 2);   /* extra, comment, disk, kind of text */
    p = put(put(p, (uint64_t)0600 << 16, 4), start, 4);
    memcpy(p, member, length);
    w->central_size = need;
    return HD_OK;
}

static hd_status write_member(writer *w, const char *member, const hdi_outgoing *o)
{
    uint8_t head[LOCAL_SIZE];
    uint8_t extra[LOCAL_EXTRA];
    const size_t length = strlen(member);
    const int64_t size = (int64_t)o->header_length + o->nbytes, start = w->at;
    const uint32_t crc = hdi_crc32(hdi_crc32(0, o->header, o->header_length), o->data,
                                   (size_t)o->nbytes);
    hd_status status;
    HD_REQUIRE(size <= MOST_BYTES && start + size <= MOST_BYTES, HD_UNSUPPORTED,
               "%s would have more than 2 GiB: save() writes arrays one by one", w->path);
    uint8_t *p = put(put(head, LOCAL_MARK, 4), VERSION, 2);
    p = put(put(p, flags_of(member), 2), STORED, 2);
    p = put(put(put(put(put(p, 0, 2), DATE, 2), crc, 4), ALL_ONES, 4), ALL_ONES, 4);
    put(put(p, length, 2), LOCAL_EXTRA, 2);
    put(put(put(put(extra, 1, 2), 16, 2), (uint64_t)size, 8), (uint64_t)size, 8);
    HD_TRY(write_bytes(w, head, sizeof head));
    HD_TRY(write_bytes(w, member, length));
    HD_TRY(write_bytes(w, extra, sizeof extra));
    HD_TRY(write_bytes(w, o->header, o->header_length));
    HD_TRY(write_bytes(w, o->data, (size_t)o->nbytes));
    HD_TRY(add_entry(w, member, crc, (uint64_t)size, (uint64_t)start));
done:
    return status;
}

/* The member's name of array i: its own and ".npy". */
static hd_status name_of(char into[MOST_NAME], const char *const *names, int i)
{
    if (names != NULL && names[i] == NULL)
        return hdi_fail_null("a name");
    if (names != NULL && strlen(names[i]) > MOST_NAME - 8)
        return hdi_fail(HD_VALUE, "a name of %zu characters is too long", strlen(names[i]));
    for (int k = 0; names != NULL && k < i; k++)
        if (strcmp(names[k], names[i]) == 0)
            return hdi_fail(HD_VALUE, "the name %.100s comes twice", names[i]);
    if (names != NULL)
        snprintf(into, MOST_NAME, "%s.npy", names[i]);
    else
        snprintf(into, MOST_NAME, "arr_%d.npy", i);
    return HD_OK;
}

static hd_status write_all(writer *w, int n, const char *const *names,
                           const hd_array *const *arrays)
{
    hdi_outgoing o = {0};
    char member[MOST_NAME];
    uint8_t end[END_SIZE];
    hd_status status = HD_OK;
    for (int i = 0; i < n; i++) {
        HD_TRY(name_of(member, names, i));
        HD_TRY(hdi_outgoing_open(&o, arrays[i]));
        HD_TRY(write_member(w, member, &o));
        hdi_outgoing_close(&o);
        o = (hdi_outgoing){0};
    }
    uint8_t *p = put(put(end, END_MARK, 4), 0, 4);
    p = put(put(put(p, (uint64_t)n, 2), (uint64_t)n, 2), w->central_size, 4);
    put(put(p, (uint64_t)w->at, 4), 0, 2);
    HD_TRY(write_bytes(w, w->central, w->central_size));
    HD_TRY(write_bytes(w, end, sizeof end));
done:
    hdi_outgoing_close(&o);
    return status;
}

hd_status hd_savez(const char *path, int n, const char *const *names,
                   const hd_array *const *arrays)
{
    writer w = {.path = path};
    char member[MOST_NAME];
    hd_status status = HD_OK;
    if (path == NULL || (arrays == NULL && n > 0))
        return hdi_fail_null(path == NULL ? "a path" : "a list of arrays");
    HD_REQUIRE(n >= 0 && n < 65535, HD_VALUE, "there cannot be %d arrays in a file", n);
    for (int i = 0; i < n; i++)      /* before a file that is there is replaced */
        HD_TRY(name_of(member, names, i));
    errno = 0;
    w.file = fopen(path, "wbe");
    status = w.file != NULL ? write_all(&w, n, names, arrays) : hdi_file_fail("opened", path);
    if (w.file != NULL && hdi_file_finish(w.file, path, status == HD_OK) != HD_OK)
        status = HD_FILE;
    hdi_free(w.central, w.central_room);
done:
    return status == HD_OK ? HD_OK : hdi_fail_where("savez");
}

/* ---- reading: the directory ------------------------------------------------------------------ */

typedef struct archive {
    FILE *file;
    const char *path;
    int64_t size;
    uint8_t *central;
    int64_t central_size;
} archive;

typedef struct member {
    const char *name;            /* in the directory, `length` characters */
    size_t length;
    unsigned flags, method;
    uint32_t crc;
    uint64_t packed, size, start;
} member;

static hd_status no_archive(const archive *a)
{
    return hdi_fail(HD_VALUE, "%s is no .npz file, or damaged", a->path);
}

static hd_status read_at(const archive *a, uint64_t at, void *into, uint64_t n)
{
    if (at > (uint64_t)a->size || n > (uint64_t)a->size - at)
        return no_archive(a);
    errno = 0;
    if (fseeko(a->file, (off_t)at, SEEK_SET) != 0 || fread(into, 1, n, a->file) != n)
        return hdi_file_fail("read", a->path);
    return HD_OK;
}

/* Where the directory is: from the last bytes, behind which a comment may stand. */
static hd_status find_directory(const archive *a, uint64_t *start, uint64_t *size)
{
    const int64_t room = hdi_min64(a->size, END_SIZE + MOST_COMMENT), from = a->size - room;
    uint8_t *tail = hdi_alloc((size_t)room + 1), locator[LOCATOR64_SIZE], end64[END64_SIZE];
    hd_status status;
    int64_t at = room - END_SIZE;
    HD_REQUIRE(tail != NULL, HD_NOMEM, "out of memory for the directory of %s", a->path);
    HD_TRY(read_at(a, (uint64_t)from, tail, (uint64_t)room));
    /* its last field is the length of the comment, which reaches to the end */
    while (at >= 0 && (get(tail + at, 4) != END_MARK ||
                       at + END_SIZE + (int64_t)get(tail + at + 20, 2) != room))
        at--;
    if (at < 0) {
        status = no_archive(a);
        goto done;
    }
    *size = get(tail + at + 12, 4);
    *start = get(tail + at + 16, 4);
    if ((*size == ALL_ONES || *start == ALL_ONES) && from + at >= LOCATOR64_SIZE) {
        HD_TRY(read_at(a, (uint64_t)(from + at - LOCATOR64_SIZE), locator, sizeof locator));
        if (get(locator, 4) == LOCATOR64_MARK) {
            HD_TRY(read_at(a, get(locator + 8, 8), end64, sizeof end64));
            *size = get(end64, 4) == END64_MARK ? get(end64 + 40, 8) : ALL_ONES;
            *start = get(end64 + 48, 8);
        }
    }
done:
    hdi_free(tail, (size_t)room + 1);
    return status;
}

static void archive_close(archive *a)
{
    if (a->file != NULL)
        fclose(a->file);
    hdi_free(a->central, (size_t)a->central_size + 1);
}

static hd_status archive_open(archive *a, const char *path)
{
    uint64_t start = 0, size = 0;
    hd_status status;
    *a = (archive){.path = path};
    if (path == NULL)
        return hdi_fail_null("a path");
    a->file = hdi_file_open(path, &a->size);
    if (a->file == NULL)
        return hd_error_peek()->code;
    HD_TRY(find_directory(a, &start, &size));
    if (size > (uint64_t)a->size) {
        status = no_archive(a);
        goto done;
    }
    a->central = hdi_alloc((size_t)size + 1);
    HD_REQUIRE(a->central != NULL, HD_NOMEM, "out of memory for the directory of %s", path);
    a->central_size = (int64_t)size;
    HD_TRY(read_at(a, start, a->central, size));
done:
    return status;
}

/* Sizes that do not fit into 32 bits stand in the extra field number 1, those that are needed. */
static bool read_wide(member *m, const uint8_t *extra, size_t n)
{
    uint64_t *const wide[] = {&m->size, &m->packed, &m->start};
    while (n >= 4) {
        size_t length = (size_t)get(extra + 2, 2), at = 4;
        if (length > n - 4)
            return false;
        for (int i = 0; get(extra, 2) == 1 && i < 3; i++) {
            if (*wide[i] != ALL_ONES)
                continue;
            if (at + 8 > length + 4)
                return false;
            *wide[i] = get(extra + at, 8);
            at += 8;
        }
        extra += length + 4;
        n -= length + 4;
    }
    return true;
}

/* The entry at *at of the directory, which moves behind it: 1; 0 at the end; -1, damaged. */
static int next_member(const archive *a, int64_t *at, member *m)
{
    const uint8_t *p = a->central + *at;
    const int64_t left = a->central_size - *at;
    if (left < CENTRAL_SIZE || get(p, 4) != CENTRAL_MARK)
        return left == 0 ? 0 : -1;
    const size_t extra = (size_t)get(p + 30, 2), comment = (size_t)get(p + 32, 2);
    m->length = (size_t)get(p + 28, 2);
    if ((int64_t)(CENTRAL_SIZE + m->length + extra + comment) > left)
        return -1;
    m->name = (const char *)p + CENTRAL_SIZE;
    m->flags = (unsigned)get(p + 8, 2);
    m->method = (unsigned)get(p + 10, 2);
    m->crc = (uint32_t)get(p + 16, 4);
    m->packed = get(p + 20, 4);
    m->size = get(p + 24, 4);
    m->start = get(p + 42, 4);
    *at += (int64_t)(CENTRAL_SIZE + m->length + extra + comment);
    return read_wide(m, p + CENTRAL_SIZE + m->length, extra) ? 1 : -1;
}

/* ---- reading: a member ----------------------------------------------------------------------- */

static bool is_named(const member *m, const char *name)
{
    const size_t n = strlen(name);
    return (m->length == n || (m->length == n + 4 && memcmp(m->name + n, ".npy", 4) == 0)) &&
           memcmp(m->name, name, n) == 0;
}

static hd_array *checked(hd_array *x, const hdi_source *s, const member *m)
{
    if (x == NULL || s->left > 0 || s->crc == m->crc)
        return x;
    hd_release(hd_keep(x));
    hdi_fail(HD_VALUE, "%s: an array is damaged: its checksum is another one", s->path);
    return NULL;
}

static hd_array *read_deflated(const archive *a, const member *m, uint64_t start)
{
    hd_array *x = NULL;
    uint8_t *packed = NULL, *bytes = NULL;
    hd_status status;
    if (m->packed > (uint64_t)a->size || m->size / MOST_EXPANSION > m->packed) {
        no_archive(a);
        return NULL;
    }
    packed = hdi_alloc((size_t)m->packed + 1);
    bytes = hdi_alloc((size_t)m->size + 1);
    HD_REQUIRE(packed != NULL && bytes != NULL, HD_NOMEM, "out of memory for an array of %s",
               a->path);
    HD_TRY(read_at(a, start, packed, m->packed));
    if (!hdi_inflate(packed, (size_t)m->packed, bytes, (size_t)m->size)) {
        if (hd_error_peek()->code == HD_OK)
            no_archive(a);
        goto done;
    }
    hdi_source s = {.memory = bytes, .left = (int64_t)m->size, .path = a->path, .counted = true};
    x = checked(hdi_npy_read(&s), &s, m);
done:
    if (packed != NULL)
        hdi_free(packed, (size_t)m->packed + 1);
    if (bytes != NULL)
        hdi_free(bytes, (size_t)m->size + 1);
    return x;
}

static hd_array *read_member(const archive *a, const member *m)
{
    uint8_t head[LOCAL_SIZE];
    if (m->flags & ENCRYPTED || (m->method != STORED && m->method != DEFLATED)) {
        hdi_fail(HD_UNSUPPORTED, "%s: an array is encrypted, or compressed by method %u", a->path,
                 m->method);
        return NULL;
    }
    if (read_at(a, m->start, head, sizeof head) != HD_OK)
        return NULL;
    const uint64_t start = m->start + LOCAL_SIZE + get(head + 26, 2) + get(head + 28, 2);
    if (get(head, 4) != LOCAL_MARK || start > (uint64_t)a->size ||
        m->packed > (uint64_t)a->size - start) {
        no_archive(a);
        return NULL;
    }
    if (m->method == DEFLATED)
        return read_deflated(a, m, start);
    hdi_source s = {.file = a->file, .left = (int64_t)m->packed, .path = a->path, .counted = true};
    errno = 0;
    if (fseeko(a->file, (off_t)start, SEEK_SET) != 0) {
        hdi_file_fail("read", a->path);
        return NULL;
    }
    return checked(hdi_npy_read(&s), &s, m);
}

hd_array *hd_loadz(const char *path, const char *name)
{
    archive a;
    member m;
    hd_array *x = NULL;
    int64_t at = 0;
    int more = 0;
    if (name == NULL)
        return hdi_null("a name");
    if (archive_open(&a, path) == HD_OK) {
        while ((more = next_member(&a, &at, &m)) == 1 && !is_named(&m, name))
            continue;
        if (more == 1)
            x = read_member(&a, &m);
        else if (more == 0)
            hdi_fail(HD_VALUE, "%s has no array of the name %.100s", path, name);
        else
            no_archive(&a);
    }
    archive_close(&a);
    if (x == NULL)
        hdi_fail_where("loadz");
    return x;
}

char *hd_npz_names(const char *path)
{
    archive a;
    member m;
    hdi_strbuf text = {0};
    int64_t at = 0;
    int more = -1;
    bool good = archive_open(&a, path) == HD_OK;
    while (good && (more = next_member(&a, &at, &m)) == 1) {
        const bool npy = m.length >= 4 && memcmp(m.name + m.length - 4, ".npy", 4) == 0;
        hdi_strbuf_add(&text, "%.*s\n", (int)m.length - (npy ? 4 : 0), m.name);
    }
    if (good && more < 0)
        no_archive(&a);
    archive_close(&a);
    good = good && more == 0;
    char *names = good || text.text != NULL ? hdi_strbuf_take(&text) : NULL;
    if (!good) {
        hd_free_text(names);
        names = NULL;
    }
    if (names == NULL)
        hdi_fail_where("npz_names");
    return names;
}
