/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cg_cache.c - the disk cache: what was stored comes back, for its key only and undamaged
 * only; folders that others could write to are refused; old entries go; processes at once. */
#include <dirent.h>
#include <fcntl.h>
#include <pwd.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "codegen/cg_cache.h"
#include "codegen/cg_folder.h"
#include "harness.h"

enum { PATH = 600 };

static char base[PATH / 2];   /* a folder for this program alone, removed at its end */

static void clean_up(void)
{
    char line[PATH];
    snprintf(line, sizeof line, "rm -rf '%s'", base);
    if (base[0] == '\0' || system(line) != 0)
        fprintf(stderr, "could not remove %s\n", base);
}

/* Sets the folder below base, "" for no setting, and the limit. */
static void use(const char *folder, const char *limit)
{
    char path[PATH];
    if (base[0] == '\0') {
        const char *tmp = getenv("TMPDIR");
        snprintf(base, sizeof base, "%s/heddle-cache-XXXXXX", tmp != NULL ? tmp : "/tmp");
        if (!CHECK(mkdtemp(base) != NULL)) {
            base[0] = '\0';
            return;
        }
        atexit(clean_up);
    }
    snprintf(path, sizeof path, "%s/%s", base, folder);
    if (folder[0] != '\0')
        setenv("HEDDLE_CACHE", path, 1);
    else
        unsetenv("HEDDLE_CACHE");
    if (limit != NULL)
        setenv("HEDDLE_CACHE_SIZE", limit, 1);
    else
        unsetenv("HEDDLE_CACHE_SIZE");
    hdi_cg_cache_reread();
}

static hdi_cg_cache_stats info(void)
{
    hdi_cg_cache_stats s;
    hdi_cg_cache_info(&s);
    return s;
}

static bool put(const char *key, const char *object)
{
    return hdi_cg_cache_put(key, strlen(key), object, strlen(object) + 1);
}

/* Whether the key has just this object; NULL: none. */
static bool has(const char *key, const char *object)
{
    size_t n = 99;
    char *p = hdi_cg_cache_get(key, strlen(key), &n);
    bool same = p == NULL || object == NULL ? p == object && n == 0
                                            : n == strlen(object) + 1 && strcmp(p, object) == 0;
    hdi_free(p, n);
    return same;
}

/* The path of the n-th file in the folder; false when there are fewer. */
static bool file_of(int n, char path[PATH])
{
    bool found = false;
    DIR *d = opendir(info().folder);
    for (struct dirent *e; d != NULL && !found && (e = readdir(d)) != NULL;) {
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && n-- == 0) {
            snprintf(path, PATH, "%.300s/%.250s", info().folder, e->d_name);
            found = true;
        }
    }
    if (d != NULL)
        closedir(d);
    return found;
}

static int files(void)
{
    char path[PATH];
    int n = 0;
    while (file_of(n, path))
        n++;
    return n;
}

static size_t read_file(const char *path, char *to, size_t room)
{
    FILE *f = fopen(path, "rb");
    size_t n = f != NULL ? fread(to, 1, room, f) : 0;
    if (f != NULL)
        fclose(f);
    return n;
}

static void write_file(const char *path, const char *from, size_t n)
{
    FILE *f = fopen(path, "wb");
    CHECK(f != NULL && fwrite(from, 1, n, f) == n);
    if (f != NULL)
        fclose(f);
}

/* ---- what is stored -------------------------------------------------------------------------- */

TEST(cg_cache, gives_back_what_was_stored)
{
    use("plain", NULL);
    CHECK(has("key", NULL));
    CHECK(put("key", "object"));
    CHECK(has("key", "object"));
    CHECK(has("kez", NULL) && has("key ", NULL) && has("ke", NULL) && has("", NULL));
    CHECK(put("key", "another"));
    CHECK(put("", "empty key"));
    CHECK(has("key", "another"));
    CHECK(has("", "empty key"));
    hdi_cg_cache_stats s = info();
    CHECK(s.usable);
    CHECK_STR(s.reason, "");
    CHECK_EQ_I64(s.hits, 3);
    CHECK_EQ_I64(s.misses, 5);
    CHECK_EQ_I64(s.stored, 3);
    CHECK_EQ_I64(s.rejected, 0);
    CHECK_EQ_I64(s.bytes, 2 * 4096);
    CHECK_EQ_I64(s.limit, 256 << 20);
    CHECK_EQ_I64(files(), 2);
    CHECK(hd_error_peek()->code == HD_OK);
}

