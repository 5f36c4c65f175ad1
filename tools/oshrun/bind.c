// SPDX-License-Identifier: BSD-3-Clause
//
// Which processors each PE may use. The kernel describes them in /sys: the threads of a core, the
// package (socket), the nodes of memory (NUMA). Only processors count that oshrun itself may use.
//
// Without a wish each PE gets its share of the cores: as many as the others, but for one, and none
// that another PE has. So no two PEs meet on a core, the threads of a PE have what it is due, and
// all of the machine is in some share.
//
// --map-by gives each PE in turn the next unit of a kind, and within it the next core that has no
// PE yet (again the first one, when all have). --bind-to says how much of what lies around that
// core the PE gets.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oshrun.h"

#ifndef SYSTEM
#define SYSTEM "/sys/devices/system"  // a test has another
#define LOAD "/proc/loadavg"
#endif

/** A processor, and the lowest processor of each unit that it belongs to. */
typedef struct cpu {
    int number, unit[UNIT_NUMA + 1];
} cpu_t;

static struct {
    cpu_t cpus[CPU_SETSIZE];  // that oshrun may use, unit by unit
    int ncpus;
    cpu_set_t *of_pe;  // NULL: no PE is bound
    int npes;
} bind;

/** A file of /sys with a list like "0-3,8". False: there is none. */
static bool read_list(const char *path, cpu_set_t *set)
{
    char text[4096];
    CPU_ZERO(set);
    FILE *file = fopen(path, "re");
    bool there = file && fgets(text, sizeof text, file);
    if (file)
        fclose(file);
    for (char *at = text; there && *at >= '0' && *at <= '9';) {
        long from = strtol(at, &at, 10), to = *at == '-' ? strtol(at + 1, &at, 10) : from;
        for (long i = from; i <= to && i < CPU_SETSIZE; i++)
            CPU_SET((size_t)i, set);
        at += *at == ',';
    }
    return there;
}

static int lowest(const cpu_set_t *set)
{
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET((size_t)i, set))
            return i;
    return -1;
}

/** The lowest processor that shares a thing with this one; without a description: the default. */
static int first_sharing(int cpu, const char *file, int without)
{
    char path[256];
    cpu_set_t set;
    snprintf(path, sizeof path, SYSTEM "/cpu/cpu%d/topology/%s", cpu, file);
    if (!read_list(path, &set))
        return without;
    int first = lowest(&set);
    return first < 0 ? without : first;
}

/** The lowest processor of this one's node of memory. A machine without such nodes is one. */
static int first_of_numa(int cpu)
{
    char path[256];
    cpu_set_t nodes, set;
    if (!read_list(SYSTEM "/node/online", &nodes))
        return 0;
    for (int node = 0; node < CPU_SETSIZE; node++) {
        snprintf(path, sizeof path, SYSTEM "/node/node%d/cpulist", node);
        if (CPU_ISSET((size_t)node, &nodes) && read_list(path, &set) &&
            CPU_ISSET((size_t)cpu, &set))
            return lowest(&set);
    }
    return 0;
}

static int by_unit(const void *a, const void *b)
{
    const cpu_t *x = a, *y = b;
    for (int unit = UNIT_NUMA; unit > UNIT_NONE; unit--)
        if (x->unit[unit] != y->unit[unit])
            return x->unit[unit] < y->unit[unit] ? -1 : 1;
    return 0;
}

/** False, with errno: they are not known. */
static bool find_cpus(void)
{
    cpu_set_t may;
    if (sched_getaffinity(0, sizeof may, &may) != 0)
        return false;
    for (int i = 0; i < CPU_SETSIZE; i++) {
        if (!CPU_ISSET((size_t)i, &may))
            continue;
        cpu_t *cpu = &bind.cpus[bind.ncpus++];
        cpu->number = i;
        cpu->unit[UNIT_THREAD] = i;
        cpu->unit[UNIT_CORE] = first_sharing(i, "thread_siblings_list", i);
        cpu->unit[UNIT_SOCKET] =
            first_sharing(i, "package_cpus_list", first_sharing(i, "core_siblings_list", 0));
        cpu->unit[UNIT_NUMA] = first_of_numa(i);
    }
    qsort(bind.cpus, (size_t)bind.ncpus, sizeof *bind.cpus, by_unit);
    return true;
}

/** The processors that begin a unit of one kind, of those in a unit of another (or of all). Returns
 *  how many there are. */
static int list_units(unit_t kind, unit_t within, int in, const cpu_t *list[CPU_SETSIZE])
{
    int n = 0;
    for (int i = 0; i < bind.ncpus; i++) {
        const cpu_t *cpu = &bind.cpus[i];
        bool known = within != UNIT_NONE && cpu->unit[within] != in;
        for (int k = 0; k < n && !known; k++)
            known = list[k]->unit[kind] == cpu->unit[kind];
        if (!known)
            list[n++] = cpu;
    }
    return n;
}

