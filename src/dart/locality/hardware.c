// SPDX-License-Identifier: BSD-3-Clause
//
// Facts of the machine from /sys and /proc: those that hwloc has not given.
#include "dart/locality/hardware.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/output.h"

#define CPUS "/sys/devices/system/cpu/"

// ---------------------------------------------------------------- files
/** The number that the file begins with; -1: there is none. *unit_p: the letter behind it. */
static CW_PRINTF(2, 3) long number_in(char *unit_p, const char *fmt, ...)
{
    char path[200], unit = 0;
    long number = -1;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(path, sizeof path, fmt, ap);
    va_end(ap);
    FILE *f = fopen(path, "re");
    if (f && fscanf(f, "%ld%c", &number, &unit) < 1)
        number = -1;
    if (f)
        fclose(f);
    if (unit_p)
        *unit_p = unit;
    return number;
}

static bool exists(const char *fmt, int a, int b)
{
    char path[200];
    snprintf(path, sizeof path, fmt, a, b);
    return access(path, F_OK) == 0;
}

/** The names of which there are some, from 0 on. */
static int count(const char *fmt, int a, int most)
{
    int n = 0;
    while (n < most && exists(fmt, a, n))
        n++;
    return n;
}

// ---------------------------------------------------------------- parts
static int numa_of(int cpu)
{
    for (int numa = 0; numa < DART_LOCALITY_MAX_NUMA_ID; numa++)
        if (exists(CPUS "cpu%d/node%d", cpu, numa))
            return numa;
    return 0;
}

static void add_caches(int cpu, dart_hwinfo_t *info)
{
    int n = count(CPUS "cpu%d/cache/index%d", cpu, 16);
    for (int i = 0; i < n; i++) {
        char unit, type = 0;
        long level = number_in(NULL, CPUS "cpu%d/cache/index%d/level", cpu, i),
             size = number_in(&unit, CPUS "cpu%d/cache/index%d/size", cpu, i);
        char path[100];
        snprintf(path, sizeof path, CPUS "cpu%d/cache/index%d/type", cpu, i);
        FILE *f = fopen(path, "re");
        if (f && fscanf(f, "%c", &type) != 1)
            type = 0;
        if (f)
            fclose(f);
        if (level < 1 || level > DART_LOCALITY_MAX_CACHE_LEVELS || type == 'I')
            continue;
        info->cache_sizes[level - 1] = (int)(unit == 'K' ? size * 1024 : size);
        info->cache_line_sizes[level - 1] =
            (int)number_in(NULL, CPUS "cpu%d/cache/index%d/coherency_line_size", cpu, i);
        info->cache_ids[level - 1] = (int)number_in(NULL, CPUS "cpu%d/cache/index%d/id", cpu, i);
    }
}

/** Hardware threads of the core. */
static int threads_of(int cpu)
{
    int first = 0, last = 0;
    char sign = 0, path[100];
    snprintf(path, sizeof path, CPUS "cpu%d/topology/thread_siblings_list", cpu);
    FILE *f = fopen(path, "re");
    int n = f ? fscanf(f, "%d%c%d", &first, &sign, &last) : 0;
    if (f)
        fclose(f);
    return n == 3 && sign == '-' ? last - first + 1 : n == 3 && sign == ',' ? 2 : 1;
}

static void add_plain(int cpu, dart_hwinfo_t *info)
{
    const int threads = threads_of(cpu);
    int package = (int)number_in(NULL, CPUS "cpu%d/topology/physical_package_id", cpu),
        core = (int)number_in(NULL, CPUS "cpu%d/topology/core_id", cpu);
    info->numa_id = numa_of(cpu);
    info->num_numa = count("/sys/devices/system/node%.0d/node%d", 0, DART_LOCALITY_MAX_NUMA_ID);
    info->num_numa = info->num_numa ? info->num_numa : 1;
    info->num_sockets = 1;
    info->core_id = core < 0 ? cpu : (package > 0 ? package * 1024 : 0) + core;
    info->num_cores = (int)sysconf(_SC_NPROCESSORS_ONLN) / threads;
    info->min_threads = info->max_threads = threads;
    add_caches(cpu, info);
    drt_add_scope(info, DART_LOCALITY_SCOPE_CORE, info->core_id);
    if (package >= 0)
        drt_add_scope(info, DART_LOCALITY_SCOPE_PACKAGE, package);
    drt_add_scope(info, DART_LOCALITY_SCOPE_NUMA, info->numa_id);
}

// ---------------------------------------------------------------- all
static void add_speed(int cpu, dart_hwinfo_t *info)
{
    CWU_DECIMAL_POINT();
    long least = number_in(NULL, CPUS "cpu%d/cpufreq/cpuinfo_min_freq", cpu),
         most = number_in(NULL, CPUS "cpu%d/cpufreq/cpuinfo_max_freq", cpu);
    info->min_cpu_mhz = least < 0 ? -1 : (int)(least / 1000);
    info->max_cpu_mhz = most < 0 ? -1 : (int)(most / 1000);
    FILE *f = most < 0 ? fopen("/proc/cpuinfo", "re") : NULL;
    char line[200];
    double mhz;
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "cpu MHz : %lf", &mhz) == 1) {
            info->min_cpu_mhz = info->max_cpu_mhz = (int)mhz;
            break;
        }
    if (f)
        fclose(f);
}

static void add_memory(dart_hwinfo_t *info)
{
    const long long mib = (long long)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) >> 20;
    if (info->system_memory_bytes < 0)
        info->system_memory_bytes = (int)mib;
    if (info->numa_memory_bytes < 0)
        info->numa_memory_bytes = info->system_memory_bytes / info->num_numa;
}

static void clear(int cpu, dart_hwinfo_t *info)
{
    memset(info, 0, sizeof *info);
    info->cpu_id = cpu;
    info->core_id = info->numa_id = info->num_cores = info->num_numa = info->num_sockets = -1;
    info->min_cpu_mhz = info->max_cpu_mhz = info->max_shmem_mbps = -1;
    info->min_threads = info->max_threads = 1;
    info->system_memory_bytes = info->numa_memory_bytes = -1;
    for (int i = 0; i < DART_LOCALITY_MAX_CACHE_LEVELS; i++)
        info->cache_sizes[i] = info->cache_line_sizes[i] = info->cache_ids[i] = -1;
    for (int i = 0; i < DART_LOCALITY_MAX_DOMAIN_SCOPES; i++)
        info->scopes[i] = (dart_locality_scope_pos_t){DART_LOCALITY_SCOPE_UNDEFINED, -1};
}

void drt_hardware_of(int cpu, dart_hwinfo_t *info_p)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;  // one thread asks hwloc at a time
    clear(cpu, info_p);
    gethostname(info_p->host, sizeof info_p->host - 1);
    pthread_mutex_lock(&lock);
    bool known = drt_hwloc_of(cpu, info_p);
    pthread_mutex_unlock(&lock);
    if (!known)
        add_plain(cpu, info_p);
    add_speed(cpu, info_p);
    add_memory(info_p);
}
