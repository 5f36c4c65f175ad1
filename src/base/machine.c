// SPDX-License-Identifier: BSD-3-Clause
//
// The machine's memory, from sysinfo(2) and the control group.
#include "base/machine.h"

#include <stdio.h>
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
