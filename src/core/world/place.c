// SPDX-License-Identifier: BSD-3-Clause
//
// Slots, leaders and nodes of all PEs, from the bootstrap's node numbers.
#include "core/world/place.h"

#include <stdlib.h>

#include "core/world/job.h"

/** Slots and leaders of all nodes, in order of the PEs. */
static int fill_tables(cw_world_t *w)
{
    int *filled = w->slots_of_node = calloc((size_t)w->nnodes, sizeof(int));
    w->leader_of_node = malloc((size_t)w->nnodes * sizeof(int));
    if (!filled || !w->leader_of_node)
        return CW_ENOMEM;
    for (int pe = 0; pe < w->npes; pe++) {
        int node = w->node_of_pe[pe];
        if (filled[node] == 0)
            w->leader_of_node[node] = pe;
        w->slot_of_pe[pe] = filled[node]++;
    }
    w->max_slots = 0;
    for (int node = 0; node < w->nnodes; node++)
        w->max_slots = filled[node] > w->max_slots ? filled[node] : w->max_slots;
    return CW_OK;
}

/** Of a part that is left. */
static void drop(cw_world_t *w)
{
    free(w->node_of_pe);
    free(w->slot_of_pe);
    free(w->pes_of_node);
    free(w->leader_of_node);
    free(w->slots_of_node);
    w->node_of_pe = w->slot_of_pe = w->pes_of_node = NULL;
    w->leader_of_node = w->slots_of_node = NULL;
}

static void take(cw_world_t *w, const cw_world_t *from)
{
    w->node = from->node;
    w->nnodes = from->nnodes;
    w->slot = from->slot;
    w->nslots = from->nslots;
    w->machine_cpus = from->machine_cpus;
    w->machine_pes = from->machine_pes;
    w->max_slots = from->max_slots;
    w->node_of_pe = from->node_of_pe;
    w->slot_of_pe = from->slot_of_pe;
    w->pes_of_node = from->pes_of_node;
    w->leader_of_node = from->leader_of_node;
    w->slots_of_node = from->slots_of_node;
}

int cw_place_self(void)
{
    cw_world_t *w = &cw_world;
    w->node = w->node_of_pe[w->pe];
    w->slot = w->slot_of_pe[w->pe];
    w->nslots = w->slots_of_node[w->node];
    w->pes_of_node = malloc((size_t)w->nslots * sizeof(int));
    if (!w->pes_of_node)
        return CW_ENOMEM;
    for (int pe = w->leader_of_node[w->node], left = w->nslots; left > 0; pe++)
        if (w->node_of_pe[pe] == w->node) {
            w->pes_of_node[w->slot_of_pe[pe]] = pe;
            left--;
        }
    w->machine_cpus = cw_boot.ncpus;
    w->machine_pes = cw_boot.one_machine ? w->npes : w->nslots;
    return CW_OK;
}

static bool of_part;  // the tables are those of a part

/** The place in the job of all stays, beside those in its parts. False: it is not known yet. */
static bool is_known(cw_world_t *w)
{
    static cw_world_t all;
    if (!of_part && w->pes_of_node)
        all = *w;
    else if (of_part)
        drop(w);
    of_part = cw_boot.is_part;
    if (of_part || !all.pes_of_node)
        return false;
    take(w, &all);
    return true;
}

int cw_place(void)
{
    cw_world_t *w = &cw_world;
    if (is_known(w))
        return CW_OK;  // a later epoch, at the same place
    w->node_of_pe = malloc((size_t)w->npes * sizeof(int));
    w->slot_of_pe = malloc((size_t)w->npes * sizeof(int));
    if (!w->node_of_pe || !w->slot_of_pe)
        return CW_ENOMEM;
    int rc = cw_boot.ops->nodes(&cw_boot, w->node_of_pe);
    if (rc)
        return rc;
    w->nnodes = 0;
    for (int pe = 0; pe < w->npes; pe++)
        if (w->node_of_pe[pe] >= w->nnodes)
            w->nnodes = w->node_of_pe[pe] + 1;
    rc = fill_tables(w);
    return rc ? rc : cw_place_self();
}
