// SPDX-License-Identifier: BSD-3-Clause
//
// Faults. Uses of memory and of descriptors are counted for each PE from sim_begin on; consecutive
// seeds make consecutive ones fail, as many as the run without a fault had, and one more.
#include "fault.h"

#include <stdio.h>

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
    sim->fault_at = 1 + seed % (sim->plan_uses[sim->fault] + 1);
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
    static char text[96];
    static const char *const what[SIM_FAULTS] = {[SIM_FAULT_MEMORY] = "allocation %llu fails",
                                                 [SIM_FAULT_DESCRIPTORS] =
                                                     "descriptor %llu is not to be had"};
    text[0] = '\0';
    if (sim->fault_hit && what[sim->fault]) {
        int n = snprintf(text, sizeof text, " (PE %d: ", sim->fault_pe);
        n += snprintf(text + n, sizeof text - (size_t)n, what[sim->fault],
                      (unsigned long long)sim->fault_at);
        snprintf(text + n, sizeof text - (size_t)n, ")");
    }
    return text;
}
