/* SPDX-License-Identifier: BSD-3-Clause */
/* cpus.c - affinity, and the quotas of the control groups above this process (both versions of
 * the interface). */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE   /* sched_getaffinity */
#endif
#include "base/cpus.h"

#include <sched.h>
#include <stdio.h>

#include "base/base.h"

enum { PATH_SIZE = 1024, MANY = 1 << 20 };

int hdi_cpus_affinity(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return MANY;   /* more processors than the set has room for */
    return CPU_COUNT(&set) < 1 ? 1 : CPU_COUNT(&set);
}

int hdi_cpus_quota(const char *cpu_max)
{
    long long quota, period = 100000;
    if (sscanf(cpu_max, "%lld %lld", &quota, &period) < 1 || quota <= 0 || period <= 0)
        return 0;   /* "max", or the -1 of version 1 */
    return (int)hdi_min64((quota + period - 1) / period, MANY);
}

static bool read_line(const char *path, char *line, int size)
{
    FILE *f = fopen(path, "re");
    if (f == NULL)
        return false;
    bool ok = fgets(line, size, f) != NULL;
    fclose(f);
    return ok;
}

/* The quota of one group: version 2 keeps both numbers in one file, version 1 one number in each
 * of two. */
static int group_quota(const char *root, const char *group, bool v2)
{
    char path[PATH_SIZE + 64], line[128], period[64];
    snprintf(path, sizeof path, "%s%s/%s", root, group, v2 ? "cpu.max" : "cpu.cfs_quota_us");
    if (!read_line(path, line, v2 ? (int)sizeof line : 60))
        return 0;
    if (!v2) {
        snprintf(path, sizeof path, "%s%s/cpu.cfs_period_us", root, group);
        line[strcspn(line, "\n")] = '\0';
        if (read_line(path, period, sizeof period)) {
            strcat(line, " ");
            strcat(line, period);
        }
    }
    return hdi_cpus_quota(line);
}

/* The tightest quota from this group up to the root: a limit on a parent binds its children. */
static int tightest(const char *root, char *group, bool v2)
{
    int best = 0;
    for (;;) {
        int n = group_quota(root, group, v2);
        if (n > 0 && (best == 0 || n < best))
            best = n;
        char *cut = strrchr(group, '/');
        if (cut == NULL)
            return best;
        *cut = '\0';
    }
}

/* The file has lines "number:controllers:path"; version 2 is number 0 with no controllers. */
static int quota(void)
{
    char line[PATH_SIZE];
    int best = 0;
    FILE *f = fopen("/proc/self/cgroup", "re");
    if (f == NULL)
        return 0;
    while (fgets(line, sizeof line, f) != NULL) {
        char *controllers = strchr(line, ':'),
             *path = controllers ? strchr(controllers + 1, ':') : NULL;
        if (path == NULL)
            continue;
        *path++ = '\0';
        path[strcspn(path, "\n")] = '\0';
        bool v2 = controllers[1] == '\0',
             v1 = strcmp(controllers + 1, "cpu") == 0 || strstr(controllers, ":cpu,") != NULL;
        int n = v2   ? tightest("/sys/fs/cgroup", path, true)
                : v1 ? tightest("/sys/fs/cgroup/cpu", path, false)
                     : 0;
        if (n > 0 && (best == 0 || n < best))
            best = n;
    }
    fclose(f);
    return best;
}

int hdi_cpus_usable(void)
{
    int n = hdi_cpus_affinity(), limit = quota();
    if (limit > 0 && limit < n)
        n = limit;
    return n < 1 ? 1 : n;
}
