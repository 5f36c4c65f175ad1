// SPDX-License-Identifier: BSD-3-Clause
//
// The one way to wait. A waiting PE helps (polls its node's server if this process hosts it), spins
// only when the node has a core for every PE, yields a few times, then sleeps on its doorbell.
//
// The sleeper's bargain with cw_local_stored(): sleeper: sleepers++ (seq_cst), re-check the
// condition, futex wait on its doorbell; storer: store, load sleepers, ring. The storer has no
// fence between store and load (and a put of up to 4 KiB looks before it copies), so a wake-up can
// be missed in a window of nanoseconds: every sleep therefore has a timeout (0.2 ms, doubling to 10
// ms), which also covers plain stores through shmem_ptr.
//
//     cw_wait_t w = CW_WAIT_FOR("shmem_int_wait_until", ivar, sizeof *ivar);
//     while (!(atomic_load_explicit(ivar, memory_order_acquire) == value))
//         cw_wait_round(&w);
//     cw_wait_done(&w);
//
// In a PE that uses active messages (core/am/am.h) a round runs the handlers of what has come,
// unless the wait is deaf: for what others do whatever becomes of their messages.
//
// A round that is about to sleep first announces the sleep and returns, so that the caller
// re-checks its condition; the next round sleeps. A sleeper that waits for one word says which, so
// that the node server, which cannot tell an arriving put from a get, rings only when that word
// changed. One that waits for messages says so: their sender rings.
// Threads: any. Cost of the first rounds: a few ns each.
#ifndef CW_CORE_WAIT_H
#define CW_CORE_WAIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What is waited for, where more can be told than the word: for the report of a deadlock
 *  (core/report/report.h). */
typedef enum cw_wait_kind {
    CW_WAIT_OTHER,
    CW_WAIT_WORD,  // that the word compares so
    CW_WAIT_LOCK,  // for the lock at addr, behind PE `behind` in its queue
    CW_WAIT_WORLD  // for all PEs of the job, in a collective
} cw_wait_kind_t;

typedef struct cw_wait_on {
    cw_wait_kind_t kind;
    uint8_t nbytes, is_unsigned, cmp;  // of the word; cmp: a set of outcomes, equal 1, greater 2,
                                       // less 4
    int behind;
    const void *addr;  // symmetric
    int64_t want;
    size_t index, nelems;  // the word's place in a set
} cw_wait_on_t;

extern const cw_wait_on_t cw_wait_world;

typedef struct cw_wait {
    const char *call;        // for the report
    uint32_t round;          // rounds so far
    uint32_t bell;           // doorbell value when the sleep was announced
    uint64_t sleep_ns;       // next timeout
    const void *word;        // what is waited for, if it is one word of the node object; else NULL
    uint32_t word_size;      // 2, 4 or 8 bytes
    const void *watched;     // the word that was published before the sleep
    bool told;               // nothing but cw_local_notify ends the wait: messages, mostly
    bool deaf;               // no handlers of messages run
    bool attended;           // cw_wait_end has something to take back
    bool announced;          // this thread counts in sleepers
    bool reported;           // this wait stands in the PE's slot for the report
    const cw_wait_on_t *on;  // for the report; NULL: nothing more to tell
    struct cw_frame *frame;  // when somebody looks on (core/observe/watch.h)
    uint64_t since_ns;       // of the first sleep, kept for the report
} cw_wait_t;

/** Waits for several words, or for something that is no word. */
#define CW_WAIT_INIT(name) \
    {                      \
        .call = (name)     \
    }
/** Waits for one naturally aligned word of the node object (symmetric memory, control area) of 2, 4
 *  or 8 bytes. */
#define CW_WAIT_FOR(name, address, nbytes)                                                \
    {                                                                                     \
        .call = (name), .word = (const void *)(uintptr_t)(address), .word_size = (nbytes) \
    }

/** As CW_WAIT_INIT; no handlers of messages run. */
#define CW_WAIT_DEAF(name)           \
    {                                \
        .call = (name), .deaf = true \
    }

/** Waits for what is told (cw_local_notify), above all for what the handlers of messages do. */
#define CW_WAIT_TOLD(name)           \
    {                                \
        .call = (name), .told = true \
    }

/** What the wait is for may change from round to round: one word, or NULL: what is told. */
static inline void cw_wait_on_word(cw_wait_t *w, const void *word, uint32_t nbytes)
{
    w->told = !word;
    w->word = word;
    w->word_size = nbytes;
}

/** One round of waiting. */
void cw_wait_round(cw_wait_t *w);

/** Takes back what the rounds announced. Must be called when the loop ends. */
void cw_wait_end(cw_wait_t *w);

static inline void cw_wait_done(cw_wait_t *w)
{
    if (__builtin_expect(w->attended, 0))
        cw_wait_end(w);
}

/** Chooses the rounds by the number of PEs and cores of this node. */
void cw_wait_init(void);
/** Empty polls of the node server before it blocks: few when its machine has more PEs than
 *  cores. */
extern long cw_wait_server_spin;
/** The machine has a core for each PE at least. */
extern bool cw_wait_roomy;
/** The machine has more cores than PEs. */
extern bool cw_wait_spare_core;

/** Rings the doorbell of `pe` (of this node) if it sleeps, unless the word it waits for is unchanged
 *  or it waits only for notifications. */
void cw_wake(int pe) __attribute__((cold));
/** Rings it whatever it waits for: a notification. */
void cw_wake_notify(int pe) __attribute__((cold));
/** Rings the sleeping PEs of this node, but for those whose word is as they last saw it or who wait
 *  to be told: something may have arrived from the network. */
void cw_wake_changed(void);

/** Does anything need this PE while it waits (its node's server, messages, its own transfers in
 *  flight)? If not, a wait for node-local words may sleep on them without cw_wait_round. */
bool cw_wait_must_help(void);

/** One round of progress without waiting, for test loops and long local work. */
void cw_progress(void);

#endif