TEST(cg_cache, keys_and_objects_of_all_sizes)
{
    static uint8_t bytes[20000];
    use("sizes", NULL);
    for (size_t k = 0; k < sizeof bytes; k++)
        bytes[k] = (uint8_t)(k * k >> 3);
    for (size_t n = 1; n < sizeof bytes; n = n * 3 / 2 + 1) {
        size_t got = 0;
        CHECK(hdi_cg_cache_put(bytes, n, bytes + 1, n));
        CHECK(hdi_cg_cache_put(bytes, 10000 - n / 2, bytes + 1, n));
        uint8_t *p = hdi_cg_cache_get(bytes, n, &got);
        REQUIRE(p != NULL && got == n);
        CHECK(memcmp(p, bytes + 1, n) == 0);
        hdi_free(p, got);
    }
    CHECK(!hdi_cg_cache_put("none", 4, bytes, 0));
    CHECK(strstr(info().reason, "empty") != NULL);
}

TEST(cg_cache, a_new_folder_is_private)
{
    struct stat s;
    char path[PATH];
    use("new/one/inside", NULL);
    CHECK(info().usable && access(info().folder, F_OK) != 0);   /* asking does not make it */
    mode_t old = umask(0);
    CHECK(put("key", "object"));
    umask(old);
    CHECK(stat(info().folder, &s) == 0 && (s.st_mode & 0777) == 0700);
    snprintf(path, sizeof path, "%s/new/one", base);
    CHECK(stat(path, &s) == 0 && (s.st_mode & 0777) == 0700);
    CHECK(file_of(0, path) && stat(path, &s) == 0 && (s.st_mode & 0777) == 0600);
}

/* ---- what is damaged ------------------------------------------------------------------------- */

TEST(cg_cache, every_changed_byte_is_noticed)
{
    char path[PATH], file[512];
    use("flips", NULL);
    CHECK(put("the key", "and its object"));
    REQUIRE(file_of(0, path));
    size_t n = read_file(path, file, sizeof file);
    REQUIRE(n > 40 && n < sizeof file);
    for (size_t k = 0; k < n; k++) {
        for (int flip = 0; flip < 9; flip++) {
            char kept = file[k];
            file[k] = (char)(file[k] ^ (flip < 8 ? 1 << flip : 0xFF));
            write_file(path, file, n);
            CHECK(has("the key", NULL));
            file[k] = kept;
        }
    }
    for (size_t k = 0; k < n; k++) {
        write_file(path, file, k);
        CHECK(has("the key", NULL));
    }
    file[n] = 0;
    write_file(path, file, n + 1);   /* longer */
    CHECK(has("the key", NULL));
    CHECK(info().rejected > 8 * 40);
    CHECK(put("the key", "fresh"));   /* in its place */
    CHECK(has("the key", "fresh"));
    CHECK_EQ_I64(files(), 1);
}

/* The files of two keys, exchanged: as if their names' hashes were the same. */
TEST(cg_cache, the_whole_key_is_compared)
{
    char one[PATH], two[PATH], file[512];
    use("collision", NULL);
    CHECK(put("key 1", "object 1"));
    REQUIRE(file_of(0, one));
    size_t n = read_file(one, file, sizeof file);
    CHECK(put("key 2", "object 2"));
    REQUIRE(file_of(0, two));
    if (strcmp(one, two) == 0)
        REQUIRE(file_of(1, two));
    write_file(two, file, n);
    CHECK(has("key 1", "object 1"));
    CHECK(has("key 2", NULL));
    CHECK_EQ_I64(info().rejected, 0);
}

