// SPDX-License-Identifier: BSD-3-Clause
//
// Faults. Uses of memory and of descriptors are counted for each PE from sim_begin on; consecutive
// seeds make consecutive ones fail, as many as the run without a fault had, and one more.
#include "fault.h"

#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "model.h"
#include "snap.h"

static int kinds(int *list)
{
    int n = 0;
    for (int kind = 1; kind < SIM_FAULTS; kind++)
        if (sim->scene->faults & 1 << kind)
            list[n++] = kind;
    return n;
}

void sim_fault_draw(uint64_t seed)
{
    int list[SIM_FAULTS], n = kinds(list), npes = sim->scene->npes;
    sim->fault = SIM_FAULT_NONE;
    if (n == 0 || sim->wanted_strategy == SIM_FORCED)
        return;
    sim->fault_pe = (int)(seed % (uint64_t)npes);
    seed /= (uint64_t)npes;
    sim->fault = (sim_fault_t)list[seed % (uint64_t)n];
    seed /= (uint64_t)n;
    uint64_t length = sim->plan_steps > sim->plan_begun ? sim->plan_steps - sim->plan_begun : 1;
    uint64_t draw = sim->seed * 31 + 7;
    if (sim_fault_counts(sim->fault))
        sim->fault_at = 1 + seed % (sim->plan_uses[sim->fault] + 1);
    else
        sim->fault_at = sim->steps + 1 + sim_random(&draw) % length;
    sim->fault_for = sim_random(&draw);
}

bool sim_fault_hits(sim_fault_t kind)
{
    if (!sim_inside() || sim->begun_by < 0)
        return false;
    uint64_t n = ++sim->uses[kind][SIM_ME->pe];
    if (sim->fault != kind || sim->fault_pe != SIM_ME->pe || n != sim->fault_at)
        return false;
    sim->fault_hit = true;
    return true;
}

const char *sim_fault_text(void)
{
    static char text[128];
    static const char *const what[SIM_FAULTS] = {
        [SIM_FAULT_MEMORY] = "allocation %llu fails",
        [SIM_FAULT_DESCRIPTORS] = "descriptor %llu is not to be had",
        [SIM_FAULT_KILL] = "killed at step %llu",
        [SIM_FAULT_EXIT] = "_exit at step %llu",
        [SIM_FAULT_NODE] = "its node is lost at step %llu",
        [SIM_FAULT_CALL] = "libfabric's call %llu fails, ",
        [SIM_FAULT_POLL] = "libfabric's look %llu fails, ",
        [SIM_FAULT_LINK] = "a connection is cut at step %llu",
        [SIM_FAULT_STOP] = "stopped at step %llu"};
    text[0] = '\0';
    if (sim->fault_hit && what[sim->fault]) {
        int n = snprintf(text, sizeof text, " (PE %d: ", sim->fault_pe);
        n += snprintf(text + n, sizeof text - (size_t)n, what[sim->fault],
                      (unsigned long long)sim->fault_at);
        if (sim->fault_error)
            n += snprintf(text + n, sizeof text - (size_t)n, "%s: %s", sim->fault_call,
                          strerror(sim->fault_error));
        snprintf(text + n, sizeof text - (size_t)n, ")");
    }
    return text;
}

// ---------------------------------------------------------------- stops and ends of processes

/** How long, by the seed: less than any patience of the library, a while, or for ever. Each
 *  millisecond costs steps of those that poll meanwhile. */
static void stop_for_a_while(void)
{
    static const uint64_t longest_ms[] = {1, 5, 50, 200, 1000, 0};
    uint64_t ms = longest_ms[sim->fault_for % 6];
    sim->stopped_until = SIM_FOR_EVER;
    if (ms)
        sim->stopped_until = sim->now_ns + (sim->fault_for >> 8) % (ms * 1000000) + 1;
    sim->fault_hit = true;
}

static bool step_has_come(void)
{
    return !sim->fault_hit && sim->begun_by >= 0 && sim->steps >= sim->fault_at;
}

bool sim_fault_is_due(void)
{
    if (sim->fault <= SIM_FAULT_POLL || !step_has_come())
        return false;
    if (sim->fault == SIM_FAULT_LINK)
        sim_net_cut(sim->fault_pe);
    else if (sim->fault == SIM_FAULT_STOP)
        stop_for_a_while();
    return sim_fault_ends(sim->fault) && sim_thread_of(sim->fault_pe) >= 0;
}

void sim_fault_carry_out(void)
{
    sim->fault_hit = true;
    if (sim->fault == SIM_FAULT_EXIT)
        sim_end_process(0, 0);
    sim_end_process(0, SIGKILL);
}

void sim_fault_robust(int thread)
{
    enum { MOST = 64 };
    const struct robust_list_head *head = sim->threads[thread].robust;
    const struct robust_list *entry = head ? head->list.next : NULL;
    for (int n = 0; head && entry != &head->list && n < MOST; entry = entry->next, n++) {
        uint32_t *word = (uint32_t *)((uintptr_t)entry + (uintptr_t)head->futex_offset);
        uint64_t was = sim_raw_load(word, 4);
        if ((was & FUTEX_TID_MASK) != (uint64_t)(SIM_FIRST_TID + thread))
            continue;
        sim_rmw(word, 4, SIM_SWAP, (was & FUTEX_WAITERS) | FUTEX_OWNER_DIED, __ATOMIC_SEQ_CST);
        sim_wake(sim_key(word), 1);
    }
    sim->threads[thread].robust = NULL;
}
