// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet-EX: teams. A team is a list of PEs and the number of a cell (coll.c) that is free in all
// its members. Members find each other, and agree on the number, from one gather over the parent.
// When another thread of a member has taken that number for another team in the meantime, all of
// them try again.
#include <stdlib.h>
#include <string.h>

#include "gex/gex.h"

enum { SCRATCH_NBYTES = 64 };  // wanted: clients allocate it, and must not get NULL for 0 bytes

// Both under gex.lock.
static uint32_t cells_used = 1;  // bit set: this PE uses the cell; 0 is the world's
static uint64_t numbers_used;    // no team of this PE has used a number of a collective above that
_Static_assert(GEX_TEAMS == 32, "a bit for each");

GAS_API gex_Client_t gex_TM_QueryClient(gex_TM_t tm)
{
    gex_want(__func__, GEX_TEAM, tm);
    return &gex.client;
}

GAS_API gex_EP_t gex_TM_QueryEP(gex_TM_t tm)
{
    gex_want(__func__, GEX_TEAM, tm);
    return tm->ep;
}

GAS_API gex_Flags_t gex_TM_QueryFlags(gex_TM_t tm)
{
    gex_want(__func__, GEX_TEAM, tm);
    return tm->flags;
}

GAS_API gex_Rank_t gex_TM_QueryRank(gex_TM_t tm)
{
    gex_want(__func__, GEX_TEAM, tm);
    return tm->rank;
}

GAS_API gex_Rank_t gex_TM_QuerySize(gex_TM_t tm)
{
    gex_want(__func__, GEX_TEAM, tm);
    return tm->size;
}

GAS_API void *gex_TM_QueryCData(gex_TM_t tm)
{
    gex_want(__func__, GEX_TEAM, tm);
    return tm->cdata;
}

GAS_API void gex_TM_SetCData(gex_TM_t tm, const void *cdata)
{
    gex_want(__func__, GEX_TEAM, tm);
    tm->cdata = (void *)(uintptr_t)cdata;
}

GAS_API gex_Rank_t gex_TM_TranslateRankToJobrank(gex_TM_t tm, gex_Rank_t rank)
{
    return gex_peer(__func__, tm, rank);
}

GAS_API gex_Rank_t gex_TM_TranslateJobrankToRank(gex_TM_t tm, gex_Rank_t jobrank)
{
    gex_want(__func__, GEX_TEAM, tm);
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
    const uint32_t pe = gex_peer(__func__, tm, rank);
    return (gex_EP_Location_t){.gex_rank = pe, .gex_ep_index = tm->remote};
}

/** A pair of endpoints is made when it is first used, with all others of the same local endpoint,
 *  and stays. */
GAS_API gex_TM_t gex_TM_Pair(gex_EP_t local_ep, gex_EP_Index_t remote_ep_index)
{
    gex_want(__func__, GEX_ENDPOINT, local_ep);
    if (remote_ep_index >= GASNET_MAXEPS)
        gas_fail(__func__,
                 "the index of the remote endpoint is %u; indices are below GASNET_MAXEPS (%d)",
                 remote_ep_index, GASNET_MAXEPS);
    pthread_mutex_lock(&gex.lock);
    gex_TM_t pairs = gex.pair[local_ep->index];
    if (!pairs && (pairs = calloc(GASNET_MAXEPS, sizeof *pairs))) {
        for (uint32_t remote = 0; remote < GASNET_MAXEPS; remote++)
            pairs[remote] = (struct gex_causeway_tm){.rank = gas.me,
                                                     .size = gas.nodes,
                                                     .is_pair = true,
                                                     .is_special = remote || local_ep->index,
                                                     .ep = local_ep,
                                                     .remote = remote};
        gex.pair[local_ep->index] = pairs;
    }
    gas.endpoints |= remote_ep_index != 0;
    pthread_mutex_unlock(&gex.lock);
    if (!pairs)
        cwu_fatal("gex_TM_Pair: out of memory");
    return &pairs[remote_ep_index];
}

// ---------------------------------------------------------------- making teams
typedef struct member {
    int32_t color, key;  // of gex_TM_Create: a sum of the list, 0
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

/** Moves the members with this color to the front, in order. How many. */
static uint32_t choose(member_t *all, uint32_t size, int color)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < size; i++)
        if (all[i].joins && all[i].color == color)
            all[n++] = all[i];
    qsort(all, n, sizeof *all, by_key_and_rank);
    return n;
}

/** What each member says of itself; returns numbers_used of this one. */
static uint64_t gather_members(gex_TM_t parent, member_t *all, int color, int key, bool joins)
{
    pthread_mutex_lock(&gex.lock);
    member_t mine = {.color = color,
                     .key = key,
                     .joins = joins,
                     .pe = gas.me,
                     .used = cells_used,
                     .rank = parent->rank,
                     .numbers_used = numbers_used};
    pthread_mutex_unlock(&gex.lock);
    gex_coll_gather(parent, all, &mine, sizeof mine);
    return mine.numbers_used;
}

