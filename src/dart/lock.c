// SPDX-License-Identifier: BSD-3-Clause
//
// Locks: a queue of units after Mellor-Crummey and Scott, by one-sided atomics only. A lock is a
// segment of its team with a cell on each unit:
//
//     tail, on unit 0    the last unit in the queue + 1; 0: the lock is free
//     next               the unit behind this one + 1; 0: none that is known
//     waits              this unit's turn has not come
//
// A unit waits for a word of its own memory. Threads of a unit take turns before that.
#include <pthread.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/symbol.h"
#include "core/progress/wait.h"
#include "core/rma/amo.h"
#include "core/rma/rma.h"
#include "dart/transfer.h"

typedef struct cell {
    uint64_t tail, next, waits;
} cell_t;

#define IS_LOCK UINT64_C(0x6b636f6c74726164)

struct dart_lock_struct {
    uint64_t is_lock;  // IS_LOCK, until it is destroyed
    dart_gptr_t gptr;
    uint64_t team_made;     // of its team
    pthread_mutex_t mutex;  // guards the next three
    pthread_cond_t freed;
    bool busy;         // a thread of this unit has it, or is in the queue for it
    pthread_t holder;  // if busy
};

/** A lock in use: its team, and its cells. */
typedef struct queue {
    const char *call;
    dart_lock_t lock;
    const drt_team_t *team;
    const drt_segment_t *segment;
    cell_t *own;
} queue_t;

/** Its team, which may be gone, and with it the cells: NULL. */
static const drt_team_t *team_of(const struct dart_lock_struct *lock)
{
    const drt_team_t *team = drt_team_find(lock->gptr.teamid);
    return team && team->made == lock->team_made ? team : NULL;
}

static dart_ret_t find(const char *call, dart_lock_t lock, queue_t *q_p)
{
    if (!lock)
        return drt_refuse_null(call, "lock");
    if (lock->is_lock != IS_LOCK)
        return drt_refuse(call, DART_ERR_INVAL,
                          "the lock is none that dart_team_lock_init gave, or was destroyed");
    const drt_team_t *team = team_of(lock);
    if (!team)
        return dart_initialized() ? drt_refuse(call, DART_ERR_INVAL, "the lock's team is gone")
                                  : drt_refuse_team(call, lock->gptr.teamid);
    const drt_segment_t *segment = drt_segment_find(lock->gptr);
    if (!segment)
        return drt_refuse_segment(call, lock->gptr);
    *q_p = (queue_t){call, lock, team, segment, (cell_t *)(void *)segment->own};
    return DART_OK;
}

// ---------------------------------------------------------------- the queue
enum { TAIL, NEXT, WAITS };

/** An atomic on a word of a unit's cell; returns the old value. */
static uint64_t ask(const queue_t *q, int unit, int word, cw_amo_op_t op, uint64_t operand,
                    uint64_t compare)
{
    uint64_t *at = (uint64_t *)(void *)q->segment->far[unit] + word;
    return cw_amo_fetching(&cw_ctx_default, at, op, sizeof *at, operand, compare,
                           cw_group_pe(q->team->group, unit));
}

/** A word of this unit's cell. */
static uint64_t own_word(const queue_t *q, int word)
{
    const uint64_t *at = (const uint64_t *)(const void *)q->own + word;
    return __atomic_load_n(at, __ATOMIC_ACQUIRE);  // pairs with the atomic of the unit before or
                                                   // behind
}

static void set_own_word(const queue_t *q, int word, uint64_t value)
{
    uint64_t *at = (uint64_t *)(void *)q->own + word;
    __atomic_store_n(at, value, __ATOMIC_RELAXED);
}

/** Until a word of this unit's cell is 0, or is not; its value. on: the lock, or NULL. */
static uint64_t await(const queue_t *q, int word, bool zero, const cw_wait_on_t *on)
{
    uint64_t value;
    cw_wait_t w = CW_WAIT_FOR(q->call, (uint64_t *)(void *)q->own + word, sizeof value);
    w.on = on;
    while (((value = own_word(q, word)) == 0) != zero)
        cw_wait_round(&w);
    cw_wait_done(&w);
    return value;
}

static uint64_t my_name(const queue_t *q)
{
    return (uint64_t)q->team->group->rank + 1;
}

static void enter(const queue_t *q)
{
    set_own_word(q, NEXT, 0);
    set_own_word(q, WAITS, 1);
    uint64_t before = ask(q, 0, TAIL, CW_AMO_SWAP, my_name(q), 0);
    if (before == 0)
        return;
    ask(q, (int)before - 1, NEXT, CW_AMO_SWAP, my_name(q), 0);
    const cw_wait_on_t on = {.kind = CW_WAIT_LOCK,
                             .behind = cw_group_pe(q->team->group, (int)before - 1),
                             .addr = q->segment->far[0],
                             .index = (size_t)cw_group_pe(q->team->group, 0)};
    await(q, WAITS, true, &on);
}

static void leave(const queue_t *q)
{
    if (own_word(q, NEXT) == 0 && ask(q, 0, TAIL, CW_AMO_CSWAP, 0, my_name(q)) == my_name(q))
        return;
    uint64_t behind = await(q, NEXT, false, NULL);
    ask(q, (int)behind - 1, WAITS, CW_AMO_SWAP, 0, 0);
}

