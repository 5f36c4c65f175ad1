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
// In a piece that spreads (SPREAD) the members read the contributions themselves when they consume.
// One that has consumed k - GEX_ENTRIES / 2 knows only that all have arrived there, hence consumed
// k - GEX_ENTRIES: as long as contributions are read a member arrives no further ahead than that.
//
// GASNet-EX's own collectives arrive at all their pieces before the call returns. GASNet-1's
// (legacy.c) arrive later where they must: behind a barrier, and when the window is full. Tests,
// waits and idle polls carry them on (gex_coll_attend).
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

typedef enum kind { BARRIER, BROADCAST, REDUCE, SPREAD } kind_t;

struct gex_coll {
    gex_coll_t *next;
    gex_TM_t tm;
    kind_t kind;
    uint64_t first, end;  // numbers of the first piece, and after the last one
    bool over;            // under the team's lock
    unsigned users;       // threads that will test the event until it is over; under the lock
    bool wanted;          // does this member get a result?
    const char *src;
    char *dst;
    gex_spread_t spread;
    size_t nbytes, piece;  // of all; of a piece
    size_t done;           // bytes consumed
    uint32_t root;
    gex_DT_t dt;
    size_t dt_nbytes;
    gex_OP_t op;
    gex_Coll_ReduceFn_t user_op;
    void *user_cdata;
};

static char *cells;         // symmetric
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
        if (coll->kind == BARRIER || coll->kind == SPREAD || nbytes == 0)
            cw_amo_notifying(&cell->released[entry], number + 1, pe);
        else
            cw_put_signal(&cw_ctx_default, result_of(cell, entry), result, nbytes,
                          &cell->released[entry], number + 1, CW_AMO_SET, pe, false);
    }
    // The provider may hold the numbers up behind what this PE has under way: that travels now,
    // whatever this PE does next.
    if (cw_ctx_is_marked(&cw_hot))
        cw_handle_quiet();
    for (int slot = 0; slot < cw_world.nslots; slot++)  // they watch the word of the first PE
        cw_local_stored(cw_world.pes_of_node[slot]);
}