TEST(cg_cache, odd_files_under_a_name)
{
    char path[PATH], other[PATH + 2];
    use("odd", NULL);
    CHECK(put("key", "object"));
    REQUIRE(file_of(0, path));
    snprintf(other, sizeof other, "%s.x", path);
    CHECK(rename(path, other) == 0 && symlink(other, path) == 0);   /* a link to a good entry */
    CHECK(has("key", NULL));
    CHECK(put("key", "object"));
    CHECK(has("key", "object"));
    unlink(path);
    CHECK(mkfifo(path, 0600) == 0);   /* reading one waits for a writer */
    CHECK(has("key", NULL));
    CHECK(put("key", "object"));
    unlink(path);
    CHECK(mkdir(path, 0700) == 0);
    CHECK(has("key", NULL));
    CHECK(!put("key", "object"));
    CHECK(!info().usable && strstr(info().reason, "cannot write") != NULL);
    rmdir(path);
    CHECK(put("key", "object"));
    CHECK(info().usable);
    CHECK(chmod(path, 0622) == 0);
    CHECK(has("key", NULL));
    CHECK_EQ_I64(files(), 2);   /* no half-written ones were left */
}

/* ---- which folder ---------------------------------------------------------------------------- */

TEST(cg_cache, the_environment_names_the_folder)
{
    char xdg[PATH], home[PATH], want[PATH + 20];
    const char *old_home = getenv("HOME"), *old_xdg = getenv("XDG_CACHE_HOME");
    char *kept_home = old_home != NULL ? strdup(old_home) : NULL;
    char *kept_xdg = old_xdg != NULL ? strdup(old_xdg) : NULL;
    use("", NULL);
    snprintf(xdg, sizeof xdg, "%s/xdg", base);
    snprintf(home, sizeof home, "%s/home", base);
    setenv("HOME", home, 1);
    setenv("XDG_CACHE_HOME", xdg, 1);
    hdi_cg_cache_reread();
    snprintf(want, sizeof want, "%s/heddle", xdg);
    CHECK_STR(info().folder, want);
    CHECK(put("key", "object") && has("key", "object"));
    setenv("XDG_CACHE_HOME", "relative", 1);   /* to be ignored, says its specification */
    hdi_cg_cache_reread();
    snprintf(want, sizeof want, "%s/.cache/heddle", home);
    CHECK_STR(info().folder, want);
    CHECK(!put("key", "object") && !info().usable);   /* no home is made */
    CHECK(access(home, F_OK) != 0 && mkdir(home, 0700) == 0);
    CHECK(put("key", "object") && has("key", "object"));
    snprintf(want, sizeof want, "%s/none/xdg", base);
    setenv("XDG_CACHE_HOME", want, 1);
    hdi_cg_cache_reread();
    snprintf(want, sizeof want, "%s/none", base);
    CHECK(!put("key", "object") && access(want, F_OK) != 0);
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    hdi_cg_cache_reread();
    const struct passwd *user = getpwuid(geteuid());
    if (user != NULL) {
        snprintf(want, sizeof want, "%s/.cache/heddle", user->pw_dir);
        CHECK_STR(info().folder, want);   /* looked at, not used */
    }
    if (kept_home != NULL)
        setenv("HOME", kept_home, 1);
    if (kept_xdg != NULL)
        setenv("XDG_CACHE_HOME", kept_xdg, 1);
    free(kept_home);
    free(kept_xdg);
}

static void check_off(const char *value, const char *reason)
{
    setenv("HEDDLE_CACHE", value, 1);
    hdi_cg_cache_reread();
    CHECK(!put("key", "object"));
    CHECK(has("key", NULL));
    hdi_cg_cache_stats s = info();
    CHECK(!s.usable && strstr(s.reason, reason) != NULL);
    CHECK_STR(s.folder, "");
    CHECK_EQ_I64(s.bytes, 0);
}

TEST(cg_cache, can_be_switched_off)
{
    static char longest[2000] = "/";
    check_off("0", "switched off");
    check_off("off", "switched off");
    check_off("some/where", "path from the root");
    memset(longest + 1, 'x', sizeof longest - 2);
    check_off(longest, "too long");
    CHECK(hd_error_peek()->code == HD_OK);
}

static void check_refused(const char *reason)
{
    CHECK(has("key", NULL));
    CHECK(!put("key", "object"));
    hdi_cg_cache_stats s = info();
    CHECK(!s.usable);
    if (!CHECK(strstr(s.reason, reason) != NULL))
        fprintf(stderr, "    the reason is: %s\n", s.reason);
}

