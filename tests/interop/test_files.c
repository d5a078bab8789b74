/* SPDX-License-Identifier: BSD-3-Clause */
/* test_files.c - .npy and .npz files: there and back, damaged ones, what is compressed.
 * tests/python/test_c_files.py has them beside NumPy's. */
#include <stdio.h>
#include <unistd.h>

#include "interop/inflate.h"
#include "interop/npy.h"
#include "support.h"

static char folder[64], path[96];

static const char *file(const char *name)
{
    if (folder[0] == '\0') {
        snprintf(folder, sizeof folder, "/tmp/heddle-files-XXXXXX");
        CHECK(mkdtemp(folder) != NULL);
    }
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

__attribute__((destructor)) static void remove_all(void)
{
    static const char *const names[] = {"x.npy", "x.npz"};
    for (int i = 0; folder[0] != '\0' && i < 2; i++)
        unlink(file(names[i]));
    if (folder[0] != '\0')
        rmdir(folder);
}

/* Are they equal in dtype, shape and bits? */
static bool same(const hd_array *x, const hd_array *y)
{
    if (x == NULL || y == NULL || hd_dtype_of(x) != hd_dtype_of(y) || hd_ndim(x) != hd_ndim(y) ||
        memcmp(hd_shape(x), hd_shape(y), sizeof(int64_t) * (size_t)hd_ndim(x)) != 0)
        return false;
    const size_t n = (size_t)hd_nbytes(x);
    char *a = calloc(1, n + 1), *b = calloc(1, n + 1);
    const bool equal = hd_read(x, a) == HD_OK && hd_read(y, b) == HD_OK && memcmp(a, b, n) == 0;
    free(a);
    free(b);
    return equal;
}

static size_t contents(uint8_t *into, size_t room)
{
    FILE *f = fopen(path, "rb");
    const size_t n = f != NULL ? fread(into, 1, room, f) : 0;
    if (f != NULL)
        fclose(f);
    return n;
}

static void write_contents(const uint8_t *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    if (CHECK(f != NULL)) {
        CHECK(fwrite(bytes, 1, n, f) == n);
        fclose(f);
    }
}

TEST(files, every_dtype_there_and_back)
{
    for (int dt = HD_BOOL; dt < HD_DTYPE_COUNT; dt++) {
        hd_array *x = t_ramp(SHAPE(3, 4), (hd_dtype)dt), *t = hd_transpose(x, NULL);
        hd_array *cut = t_slice(x, ALL, SLICE(1, 4, 2));
        hd_array *all[] = {x, t, cut};
        for (int i = 0; i < 3; i++) {
            const hd_status done = hd_save(file("x.npy"), all[i]);
            CHECK(done == (dt == HD_BFLOAT16 ? HD_DTYPE : HD_OK));
            hd_error_take(NULL);
            if (done != HD_OK)
                continue;
            hd_array *back = hd_load(path);
            CHECK(same(all[i], back));
            CHECK(hd_is_writeable(back));
            hd_release(back);
        }
        for (int i = 0; i < 3; i++)
            hd_release(all[i]);
    }
}

TEST(files, shapes_and_scopes)
{
    const int scope = hd_scope_begin();
    hd_array *x[] = {hd_zeros(SCALAR_SHAPE, HD_INT16), hd_zeros(SHAPE(0, 3), HD_FLOAT32),
                     hd_float(2.5), hd_sum(hd_ones(SHAPE(3), HD_FLOAT64), HD_ALL_AXES, NULL, 0),
                     hd_broadcast_to(hd_ones(SHAPE(1, 3), HD_FLOAT64), SHAPE(2, 3))};
    for (int i = 0; i < 5; i++) {
        CHECK(hd_save(file("x.npy"), x[i]) == HD_OK);
        CHECK(same(x[i], hd_load(path)));
    }
    const char *const names[] = {"a", "b", "c.npy", "d", "\xc3\xa9"};
    CHECK(hd_savez(file("x.npz"), 5, names, (const hd_array *const *)x) == HD_OK);
    for (int i = 0; i < 5; i++)
        CHECK(same(x[i], hd_loadz(path, names[i])));
    char *list = hd_npz_names(path);
    CHECK_STR(list, "a\nb\nc.npy\nd\n\xc3\xa9\n");
    hd_free_text(list);
    CHECK(hd_loadz(path, "e") == NULL && hd_error_take(NULL) == HD_VALUE);
    CHECK(hd_savez(path, 5, NULL, (const hd_array *const *)x) == HD_OK);
    CHECK(same(x[4], hd_loadz(path, "arr_4")) && same(x[4], hd_loadz(path, "arr_4.npy")));
    CHECK(hd_savez(path, 0, NULL, NULL) == HD_OK);
    list = hd_npz_names(path);
    CHECK_STR(list, "");
    hd_free_text(list);
    hd_scope_end(scope, NULL);
}

TEST(files, what_the_system_refuses)
{
    hd_array *x = hd_ones(SHAPE(3), HD_FLOAT64);
    CHECK(hd_save("/no/such/folder/x.npy", x) == HD_FILE);
    CHECK_STR(hd_error_peek()->where, "save");
    CHECK(strstr(hd_error_peek()->message, "No such file") != NULL);
    hd_error_take(NULL);
    CHECK(hd_load("/no/such/file") == NULL && hd_error_take(NULL) == HD_FILE);
    CHECK(hd_load("/tmp") == NULL && hd_error_take(NULL) == HD_FILE);
    CHECK(hd_save("/dev/full", x) == HD_FILE && hd_error_take(NULL) == HD_FILE);
    CHECK(hd_savez("/dev/full", 1, NULL, (const hd_array *const *)&x) == HD_FILE);
    hd_error_take(NULL);
    CHECK(access("/dev/full", F_OK) == 0);
    /* a wrong name leaves the file that is there */
    CHECK(hd_save(file("x.npy"), x) == HD_OK);
    const char *const twice[] = {"a", "a"};
    CHECK(hd_savez(path, 2, twice, (const hd_array *const[]){x, x}) == HD_VALUE);
    hd_error_take(NULL);
    hd_array *back = hd_load(path);
    CHECK(same(x, back));
    hd_release(back);
    hd_release(x);
}

/* The status of a .npy file with that header, behind which stand 64 bytes. */
static hd_status of_header(const char *header)
{
    uint8_t bytes[512] = "\x93NUMPY\x01";
    const size_t n = strlen(header);
    bytes[8] = (uint8_t)n;
    memcpy(bytes + 10, header, n);
    file("x.npy");
    write_contents(bytes, 10 + n + 64);
    hd_release(hd_load(path));
    return hd_error_take(NULL);
}

TEST(files, headers)
{
    static const struct { const char *header; hd_status status; } rows[] = {
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (8,), }\n", HD_OK},
        {"{\"shape\":(2,4),\"fortran_order\":True,\"descr\":\">f8\"}", HD_OK},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (16L,)}", HD_OK},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': ()}", HD_OK},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (0, 9)}", HD_OK},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (0, 9223372036854775807)}", HD_VALUE},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (9223372036854775807, 0)}", HD_VALUE},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (9,), }", HD_VALUE},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }", HD_VALUE},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (9223372036854775807,), }", HD_VALUE},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", HD_VALUE},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,), }", HD_VALUE},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': 8, }", HD_VALUE},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (8", HD_VALUE},
        {"{'descr': '<f8', 'fortran_order': 1, 'shape': (8,), }", HD_VALUE},
        {"{'descr': '<f8', 'fortran_order': False}", HD_VALUE},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (8,), 'more': 1}", HD_VALUE},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (8,), } x", HD_VALUE},
        {"{'descr': '<f8", HD_VALUE}, {"{", HD_VALUE}, {"", HD_VALUE},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (8,), }", HD_DTYPE},
        {"{'descr': '<U3', 'fortran_order': False, 'shape': (8,), }", HD_DTYPE},
        {"{'descr': '', 'fortran_order': False, 'shape': (8,), }", HD_DTYPE},
        {"{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (8,), }", HD_DTYPE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const hd_status got = of_header(rows[i].header);
        if (!CHECK(got == rows[i].status))
            fprintf(stderr, "%s: %s\n", rows[i].header, hd_status_text(got));
    }
    char many[400] = "{'descr': '<f8', 'fortran_order': False, 'shape': (";
    for (int i = 0; i < 65; i++)
        strcat(many, "1,");
    many[250] = '\0';
    CHECK(of_header(many) == HD_VALUE);
}

