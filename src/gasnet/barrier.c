// SPDX-License-Identifier: BSD-3-Clause
//
// The split-phase barrier. The nodes (processes) of a host count themselves in a block of shared
// memory, combining what they say; between hosts, rounds of doubling carry the combination. The
// host's first process moves them on while it waits, for it hosts the server and is connected;
// another one does if it has the connections anyway, or, when the first one stays away, after a
// while: its absence after its notify holds up nobody for long, and nobody loads libfabric for a
// barrier.
//
// A word says everything:  0..31 id | 32 named | 33 mismatch | 34..63 number of the phase, from 1
// Two of each, for even and odd phases: who has begun phase n + 1 has seen the end of n, so nobody
// writes what is of n + 2 while somebody reads what is of n.
#include "base/clock.h"
#include "gasnet/gas.h"

#define NAMED (UINT64_C(1) << 32)
#define MISMATCH (UINT64_C(1) << 33)
#define SAID (NAMED | MISMATCH | UINT32_MAX)
#define PHASE_SHIFT 34
enum { ROUNDS = 32 };
// with a first process that does not wait: loading libfabric takes longer than that
#define PATIENCE_NS 20000000u

typedef struct block {
    _Atomic uint64_t arrived;                          // notifications of this host's processes,
                               // ever
    _Atomic uint64_t said[2];                          // combination of theirs
    // the last phase that is over, with its result
    _Atomic uint64_t done __attribute__((aligned(64)));
    _Atomic uint32_t busy;                             // somebody moves the rounds on
    _Atomic uint64_t attended;                         // the last phase that the host's first
                                // process waits for
    uint32_t round;                                    // of the open phase; guarded by busy, like
                                // the next two
    uint64_t open, sum;
    uint64_t heard[2][ROUNDS] __attribute__((aligned(64)));  // from other hosts
} block_t;

static struct {
    block_t *symmetric;  // my own, by which other hosts' are named
    block_t *block;      // of this host: its first process's
    uint64_t phase;      // notified by this process
    int id, flags;       // of that notify
    bool notified;
    int rounds;
    uint64_t since_ns;  // all of this host have notified, the first one does not wait: first seen;
                        // 0: not yet
} me;

void gas_barrier_open(void)
{
    me.symmetric = gas_own(sizeof(block_t));
    if (!me.symmetric)
        cwu_fatal(
            "gasnet_attach: no room for %zu bytes in the symmetric heap (SHMEM_SYMMETRIC_SIZE)",
            sizeof(block_t));
    me.block = cw_area_early(me.symmetric, cw_world.pes_of_node[0]);
    while (1 << me.rounds < cw_world.nnodes)
        me.rounds++;
}

// ---------------------------------------------------------------- words
static uint64_t word_of(int id, int flags)
{
    if (flags & GASNET_BARRIERFLAG_MISMATCH)
        return MISMATCH;
    return flags & GASNET_BARRIERFLAG_ANONYMOUS ? 0 : NAMED | (uint32_t)id;
}

static uint64_t combined(uint64_t a, uint64_t b)
{
    a &= SAID;
    b &= SAID;
    if (!(a & NAMED) || !(b & NAMED) || a == b)
        return a | b;
    return MISMATCH;
}

/** Phases as they fit into a word. */
static uint64_t stamp(uint64_t phase)
{
    return phase << PHASE_SHIFT;
}

static bool is_of(uint64_t word, uint64_t phase)
{
    return word >> PHASE_SHIFT == stamp(phase) >> PHASE_SHIFT;
}

// ---------------------------------------------------------------- rounds
/** Who is told in that round. */
static int told_in(uint32_t round)
{
    uint32_t next = ((uint32_t)cw_world.node + (UINT32_C(1) << round)) % (uint32_t)cw_world.nnodes;
    return cw_world.leader_of_node[next];
}

static void tell(block_t *b, uint64_t phase)
{
    cw_put_scalar(&cw_ctx_default, &me.symmetric->heard[phase & 1][b->round], stamp(phase) | b->sum,
                  8, told_in(b->round));
}

static bool has_connections(void)
{
    for (int round = 0; round < me.rounds; round++)
        if (!cw_is_connected(told_in((uint32_t)round)))
            return false;
    return true;
}

static bool is_attended(const block_t *b, uint64_t phase)
{
    return cw_world.slot != 0 && atomic_load(&b->attended) == phase;
}

/** All of this host have notified. */
static bool may_move(const block_t *b, uint64_t phase)
{
    if (cw_world.slot == 0 || has_connections())
        return true;
    if (is_attended(b, phase))
        return false;
    uint64_t now = cwu_now_ns();
    if (me.since_ns == 0)
        me.since_ns = now;
    return now - me.since_ns > PATIENCE_NS;
}

static void wake_host(void)
{
    for (int slot = 0; slot < cw_world.nslots; slot++)
        cw_local_told(cw_world.pes_of_node[slot]);
}

static void publish(block_t *b, uint64_t phase)
{
    atomic_store_explicit(&b->said[(phase + 1) & 1], 0, memory_order_relaxed);
    // pairs with is_over
    atomic_store_explicit(&b->done, stamp(phase) | b->sum, memory_order_release);
    wake_host();
}