TEST(cg_cache, refuses_folders_that_others_write_to)
{
    char path[PATH], other[PATH];
    use("open", NULL);
    CHECK(put("key", "object"));
    snprintf(path, sizeof path, "%s/open", base);
    CHECK(chmod(path, 0770) == 0);
    check_refused("can write");
    CHECK(chmod(path, 0702) == 0);
    check_refused("can write");
    CHECK(chmod(path, 0755) == 0);
    CHECK(has("key", "object"));
    snprintf(other, sizeof other, "%s/link", base);
    CHECK(symlink(path, other) == 0);
    use("link", NULL);
    check_refused("a link or no folder");
    snprintf(other, sizeof other, "%s/file", base);
    write_file(other, "x", 1);
    use("file", NULL);
    check_refused("a link or no folder");
    if (geteuid() == 0 && chown(path, 65534, 65534) == 0) {
        use("open", NULL);
        check_refused("another user");
        CHECK(chown(path, 0, 0) == 0);
    } else {
        setenv("HEDDLE_CACHE", "/usr", 1);   /* root's */
        hdi_cg_cache_reread();
        check_refused("another user");
    }
}

TEST(cg_cache, a_folder_that_cannot_be_written)
{
    setenv("HEDDLE_CACHE", "/proc/heddle/cache", 1);   /* not even by root */
    hdi_cg_cache_reread();
    check_refused("cannot be made");
    CHECK(hd_error_peek()->code == HD_OK);
}

/* A disk without room, as far as a test can have one: the limit on file sizes. */
static void child_with_small_files(void)
{
    char big[10000] = "";
    if (put("before", "small") && !hdi_cg_cache_put("big", 3, big, sizeof big) && !info().usable &&
        has("before", "small") && files() == 1)
        _exit(put("after", "small") && info().usable ? 0 : 2);
    _exit(1);
}

TEST(cg_cache, no_signal_where_files_must_be_small)
{
    int status = -1;
    use("small", NULL);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){5000, 5000});
        child_with_small_files();
    }
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* ---- how much -------------------------------------------------------------------------------- */

static void put_numbered(int k)
{
    char key[32];
    snprintf(key, sizeof key, "entry %d", k);
    CHECK(put(key, key));
}

/* Makes the entry of a number some seconds older. */
static void age(int seconds)
{
    char path[PATH];
    struct stat s;
    for (int k = 0; file_of(k, path); k++) {
        if (stat(path, &s) != 0)
            continue;
        s.st_mtim.tv_sec -= seconds;
        CHECK(utimensat(AT_FDCWD, path, (struct timespec[]){s.st_mtim, s.st_mtim}, 0) == 0);
    }
}

TEST(cg_cache, the_oldest_go_first)
{
    char key[32];
    use("limit", "131072");   /* 32 entries of 4 KB */
    for (int k = 0; k < 100; k++) {
        put_numbered(k);
        age(100);
    }
    hdi_cg_cache_stats s = info();
    CHECK(s.bytes <= 131072 && s.bytes >= 131072 * 3 / 4);
    CHECK_EQ_I64(s.limit, 131072);
    int kept = 0;
    for (int k = 99; k >= 0; k--) {
        snprintf(key, sizeof key, "entry %d", k);
        if (has(key, key))
            kept++;
        else
            break;
    }
    CHECK_EQ_I64(kept, files());   /* the youngest, without a gap */
}

TEST(cg_cache, a_used_entry_is_young_again)
{
    use("young", "49152");   /* 12 entries of 4 KB */
    put_numbered(0);
    age(3 * 86400);
    for (int k = 1; k < 9; k++) {
        put_numbered(k);
        age(1000);
    }
    CHECK(has("entry 0", "entry 0"));   /* the only one read */
    for (int k = 9; k < 14; k++)
        put_numbered(k);
    CHECK(has("entry 0", "entry 0"));
    CHECK(has("entry 1", NULL));
}

TEST(cg_cache, reading_leaves_todays_entries_alone)
{
    char path[PATH];
    struct stat before, after;
    use("today", NULL);
    CHECK(put("key", "object"));
    age(3600);
    REQUIRE(file_of(0, path) && stat(path, &before) == 0);
    CHECK(has("key", "object"));
    CHECK(stat(path, &after) == 0 && before.st_mtim.tv_sec == after.st_mtim.tv_sec);
    age(2 * 86400);
    CHECK(has("key", "object"));
    CHECK(stat(path, &after) == 0 && after.st_mtim.tv_sec > before.st_mtim.tv_sec);
}

