// SPDX-License-Identifier: BSD-3-Clause
//
// The machine's memory, from sysinfo(2), and what control groups and limits leave of it.
//
// A process is in a group of the unified hierarchy (version 2), and in one of the hierarchy of the
// memory controller where that is mounted by itself (version 1). Each group up to the root may have
// a limit. In a container the files of the process's own group may be at the root of the mount,
// whatever path the kernel gives; a path that is not there is passed over.
#include "base/machine.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>

#define GROUPS "/proc/self/cgroup"
#define MOUNTS "/sys/fs/cgroup"

/** A file of a group: its number, or the one behind `word`. False: none. */
static bool read_number(const char *path, const char *word, uint64_t *number_p)
{
    char line[256];
    size_t length = strlen(word);
    bool found = false;
    FILE *f = fopen(path, "re");
    while (f && !found && fgets(line, sizeof line, f)) {
        unsigned long long number;
        if (strncmp(line, word, length) == 0 && sscanf(line + length, " %llu", &number) == 1) {
            *number_p = number;
            found = true;
        }
    }
    if (f)
        fclose(f);
    return found;
}

typedef bool visit_fn(const char *folder, bool unified, void *arg);

/** Visits the folders of a group and of those above it, until a visit returns true. */
static bool visit_up(const char *mount, char *group, bool unified, visit_fn *visit, void *arg)
{
    char folder[PATH_MAX];
    for (;;) {
        size_t length = strlen(group);
        while (length && group[length - 1] == '/')
            group[--length] = '\0';
        if (snprintf(folder, sizeof folder, "%s%s", mount, group) < (int)sizeof folder &&
            visit(folder, unified, arg))
            return true;
        char *last = strrchr(group, '/');
        if (!last)
            return false;
        *last = '\0';
    }
}

static bool has_word(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += length)
        if ((at == list || at[-1] == ',') && (at[length] == ',' || !at[length]))
            return true;
    return false;
}

static void visit_groups(const char *groups, const char *mounts, const char *controller,
                         visit_fn *visit, void *arg)
{
    char line[PATH_MAX], mount[PATH_MAX];
    bool done = false;
    FILE *f = fopen(groups, "re");
    while (f && !done && fgets(line, sizeof line, f)) {  // "number:controllers:/group"
        char *controllers = strchr(line, ':'),
             *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group)
            continue;
        *group++ = '\0';
        group[strcspn(group, "\n")] = '\0';
        bool unified = controllers[1] == '\0';
        if (!unified && !has_word(controllers + 1, controller))
            continue;
        snprintf(mount, sizeof mount, "%s%s%s", mounts, unified ? "" : "/",
                 unified ? "" : controller);
        done = visit_up(mount, group, unified, visit, arg);
    }
    if (f)
        fclose(f);
}

static bool take_limit(const char *folder, bool unified, void *limit_p)
{
    char path[PATH_MAX + 32];
    uint64_t limit, *least = limit_p;
    snprintf(path, sizeof path, "%s/%s", folder, unified ? "memory.max" : "memory.limit_in_bytes");
    if (read_number(path, "", &limit) && limit && limit < *least)  // "max" is no number
        *least = limit;
    return false;
}

static bool take_pids(const char *folder, bool unified, void *limit_p)
{
    char path[PATH_MAX + 32];
    uint64_t limit, *least = limit_p;
    (void)unified;  // the same in both
    snprintf(path, sizeof path, "%s/pids.max", folder);
    if (read_number(path, "", &limit) && limit < *least)
        *least = limit;
    return false;
}

static bool take_quota(const char *folder, bool unified, void *processors_p)
{
    char path[PATH_MAX + 32];
    double *least = processors_p;
    long long quota = 0, period = 0;  // microseconds
    snprintf(path, sizeof path, "%s/%s", folder, unified ? "cpu.max" : "cpu.cfs_quota_us");
    FILE *f = fopen(path, "re");
    int n = f ? fscanf(f, "%lld %lld", &quota, &period) : 0;  // "max" and -1: there is none
    if (f)
        fclose(f);
    uint64_t us = 0;
    snprintf(path, sizeof path, "%s/cpu.cfs_period_us", folder);
    if (n == 1 && !unified && read_number(path, "", &us))
        period = (long long)us;
    double share = n > 0 && quota > 0 && period > 0 ? (double)quota / (double)period : 0;
    if (share > 0 && (*least == 0 || share < *least))
        *least = share;
    return false;
}

