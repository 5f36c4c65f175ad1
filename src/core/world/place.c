// SPDX-License-Identifier: BSD-3-Clause
//
// Places from the bootstrap's node numbers or runs.
#include "core/world/place.h"

#include <stdlib.h>
#include <string.h>

#include "core/world/job.h"

static struct {
    cwb_runs_t runs;  // n 0: there are tables only
    bool of_part;     // the tables are a part's
    bool shared;      // the tables lie in a node object
} place;

/** Of one PE. */
typedef struct where {
    int node, slot, nslots;
} where_t;

static where_t find(int pe)
{
    const cwb_runs_t *r = &place.runs;
    int64_t first = 0;
    where_t at = {0};
    int i = 0;
    for (; i < r->n - 1 && pe >= first + (int64_t)r->nnodes[i] * r->ppn[i]; i++) {
        first += (int64_t)r->nnodes[i] * r->ppn[i];
        at.node += r->nnodes[i];
    }
    int in_run = (int)(pe - first), left = cw_world.npes - pe;
    at.node += in_run / r->ppn[i];
    at.slot = in_run % r->ppn[i];
    at.nslots = r->ppn[i] < at.slot + left ? r->ppn[i] : at.slot + left;
    return at;
}

static int most_of_runs(void)
{
    const cwb_runs_t *r = &place.runs;
    int64_t first = 0;
    int most = 0;
    for (int i = 0; i < r->n && first < cw_world.npes; i++) {
        int nslots = r->nnodes[i] ? find((int)first).nslots : 0;
        most = nslots > most ? nslots : most;
        first += (int64_t)r->nnodes[i] * r->ppn[i];
    }
    return most;
}

// ---------------------------------------------------------------- tables
// node_of_pe[npes], slot_of_pe[npes], leader_of_node[nnodes], slots_of_node[nnodes], in one piece

size_t cw_place_nbytes(void)
{
    return 2 * ((size_t)cw_world.npes + (size_t)cw_world.nnodes) * sizeof(int);
}

static void point(cw_world_t *w, int *tables)
{
    w->node_of_pe = tables;
    w->slot_of_pe = tables ? tables + w->npes : NULL;
    w->leader_of_node = tables ? tables + 2 * (size_t)w->npes : NULL;
    w->slots_of_node = tables ? w->leader_of_node + w->nnodes : NULL;
}

/** In order of the PEs. */
static void count_slots(cw_world_t *w)
{
    int *filled = w->slots_of_node;
    for (int node = 0; node < w->nnodes; node++)
        filled[node] = 0;
    for (int pe = 0; pe < w->npes; pe++) {
        int node = w->node_of_pe[pe];
        if (filled[node] == 0)
            w->leader_of_node[node] = pe;
        w->slot_of_pe[pe] = filled[node]++;
    }
    w->max_slots = 0;
    for (int node = 0; node < w->nnodes; node++)
        w->max_slots = filled[node] > w->max_slots ? filled[node] : w->max_slots;
}

static int ask_nodes(cw_world_t *w)
{
    int *nodes = malloc((size_t)w->npes * sizeof *nodes), *tables = NULL;
    int rc = nodes ? cw_boot.ops->nodes(&cw_boot, nodes) : CW_ENOMEM;
    w->nnodes = 0;
    for (int pe = 0; pe < w->npes && rc == CW_OK; pe++)
        if (nodes[pe] >= w->nnodes)
            w->nnodes = nodes[pe] + 1;
    if (rc == CW_OK && !(tables = malloc(cw_place_nbytes())))
        rc = CW_ENOMEM;
    if (rc == CW_OK) {
        memcpy(tables, nodes, (size_t)w->npes * sizeof *nodes);
        point(w, tables);
        count_slots(w);
    }
    free(nodes);
    return rc;
}

