// SPDX-License-Identifier: BSD-3-Clause
//
// Wave fronts over a grid of PEs (hotspot.h).
#include <stdio.h>
#include <string.h>

#include "hotspot.h"

static bool is_backwards(const wave_t *w)
{
    return w->sweep % 2 != 0;
}

/** Has this plane of the neighbour on that side come, or is there none? */
static bool has_come(const wave_t *w, int side)
{
    return w->beside[side] == NO_PE || w->came[side] > w->sweep / 2 * sim.planes + w->plane;
}

static void work_if_ready(wave_t *w)
{
    const int across = is_backwards(w) ? EAST : WEST, along = is_backwards(w) ? SOUTH : NORTH;
    if (w->works || w->sweep == 2 * sim.rounds || !has_come(w, across) || !has_come(w, along))
        return;
    w->works = true;
    sim_after(&w->event, sim.work);
}

void wave_notified(const void *request)
{
    uint64_t operand;
    if (!sim.planes)
        return;
    memcpy(&operand, (const char *)request + OPERAND_AT, sizeof operand);
    wave_t *w = sim.pe[operand / SIDES].wave;
    w->came[operand % SIDES]++;
    work_if_ready(w);
}

/** The data of a plane have been put, and with forwarding they are known to be there. */
static void notify(sim_thread_t *event)
{
    pe_t *pe = (pe_t *)event;
    wave_t *w = pe->wave;
    const uint64_t operand = w->queue[w->first++ % QUEUED_MOST];
    hot_request(pe, (uint32_t)(operand / SIDES) / sim.pes_per_node, operand);
}

static void send_here(pe_t *pe, uint64_t operand)
{
    memcpy(pe->request + OPERAND_AT, &operand, sizeof operand);
    hot_post(HERE, pe->me / sim.pes_per_node, 0, (uint32_t)(operand / SIDES), pe->request,
             sim.nbytes, sim.price.local - sim.price.hop - sim.price.byte * (double)sim.nbytes);
}

static void send_next(wave_t *w)
{
    pe_t *pe = w->pe;
    while (!w->sends && w->first != w->last) {
        const uint64_t operand = w->queue[w->first % QUEUED_MOST];
        if (operand / SIDES / sim.pes_per_node == pe->me / sim.pes_per_node) {
            w->first++;
            send_here(pe, operand);
            continue;
        }
        w->sends = true;
        sim_after(&pe->event, sim.price.client + sim.price.byte * sim.data +
                                  (sim.is_direct ? 0 : 2 * sim.price.hop));
    }
}

void wave_sent(pe_t *pe)
{
    pe->wave->sends = false;
    send_next(pe->wave);
}

static void send_to(wave_t *w, int side)
{
    static const int opposite[SIDES] = {EAST, SOUTH, WEST, NORTH};
    if (w->beside[side] == NO_PE)
        return;
    if (w->last - w->first == QUEUED_MOST)
        hot_fail("too many notifications wait");
    w->queue[w->last++ % QUEUED_MOST] =
        (uint64_t)w->beside[side] * SIDES + (unsigned)opposite[side];
}

static void end_plane(sim_thread_t *event)
{
    wave_t *w = (wave_t *)event;
    w->works = false;
    send_to(w, is_backwards(w) ? WEST : EAST);
    send_to(w, is_backwards(w) ? NORTH : SOUTH);
    if (++w->plane == sim.planes) {
        w->plane = 0;
        w->sweep++;
        sim.end = sim_now();
    }
    send_next(w);
    work_if_ready(w);
}

/** Rows of PEs that follow each other, as many as columns, or half as many. */
void wave_make(pe_t *pe)
{
    uint32_t rows = 1;
    for (uint32_t d = 1; d * d <= sim.npes; d++)
        rows = sim.npes % d == 0 ? d : rows;
    const uint32_t columns = sim.npes / rows, x = pe->me % columns, y = pe->me / columns;
    wave_t *w = pe->wave = hot_zeros(1, sizeof *w);
    *w = (wave_t){.event = {.go = end_plane},
                  .pe = pe,
                  .beside = {[WEST] = x > 0 ? pe->me - 1 : NO_PE,
                             [NORTH] = y > 0 ? pe->me - columns : NO_PE,
                             [EAST] = x + 1 < columns ? pe->me + 1 : NO_PE,
                             [SOUTH] = y + 1 < rows ? pe->me + columns : NO_PE}};
    pe->event.go = notify;
}

void wave_begin(pe_t *pe)
{
    work_if_ready(pe->wave);
}

void wave_print(uint64_t events)
{
    uint64_t arrived = 0;
    unsigned longest = 0;
    for (uint32_t i = 0; i < sim.npes; i++)
        if (sim.pe[i].wave->sweep != 2 * sim.rounds)
            hot_fail("a PE did not end");
    for (uint32_t node = 0; node < sim.nnodes; node++) {
        arrived += sim.server[node].arrived;
        longest = sim.server[node].longest > longest ? sim.server[node].longest : longest;
    }
    printf("{\"simulated\": true, \"npes\": %u, \"nodes\": %u, \"planes\": %u, \"packs\": %d, "
           "\"iteration_us\": %.2f, \"requests\": %llu, \"messages\": %llu, \"queue\": %u, "
           "\"hops\": %.3f, \"events\": %llu}\n",
           sim.npes, sim.nnodes, sim.planes, sim.packs, sim.end / sim.rounds / 1e3,
           (unsigned long long)sim.executed, (unsigned long long)arrived, longest,
           sim.executed ? (double)sim.hops / (double)sim.executed : 0.0,
           (unsigned long long)events);
}
