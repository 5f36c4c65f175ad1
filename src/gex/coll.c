// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet-EX: collectives that do not block, and need no attention of the members. Each is cut into
// pieces, and a piece takes three steps:
//
//   arrive:   a member puts its contribution into an entry of the cell of rank 0, then adds 1 to
//             the count of the entry
//   release:  the last member reads the contributions, combines them in the order of ranks (so all
//             get the same bits), and puts the result with the number of the piece into the cells
//             of each node's lowest rank
//   consume:  a member that finds the number there copies the result out
//
// Puts and atomics are served by the node servers, so a member that computes or waits for something
// else delays no other one once it has arrived. Pieces of a team are numbered; piece k uses entry k
// % GEX_ENTRIES, and a member arrives at k only when it has consumed k - GEX_ENTRIES. So when k is
// released, no member reads the entry's previous result any more, and when a member puts a
// contribution to k, the one that combined the previous one has finished. A number released in a
// cell only grows, also from team to team (gex_TM_Split), so nothing is lost when a leader leaves
// first.
//
// Not core/sync and core/coll: there a PE carries its node's part on by attending, in the call or
// in its polls, and members enter one after the other. Here a member may compute for long after it
// has arrived, and several collectives of a team are under way at once.
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "gex/gex.h"

enum { PIECE_MOST = 1024, PIECE_LEAST = 64 };
// of all contributions, unless pieces would become too small
#define CELLS_NBYTES ((size_t)16 << 20)

typedef enum kind { BARRIER, BROADCAST, REDUCE, GATHER } kind_t;

struct gex_coll {
    gex_coll_t *next;
    gex_TM_t tm;
    kind_t kind;
    uint64_t end;   // number after the last piece
    bool over;      // under the team's lock
    bool wanted;    // does this member get a result?
    char *dst;
    size_t nbytes, piece;  // of all; of a piece
    size_t done;           // bytes consumed
    uint32_t root;
    gex_DT_t dt;
    size_t dt_nbytes;
    gex_OP_t op;
    gex_Coll_ReduceFn_t user_op;
    void *user_cdata;
};

static char *cells;        // symmetric
static size_t cell_nbytes;  // of one team
static size_t piece_nbytes;

size_t gex_piece(void)
{
    return piece_nbytes;
}

void gex_coll_open(void)
{
    piece_nbytes = CELLS_NBYTES / GEX_TEAMS / GEX_ENTRIES / gas.nodes & ~(size_t)63;
    piece_nbytes = piece_nbytes > PIECE_MOST    ? PIECE_MOST
                   : piece_nbytes < PIECE_LEAST ? PIECE_LEAST
                                                : piece_nbytes;
    cell_nbytes = (sizeof(gex_cell_t) + GEX_ENTRIES * piece_nbytes * (1 + (size_t)gas.nodes) + 63) &
                  ~(size_t)63;
    // NULL: no room, which a program without collectives does not notice
    cells = gas_own(GAS_OWN_COLLECTIVES, cell_nbytes * GEX_TEAMS);
}

static gex_cell_t *cell_of(int id)
{
    if (CW_UNLIKELY(!cells))
        cwu_fatal("the symmetric heap has no %zu bytes for collectives of GASNet-EX; give more "
                  "(SHMEM_SYMMETRIC_SIZE)",
                  cell_nbytes * GEX_TEAMS);
    return (gex_cell_t *)(void *)(cells + (size_t)id * cell_nbytes);
}

static char *result_of(const gex_cell_t *cell, unsigned entry)
{
    return (char *)(uintptr_t)cell->bytes + entry * piece_nbytes;
}

static char *contribution_of(const gex_cell_t *cell, unsigned entry, uint32_t rank)
{
    return (char *)(uintptr_t)cell->bytes +
           (GEX_ENTRIES + (size_t)entry * gas.nodes + rank) * piece_nbytes;
}

void gex_cell_clear(int id)
{
    memset(cell_of(id)->arrived, 0, sizeof cell_of(id)->arrived);
}

// ---------------------------------------------------------------- teams
static bool is_first_of_node(gex_TM_t tm, uint32_t rank)
{
    int node = cw_world.node_of_pe[gex_pe(tm, rank)];
    for (uint32_t before = 0; before < rank; before++)
        if (cw_world.node_of_pe[gex_pe(tm, before)] == node)
            return false;
    return true;
}