static int take_runs(cw_world_t *w)
{
    w->nnodes = find(w->npes - 1).node + 1;
    w->max_slots = most_of_runs();
    if (cw_place_shares())
        return CW_OK;
    int *tables = malloc(cw_place_nbytes());
    if (!tables)
        return CW_ENOMEM;
    cw_place_fill(tables, 0, w->npes);
    point(w, tables);
    return CW_OK;
}

bool cw_place_shares(void)
{
    return cw_world.npes >= CW_PLACE_MANY && !cw_boot.is_part && !place.shared;
}

static void set(int *table, int i, int value)
{
    __atomic_store_n(&table[i], value, __ATOMIC_RELAXED);
}

void cw_place_fill(void *tables, int from, int end)
{
    const cw_world_t *w = &cw_world;
    int *node_of_pe = tables, *slot_of_pe = node_of_pe + w->npes,
        *leader_of_node = slot_of_pe + w->npes, *slots_of_node = leader_of_node + w->nnodes;
    const bool known = place.runs.n == 0;
    where_t at = {0};
    for (int pe = from; pe < end; pe++) {
        if (known)
            at = (where_t){w->node_of_pe[pe], w->slot_of_pe[pe],
                           w->slots_of_node[w->node_of_pe[pe]]};
        else if (pe > from && at.slot + 1 < at.nslots)
            at.slot++;
        else
            at = find(pe);
        set(node_of_pe, pe, at.node);
        set(slot_of_pe, pe, at.slot);
        if (at.slot == 0) {
            set(leader_of_node, at.node, pe);
            set(slots_of_node, at.node, at.nslots);
        }
    }
}

void cw_place_use(void *tables)
{
    free(cw_world.node_of_pe);
    point(&cw_world, tables);
    place.shared = true;
}

// ---------------------------------------------------------------- this PE

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

static where_t find_self(const cw_world_t *w)
{
    if (place.runs.n)
        return find(w->pe);
    int node = w->node_of_pe[w->pe];
    return (where_t){node, w->slot_of_pe[w->pe], w->slots_of_node[node]};
}

int cw_place_self(void)
{
    cw_world_t *w = &cw_world;
    where_t me = find_self(w);
    w->node = me.node;
    w->slot = me.slot;
    w->nslots = me.nslots;
    w->pes_of_node = malloc((size_t)w->nslots * sizeof(int));
    if (!w->pes_of_node)
        return CW_ENOMEM;
    if (place.runs.n)
        for (int slot = 0; slot < w->nslots; slot++)
            w->pes_of_node[slot] = w->pe - w->slot + slot;
    else
        for (int pe = w->leader_of_node[w->node], left = w->nslots; left > 0; pe++)
            if (w->node_of_pe[pe] == w->node) {
                w->pes_of_node[w->slot_of_pe[pe]] = pe;
                left--;
            }
    w->machine_cpus = cw_boot.ncpus;
    w->machine_pes = cw_boot.one_machine ? w->npes : w->nslots;
    return CW_OK;
}

/** Of a part that is left. */
static void drop(cw_world_t *w)
{
    free(w->node_of_pe);
    point(w, NULL);
    free(w->pes_of_node);
    w->pes_of_node = NULL;
}

/** The place in the job of all stays, beside those in its parts. False: not known yet. */
static bool is_known(cw_world_t *w)
{
    static cw_world_t all;
    if (!place.of_part && w->pes_of_node)
        all = *w;
    else if (place.of_part)
        drop(w);
    place.of_part = cw_boot.is_part;
    if (place.of_part || !all.pes_of_node)
        return false;
    take(w, &all);
    return true;
}

int cw_place(void)
{
    cw_world_t *w = &cw_world;
    if (is_known(w))
        return CW_OK;  // a later epoch, at the same place
    bool by_runs = cw_boot.ops->runs && cw_boot.ops->runs(&cw_boot, &place.runs);
    if (!by_runs)
        place.runs.n = 0;
    int rc = by_runs ? take_runs(w) : ask_nodes(w);
    return rc ? rc : cw_place_self();
}