/** A cell that is free in all members. Other teams that search at the same time begin elsewhere:
 *  their parents differ. */
static int free_cell(const char *call, const member_t *members, uint32_t size, int start)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < size; i++)
        used |= members[i].used;
    for (int i = 0; i < GEX_TEAMS; i++) {
        int id = (start + i) % GEX_TEAMS;
        if (!(used >> id & 1))
            return id;
    }
    gas_fail(call, "the members are in %d teams already, together; destroy some (gex_TM_Destroy)",
             GEX_TEAMS);
}

/** False: this member is no longer as the others have it. */
static bool claim(int id, uint64_t said)
{
    pthread_mutex_lock(&gex.lock);
    bool mine = !(cells_used >> id & 1) && numbers_used == said;
    cells_used |= (uint32_t)mine << id;
    pthread_mutex_unlock(&gex.lock);
    return mine;
}

static void release(int id, uint64_t begun)
{
    pthread_mutex_lock(&gex.lock);
    if (begun > numbers_used)
        numbers_used = begun;
    cells_used &= ~(UINT32_C(1) << id);
    pthread_mutex_unlock(&gex.lock);
}

static gex_TM_t make_team(const char *call, const member_t *members, uint32_t size, int id)
{
    gex_TM_t tm = calloc(1, sizeof *tm);
    uint64_t first = 0;
    if (!tm || !(tm->pe = calloc(size, sizeof *tm->pe)))
        cwu_fatal("%s: out of memory for a team of %u", call, size);
    tm->size = size;
    tm->id = id;
    tm->ep = &gex.ep[0];
    for (uint32_t i = 0; i < size; i++) {
        tm->pe[i] = members[i].pe;
        if (members[i].pe == gas.me)
            tm->rank = i;
        if (members[i].numbers_used > first)
            first = members[i].numbers_used;
    }
    tm->begin = (gasnet_causeway_team_t){.node = tm->pe, .ranks = size};
    gex_cell_clear(tm->id);
    gex_tm_begin(tm, first);
    return tm;
}

static void free_team(gex_TM_t tm)
{
    pthread_mutex_destroy(&tm->lock);
    free(tm->leaders);
    free(tm->pe);
    free(tm);
}

/** Has each member of the parent claimed its cell? Cells are clear before members come to them. */
static bool all_claimed(gex_TM_t parent, bool claimed)
{
    uint32_t mine = !claimed, any = 0;
    gex_Event_Wait(
        gex_Coll_ReduceToAllNB(parent, &any, &mine, GEX_DT_U32, 4, 1, GEX_OP_MAX, NULL, NULL, 0));
    return !any;
}

/** Moves the members of the new team to the front of all, in order. How many; 0: no team. */
typedef uint32_t select_t(member_t *all, uint32_t nall, const void *what);

static gex_TM_t agree(const char *call, gex_TM_t parent, int color, int key, bool joins,
                      select_t *select, const void *what)
{
    gex_agree_call(call, parent);
    member_t *all = calloc(parent->size, sizeof *all);
    if (!all)
        cwu_fatal("%s: out of memory for %u members", call, parent->size);
    for (int start = parent->id + 1;; start++) {
        gex_TM_t tm = NULL;
        int id = -1;
        bool claimed = true;
        uint64_t said = gather_members(parent, all, color, key, joins);
        uint32_t size = select(all, parent->size, what);
        if (size) {
            id = free_cell(call, all, size, start);
            claimed = claim(id, said);
            if (claimed)
                tm = make_team(call, all, size, id);
        }
        if (all_claimed(parent, claimed)) {
            free(all);
            return tm;
        }
        if (tm) {
            free_team(tm);
            release(id, 0);
        }
    }
}

// ---------------------------------------------------------------- split
static uint32_t select_color(member_t *all, uint32_t nall, const void *what)
{
    const int *color = what;
    return color ? choose(all, nall, *color) : 0;
}

static bool wants_size(gex_Flags_t flags)
{
    return flags & (GEX_FLAG_TM_SCRATCH_SIZE_MIN | GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED);
}

GAS_API size_t gex_TM_Split(gex_TM_t *new_tm_p, gex_TM_t parent, int color, int key,
                            void *scratch_addr, size_t scratch_size, gex_Flags_t flags)
{
    gex_check_team(__func__, parent);
    if (wants_size(flags))
        return new_tm_p ? SCRATCH_NBYTES : 0;
    gex_TM_t tm = agree(__func__, parent, color, key, new_tm_p != NULL, select_color,
                        new_tm_p ? &color : NULL);
    if (!new_tm_p)
        return 0;
    gex_object_add(GEX_TEAM, tm, __func__, GEX_CALLER);
    tm->flags = flags;
    if (!(flags & GEX_FLAG_TM_NO_SCRATCH) && scratch_size)
        tm->scratch = (gex_Memvec_t){scratch_addr, scratch_size};
    *new_tm_p = tm;
    return 0;
}