/* Bytes of good files changed, left out and added by chance: an error or an array, never a crash. */
static void damage(const char *name, hd_array *(*load)(const char *), int rounds)
{
    uint8_t good[4096], bad[4096 + 64];
    file(name);
    const size_t n = contents(good, sizeof good);
    REQUIRE(n > 0);
    int failed = 0;
    for (int round = 0; round < rounds; round++) {
        size_t m = n;
        memcpy(bad, good, n);
        for (int64_t k = t_between(0, 3); k >= 0; k--)
            bad[t_below((int64_t)m)] = t_below(3) == 0 ? (uint8_t)"0\xff\x80(9"[t_below(5)]
                                                       : (uint8_t)t_random();
        if (t_below(4) == 0)
            m = (size_t)t_below((int64_t)n);
        write_contents(bad, m);
        hd_array *x = load(path);
        failed += x == NULL;
        CHECK((x == NULL) == (hd_error_peek()->code != HD_OK));
        CHECK(hd_error_peek()->code != HD_INTERNAL && hd_error_peek()->code != HD_NOMEM);
        hd_error_take(NULL);
        hd_release(x);
    }
    CHECK(failed > rounds / 4);
    write_contents(good, n);
}

static hd_array *load_a(const char *of) { return hd_loadz(of, "a"); }
static hd_array *load_any(const char *of)
{
    hd_free_text(hd_npz_names(of));
    hd_error_take(NULL);
    return hd_loadz(of, "a");
}