// ---------------------------------------------------------------- threads of this unit
static bool has_it(const dart_lock_t lock)
{
    return lock->busy && pthread_equal(lock->holder, pthread_self());
}

/** False: it is another thread's, and wait is false. */
static bool begin(dart_lock_t lock, bool wait)
{
    pthread_mutex_lock(&lock->mutex);
    while (lock->busy && wait)
        pthread_cond_wait(&lock->freed, &lock->mutex);
    bool mine = !lock->busy;
    if (mine) {
        lock->busy = true;
        lock->holder = pthread_self();
    }
    pthread_mutex_unlock(&lock->mutex);
    return mine;
}

static void end(dart_lock_t lock)
{
    pthread_mutex_lock(&lock->mutex);
    lock->busy = false;
    pthread_cond_signal(&lock->freed);
    pthread_mutex_unlock(&lock->mutex);
}

static dart_ret_t refuse_holder(const queue_t *q, bool wanted)
{
    pthread_mutex_lock(&q->lock->mutex);
    bool mine = has_it(q->lock);
    pthread_mutex_unlock(&q->lock->mutex);
    if (mine == wanted)
        return DART_OK;
    return drt_refuse(q->call, DART_ERR_INVAL, "this thread %s",
                      wanted ? "does not hold the lock" : "holds the lock already");
}

// ---------------------------------------------------------------- calls
DRT_API dart_ret_t dart_team_lock_init(dart_team_t teamid, dart_lock_t *lock)
{
    dart_gptr_t gptr;
    DRT_WANT(lock);
    *lock = DART_LOCK_NULL;
    DRT_TEAM(team, teamid);
    dart_ret_t rc = drt_team_alloc(__func__, CWU_CALLER, team, sizeof(cell_t), &gptr);
    if (rc != DART_OK)
        return rc;
    dart_lock_t made = malloc(sizeof *made);
    if (!made)
        cwu_fatal("%s: out of memory for a lock", __func__);
    *made = (struct dart_lock_struct){.is_lock = IS_LOCK,
                                      .gptr = gptr,
                                      .team_made = team->made,
                                      .mutex = PTHREAD_MUTEX_INITIALIZER,
                                      .freed = PTHREAD_COND_INITIALIZER};
    *(cell_t *)(void *)drt_segment_find(gptr)->own = (cell_t){0};
    cw_barrier(team->group);  // all cells are free
    *lock = made;
    return DART_OK;
}

/** A lock may outlive its team, and DART: C++ programs have locks whose destructors run at exit. */
DRT_API dart_ret_t dart_team_lock_destroy(dart_lock_t *lock)
{
    queue_t q;
    DRT_WANT(lock);
    if (!*lock)
        return DART_OK;
    if ((*lock)->is_lock != IS_LOCK || team_of(*lock)) {
        dart_ret_t rc = find(__func__, *lock, &q);
        if (rc == DART_OK && (rc = refuse_holder(&q, false)) == DART_OK)
            rc = dart_team_memfree((*lock)->gptr);
        if (rc != DART_OK)
            return rc;
    }
    (*lock)->is_lock = 0;
    pthread_cond_destroy(&(*lock)->freed);
    pthread_mutex_destroy(&(*lock)->mutex);
    free(*lock);
    *lock = DART_LOCK_NULL;
    return DART_OK;
}

DRT_API dart_ret_t dart_lock_acquire(dart_lock_t lock)
{
    queue_t q;
    dart_ret_t rc = find(__func__, lock, &q);
    if (rc != DART_OK || (rc = refuse_holder(&q, false)) != DART_OK)
        return rc;
    CW_WATCH(cw_watch_call(__func__));
    begin(lock, true);
    enter(&q);
    return DART_OK;
}

DRT_API dart_ret_t dart_lock_try_acquire(dart_lock_t lock, int32_t *result)
{
    queue_t q;
    DRT_WANT(result);
    *result = 0;
    dart_ret_t rc = find(__func__, lock, &q);
    if (rc != DART_OK || (rc = refuse_holder(&q, false)) != DART_OK)
        return rc;
    CW_WATCH(cw_watch_call(__func__));
    if (begin(lock, false)) {
        set_own_word(&q, NEXT, 0);
        cw_wait_will_try();
        *result = ask(&q, 0, TAIL, CW_AMO_CSWAP, my_name(&q), 0) == 0;
        if (!*result)
            end(lock);
    }
    if (!*result)
        cw_wait_tested();
    return DART_OK;
}

/** What the holder did is complete before the next one has the lock. */
DRT_API dart_ret_t dart_lock_release(dart_lock_t lock)
{
    queue_t q;
    dart_ret_t rc = find(__func__, lock, &q);
    if (rc != DART_OK || (rc = refuse_holder(&q, true)) != DART_OK)
        return rc;
    CW_WATCH(cw_watch_call(__func__));
    drt_gets_finish();
    cw_quiet_default();
    leave(&q);
    end(lock);
    cw_wait_released(cw_group_pe(q.team->group, 0));
    return DART_OK;
}

DRT_API bool dart_lock_initialized(struct dart_lock_struct const *lock)
{
    return lock && lock->is_lock == IS_LOCK && team_of(lock) && drt_segment_find(lock->gptr);
}
