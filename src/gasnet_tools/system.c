// SPDX-License-Identifier: BSD-3-Clause
//
// The system: host, program, processors, memory, limits, streams; and versions of this library.
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tools.h"

static pthread_once_t names_once = PTHREAD_ONCE_INIT;
static char host[256], program[4096];

static void find_names(void)
{
    if (gethostname(host, sizeof host - 1))
        strcpy(host, "unknown");
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    program[n > 0 ? n : 0] = '\0';
}

const char *gasnett_gethostname(void)
{
    pthread_once(&names_once, find_names);
    return host;
}

const char *gasnett_exe_name(void)
{
    pthread_once(&names_once, find_names);
    return program;
}

int gasnett_cpu_count(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (int)n : 0;
}

uint64_t gasnett_getPhysMemSz(int failureIsFatal)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page > 0)
        return (uint64_t)pages * (uint64_t)page;
    if (failureIsFatal)
        gasnett_fatalerror_nopos("the size of this machine's memory cannot be found out");
    return 0;
}

/** Of the CPUs this process may use: in a container or under a launcher these are not all. */
int gasnett_set_affinity(int rank)
{
    static cpu_set_t allowed;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static int known;  // under lock; the first call sees the set before a thread was pinned
    pthread_mutex_lock(&lock);
    if (!known)
        known = sched_getaffinity(getpid(), sizeof allowed, &allowed) == 0;
    pthread_mutex_unlock(&lock);
    int n = known ? CPU_COUNT(&allowed) : 0;
    if (n == 0)
        return -1;
    int wanted = (rank % n + n) % n, cpu = 0;
    while (!CPU_ISSET(cpu, &allowed) || wanted-- > 0)
        cpu++;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    return sched_setaffinity(0, sizeof one, &one);
}

int gasnett_sched_yield(void)
{
    return sched_yield();
}

void gasnett_flush_streams(void)
{
    fflush(stdout);
    fflush(stderr);
}

void gasnett_close_streams(void)
{
    fclose(stdin);
    fclose(stdout);
    fclose(stderr);
}

// ---------------------------------------------------------------- limits
int gasnett_maximize_rlimit(int res, const char *lim_desc)
{
    char variable[128];
    snprintf(variable, sizeof variable, "GASNET_MAXIMIZE_%s", lim_desc);
    if (!gasnett_getenv_yesno_withdefault(variable, 1))
        return 1;
    struct rlimit limit;
    if (getrlimit((__rlimit_resource_t)res, &limit))
        return 0;
    limit.rlim_cur = limit.rlim_max;
    return setrlimit((__rlimit_resource_t)res, &limit) == 0;
}

int gasnett_maximize_rlimits(void)
{
    static const struct {
        int resource;
        const char *name;
    } limits[] = {{RLIMIT_CPU, "RLIMIT_CPU"},
                  {RLIMIT_DATA, "RLIMIT_DATA"},
                  {RLIMIT_RSS, "RLIMIT_RSS"},
                  {RLIMIT_STACK, "RLIMIT_STACK"},
                  {RLIMIT_AS, "RLIMIT_AS"}};
    int all = 1;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        all &= gasnett_maximize_rlimit(limits[i].resource, limits[i].name);
    return all;
}

void *gasnett_mmap(uintptr_t segsize)
{
    return mmap(NULL, segsize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                -1, 0);
}

// ---------------------------------------------------------------- the interface
const char *gasnett_release_version_str(void)
{
    return GASNETT_STRING_OF(GASNETT_RELEASE_VERSION_MAJOR) "." GASNETT_STRING_OF(
        GASNETT_RELEASE_VERSION_MINOR) "." GASNETT_STRING_OF(GASNETT_RELEASE_VERSION_PATCH);
}

uint64_t gasnett_release_version(void)
{
    return GASNETT_RELEASE_VERSION_MAJOR * UINT64_C(1000000) +
           GASNETT_RELEASE_VERSION_MINOR * 10000 + GASNETT_RELEASE_VERSION_PATCH;
}

const char *gasnett_performance_warning_str(void)
{
#if defined(__OPTIMIZE__)
    return "";
#else
    return "        not optimized (configure with -Dbuildtype=release)\n";
#endif
}

void (*gasnett_stats_callback)(void (*format)(const char *, ...));
