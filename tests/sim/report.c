// SPDX-License-Identifier: BSD-3-Clause
//
// Reports of a run: what each thread does or waits for, with its stack; the last decisions.
#include "driver.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** "function at file:line" of the addresses that return to this library or the program. */
static void show_places(void *const *at, int n)
{
    char command[4096] = "", line[512];
    const char *file = NULL;
    size_t used = 0;
    for (int i = n; i-- > 0 && used < sizeof command - 64;) {
        Dl_info info;
        const struct link_map *map;  // its addresses may be those of memory already (build.py)
        if (!at[i] || !dladdr1((char *)at[i] - 1, &info, (void **)&map, RTLD_DL_LINKMAP) ||
            !info.dli_fname)
            continue;
        if (!file || strcmp(file, info.dli_fname) != 0)  // another addr2line for another file
            used += (size_t)snprintf(command + used, sizeof command - used,
                                     "%saddr2line -sfpe '%s'", file ? "; " : "", info.dli_fname);
        file = info.dli_fname;
        used += (size_t)snprintf(command + used, sizeof command - used, " 0x%zx",
                                 (size_t)((uintptr_t)at[i] - 1 - map->l_addr));
    }
    FILE *f = file ? popen(command, "r") : NULL;
    while (f && fgets(line, sizeof line, f))
        printf("      %s", line);
    if (f)
        pclose(f);
}

static void show_thread(int i)
{
    const sim_thread_t *t = &sim->threads[i];
    printf("  thread %d (PE %d, its thread %d): ", i, t->pe, t->number);
    if (t->state == SIM_GONE) {
        printf("has ended\n");
        return;
    }
    if (t->state == SIM_WAITS)
        printf("waits for %s%s\n", t->what, t->deadline ? ", not for ever" : "");
    else
        printf("%s\n", sim->current == i ? "runs" : "can run");
    void *places[SIM_FRAMES + 1];
    int n = (int)t->depth < SIM_FRAMES ? (int)t->depth : SIM_FRAMES;
    memcpy(places, t->stack, (size_t)n * sizeof *places);
    places[n] = t->at;
    show_places(places, n + 1);
}

void sim_report(bool verbose)
{
    if (!verbose && sim->verdict != SIM_DEADLOCK && sim->verdict != SIM_LIVELOCK &&
        sim->verdict != SIM_LATE && sim->verdict != SIM_LOST && sim->verdict != SIM_STUCK)
        return;
    printf("after %llu steps, %llu us of virtual time:\n", (unsigned long long)sim->steps,
           (unsigned long long)sim->now_ns / 1000);
    for (int i = 0; i < sim->nthreads; i++)
        show_thread(i);
    int actions[32], n = sim_net_actions(actions, 32);
    for (int i = 0; i < n; i++)
        printf("  the network has %s for PE %d\n", sim_net_text(actions[i]),
               sim_net_process(actions[i]));
    // SIM_GDB="thread apply all bt": what else is to be known of each PE
    for (int pe = 0; getenv("SIM_GDB") && pe < sim->scene->npes; pe++) {
        char command[1024];
        snprintf(command, sizeof command, "gdb -p %d -batch -ex '%s' 2>&1", (int)sim->pids[pe],
                 getenv("SIM_GDB"));
        fflush(stdout);
        if (sim->pids[pe] > 0 && system(command) != 0)
            printf("  gdb says nothing of PE %d\n", pe);
    }
    fflush(stdout);
}

void sim_show_trace(void)
{
    uint32_t n = sim->ntrace < SIM_TRACE ? sim->ntrace : SIM_TRACE;
    for (uint32_t i = sim->ntrace - n; i < sim->ntrace; i++) {
        const sim_event_t *e = &sim->trace[i % SIM_TRACE];
        printf("step %llu: %d -> %d\n", (unsigned long long)e->step, e->thread, e->what);
        show_places(&e->at, e->at != NULL);
    }
}
