// SPDX-License-Identifier: BSD-3-Clause
//
// The machine: the same one wherever the simulator runs, so that a seed takes the same steps there.
// Its kernel has no /sys and few files in /proc, as some containers have.
#include <errno.h>
#include <link.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "world.h"
#include "wrap.h"

#define MEMORY (16ul << 30)
#define RESIDENT (64ul << 20)
#define FILES 1024  // descriptors of a process

/** SIM_CPUS processors: what is roomy, and what waits do, follows from that. */
static int processors(void)
{
    const char *text = getenv("SIM_CPUS");
    int n = text ? atoi(text) : 1;
    return n > 0 ? n : 1;
}

SIM_WRAPPER(int, sched_getaffinity, pid_t pid, size_t nbytes, cpu_set_t *set)
{
    if (!sim_inside())
        return __real_sched_getaffinity(pid, nbytes, set);
    CPU_ZERO_S(nbytes, set);
    for (int i = 0; i < processors(); i++)
        CPU_SET_S(i, nbytes, set);
    return 0;
}

SIM_WRAPPER(int, sched_getcpu, void)
{
    return sim_inside() ? sim_me % processors() : __real_sched_getcpu();
}

SIM_WRAPPER(long, sysconf, int name)
{
    if (sim_inside() && (name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF))
        return processors();
    return __real_sysconf(name);
}

SIM_WRAPPER(int, gethostname, char *name, size_t nbytes)
{
    if (!sim_inside())
        return __real_gethostname(name, nbytes);
    snprintf(name, nbytes, "simulated");
    return 0;
}

SIM_WRAPPER(int, sysinfo, struct sysinfo *info)
{
    if (!sim_inside())
        return __real_sysinfo(info);
    *info = (struct sysinfo){.totalram = MEMORY, .freeram = MEMORY, .mem_unit = 1};
    return 0;
}

static struct rlimit limit_of(int what)
{
    rlim_t most = what == RLIMIT_NOFILE ? FILES : RLIM_INFINITY;
    return (struct rlimit){most, most};
}

SIM_WRAPPER(int, getrlimit, __rlimit_resource_t what, struct rlimit *limit)
{
    if (!sim_inside())
        return __real_getrlimit(what, limit);
    *limit = limit_of(what);
    return 0;
}

SIM_WRAPPER(int, getrlimit64, __rlimit_resource_t what, struct rlimit *limit)
{
    return __wrap_getrlimit(what, limit);
}

SIM_WRAPPER(int, getrusage, __rusage_who_t who, struct rusage *usage)
{
    if (!sim_inside())
        return __real_getrusage(who, usage);
    *usage = (struct rusage){.ru_maxrss = RESIDENT >> 10};
    return 0;
}

bool sim_hides(const char *path)
{
    static const char *const hidden[] = {"/sys/",         "/proc/sys/",        "/proc/vmstat",
                                         "/proc/cpuinfo", "/proc/self/cgroup", "/proc/self/statm",
                                         "/proc/net/"};
    for (size_t i = 0; sim_inside() && path && i < sizeof hidden / sizeof *hidden; i++)
        if (strncmp(path, hidden[i], strlen(hidden[i])) == 0) {
            errno = ENOENT;
            return true;
        }
    return false;
}

// ---------------------------------------------------------------- what is loaded
typedef int visit_t(struct dl_phdr_info *info, size_t size, void *arg);

typedef struct visitor {
    visit_t *visit;
    void *arg;
    bool past_program;
} visitor_t;

/** The program and the library: other libraries, and what the kernel maps, are a system's. */
static int visit_ours(struct dl_phdr_info *info, size_t size, void *arg)
{
    visitor_t *v = arg;
    bool ours = !v->past_program || strstr(info->dlpi_name, "libcauseway");
    v->past_program = true;
    return ours ? v->visit(info, size, v->arg) : 0;
}

SIM_WRAPPER(int, dl_iterate_phdr, visit_t *visit, void *arg)
{
    visitor_t v = {visit, arg, !sim_inside()};
    return sim_inside() ? __real_dl_iterate_phdr(visit_ours, &v)
                        : __real_dl_iterate_phdr(visit, arg);
}