static bool take_kills(const char *folder, bool unified, void *kills_p)
{
    char path[PATH_MAX + 32];
    snprintf(path, sizeof path, "%s/%s", folder, unified ? "memory.events" : "memory.oom_control");
    return read_number(path, "oom_kill ", kills_p);
}

uint64_t cwu_group_memory(const char *groups, const char *mounts)
{
    uint64_t limit = UINT64_MAX;
    visit_groups(groups, mounts, "memory", take_limit, &limit);
    return limit;
}

uint64_t cwu_group_limit(const char *controller)
{
    uint64_t limit = UINT64_MAX;
    visit_groups(GROUPS, MOUNTS, controller, strcmp(controller, "pids") ? take_limit : take_pids,
                 &limit);
    return limit;
}

double cwu_group_processors(void)
{
    double processors = 0;
    visit_groups(GROUPS, MOUNTS, "cpu", take_quota, &processors);
    return processors;
}

uint64_t cwu_machine_memory(void)
{
    struct sysinfo info;  // the same as /proc/meminfo, far faster
    if (sysinfo(&info))
        return 0;
    uint64_t total = ((uint64_t)info.totalram + info.totalswap) * info.mem_unit;
    uint64_t limit = cwu_group_memory(GROUPS, MOUNTS);
    return limit < total ? limit : total;
}

uint32_t cwu_pid_namespace(void)
{
    struct stat st;
    return stat("/proc/self/ns/pid", &st) == 0 ? (uint32_t)st.st_ino : 0;
}

uint64_t cwu_memory_kills(void)
{
    uint64_t kills = UINT64_MAX;
    visit_groups(GROUPS, MOUNTS, "memory", take_kills, &kills);
    if (kills == UINT64_MAX && !read_number("/proc/vmstat", "oom_kill ", &kills))
        return 0;
    return kills;
}

static uint64_t limit_of(int what)
{
    struct rlimit limit;
    if (getrlimit(what, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return UINT64_MAX;
    return limit.rlim_cur;
}

uint64_t cwu_address_limit(void)
{
    return limit_of(RLIMIT_AS);
}

uint64_t cwu_file_limit(void)
{
    return limit_of(RLIMIT_FSIZE);
}

uint64_t cwu_machine_cache(const char *folder)
{
    uint64_t largest = 0, kib;
    char path[PATH_MAX];
    for (int i = 0; snprintf(path, sizeof path, "%s/index%d/size", folder, i) < PATH_MAX &&
                    read_number(path, "", &kib);
         i++)
        largest = kib > largest ? kib : largest;
    return largest * 1024;
}

#define PLENTY 4096  // limits above are not used up by what is open when it is asked

long cwu_free_files(void)
{
    struct rlimit lim;
    if (getrlimit(RLIMIT_NOFILE, &lim) != 0 || lim.rlim_cur >= LONG_MAX)
        return LONG_MAX;
    long most = (long)lim.rlim_cur, used = 0;
    errno = 0;
    DIR *dir = most > PLENTY ? NULL : opendir("/proc/self/fd");
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        used += entry->d_name[0] != '.';
    if (!dir && (errno == EMFILE || errno == ENFILE) && most <= PLENTY)
        return 0;
    if (dir)
        closedir(dir);
    return most - used;
}

#define ASK 0xffffffffu  // personality(2): changes nothing

bool cwu_addresses_random(void)
{
    int now = personality(ASK);
    return now != -1 && !(now & ADDR_NO_RANDOMIZE);
}

bool cwu_addresses_fix(bool fixed)
{
    int now = personality(ASK);
    if (now == -1)
        return false;
    unsigned other = (unsigned)now & ~(unsigned)ADDR_NO_RANDOMIZE;
    return personality(fixed ? other | ADDR_NO_RANDOMIZE : other) != -1;
}