TEST(cg_cache, other_files_are_left_alone)
{
    char path[PATH];
    use("others", "16384");
    put_numbered(0);
    snprintf(path, sizeof path, "%s/others/0123456789abcdef0123456789abcde", base);
    write_file(path, "short name", 10);
    snprintf(path, sizeof path, "%s/others/README", base);
    write_file(path, "mine", 4);
    snprintf(path, sizeof path, "%s/others/.new-1-2-3", base);
    write_file(path, "half", 4);
    age(7200);
    snprintf(path, sizeof path, "%s/others/.new-4-5-6", base);
    write_file(path, "half", 4);   /* somebody is at it */
    for (int k = 1; k < 20; k++)
        put_numbered(k);
    CHECK(access(path, F_OK) == 0);
    snprintf(path, sizeof path, "%s/others/.new-1-2-3", base);
    CHECK(access(path, F_OK) != 0);
    CHECK(files() >= 3 + 3 && files() <= 3 + 4);
    snprintf(path, sizeof path, "%s/others/README", base);
    CHECK(access(path, F_OK) == 0);
}

TEST(cg_cache, settings_of_the_limit)
{
    use("settings", "many");
    CHECK_EQ_I64(info().limit, 256 << 20);
    CHECK(info().usable && strstr(info().reason, "HEDDLE_CACHE_SIZE") != NULL);
    use("settings", "-1");
    CHECK_EQ_I64(info().limit, 256 << 20);
    use("settings", "0");
    CHECK_EQ_I64(info().limit, 0);
    CHECK(!put("key", "object"));
    CHECK(strstr(info().reason, "too large") != NULL);
    use("settings", "");
    CHECK(info().reason[0] == '\0');
}

/* ---- failing memory, threads, processes ------------------------------------------------------ */

TEST(cg_cache, allocations_fail_in_turn)
{
    use("memory", "16384");
    for (int k = 0; k < 4; k++)
        put_numbered(k);
    for (int64_t n = 1; n < 4; n++) {
        hdi_fail_after(n);
        bool found = has("entry 3", "entry 3");
        hdi_fail_after(0);
        CHECK(found == (n > 1));
        hdi_fail_after(n);
        put_numbered(3);   /* sweeping needs memory, storing does not */
        hdi_fail_after(0);
    }
    CHECK_EQ_I64(info().rejected, 0);
    CHECK(hd_error_peek()->code == HD_OK);
}

/* Stores and reads a few keys over and over: an object is either not there or whole. */
static int work(int who, int rounds)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
    char key[32], object[6000];
    int wrong = 0;
    for (int k = 0; k < rounds; k++) {
        int number = (k * 7 + who) % 26;
        size_t n = 0, length = 100 + (size_t)((k * 131 + who) % 5000);
        snprintf(key, sizeof key, "shared %d", number);
        memset(object, letters[number], length);
        if (k % 3 == 0)
            wrong += !hdi_cg_cache_put(key, strlen(key), object, length);
        char *p = hdi_cg_cache_get(key, strlen(key), &n);
        for (size_t i = 0; p != NULL && i < n; i++)
            wrong += p[i] != letters[number];
        hdi_free(p, n);
    }
    return wrong;
}

static void *work_in_thread(void *ctx)
{
    int *who = ctx;
    *who = work(*who, 400);
    return NULL;
}

TEST(cg_cache, processes_and_threads_at_once)
{
    pid_t child[3];
    pthread_t thread[2];
    int who[2] = {3, 4}, status;
    use("crowd", "65536");   /* so that they also delete all the time */
    fflush(NULL);
    for (int k = 0; k < 3; k++) {
        child[k] = fork();
        if (child[k] == 0)
            _exit(work(k, 400) != 0);
    }
    for (int k = 0; k < 2; k++)
        REQUIRE(pthread_create(&thread[k], NULL, work_in_thread, &who[k]) == 0);
    for (int k = 0; k < 2; k++) {
        pthread_join(thread[k], NULL);
        CHECK_EQ_I64(who[k], 0);
    }
    for (int k = 0; k < 3; k++) {
        CHECK(waitpid(child[k], &status, 0) == child[k]);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    CHECK_EQ_I64(info().rejected, 0);
    CHECK(info().usable);
    CHECK(info().bytes <= 2 * 65536);
}