void gex_tm_begin(gex_TM_t tm, uint64_t first)
{
    tm->leaders = calloc((size_t)cw_world.nnodes, sizeof *tm->leaders);
    if (!tm->leaders)
        cwu_fatal("out of memory for the nodes of a team");
    for (uint32_t rank = 0; rank < tm->size; rank++) {
        if (!is_first_of_node(tm, rank))
            continue;
        tm->leaders[tm->nleaders++] = rank;
        if (cells && cw_world.node_of_pe[gex_pe(tm, rank)] == cw_world.node)
            tm->near = cw_area_early(cell_of(tm->id), (int)gex_pe(tm, rank));
    }
    tm->begun = tm->consumed = first;
    pthread_mutex_init(&tm->lock, NULL);
}

// ---------------------------------------------------------------- the last member of a piece
static void combine(const gex_coll_t *coll, const char *all, char *result, size_t nbytes)
{
    gex_TM_t tm = coll->tm;
    size_t count = nbytes / coll->dt_nbytes;
    // From the highest rank down: fn(lower, accumulated) keeps the order for operations that do not
    // commute.
    memcpy(result, all + (size_t)(tm->size - 1) * piece_nbytes, nbytes);
    for (uint32_t rank = tm->size - 1; rank-- > 0;) {
        const char *in = all + (size_t)rank * piece_nbytes;
        if (coll->op & (GEX_OP_USER | GEX_OP_USER_NC))
            coll->user_op(in, result, count, coll->user_cdata);
        else
            gex_apply(coll->dt, coll->op, in, result, count);
    }
}

static void release(const gex_coll_t *coll, uint64_t number, size_t nbytes)
{
    gex_TM_t tm = coll->tm;
    gex_cell_t *cell = cell_of(tm->id);
    unsigned entry = number % GEX_ENTRIES;
    int root = (int)gex_pe(tm, 0);
    _Alignas(16) char result[PIECE_MOST];
    if (coll->kind == BROADCAST) {
        cw_get(&cw_ctx_default, result, contribution_of(cell, entry, coll->root), nbytes, root);
    } else if (coll->kind == REDUCE) {
        char *all = aligned_alloc(64, (size_t)tm->size * piece_nbytes);
        if (!all)
            cwu_fatal("gex_Coll_Reduce: out of memory for the contributions of %u", tm->size);
        cw_get(&cw_ctx_default, all, contribution_of(cell, entry, 0),
               (size_t)tm->size * piece_nbytes, root);
        combine(coll, all, result, nbytes);
        free(all);
    }
    for (uint32_t i = 0; i < tm->nleaders; i++) {
        int pe = (int)gex_pe(tm, tm->leaders[i]);
        if (coll->kind == BARRIER || coll->kind == GATHER || nbytes == 0)
            cw_amo_posting(&cw_ctx_default, &cell->released[entry], CW_AMO_SET, sizeof(uint64_t),
                           number + 1, pe);
        else
            cw_put_signal(&cw_ctx_default, result_of(cell, entry), result, nbytes,
                          &cell->released[entry], number + 1, CW_AMO_SET, pe, false);
    }
    cw_handle_quiet();  // what is posted travels now, whatever this PE does next
    for (int slot = 0; slot < cw_world.nslots; slot++)  // they watch the word of the first PE
        cw_local_stored(cw_world.pes_of_node[slot]);
}

// ---------------------------------------------------------------- arrive, consume
static void arrive(gex_coll_t *coll, const char *src, size_t nbytes)
{
    gex_TM_t tm = coll->tm;
    gex_cell_t *cell = cell_of(tm->id);
    uint64_t number = tm->begun++;
    unsigned entry = number % GEX_ENTRIES;
    int root = (int)gex_pe(tm, 0);
    if (nbytes && src) {
        cw_put(&cw_ctx_default, contribution_of(cell, entry, tm->rank), src, nbytes, root);
        cw_fence(&cw_ctx_default);
    }
    uint64_t before = cw_amo_fetching(&cw_ctx_default, &cell->arrived[entry], CW_AMO_ADD,
                                      sizeof(uint64_t), 1, 0, root);
    if (before % tm->size == tm->size - 1)
        release(coll, number, nbytes);
}

static bool is_released(gex_TM_t tm, uint64_t number)
{
    // pairs with release()
    return __atomic_load_n(&tm->near->released[number % GEX_ENTRIES], __ATOMIC_ACQUIRE) > number;
}