// ---------------------------------------------------------------- create
typedef struct list {
    const gex_EP_Location_t *args;
    size_t n;
    gex_TM_t parent;
    bool jobranks, mine;
    int32_t sum;  // of the list: that of all members must be the same
} list_t;

static uint32_t listed(const list_t *list, size_t i)
{
    return list->jobranks ? list->args[i].gex_rank : gex_pe(list->parent, list->args[i].gex_rank);
}

static uint32_t select_listed(member_t *all, uint32_t nall, const void *what)
{
    const list_t *list = what;
    if (!list->mine)
        return 0;
    for (uint32_t i = 0; i < list->n; i++) {
        uint32_t at = i;  // those before it have been found
        while (at < nall && all[at].pe != listed(list, i))
            at++;
        if (at == nall || !all[at].joins || all[at].color != list->sum)
            gas_fail(
                "gex_TM_Create", "entry %u of args is process %u, which %s", i, listed(list, i),
                at == nall ? "is no member of the parent, or listed twice" : "gave another list");
        member_t found = all[at];
        all[at] = all[i];
        all[i] = found;
    }
    return (uint32_t)list->n;
}

static list_t read_list(gex_TM_t parent, const gex_EP_Location_t *args, size_t n, gex_Flags_t flags)
{
    list_t list = {args, n, parent, flags & GEX_FLAG_RANK_IS_JOBRANK, false, 0};
    uint32_t sum = 2166136261u;  // FNV-1a
    uint32_t most = list.jobranks ? gas.nodes : parent->size;
    for (size_t i = 0; i < n; i++) {
        if (args[i].gex_rank >= most || args[i].gex_ep_index != 0)
            gas_fail(
                "gex_TM_Create",
                "entry %zu of args is rank %u, endpoint %u; there are %u ranks, and teams are of "
                "endpoints 0",
                i, args[i].gex_rank, args[i].gex_ep_index, most);
        sum = (sum ^ listed(&list, i)) * 16777619u;
        list.mine |= listed(&list, i) == gas.me;
    }
    list.sum = (int32_t)sum;
    return list;
}

GAS_API size_t gex_TM_Create(gex_TM_t *new_tms, size_t num_new_tms, gex_TM_t parent,
                             gex_EP_Location_t *args, size_t numargs, gex_Addr_t *scratch_addrs,
                             size_t scratch_size, gex_Flags_t flags)
{
    gex_check_team(__func__, parent);
    if (wants_size(flags))
        return numargs ? SCRATCH_NBYTES : 0;
    if (numargs && !args)
        gas_fail(__func__, "args is NULL with %zu entries", numargs);
    if (num_new_tms && !new_tms)
        gas_fail(__func__, "new_tms is NULL with %zu new teams", num_new_tms);
    list_t list = read_list(parent, args, numargs, flags);
    if (num_new_tms != list.mine && numargs)
        gas_fail(__func__, "num_new_tms is %zu, but args names %d endpoint(s) of this process",
                 num_new_tms, list.mine);
    gex_TM_t tm = agree(__func__, parent, list.sum, 0, list.mine, select_listed, &list);
    if (!tm)
        return 0;
    gex_object_add(GEX_TEAM, tm, __func__, GEX_CALLER);
    tm->flags = flags;
    if (scratch_addrs && scratch_size && !(flags & GEX_FLAG_TM_NO_SCRATCH))
        tm->scratch = (gex_Memvec_t){
            scratch_addrs[flags & GEX_FLAG_TM_GLOBAL_SCRATCH ? tm->rank : 0], scratch_size};
    *new_tms = tm;
    return 0;
}

GAS_API int gex_TM_Destroy(gex_TM_t tm, gex_Memvec_t *scratch_p, gex_Flags_t flags)
{
    (void)flags;
    gex_check_team(__func__, tm);
    if (tm == &gex.world)
        gas_fail(__func__, "the team of gex_Client_Init stays until the end");
    gex_agree_call(__func__, tm);
    gex_coll_barrier(tm);
    uint32_t unwaited = __atomic_load_n(&tm->unwaited, __ATOMIC_RELAXED);
    if (unwaited && gas.check)
        gas_fail(__func__, "%u events of the team's collectives were not waited for; do that first",
                 unwaited);
    gex_Memvec_t scratch = tm->scratch;
    gex_object_free(GEX_TEAM, tm);
    release(tm->id, tm->begun);
    if (!unwaited)  // their collectives are over, but the events find that out from the team
        free_team(tm);
    if (!scratch_p || !scratch.gex_len)
        return 0;
    *scratch_p = scratch;
    return 1;
}