// ---------------------------------------------------------------- arrive, consume
static void arrive(gex_coll_t *coll, uint64_t number, const char *src, size_t nbytes)
{
    gex_TM_t tm = coll->tm;
    gex_cell_t *cell = cell_of(tm->id);
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

/** Piece `number` is one of the barriers before and behind the data. */
static bool is_barrier(const gex_coll_t *coll, uint64_t number)
{
    return (coll->spread.in_all && number == coll->first) ||
           (coll->spread.out_all && number + 1 == coll->end);
}

static bool may_arrive(gex_TM_t tm)
{
    const gex_coll_t *coll = tm->arriving;
    if (!coll)
        return false;
    uint64_t next = tm->begun;
    uint64_t window = next < tm->careful ? GEX_ENTRIES / 2 : GEX_ENTRIES;
    if (next - tm->consumed >= window)
        return false;
    if (coll->spread.in_all && next > coll->first && tm->consumed <= coll->first)
        return false;  // the data waits for all members
    return !(coll->spread.out_all && next + 1 == coll->end && tm->consumed < next);
}

/** Under the team's lock: arrives at the next piece. */
static void arrive_next(gex_TM_t tm)
{
    gex_coll_t *coll = tm->arriving;
    uint64_t number = tm->begun++;
    if (tm->begun == coll->end)
        tm->arriving = coll->next;
    if (is_barrier(coll, number)) {
        arrive(coll, number, NULL, 0);
        return;
    }
    size_t at = (number - coll->first - coll->spread.in_all) * coll->piece;
    size_t left = coll->nbytes - at, nbytes = left < coll->piece ? left : coll->piece;
    if (coll->kind != SPREAD) {
        arrive(coll, number, coll->src ? coll->src + at : NULL, nbytes);
        return;
    }
    char room[PIECE_MOST];
    tm->careful = number + 1 + GEX_ENTRIES;
    const char *src = coll->spread.give(coll->spread.data, at, &nbytes, room);
    arrive(coll, number, src, nbytes);
}

static bool is_released(gex_TM_t tm, uint64_t number)
{
    // pairs with release()
    return __atomic_load_n(&tm->near->released[number % GEX_ENTRIES], __ATOMIC_ACQUIRE) > number;
}

/** Reads the contributions of all, or of the one that has any. */
static void take(const gex_coll_t *coll, unsigned entry, size_t nbytes)
{
    gex_TM_t tm = coll->tm;
    bool one = coll->spread.from < tm->size;
    size_t all_nbytes = (one ? 0 : (size_t)(tm->size - 1) * piece_nbytes) + nbytes;
    char *all = malloc(all_nbytes);
    if (!all)
        cwu_fatal("out of memory for the contributions of %u members", tm->size);
    cw_get(&cw_ctx_default, all,
           contribution_of(cell_of(tm->id), entry, one ? coll->spread.from : 0), all_nbytes,
           (int)gex_pe(tm, 0));
    coll->spread.take(coll->spread.data, coll->done, nbytes, all, piece_nbytes);
    free(all);
}

/** Of the oldest collective of the team, whose piece `number` is released. */
static void consume(gex_coll_t *coll, uint64_t number)
{
    gex_TM_t tm = coll->tm;
    unsigned entry = number % GEX_ENTRIES;
    size_t left = coll->nbytes - coll->done, nbytes = left < coll->piece ? left : coll->piece;
    if (is_barrier(coll, number))
        return;
    if (coll->kind == SPREAD) {
        if (coll->wanted && nbytes)
            take(coll, entry, nbytes);
    } else if (coll->wanted && nbytes) {
        memcpy(coll->dst + coll->done, result_of(tm->near, entry), nbytes);
    }
    coll->done += nbytes;
}

static void consume_next(gex_TM_t tm)
{
    gex_coll_t *coll = tm->first;
    consume(coll, tm->consumed);
    if (++tm->consumed + coll->spread.out_all == coll->end && coll->kind == SPREAD)
        coll->spread.finish(coll->spread.data);
    if (tm->consumed < coll->end)
        return;
    tm->first = coll->next;
    coll->over = true;
    if (coll->users == 0)
        free(coll);
}

/** Under the team's lock: consumes the pieces that are released, arrives at those that may come. */
static void progress(gex_TM_t tm)
{
    for (;;) {
        if (tm->first && tm->consumed < tm->begun && is_released(tm, tm->consumed))
            consume_next(tm);
        else if (may_arrive(tm))
            arrive_next(tm);
        else
            return;
    }
}

/** True: it may have to be attended to again. */
static bool attend(gex_TM_t tm)
{
    if (pthread_mutex_trylock(&tm->lock))
        return true;
    progress(tm);
    bool arrives = tm->arriving != NULL;
    pthread_mutex_unlock(&tm->lock);
    return arrives;
}

void gex_coll_attend(void)
{
    if (CW_LIKELY(!__atomic_load_n(&gex.deferred, __ATOMIC_RELAXED)))
        return;
    __atomic_store_n(&gex.deferred, false, __ATOMIC_RELAXED);
    bool again = attend(&gex.world);
    for (gex_TM_t tm = __atomic_load_n(&gex.split, __ATOMIC_ACQUIRE); tm; tm = tm->next_split)
        again |= attend(tm);
    if (again)
        __atomic_store_n(&gex.deferred, true, __ATOMIC_RELAXED);
}

bool gex_coll_test(gex_coll_t *coll, cw_wait_t *w)
{
    gex_TM_t tm = coll->tm;
    if (pthread_mutex_trylock(&tm->lock))
        return false;
    progress(tm);
    bool over = coll->over, last = over && --coll->users == 0;
    if (last)
        __atomic_fetch_sub(&tm->unwaited, 1, __ATOMIC_RELAXED);
    if (w && !over && coll->end)
        cw_wait_on_word(w, &tm->near->released[tm->consumed % GEX_ENTRIES],
                        sizeof tm->near->released[0]);
    else if (w && !over)  // until the other threads of this process have come
        cw_wait_on_word(w, NULL, 0);
    pthread_mutex_unlock(&tm->lock);
    if (CW_UNLIKELY(gas.check) && last)
        gex_event_free(coll);
    if (last)
        free(coll);
    return over;
}

static gex_coll_t *create(const gex_coll_t *what)
{
    gex_coll_t *coll = malloc(sizeof *coll);
    if (!coll)
        cwu_fatal("out of memory for a collective");
    *coll = *what;
    if (coll->users)
        __atomic_fetch_add(&coll->tm->unwaited, 1, __ATOMIC_RELAXED);
    return coll;
}

/** Under the team's lock: puts a collective into the team's queue. */
static void enqueue(gex_coll_t *coll)
{
    gex_TM_t tm = coll->tm;
    size_t npieces = coll->nbytes ? (coll->nbytes + coll->piece - 1) / coll->piece : 1;
    coll->first = tm->first ? tm->last->end : tm->begun;
    coll->end = coll->first + npieces + coll->spread.in_all + coll->spread.out_all;
    if (tm->first)
        tm->last->next = coll;
    else
        tm->first = coll;
    tm->last = coll;
    if (!tm->arriving)
        tm->arriving = coll;
}

/** Starts a collective and arrives at its pieces. A long one waits here for the other members. */
static gex_Event_t start(const char *call, const void *place, const gex_coll_t *what,
                         const void *src)
{
    gex_TM_t tm = what->tm;
    gex_coll_t mine = *what;
    mine.users = 1;
    mine.src = src;
    gex_coll_t *coll = create(&mine);
    cw_wait_t w = CW_WAIT_INIT("gex_Coll");
    pthread_mutex_lock(&tm->lock);
    enqueue(coll);
    while (progress(tm), tm->begun < coll->end)
        gas_wait_round(&w);
    cw_wait_done(&w);
    pthread_mutex_unlock(&tm->lock);
    if (CW_UNLIKELY(gas.check))
        gex_event_add(call, place, coll);
    return GEX_COLL_EVENT(coll);
}

// ---------------------------------------------------------------- spreads
gex_coll_t *gex_coll_announce(gex_TM_t tm, unsigned users)
{
    gex_coll_t *coll = create(&(gex_coll_t){.tm = tm, .kind = SPREAD, .users = users});
    if (CW_UNLIKELY(gas.check) && users > 0)
        gex_event_add("a collective", NULL, coll);
    return coll;
}

void gex_coll_spread(gex_coll_t *coll, const gex_spread_t *spread, size_t nbytes, bool wanted)
{
    gex_TM_t tm = coll->tm;
    pthread_mutex_lock(&tm->lock);
    coll->spread = *spread;
    coll->nbytes = nbytes;
    coll->piece = piece_nbytes;
    coll->wanted = wanted;
    enqueue(coll);
    progress(tm);
    if (tm->arriving)
        __atomic_store_n(&gex.deferred, true, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&tm->lock);
}

// ---------------------------------------------------------------- the calls
#define CALLER CWU_CALLER

/** In checking mode. dst: NULL: this member gets no result; src: NULL: it gives nothing. */
static void check_buffers(const char *call, const void *dst, const void *src, size_t nbytes)
{
    if (CW_LIKELY(!gas.check))
        return;
    if (src)
        cw_check_buffer(call, "src", src, nbytes);
    if (dst)
        cw_check_buffer(call, "dst", dst, nbytes);
    if (src && dst)
        cw_check_apart(call, dst, src, nbytes);
}

static inline void agree(const char *call, gex_TM_t tm, uint32_t root, size_t nbytes, uint32_t type,
                         uint32_t operation)
{
    if (CW_UNLIKELY(gex.agrees) && tm->size > 1)
        gex_agree(call, tm, root, nbytes, type, operation);
}

static gex_Event_t begin_barrier(const void *place, gex_TM_t tm)
{
    return start("gex_Coll_BarrierNB", place, &(gex_coll_t){.tm = tm, .kind = BARRIER, .piece = 1},
                 NULL);
}

GAS_API gex_Event_t gex_Coll_BarrierNB(gex_TM_t tm, gex_Flags_t flags)
{
    (void)flags;
    gex_check_team(__func__, tm);
    agree("gex_Coll_Barrier", tm, GEX_CLAIM_NONE, GEX_CLAIM_NONE, GEX_CLAIM_NONE, GEX_CLAIM_NONE);
    return begin_barrier(CALLER, tm);
}

GAS_API void gex_Coll_BarrierBlocking(gex_TM_t tm, gex_Flags_t flags)
{
    (void)flags;
    gex_check_team(__func__, tm);
    agree("gex_Coll_Barrier", tm, GEX_CLAIM_NONE, GEX_CLAIM_NONE, GEX_CLAIM_NONE, GEX_CLAIM_NONE);
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
    check_buffers(__func__, dst, tm->rank == root ? src : NULL, nbytes);
    agree(__func__, tm, root, nbytes, GEX_CLAIM_NONE, GEX_CLAIM_NONE);
    gex_coll_t what = {.tm = tm,
                       .kind = BROADCAST,
                       .root = root,
                       .nbytes = nbytes,
                       .piece = piece_nbytes,
                       .dst = dst};
    what.wanted = true;
    return start(__func__, CALLER, &what, tm->rank == root ? src : NULL);
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

static gex_Event_t reduce(const char *call, const void *place, gex_TM_t tm, uint32_t root,
                          gex_coll_t *what, const void *src, size_t count)
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
    check_buffers(call, what->wanted ? what->dst : NULL, src, what->nbytes);
    agree(call, tm, root, what->nbytes, what->dt, what->op);
    if (what->dt_nbytes > piece_nbytes)
        return reduce_large(call, what, src, count);
    what->piece = piece_nbytes / what->dt_nbytes * what->dt_nbytes;
    return start(call, place, what, src);
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
    return reduce(__func__, CALLER, tm, GEX_CLAIM_NONE, &what, src, dt_cnt);
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
    return reduce(__func__, CALLER, tm, root, &what, src, dt_cnt);
}

typedef struct gather {
    const char *mine;
    char *all;
    size_t nbytes;
    uint32_t size;
} gather_t;

static const char *give_mine(void *data, size_t at, size_t *nbytes_p, char *room)
{
    (void)nbytes_p, (void)room;
    return ((const gather_t *)data)->mine + at;
}

static void take_all(void *data, size_t at, size_t nbytes, const char *all, size_t stride)
{
    const gather_t *gather = data;
    for (uint32_t rank = 0; rank < gather->size; rank++)
        memcpy(gather->all + rank * gather->nbytes + at, all + rank * stride, nbytes);
}

static void finish_gather(void *data)
{
    (void)data;
}

void gex_coll_gather(gex_TM_t tm, void *all, const void *mine, size_t nbytes)
{
    gather_t gather = {mine, all, nbytes, tm->size};
    gex_spread_t spread = {.from = GEX_FROM_ALL,
                           .give = give_mine,
                           .take = take_all,
                           .finish = finish_gather,
                           .data = &gather};
    gex_coll_t *coll = gex_coll_announce(tm, 1);
    gex_coll_spread(coll, &spread, nbytes, true);
    gex_Event_Wait(GEX_COLL_EVENT(coll));
}

void gex_coll_barrier(gex_TM_t tm)
{
    gex_Event_Wait(begin_barrier(NULL, tm));
}
