// SPDX-License-Identifier: BSD-3-Clause
//
// The machine as a job here would find it.
#include <ifaddrs.h>
#include <inttypes.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/machine.h"
#include "info_doctor.h"

#define MIB ((uint64_t)1 << 20)

/** The first line of a file of the kernel, or NULL. */
static const char *first_line(const char *path, char line[256])
{
    FILE *f = fopen(path, "re");
    char *got = f ? fgets(line, 256, f) : NULL;
    if (f)
        fclose(f);
    if (got)
        line[strcspn(line, "\n")] = '\0';
    return got;
}

/** The number behind a word at the start of a line of a file; -1: none. */
static long long number_behind(const char *path, const char *word)
{
    char line[256];
    long long number = -1;
    FILE *f = fopen(path, "re");
    while (f && number < 0 && fgets(line, sizeof line, f))
        if (strncmp(line, word, strlen(word)) == 0)
            number = atoll(line + strlen(word));
    if (f)
        fclose(f);
    return number;
}

// ---------------------------------------------------------------- processors and memory
static void processors(void)
{
    cpu_set_t set;
    double quota = cwu_group_processors();
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    int allowed = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : (int)online;
    if (quota > 0)
        info_line("processors", "%ld online, %d allowed, a control group's quota of %.2f", online,
                  allowed, quota);
    else
        info_line("processors", "%ld online, %d allowed, no quota", online, allowed);
    if (quota > 0 && quota < allowed)
        info_note("a control group gives %.2f processors of %d: PEs of a larger job are stopped "
                  "for a part of each period, and those that wait for them wait that long",
                  quota, allowed);
}

static void memory(void)
{
    char line[256];
    uint64_t group = cwu_group_limit("memory"), all = cwu_machine_memory();
    if (group < all * 1024)  // version 1 says "none" by a number beyond any memory
        info_line("memory",
                  "%" PRIu64 " MiB for a job; the lowest limit of a control group: "
                  "%" PRIu64 " MiB",
                  all / MIB, group / MIB);
    else
        info_line("memory", "%" PRIu64 " MiB with swap; no limit of a control group", all / MIB);
    info_line("default heap", "%" PRIu64 " MiB in all, divided by the PEs (SHMEM_SYMMETRIC_SIZE)",
              all / 4 * 3 / MIB);
    const char *mode = first_line("/proc/sys/vm/overcommit_memory", line);
    info_line("overcommit", "%s", mode ? mode : "not known");
    if (mode && *mode == '2')
        info_note("vm.overcommit_memory is 2: memory that is only reserved counts, so set "
                  "SHMEM_SYMMETRIC_SIZE to what the program needs");
}

/** Which hierarchies of control groups this process is in. */
static void groups(void)
{
    char line[512];
    bool unified = false, separate = false;
    FILE *f = fopen("/proc/self/cgroup", "re");
    while (f && fgets(line, sizeof line, f)) {
        bool is_unified = strncmp(line, "0::", 3) == 0;
        unified = unified || is_unified;
        separate = separate || !is_unified;
    }
    if (f)
        fclose(f);
    info_line("control groups", "%s",
              unified && separate ? "versions 1 and 2"
              : unified           ? "version 2"
              : separate          ? "version 1"
                                  : "none");
    uint64_t pids = cwu_group_limit("pids");
    if (pids != UINT64_MAX)
        info_line("  processes", "at most %" PRIu64 " processes and threads", pids);
}

static void pages(void)
{
    char line[256];
    struct statvfs fs;
    const char *mode = first_line("/sys/kernel/mm/transparent_hugepage/shmem_enabled", line);
    info_line("page", "%ld bytes", sysconf(_SC_PAGESIZE));
    info_line("huge pages",
              "transparent ones for shared memory: %s (with never or deny, large blocks have some "
              "by CAUSEWAY_HUGEPAGES=2M only); reserved: %lld of %lld KiB",
              mode ? mode : "not in this kernel",
              number_behind("/proc/meminfo", "HugePages_Total:"),
              number_behind("/proc/meminfo", "Hugepagesize:"));
    if (statvfs("/dev/shm", &fs) == 0)
        info_line("/dev/shm",
                  "%" PRIu64 " of %" PRIu64 " MiB free (Causeway has nothing there; "
                  "an MPI of the program may)",
                  (uint64_t)fs.f_bavail * fs.f_frsize / MIB,
                  (uint64_t)fs.f_blocks * fs.f_frsize / MIB);
    else
        info_line("/dev/shm", "not there (Causeway does not need it; an MPI of the program may)");
}

// ---------------------------------------------------------------- limits
static void limit(const char *name, int what, uint64_t unit, const char *unit_name)
{
    struct rlimit l;
    char most[32] = "unlimited";
    if (getrlimit(what, &l) != 0)
        return;
    if (l.rlim_max != RLIM_INFINITY)
        snprintf(most, sizeof most, "%" PRIu64, (uint64_t)l.rlim_max / unit);
    if (l.rlim_cur == RLIM_INFINITY)
        info_line(name, "unlimited");
    else
        info_line(name, "%" PRIu64 "%s (may be raised to %s)", (uint64_t)l.rlim_cur / unit,
                  unit_name, most);
}

