// SPDX-License-Identifier: BSD-3-Clause
//
// The search for a cycle of waits through this PE (cycle.h).
#include "core/report/cycle.h"

#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "base/error.h"
#include "core/report/report_text.h"
#include "core/report/waits.h"
#include "core/world/world.h"

static struct {
    cw_report_wait_t *waits;  // [npes], of the PEs on the way
    int *pes;                 // [npes]: the way, from this PE on
    int npes;
    uint64_t moves;  // of all on the way, in the last search; 0: it found no cycle
} way;

void cw_cycle_open(void)
{
    free(way.waits);
    free(way.pes);
    memset(&way, 0, sizeof way);
}

/** The PE that this one waits for, as far as the cycle is concerned; -1: not known. */
static int next_of(const cw_report_wait_t *r)
{
    const cw_report_wait_t *mine = &way.waits[cw_world.pe];
    if (r->kind == CW_WAIT_LOCK)
        return r->behind >= 0 && r->behind < cw_world.npes ? r->behind : -1;
    return r->kind == CW_WAIT_WORLD && !cw_report_has_come(mine, r) ? cw_world.pe : -1;
}

/** From this PE to itself. Each PE on the way waits for longer than the patience. */
static bool walk(uint64_t patience_ns)
{
    int pe = cw_world.pe;
    way.npes = 0;
    do {
        cw_report_wait_t *r = &way.waits[pe];
        if (r->moves)
            return false;  // the way ends in a cycle that this PE is no part of
        cw_waits_read(pe, r);
        if (r->moves % 2 == 0 || !r->certain || r->waited_ns < patience_ns)
            return false;
        way.pes[way.npes++] = pe;
        pe = next_of(r);
    } while (pe >= 0 && pe != cw_world.pe);
    return pe == cw_world.pe && way.npes > 1;
}

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void report(void)
{
    bool may_err = cw_world.thread_level >= CW_THREAD_SERIALIZED;
    bool end = strcmp(cwu_env.deadlock_action, "abort") == 0 && !may_err;
    qsort(way.pes, (size_t)way.npes, sizeof *way.pes, compare);
    cw_report_print_cycle(way.waits, way.pes, way.npes, may_err, end);
    if (end)
        cwu_abort(1);
}

bool cw_cycle_find(uint64_t patience_ns)
{
    uint64_t before = way.moves, lowest = UINT64_MAX;
    if (!way.waits)
        way.waits = calloc((size_t)cw_world.npes, sizeof *way.waits);
    if (!way.pes)
        way.pes = calloc((size_t)cw_world.npes, sizeof *way.pes);
    if (!way.waits || !way.pes)
        return false;
    memset(way.waits, 0, (size_t)cw_world.npes * sizeof *way.waits);
    way.moves = 0;
    if (!walk(patience_ns))
        return false;
    for (int i = 0; i < way.npes; i++) {
        way.moves += way.waits[way.pes[i]].moves;  // they only grow
        lowest = (uint64_t)way.pes[i] < lowest ? (uint64_t)way.pes[i] : lowest;
    }
    if (way.moves != before || lowest != (uint64_t)cw_world.pe)
        return false;
    report();
    return true;
}
