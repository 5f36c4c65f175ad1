// SPDX-License-Identifier: BSD-3-Clause
//
// The machine's memory, from sysinfo(2) and the control group.
#include "base/machine.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>

uint64_t cwu_machine_memory(void)
{
    unsigned long long limit = 0;
    struct sysinfo info;  // the same as /proc/meminfo, far faster
    if (sysinfo(&info))
        return 0;
    uint64_t total = ((uint64_t)info.totalram + info.totalswap) * info.mem_unit;
    FILE *f = fopen("/sys/fs/cgroup/memory.max", "re");
    if (f && fscanf(f, "%llu", &limit) != 1)
        limit = 0;  // "max"
    if (f)
        fclose(f);
    return limit && limit < total ? limit : total;
}

#define PLENTY 4096  // limits above are not used up by what is open when it is asked

long cwu_free_files(void)
{
    struct rlimit lim;
    if (getrlimit(RLIMIT_NOFILE, &lim) != 0 || lim.rlim_cur >= LONG_MAX)
        return LONG_MAX;
    long most = (long)lim.rlim_cur, used = 0;
    DIR *dir = most > PLENTY ? NULL : opendir("/proc/self/fd");
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        used += entry->d_name[0] != '.';
    if (dir)
        closedir(dir);
    return most - used;
}