TEST(files, damaged)
{
    hd_array *x = t_ramp(SHAPE(3, 5), HD_COMPLEX64);
    const char *const names[] = {"a", "b"};
    CHECK(hd_save(file("x.npy"), x) == HD_OK);
    damage("x.npy", hd_load, 3000);
    CHECK(hd_savez(file("x.npz"), 2, names, (const hd_array *const[]){x, x}) == HD_OK);
    damage("x.npz", load_any, 3000);
    /* one bit of an element: the checksum tells */
    uint8_t bytes[4096];
    const size_t n = contents(bytes, sizeof bytes);
    bytes[300] ^= 1;
    write_contents(bytes, n);
    hd_array *b = hd_loadz(path, "b");
    CHECK(load_a(path) == NULL || b == NULL);
    CHECK(hd_error_take(NULL) == HD_VALUE);
    hd_release(b);
    hd_release(x);
}

/* What zlib wrote is in tests/python/test_c_files.py. */
TEST(files, inflate)
{
    static const uint8_t stored[] = {1, 3, 0, 0xfc, 0xff, 'x', 'y', 'z'};
    char out[121];
    CHECK(hdi_inflate(stored, sizeof stored, (uint8_t *)out, 3) && memcmp(out, "xyz", 3) == 0);
    CHECK(!hdi_inflate(stored, sizeof stored, (uint8_t *)out, 4));
    CHECK(!hdi_inflate(stored, sizeof stored, (uint8_t *)out, 2));
    CHECK(!hdi_inflate(stored, 5, (uint8_t *)out, 3));
    uint8_t noise[300], into[600];
    int good = 0;
    for (int round = 0; round < 20000; round++) {
        const int64_t n = t_between(0, 300);
        for (int64_t i = 0; i < n; i++)
            noise[i] = (uint8_t)t_random();
        good += hdi_inflate(noise, (size_t)n, into, (size_t)t_below(600));
    }
    CHECK(good < 2000);
    CHECK(hd_error_take(NULL) == HD_OK);
    CHECK_EQ_I64(hdi_crc32(0, "123456789", 9), 0xcbf43926);
    CHECK_EQ_I64(hdi_crc32(hdi_crc32(0, "12345", 5), "6789", 4), 0xcbf43926);
}
