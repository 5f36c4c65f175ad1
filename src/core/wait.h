// SPDX-License-Identifier: BSD-3-Clause
//
// The one way to wait. A waiting PE helps (polls its node's server if this process hosts it), spins only when the
// node has a core for every PE, yields a few times, then sleeps on its doorbell.
//
// The sleeper's bargain with cw_local_stored(): sleeper: sleepers++ (seq_cst), re-check the condition, futex wait on
// its doorbell; storer: store, load sleepers, ring. The storer has no fence between store and load, so a wake-up
// can be missed in a window of nanoseconds: every sleep therefore has a timeout (0.2 ms, doubling to 10 ms), which
// also covers plain stores through shmem_ptr.
//
//     cw_wait_t w = CW_WAIT_INIT("shmem_int_wait_until");
//     while (!(atomic_load_explicit(ivar, memory_order_acquire) == value))
//         cw_wait_round(&w);
//     cw_wait_done(&w);
//
// A round that is about to sleep first announces the sleep and returns, so that the caller re-checks its condition;
// the next round sleeps. Threads: any. Cost of the first rounds: a few ns each.
#ifndef CW_CORE_WAIT_H
#define CW_CORE_WAIT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct cw_wait {
    const char *call;    // for the "who waits where" report
    uint32_t round;      // rounds so far
    uint32_t bell;       // doorbell value when the sleep was announced
    int announced;       // this thread counts in sleepers
    uint64_t sleep_ns;   // next timeout
} cw_wait_t;

#define CW_WAIT_INIT(name) {(name), 0, 0, 0, 0}

/** One round of waiting. */
void cw_wait_round(cw_wait_t *w);

/** Takes the announcement back. Must be called when the loop ends. */
void cw_wait_end(cw_wait_t *w);

static inline void cw_wait_done(cw_wait_t *w)
{
    if (__builtin_expect(w->announced, 0))
        cw_wait_end(w);
}

/** Chooses the rounds by the number of PEs and cores of this node. */
void cw_wait_init(void);
/** Empty polls of the node server before it blocks: few when its machine has more PEs than cores. */
extern long cw_wait_server_spin;

/** Rings every sleeping PE of this node: something arrived from the network. */
void cw_wake_node(void);

/** Does anything need this PE while it waits (its node's server, its own transfers in flight)? If not, a wait for
 *  node-local words may sleep on them without cw_wait_round. */
bool cw_wait_must_help(void);

/** One round of progress without waiting, for test loops and long local work. */
void cw_progress(void);

#endif