/** Of the oldest collective of the team, whose piece `number` is released. */
static void consume(gex_coll_t *coll, uint64_t number)
{
    gex_TM_t tm = coll->tm;
    unsigned entry = number % GEX_ENTRIES;
    size_t left = coll->nbytes - coll->done, nbytes = left < coll->piece ? left : coll->piece;
    if (coll->kind == GATHER) {
        for (uint32_t rank = 0; rank < tm->size; rank++)
            cw_get(&cw_ctx_default, coll->dst + (size_t)rank * coll->nbytes,
                   contribution_of(cell_of(tm->id), entry, rank), nbytes, (int)gex_pe(tm, 0));
    } else if (coll->wanted && nbytes) {
        memcpy(coll->dst + coll->done, result_of(tm->near, entry), nbytes);
    }
    coll->done += nbytes;
}

/** Under the team's lock: consumes the pieces that are released. */
static void progress(gex_TM_t tm)
{
    while (tm->first && tm->consumed < tm->begun && is_released(tm, tm->consumed)) {
        gex_coll_t *coll = tm->first;
        consume(coll, tm->consumed++);
        if (tm->consumed < coll->end)
            continue;
        tm->first = coll->next;
        coll->over = true;
    }
}

bool gex_coll_test(gex_coll_t *coll, cw_wait_t *w)
{
    gex_TM_t tm = coll->tm;
    if (pthread_mutex_trylock(&tm->lock))
        return false;
    progress(tm);
    bool over = coll->over;
    if (w && !over)
        cw_wait_on_word(w, &tm->near->released[tm->consumed % GEX_ENTRIES],
                        sizeof tm->near->released[0]);
    pthread_mutex_unlock(&tm->lock);
    if (over)
        free(coll);
    return over;
}

/** Puts a collective into the team's queue and arrives at its pieces. A long one waits here for the
 *  other members. */
static gex_Event_t start(const gex_coll_t *what, const void *src)
{
    gex_TM_t tm = what->tm;
    gex_coll_t *coll = malloc(sizeof *coll);
    if (!coll)
        cwu_fatal("out of memory for a collective");
    *coll = *what;
    size_t npieces = coll->nbytes ? (coll->nbytes + coll->piece - 1) / coll->piece : 1;
    cw_wait_t w = CW_WAIT_INIT("gex_Coll");
    pthread_mutex_lock(&tm->lock);
    coll->end = tm->begun + npieces;
    if (tm->first)
        tm->last->next = coll;
    else
        tm->first = coll;
    tm->last = coll;
    for (size_t i = 0; i < npieces; i++) {
        size_t at = i * coll->piece, left = coll->nbytes - at;
        while (progress(tm), tm->begun - tm->consumed >= GEX_ENTRIES)
            gas_wait_round(&w);
        arrive(coll, src ? (const char *)src + at : NULL, left < coll->piece ? left : coll->piece);
    }
    cw_wait_done(&w);
    pthread_mutex_unlock(&tm->lock);
    return (gex_Event_t)((uintptr_t)coll + 2);
}

// ---------------------------------------------------------------- the calls
GAS_API gex_Event_t gex_Coll_BarrierNB(gex_TM_t tm, gex_Flags_t flags)
{
    (void)flags;
    gex_check_team(__func__, tm);
    return start(&(gex_coll_t){.tm = tm, .kind = BARRIER, .piece = 1}, NULL);
}

GAS_API void gex_Coll_BarrierBlocking(gex_TM_t tm, gex_Flags_t flags)
{
    (void)flags;
    gex_check_team(__func__, tm);
    gex_coll_barrier(tm);
}

GAS_API gex_Event_t gex_Coll_BroadcastNB(gex_TM_t tm, gex_Rank_t root, void *dst, const void *src,
                                         size_t nbytes, gex_Flags_t flags)
{
    (void)flags;
    gex_check_team(__func__, tm);
    gex_check_rank(__func__, tm, root);
    if (nbytes && (!dst || (tm->rank == root && !src)))
        gas_fail(__func__, "a NULL buffer with %zu bytes (root %u)", nbytes, root);
    gex_coll_t what = {.tm = tm,
                       .kind = BROADCAST,
                       .root = root,
                       .nbytes = nbytes,
                       .piece = piece_nbytes,
                       .dst = dst};
    what.wanted = true;
    return start(&what, tm->rank == root ? src : NULL);
}

/** Elements that fit no piece: each member gathers them all and combines for itself. This blocks,
 *  as any collective may. */