/** The processor at which a PE's place is. */
static const cpu_t *place(int pe, unit_t map_by, unit_t bind_to)
{
    const cpu_t *list[CPU_SETSIZE];
    unit_t fine = bind_to == UNIT_THREAD || map_by == UNIT_THREAD ? UNIT_THREAD : UNIT_CORE;
    int n = list_units(map_by, UNIT_NONE, 0, list), turn = pe / n;
    const cpu_t *unit = list[pe % n];
    n = list_units(fine, map_by, unit->unit[map_by], list);
    return list[turn % n];
}

static void say_binding(int pe)
{
    char text[512];
    size_t at = 0;
    for (int i = 0; i < CPU_SETSIZE && at < sizeof text - 16; i++) {
        int last = i;
        if (!CPU_ISSET((size_t)i, &bind.of_pe[pe]))
            continue;
        while (last + 1 < CPU_SETSIZE && CPU_ISSET((size_t)last + 1, &bind.of_pe[pe]))
            last++;
        at += (size_t)snprintf(text + at, sizeof text - at, last > i ? "%s%d-%d" : "%s%d",
                               at ? "," : "", i, last);
        i = last;
    }
    say("PE %d: processors %s", pe, text);
}

/** The PE gets what is around this processor. */
static void give(int pe, const cpu_t *at, unit_t unit)
{
    for (int i = 0; i < bind.ncpus; i++)
        if (bind.cpus[i].unit[unit] == at->unit[unit])
            CPU_SET((size_t)bind.cpus[i].number, &bind.of_pe[pe]);
}

static void give_shares(const options_t *opt, int ncores, const cpu_t *cores[])
{
    for (int pe = 0; pe < opt->npes; pe++)
        for (int i = pe * ncores / opt->npes; i < (pe + 1) * ncores / opt->npes; i++)
            give(pe, cores[i], UNIT_CORE);
}

/** Threads of the machine that run now or want to, without this one; not known: more than can. */
static int others_running(void)
{
    int running;
    FILE *file = fopen(LOAD, "re");
    bool known = file && fscanf(file, "%*s %*s %*s %d/", &running) == 1;
    if (file)
        fclose(file);
    return known ? running - 1 : CPU_SETSIZE;
}

/** Do all PEs have a core? Without a wish: and what runs already? Beside other programs a thread
 *  that wakes another elsewhere waits for its turn there. Servers of several nodes need none: PEs
 *  that wait serve, or give them theirs. */
static bool is_roomy(const options_t *opt, int ncores)
{
    int nothers = opt->bind_to_given ? 0 : others_running();
    return opt->npes + nothers <= ncores;
}

static void give_units(const options_t *opt)
{
    unit_t bind_to = opt->bind_to, map_by = opt->map_by ? opt->map_by : bind_to;
    const cpu_t *list[CPU_SETSIZE];
    unit_t fine = bind_to == UNIT_THREAD ? UNIT_THREAD : UNIT_CORE;
    int room = list_units(fine, UNIT_NONE, 0, list);
    if (opt->npes > room)
        say("--bind-to %s: %d PEs, and there are %d %ss here: some PEs share one",
            options_unit_name(bind_to), opt->npes, room, options_unit_name(fine));
    for (int pe = 0; pe < opt->npes; pe++)
        give(pe, place(pe, map_by, bind_to), bind_to);
}

void bind_prepare(const options_t *opt)
{
    bool share = opt->bind_to == UNIT_SHARE;
    const cpu_t *cores[CPU_SETSIZE];
    if (opt->map_by && (share || opt->bind_to == UNIT_NONE))
        say("--map-by has no effect without --bind-to hwthread, core, socket or numa");
    if (opt->bind_to != UNIT_NONE && !find_cpus() && opt->bind_to_given)
        die(1, "--bind-to: cannot ask for the processors of this process: %s", strerror(errno));
    int ncores = list_units(UNIT_CORE, UNIT_NONE, 0, cores);
    bool apart = opt->npes > 1 && is_roomy(opt, ncores);
    if (opt->bind_to == UNIT_NONE || (share && !apart)) {
        if (opt->report_bindings)
            say("the PEs are not bound to processors");
        return;
    }
    bind.npes = opt->npes;
    bind.of_pe = calloc((size_t)opt->npes, sizeof *bind.of_pe);
    if (!bind.of_pe)
        die(1, "out of memory");
    if (share)
        give_shares(opt, ncores, cores);
    else
        give_units(opt);
    for (int pe = 0; opt->report_bindings && pe < opt->npes; pe++)
        say_binding(pe);
}

const cpu_set_t *bind_of(int pe)
{
    return bind.of_pe ? &bind.of_pe[pe] : NULL;
}
