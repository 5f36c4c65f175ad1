// SPDX-License-Identifier: BSD-3-Clause
//
// Distributed locks: an MCS queue in the lock variable itself, so PEs get the lock in the order of
// their arrival and each waits on its own memory.
//
// The symmetric long of a lock is two 32-bit words on every PE (a PE is stored as its number + 1,
// and no PE as 0):
//
//     tail   on PE 0 only: the last PE in the queue; 0: the lock is free
//     link   this PE's place in the queue: bit 31 set while it must wait; below, the PE behind it
//
// A PE swaps its number into the tail; if there was a predecessor, it writes its number into the
// link of that PE and waits until its own bit 31 is clear. A release clears bit 31 of the
// successor. A link is 0 while its PE neither holds nor waits for the lock, so a free lock is all
// zeroes, as the user must initialize it.
// Order: each step is an acq_rel atomic, and the release begins with a quiet: the next holder sees
// all earlier writes.
#include "shmem/lock_check.h"

#define HOME 0
#define MUST_WAIT (UINT32_C(1) << 31)

typedef struct lock_words {
    uint32_t tail, link;
} lock_words_t;
_Static_assert(sizeof(lock_words_t) <= sizeof(long), "a lock fits the user's variable");

static uint32_t me(void)
{
    return (uint32_t)cw_world.pe + 1;
}

static uint32_t atomic(uint32_t *word, cw_amo_op_t op, uint32_t operand, uint32_t compare, int pe)
{
    return (uint32_t)cw_amo_fetching(&cw_ctx_default, word, op, sizeof(*word), operand, compare,
                                     pe);
}

static lock_words_t *words_of(const char *func, long *lock)
{
    if (SHM_CHECKING())
        shm_check_variable(func, "lock", lock, sizeof(*lock));
    return (lock_words_t *)(void *)lock;
}

static uint32_t link_of(const lock_words_t *l)
{
    return __atomic_load_n(&l->link, __ATOMIC_ACQUIRE);
}

/** Behind itself: this PE holds the lock, and was the last in its queue. (Where others have come
 *  behind it, it waits behind them, which the deadlock report tells.) */
static void wait_for_turn(const char *func, lock_words_t *l, int behind)
{
    if (CW_UNLIKELY(behind == cw_world.pe) && cw_world.thread_level < CW_THREAD_MULTIPLE)
        shm_bad_set(func, l);  // with MULTIPLE another thread may release it
    atomic(&l->link, CW_AMO_OR, me(), 0, behind);
    cw_wait_t w = CW_WAIT_FOR(shm_call_name(func), &l->link, sizeof l->link);
    cw_wait_on_t on = {.kind = CW_WAIT_LOCK, .behind = behind, .addr = l};
    w.on = &on;
    while (link_of(l) & MUST_WAIT)
        cw_wait_round(&w);
    cw_wait_done(&w);
}

void pshmem_set_lock(long *lock)
{
    SHM_ENTER();
    lock_words_t *l = words_of(__func__, lock);
    if (SHM_CHECKING())
        shm_lock_check_set(__func__, lock);
    atomic(&l->link, CW_AMO_SET, MUST_WAIT, 0, cw_world.pe);
    uint32_t before = atomic(&l->tail, CW_AMO_SWAP, me(), 0, HOME);
    if (before)
        wait_for_turn(__func__, l, (int)before - 1);
    if (SHM_CHECKING())
        shm_lock_now_held(lock);
}
SHM_WEAK(shmem_set_lock);

int pshmem_test_lock(long *lock)
{
    SHM_ENTER();
    lock_words_t *l = words_of(__func__, lock);
    if (SHM_CHECKING())
        shm_lock_check_set(__func__, lock);
    cw_wait_will_try();
    if (atomic(&l->tail, CW_AMO_CSWAP, me(), 0, HOME) == 0) {
        if (SHM_CHECKING())
            shm_lock_now_held(lock);
        return 0;
    }
    cw_wait_tested();
    return 1;
}
SHM_WEAK(shmem_test_lock);

/** The successor, after it has written its number into the link if it is in the tail already; 0 if
 *  there is none. */
static uint32_t next_in_queue(const char *func, lock_words_t *l)
{
    if (!(link_of(l) & ~MUST_WAIT)) {
        uint32_t tail = atomic(&l->tail, CW_AMO_CSWAP, 0, me(), HOME);
        if (tail == me())
            return 0;
        if (!tail)
            shm_bad_release(func, l);  // free: no PE would ever come behind this one
    }
    cw_wait_t w = CW_WAIT_FOR(shm_call_name(func), &l->link, sizeof l->link);
    while (!(link_of(l) & ~MUST_WAIT))
        cw_wait_round(&w);
    cw_wait_done(&w);
    return link_of(l) & ~MUST_WAIT;
}

void pshmem_clear_lock(long *lock)
{
    SHM_ENTER();
    lock_words_t *l = words_of(__func__, lock);
    if (SHM_CHECKING())
        shm_lock_check_clear(__func__, lock);
    cw_quiet_default();
    uint32_t next = next_in_queue(__func__, l);
    atomic(&l->link, CW_AMO_SET, 0, 0, cw_world.pe);
    if (next)
        atomic(&l->link, CW_AMO_AND, ~MUST_WAIT, 0, (int)next - 1);
    cw_wait_released(HOME);
}
SHM_WEAK(shmem_clear_lock);