static gex_Event_t reduce_large(const char *call, const gex_coll_t *what, const char *src,
                                size_t count)
{
    gex_TM_t tm = what->tm;
    size_t nbytes = what->dt_nbytes;
    char *part = malloc(tm->size * piece_nbytes), *all = malloc(tm->size * nbytes);
    if (!part || !all)
        cwu_fatal("%s: out of memory for %u elements of %zu bytes", call, tm->size, nbytes);
    for (size_t element = 0; element < count; element++) {
        for (size_t at = 0; at < nbytes; at += piece_nbytes) {
            size_t n = nbytes - at < piece_nbytes ? nbytes - at : piece_nbytes;
            gex_coll_gather(tm, part, src + element * nbytes + at, n);
            for (uint32_t rank = 0; rank < tm->size; rank++)
                memcpy(all + rank * nbytes + at, part + rank * n, n);
        }
        if (!what->wanted)
            continue;
        char *last = all + (tm->size - 1) * nbytes;
        for (uint32_t rank = tm->size - 1; rank-- > 0;)
            what->user_op(all + rank * nbytes, last, 1, what->user_cdata);
        memcpy(what->dst + element * nbytes, last, nbytes);
    }
    gex_coll_barrier(tm);  // no member comes to an entry that others still read
    free(all);
    free(part);
    return GEX_EVENT_INVALID;
}

static gex_Event_t reduce(const char *call, gex_TM_t tm, gex_coll_t *what, const void *src,
                          size_t count)
{
    if ((what->dt != GEX_DT_USER && gex_dt_nbytes(what->dt) != what->dt_nbytes) ||
        what->dt_nbytes == 0)
        gas_fail(call, "dt_sz is %zu, which is not the size of type %#x", what->dt_nbytes,
                 what->dt);
    bool user = what->op == GEX_OP_USER || what->op == GEX_OP_USER_NC;
    gex_OP_t possible = GEX_OP_ADD | GEX_OP_MULT | GEX_OP_MIN | GEX_OP_MAX;
    if (!(what->dt & (GEX_DT_FLT | GEX_DT_DBL)))
        possible |= GEX_OP_AND | GEX_OP_OR | GEX_OP_XOR;
    if (user ? !what->user_op
             : what->dt == GEX_DT_USER || !(what->op & possible) || (what->op & (what->op - 1)))
        gas_fail(call, "operation %#x %s", what->op,
                 user ? "needs a function" : "is none that reduces this type");
    if (count && (!src || (what->wanted && !what->dst)))
        gas_fail(call, "a NULL buffer with %zu elements", count);
    what->tm = tm;
    what->kind = REDUCE;
    what->nbytes = count * what->dt_nbytes;
    if (what->dt_nbytes > piece_nbytes)
        return reduce_large(call, what, src, count);
    what->piece = piece_nbytes / what->dt_nbytes * what->dt_nbytes;
    return start(what, src);
}

GAS_API gex_Event_t gex_Coll_ReduceToAllNB(gex_TM_t tm, void *dst, const void *src, gex_DT_t dt,
                                           size_t dt_sz, size_t dt_cnt, gex_OP_t op,
                                           gex_Coll_ReduceFn_t user_op, void *user_cdata,
                                           gex_Flags_t flags)
{
    (void)flags;
    gex_check_team(__func__, tm);
    gex_coll_t what = {.dst = dst,
                       .wanted = true,
                       .dt = dt,
                       .dt_nbytes = dt_sz,
                       .op = op,
                       .user_op = user_op,
                       .user_cdata = user_cdata};
    return reduce(__func__, tm, &what, src, dt_cnt);
}

GAS_API gex_Event_t gex_Coll_ReduceToOneNB(gex_TM_t tm, gex_Rank_t root, void *dst, const void *src,
                                           gex_DT_t dt, size_t dt_sz, size_t dt_cnt, gex_OP_t op,
                                           gex_Coll_ReduceFn_t user_op, void *user_cdata,
                                           gex_Flags_t flags)
{
    (void)flags;
    gex_check_team(__func__, tm);
    gex_check_rank(__func__, tm, root);
    gex_coll_t what = {.dst = dst,
                       .wanted = tm->rank == root,
                       .dt = dt,
                       .dt_nbytes = dt_sz,
                       .op = op,
                       .user_op = user_op,
                       .user_cdata = user_cdata};
    return reduce(__func__, tm, &what, src, dt_cnt);
}

void gex_coll_gather(gex_TM_t tm, void *all, const void *mine, size_t nbytes)
{
    gex_coll_t what = {
        .tm = tm, .kind = GATHER, .nbytes = nbytes, .piece = piece_nbytes, .dst = all};
    gex_Event_Wait(start(&what, mine));
}

void gex_coll_barrier(gex_TM_t tm)
{
    gex_Event_Wait(gex_Coll_BarrierNB(tm, 0));
}