/** As far as what was heard allows. busy is held. */
static void move_on(block_t *b, uint64_t phase)
{
    if (b->open != phase) {
        b->open = phase;
        b->round = 0;
        b->sum = atomic_load_explicit(&b->said[phase & 1], memory_order_relaxed) & SAID;
        if (me.rounds > 0)
            tell(b, phase);
    }
    while ((int)b->round < me.rounds) {
        uint64_t heard = __atomic_load_n(&b->heard[phase & 1][b->round], __ATOMIC_ACQUIRE);
        if (!is_of(heard, phase))
            return;
        b->sum = combined(b->sum, heard);
        if ((int)++b->round < me.rounds)
            tell(b, phase);
    }
    publish(b, phase);
}

static bool is_over(const block_t *b, uint64_t phase)
{
    return is_of(atomic_load_explicit(&b->done, memory_order_acquire), phase);
}

static bool try_to_end(block_t *b, uint64_t phase)
{
    if (is_over(b, phase))
        return true;
    uint32_t free = 0;
    if (atomic_load_explicit(&b->arrived, memory_order_acquire) !=
            phase * (uint64_t)cw_world.nslots ||
        !atomic_compare_exchange_strong_explicit(&b->busy, &free, 1, memory_order_acquire,
                                                 memory_order_relaxed))
        return false;
    if (!is_over(b, phase) && may_move(b, phase))
        move_on(b, phase);
    atomic_store_explicit(&b->busy, 0, memory_order_release);
    return is_over(b, phase);
}

/** Waits for the first word of another host that has not come; when all have, the end is told. That
 *  is all that those wait for who leave the rounds to the first process. */
static void watch_next(const block_t *b, uint64_t phase, cw_wait_t *w)
{
    const uint64_t *heard = b->heard[phase & 1];
    int round = is_attended(b, phase) ? me.rounds : 0;
    while (round < me.rounds && is_of(__atomic_load_n(&heard[round], __ATOMIC_RELAXED), phase))
        round++;
    cw_wait_on_word(w, round < me.rounds ? &heard[round] : NULL, sizeof *heard);
}

// ---------------------------------------------------------------- calls
static void check_flags(const char *call, int flags)
{
    if (flags & ~(GASNET_BARRIERFLAG_ANONYMOUS | GASNET_BARRIERFLAG_MISMATCH))
        gas_fail(call,
                 "flags is %d; give 0, GASNET_BARRIERFLAG_ANONYMOUS or GASNET_BARRIERFLAG_MISMATCH",
                 flags);
}

static void notify(const char *call, int id, int flags)
{
    gas_enter(call);
    CW_WATCH(gas_watch(call));
    check_flags(call, flags);
    if (me.notified)
        gas_fail(call, "called twice without gasnet_barrier_wait or a successful "
                       "gasnet_barrier_try in between");
    block_t *b = me.block;
    uint64_t phase = ++me.phase, word = word_of(id, flags);
    me.notified = true;
    me.id = id;
    me.flags = flags;
    uint64_t said = atomic_load_explicit(&b->said[phase & 1], memory_order_relaxed), sum;
    do {
        // Until somebody has said something the word is 0, which is also what anonymous ones say.
        sum = combined(said, word);
    } while (!atomic_compare_exchange_weak(&b->said[phase & 1], &said, sum));
    uint64_t arrived = atomic_fetch_add(&b->arrived, 1) + 1;  // releases what was said
    me.since_ns = 0;
    if (arrived == phase * (uint64_t)cw_world.nslots && !try_to_end(b, phase))
        cw_local_told(cw_world.pes_of_node[0]);  // it may sleep until all have notified
    cw_am_poll();
}

GAS_API void gasnet_barrier_notify(int id, int flags)
{
    notify(__func__, id, flags);
}

static int result(int id, int flags)
{
    uint64_t word = atomic_load_explicit(&me.block->done, memory_order_relaxed);
    bool differs = flags != me.flags || (flags == 0 && id != me.id);
    me.notified = false;
    return differs || (word & MISMATCH) ? GASNET_ERR_BARRIER_MISMATCH : GASNET_OK;
}

static void check_notified(const char *call, int flags)
{
    gas_enter(call);
    check_flags(call, flags);
    if (!me.notified)
        gas_fail(call, "called without gasnet_barrier_notify before it");
}

static int wait(const char *call, int id, int flags)
{
    check_notified(call, flags);
    CW_WATCH(gas_watch(call));
    cw_wait_t w = CW_WAIT_INIT(call);
    gas_wait_begin(&w);
    if (cw_world.slot == 0)
        atomic_store(&me.block->attended, me.phase);  // before the look who has notified: pairs
                                                      // with may_move
    while (!try_to_end(me.block, me.phase)) {
        watch_next(me.block, me.phase, &w);
        gas_wait_round(&w);
    }
    cw_wait_done(&w);
    return result(id, flags);
}

GAS_API int gasnet_barrier_wait(int id, int flags)
{
    return wait(__func__, id, flags);
}

GAS_API int gasnet_barrier_try(int id, int flags)
{
    check_notified(__func__, flags);
    CW_WATCH(gas_watch(__func__));
    cw_am_poll();
    if (try_to_end(me.block, me.phase))
        return result(id, flags);
    cw_progress();
    return GASNET_ERR_NOT_READY;
}

GAS_API int gasnet_barrier(int id, int flags)
{
    notify(__func__, id, flags);
    return wait(__func__, id, flags);
}
