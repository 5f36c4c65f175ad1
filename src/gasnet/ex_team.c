// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet-EX: teams. A team is a list of PEs and the number of a cell (ex_coll.c) that is free in all its members. Members
// find out about each other, and agree on the number, from one gather over the parent.
#include <stdlib.h>
#include <string.h>

#include "gasnet/ex.h"

static uint32_t cells_used = 1;  // bit set: this PE uses the cell; 0 is the world's
static uint64_t numbers_used;    // no team of this PE has used a number of a collective above that

GAS_API gex_Client_t gex_TM_QueryClient(gex_TM_t tm)
{
    (void)tm;
    return &gex.client;
}

GAS_API gex_EP_t gex_TM_QueryEP(gex_TM_t tm)
{
    (void)tm;
    return &gex.ep;
}

GAS_API gex_Flags_t gex_TM_QueryFlags(gex_TM_t tm)
{
    return tm->flags;
}

GAS_API gex_Rank_t gex_TM_QueryRank(gex_TM_t tm)
{
    return tm->rank;
}

GAS_API gex_Rank_t gex_TM_QuerySize(gex_TM_t tm)
{
    return tm->size;
}

GAS_API void *gex_TM_QueryCData(gex_TM_t tm)
{
    return tm->cdata;
}

GAS_API void gex_TM_SetCData(gex_TM_t tm, const void *cdata)
{
    tm->cdata = (void *)(uintptr_t)cdata;
}

GAS_API gex_Rank_t gex_TM_TranslateRankToJobrank(gex_TM_t tm, gex_Rank_t rank)
{
    return gex_peer(__func__, tm, rank);
}

GAS_API gex_Rank_t gex_TM_TranslateJobrankToRank(gex_TM_t tm, gex_Rank_t jobrank)
{
    if (!tm->pe)
        return jobrank < tm->size ? jobrank : GEX_RANK_INVALID;
    for (uint32_t rank = 0; rank < tm->size; rank++)
        if (tm->pe[rank] == jobrank)
            return rank;
    return GEX_RANK_INVALID;
}

GAS_API gex_EP_Location_t gex_TM_TranslateRankToEP(gex_TM_t tm, gex_Rank_t rank, gex_Flags_t flags)
{
    (void)flags;
    return (gex_EP_Location_t){.gex_rank = gex_peer(__func__, tm, rank), .gex_ep_index = 0};
}

GAS_API gex_TM_t gex_TM_Pair(gex_EP_t local_ep, gex_EP_Index_t remote_ep_index)
{
    if (local_ep != &gex.ep || remote_ep_index != 0)
        gas_fail(__func__, "there is one endpoint in a process, with index 0 (index %u was asked for)",
                 remote_ep_index);
    return &gex.world;
}

// ---------------------------------------------------------------- split
typedef struct member {
    int32_t color, key;
    uint32_t joins, pe, used, rank;
    uint64_t numbers_used;
} member_t;
_Static_assert(sizeof(member_t) == 32, "what each member says of itself");

static int by_key_and_rank(const void *left, const void *right)
{
    const member_t *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->rank < b->rank ? -1 : 1;
}

/** Moves those of my color to the front, in order. How many. */
static uint32_t choose(member_t *all, uint32_t size, int color)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < size; i++)
        if (all[i].joins && all[i].color == color)
            all[n++] = all[i];
    qsort(all, n, sizeof *all, by_key_and_rank);
    return n;
}

static gex_TM_t make_team(const member_t *members, uint32_t size, gex_Flags_t flags, uint64_t *first_p)
{
    gex_TM_t tm = calloc(1, sizeof *tm);
    uint32_t used = 0;
    if (!tm || !(tm->pe = calloc(size, sizeof *tm->pe)))
        cwu_fatal("gex_TM_Split: out of memory for a team of %u", size);
    tm->size = size;
    tm->flags = flags;
    *first_p = 0;
    for (uint32_t i = 0; i < size; i++) {
        tm->pe[i] = members[i].pe;
        used |= members[i].used;
        if (members[i].pe == gas.me)
            tm->rank = i;
        if (members[i].numbers_used > *first_p)
            *first_p = members[i].numbers_used;
    }
    if ((used & ((UINT32_C(1) << GEX_TEAMS) - 1)) == (UINT32_C(1) << GEX_TEAMS) - 1)
        gas_fail("gex_TM_Split", "the members are in %d teams already, together; destroy some (gex_TM_Destroy)",
                 GEX_TEAMS);
    tm->id = __builtin_ctz(~used);
    return tm;
}

GAS_API size_t gex_TM_Split(gex_TM_t *new_tm_p, gex_TM_t parent, int color, int key, void *scratch_addr,
                            size_t scratch_size, gex_Flags_t flags)
{
    (void)scratch_addr, (void)scratch_size;  // cells are the library's own
    gex_check_rank(__func__, parent, 0);
    if (flags & (GEX_FLAG_TM_SCRATCH_SIZE_MIN | GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED))
        return 0;
    if (parent->begun > numbers_used)
        numbers_used = parent->begun;
    member_t mine = {.color = color,
                     .key = key,
                     .joins = new_tm_p != NULL,
                     .pe = gas.me,
                     .used = cells_used,
                     .rank = parent->rank,
                     .numbers_used = numbers_used};
    member_t *all = calloc(parent->size, sizeof *all);
    if (!all)
        cwu_fatal("gex_TM_Split: out of memory for %u members", parent->size);
    gex_coll_gather(parent, all, &mine, sizeof mine);
    if (new_tm_p) {
        uint32_t size = choose(all, parent->size, color);
        uint64_t first;
        gex_TM_t tm = make_team(all, size, flags, &first);
        cells_used |= UINT32_C(1) << tm->id;
        gex_cell_clear(tm->id);
        gex_tm_begin(tm, first);
        *new_tm_p = tm;
    }
    gex_coll_barrier(parent);  // cells are clear before anybody comes to them
    free(all);
    return 0;
}

GAS_API int gex_TM_Destroy(gex_TM_t tm, gex_Memvec_t *scratch_p, gex_Flags_t flags)
{
    (void)flags;
    gex_check_rank(__func__, tm, 0);
    if (tm == &gex.world)
        gas_fail(__func__, "the team of gex_Client_Init stays until the end");
    gex_coll_barrier(tm);
    if (tm->first)
        gas_fail(__func__, "the team has collectives under way; wait for their events first");
    if (tm->begun > numbers_used)
        numbers_used = tm->begun;
    cells_used &= ~(UINT32_C(1) << tm->id);
    pthread_mutex_destroy(&tm->lock);
    free(tm->leaders);
    free(tm->pe);
    free(tm);
    if (scratch_p)
        *scratch_p = (gex_Memvec_t){NULL, 0};
    return 0;
}