static bool is_below(int what, uint64_t least)
{
    struct rlimit l;
    return getrlimit(what, &l) == 0 && l.rlim_cur != RLIM_INFINITY && l.rlim_cur < least;
}

static void limits(void)
{
    limit("ulimit -n, files", RLIMIT_NOFILE, 1, "");
    limit("ulimit -u, processes", RLIMIT_NPROC, 1, "");
    limit("ulimit -v, addresses", RLIMIT_AS, 1024, " KiB");
    limit("ulimit -f, file size", RLIMIT_FSIZE, 1024, " KiB");
    limit("ulimit -l, locked", RLIMIT_MEMLOCK, 1024, " KiB");
    limit("ulimit -s, stack", RLIMIT_STACK, 1024, " KiB");
    limit("ulimit -c, core files", RLIMIT_CORE, 1024, " KiB");
    struct rlimit l;
    if (getrlimit(RLIMIT_NOFILE, &l) == 0 && l.rlim_max < 1024)
        info_note("ulimit -Hn is %" PRIu64 ": oshrun needs two file descriptors for each PE, and a "
                  "PE one for each node that it talks to",
                  (uint64_t)l.rlim_max);
    if (is_below(RLIMIT_AS, UINT64_MAX))
        info_note("ulimit -v bounds the addresses of a process: heaps and segments are smaller");
    if (is_below(RLIMIT_FSIZE, UINT64_MAX))
        info_note("ulimit -f holds for shared memory, too: the heaps of a node must be smaller");
    if (is_below(RLIMIT_MEMLOCK, 1 << 30) && access("/sys/class/infiniband", F_OK) == 0)
        info_note("ulimit -l bounds the memory that the network device of this machine may use");
}

static void security(void)
{
    char line[256];
    const char *scope = first_line("/proc/sys/kernel/yama/ptrace_scope", line);
    static const char *const scopes[] = {"0 (processes of a user may read one another)",
                                         "1 (descendants; Causeway asks for more, where it needs)",
                                         "2 (administrators only)", "3 (none at all)"};
    bool known = scope && *scope >= '0' && *scope <= '3' && !scope[1];
    info_line("ptrace scope", "%s", known ? scopes[*scope - '0'] : "not restricted by Yama");
    if (known && *scope >= '2')
        info_note("ptrace_scope is %s: private memory that DART registers goes through messages, "
                  "and gdb -p is for administrators",
                  scope);
    long long filter = number_behind("/proc/self/status", "Seccomp:");
    info_line("system calls", "%s",
              filter == 2 ? "filtered (seccomp: a container)" : "not filtered");
}

// ---------------------------------------------------------------- network
/** One by which other hosts may reach it. */
static bool has_address(const struct ifaddrs *i)
{
    if (i->ifa_addr && i->ifa_addr->sa_family == AF_INET6) {
        struct sockaddr_in6 name;
        memcpy(&name, i->ifa_addr, sizeof name);
        return !IN6_IS_ADDR_LINKLOCAL(&name.sin6_addr);
    }
    return i->ifa_addr && i->ifa_addr->sa_family == AF_INET;
}

static bool is_listed(const char *names, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = names; (at = strstr(at, name)); at += n)
        if ((at == names || at[-1] == ' ') && (at[n] == ' ' || at[n] == 0))
            return true;
    return false;
}

static void network(void)
{
    char host[256] = "", names[512] = "";
    struct ifaddrs *list = NULL;
    struct addrinfo *found = NULL;
    struct utsname kernel;
    size_t at = 0;
    gethostname(host, sizeof host - 1);
    if (uname(&kernel) == 0)
        info_line("kernel", "%s %s %s", kernel.sysname, kernel.release, kernel.machine);
    bool resolves = getaddrinfo(host, NULL, NULL, &found) == 0;
    info_line("host", "%s%s", host, resolves ? "" : " (has no address by this name)");
    if (found)
        freeaddrinfo(found);
    if (!resolves)
        info_note("the host's name %s has no address: launchers for several hosts may need one",
                  host);
    if (getifaddrs(&list) != 0)
        return;
    for (struct ifaddrs *i = list; i; i = i->ifa_next)
        if (has_address(i) && (i->ifa_flags & IFF_UP) && !(i->ifa_flags & IFF_LOOPBACK) &&
            at + IFNAMSIZ + 1 < sizeof names && !is_listed(names, i->ifa_name))
            at +=
                (size_t)snprintf(names + at, sizeof names - at, "%s%s", at ? " " : "", i->ifa_name);
    freeifaddrs(list);
    info_line("interfaces", "%s", at ? names : "loopback only");
}

void info_machine(void)
{
    puts("\nThis machine");
    network();
    processors();
    memory();
    groups();
    pages();
    security();
    puts("\nLimits of this shell");
    limits();
}
