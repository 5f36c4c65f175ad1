// SPDX-License-Identifier: BSD-3-Clause
//
// The placement by runs, from which no PE makes a table of its own, is that by node numbers; and a
// mapping whose nodes come again is none of runs.
#include <stdlib.h>
#include <string.h>

#include "bootstrap/placement.h"
#include "core/world/job.h"
#include "core/world/place.h"
#include "frame/check.h"

static const char *mapping;

static int nodes(cwb_t *b, int *node_of_pe)
{
    int nnodes;
    return cwb_placement_parse(mapping, b->npes, node_of_pe, &nnodes);
}

static bool runs(cwb_t *b, cwb_runs_t *runs_p)
{
    return cwb_placement_runs(mapping, b->npes, runs_p);
}

static const cwb_ops_t by_nodes = {.nodes = nodes}, by_runs = {.runs = runs};

/** As in a process of its own: a part, so that nothing is kept. */
static void place(const cwb_ops_t *ops, int pe, int npes)
{
    cw_boot = (cwb_t){.ops = ops, .pe = pe, .npes = npes, .is_part = true};
    cw_world.pe = pe;
    cw_world.npes = npes;
    CHECK(cw_place() == CW_OK, "%s of %d PEs", mapping, npes);
}

typedef struct answer {
    int node, nnodes, slot, nslots, max_slots;
    int *tables, *pes_of_node;
} answer_t;

static answer_t take(void)
{
    const cw_world_t *w = &cw_world;
    answer_t a = {w->node,
                  w->nnodes,
                  w->slot,
                  w->nslots,
                  w->max_slots,
                  malloc(cw_place_nbytes()),
                  malloc((size_t)w->nslots * sizeof(int))};
    memcpy(a.tables, w->node_of_pe, (size_t)w->npes * sizeof(int));
    memcpy(a.tables + w->npes, w->slot_of_pe, (size_t)w->npes * sizeof(int));
    memcpy(a.tables + 2 * w->npes, w->leader_of_node, (size_t)w->nnodes * sizeof(int));
    memcpy(a.tables + 2 * w->npes + w->nnodes, w->slots_of_node, (size_t)w->nnodes * sizeof(int));
    memcpy(a.pes_of_node, w->pes_of_node, (size_t)w->nslots * sizeof(int));
    return a;
}

static void compare(const char *text, int npes)
{
    mapping = text;
    for (int pe = 0; pe < npes; pe++) {
        place(&by_nodes, pe, npes);
        answer_t due = take();
        place(&by_runs, pe, npes);
        answer_t got = take();
        CHECK(got.node == due.node && got.nnodes == due.nnodes && got.slot == due.slot &&
                  got.nslots == due.nslots && got.max_slots == due.max_slots,
              "%s of %d PEs: PE %d: node %d of %d, slot %d of %d, at most %d, instead of node %d "
              "of %d, slot %d of %d, at most %d",
              text, npes, pe, got.node, got.nnodes, got.slot, got.nslots, got.max_slots, due.node,
              due.nnodes, due.slot, due.nslots, due.max_slots);
        CHECK(memcmp(got.tables, due.tables, cw_place_nbytes()) == 0, "%s of %d PEs: the tables",
              text, npes);
        CHECK(memcmp(got.pes_of_node, due.pes_of_node, (size_t)due.nslots * sizeof(int)) == 0,
              "%s of %d PEs: the PEs of the node of PE %d", text, npes, pe);
        cwb_runs_t r;
        CHECK(runs(&cw_boot, &r) && cwb_runs_nnodes(&r, npes) == due.nnodes,
              "%s of %d PEs: not %d nodes", text, npes, due.nnodes);
        free(got.tables);
        free(got.pes_of_node);
        free(due.tables);
        free(due.pes_of_node);
    }
}

static void refuse(const char *text, int npes)
{
    cwb_runs_t r;
    CHECK(!cwb_placement_runs(text, npes, &r), "%s of %d PEs is taken for runs", text, npes);
}

int main(void)
{
    static const char *const all[] = {
        "(vector,(0,1,100))",        "(vector,(0,16,8))",
        "(vector,(0,99,1))",         "(vector,(0,3,7),(3,30,3))",
        "(vector,(5,2,2),(0,3,40))", "(vector,(0,1,1),(1,1,2),(2,1,3),(3,1,100))"};
    static const int sizes[] = {1, 2, 3, 6, 7, 8, 21, 22, 64, 90, 99};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
            compare(all[i], sizes[k]);
    refuse("(vector,(0,4,1))", 5);          // PE 4 is on the first node again
    refuse("(vector,(0,2,1),(1,2,1))", 4);  // the second node comes twice
    refuse("(vector,(0,4,4)", 4);           // not closed
    refuse("", 4);
    return check_result();
}
