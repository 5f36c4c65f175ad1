// SPDX-License-Identifier: BSD-3-Clause
//
// The one way to wait. A waiting PE makes progress (it polls its node's server if this process
// hosts it), spins only when the node has a core for every PE, yields a few times, or polls on for
// a moment where yields are expensive (base/wait.h), then sleeps on its doorbell.
//
// How sleepers pair with cw_local_stored(): the sleeper increments `sleepers`, fences, tests the
// condition again and waits on the futex of its doorbell; the storer stores, loads `sleepers` and
// rings the doorbell. The storer has no fence between store and load (and a put of up to 4 KiB
// loads before it copies), so a wake-up can be missed in a window of nanoseconds: every sleep
// therefore has a time-out (0.2 ms, doubling to 10 ms), which also covers plain stores through
// pointers to a peer's memory.
//
//     cw_wait_t w = CW_WAIT_FOR("wait_until", ivar, sizeof *ivar);
//     while (!(atomic_load_explicit(ivar, memory_order_acquire) == value))
//         cw_wait_round(&w);
//     cw_wait_done(&w);
//
// In a PE that uses active messages (core/am) a round runs the handlers of messages that have
// arrived, unless the wait is deaf: for a condition that no handler of this PE can delay.
//
// A round that is about to sleep first announces the sleep and returns, so that the caller tests
// its condition again; the next round sleeps. A sleeper that waits for one word publishes which, so
// that the node server, which cannot distinguish an arriving put from a get, rings only when that
// word changed. A sleeper that waits for messages publishes that: their sender rings. Threads: any.
// Cost of the first rounds: a few ns each.
#ifndef CW_CORE_WAIT_H
#define CW_CORE_WAIT_H

#include "base/compiler.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What a wait is for, where more is known than the word: for the deadlock report (core/report). */
typedef enum cw_wait_kind {
    CW_WAIT_OTHER,
    CW_WAIT_WORD,     // for a result of a comparison of the word
    CW_WAIT_LOCK,     // for the lock at addr of PE `index`, behind PE `behind` in its queue
    CW_WAIT_WORLD,    // for all PEs of the job, in a collective
    CW_WAIT_EVENT,    // for `want` posts in the word, of an event of Fortran
    CW_WAIT_PARTNER,  // for PE `behind` to synchronise with this one, as this one does with it
    CW_WAIT_NOTICE,   // for notification `want` of PE `behind`; the word counts those that came
    CW_WAIT_MESSAGE   // for one with the tag `want` of PE `behind` (-1: of any); of those that are
                      // there, index, one is of PE `seen_pe`, with the tag `seen` and nelems bytes
} cw_wait_kind_t;

typedef struct cw_wait_on {
    cw_wait_kind_t kind;
    uint8_t nbytes, is_unsigned, cmp;  // of the word; cmp: a set of outcomes, equal 1, greater 2,
                                       // less 4
    int behind, seen_pe;
    const void *addr;  // symmetric
    int64_t want, seen;
    size_t index, nelems;  // the word's place in a set
} cw_wait_on_t;

extern const cw_wait_on_t cw_wait_world;

typedef struct cw_wait {
    const char *call;        // for the report
    uint32_t round;          // rounds so far
    uint32_t bell;           // rings of the doorbell when the sleep was announced
    uint64_t sleep_ns;       // next timeout
    uint64_t polls_ns;       // since when it polls while yields are expensive; 0: it does not
    const void *word;        // what is waited for, if it is a word of the node object, or several
                             // behind each other; else NULL
    uint32_t word_size;      // 2, 4 or 8 bytes; of several: all bytes
    const void *watched;     // the word that was published before the sleep
    bool notified;           // only notifications end the wait (cw_local_notify), mostly messages
    bool deaf;               // no handlers of messages run
    bool attended;           // cw_wait_end has to undo what a round announced
    bool announced;          // this thread counts in sleepers
    bool slept, rung;        // it has slept; the doorbell ended the last sleep
    uint32_t turns;          // of the node server, before the last test of the condition
    uint32_t turns_asleep;   // the same, before the last sleep
    bool reported;           // this wait stands in the PE's slot for the report,
    bool named;              // with the routine that waits
    const cw_wait_on_t *on;  // for the report; NULL: no more is known
    struct cw_frame *frame;  // with an observer (core/observe/watch.h)
    uint64_t since_ns;       // of the first sleep, kept for the report
} cw_wait_t;

/** Waits for a condition that is no word. */
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

/** Waits for notifications (cw_local_notify), above all for what handlers of messages do. */
#define CW_WAIT_NOTIFIED(name)           \
    {                                    \
        .call = (name), .notified = true \
    }

/** The wait is now for this word, or, with NULL, for notifications. Between rounds. */
static inline void cw_wait_on_word(cw_wait_t *w, const void *word, uint32_t nbytes)
{
    w->notified = !word;
    w->word = word;
    w->word_size = nbytes;
}

/** One round of waiting. */
void cw_wait_round(cw_wait_t *w);

/** Before each sleep of a loop that does not use cw_wait_round: what is due now and then. Returns
 *  within which time it is to be called again. If w->reported is set then, the loop ends with
 *  cw_progress_hooks.moved(w). */
uint64_t cw_wait_may_sleep(cw_wait_t *w);
/** This PE is in its last finalize: waits explain themselves (cw_progress_hooks.explain). */
extern bool cw_wait_explains;
/** The wait in which this thread sleeps or has slept, for handlers of signals. */
extern _Thread_local const struct cw_wait *volatile cw_wait_current CW_INITIAL_EXEC;
/** This thread sleeps in a wait: a signal handler that sees it set has interrupted a call. */
extern _Thread_local bool cw_wait_asleep CW_INITIAL_EXEC;

/** Undoes what the rounds announced. Must be called when the loop ends. */
void cw_wait_end(cw_wait_t *w);

static inline void cw_wait_done(cw_wait_t *w)
{
    if (CW_UNLIKELY(w->attended))
        cw_wait_end(w);
}

/** Chooses the rounds by the number of PEs and cores of this node. */
void cw_wait_init(void);
/** Of the node server, before it blocks. */
extern struct cwu_wait_plan cw_wait_server;
/** The machine has a core for each PE at least. */
extern bool cw_wait_roomy;
/** The machine has more cores than PEs. */
extern bool cw_wait_spare_core;

/** Rings the doorbell of `pe` (of this node) if it sleeps, unless the word it waits for is
 *  unchanged or it waits only for notifications. */
void cw_wake(int pe) CW_COLD;
/** Notifies it: rings its doorbell whatever it waits for. */
void cw_wake_notify(int pe) CW_COLD;
/** Rings the sleeping PEs of this node whose watched word has changed: data may have arrived from
 *  the network. Returns how many. all: also those that have not said what they wait for, which are
 *  not counted. */
int cw_wake_changed(bool all);

/** Waits of this process that ended after a sleep: whether the doorbell had ended that sleep, or
 *  its time-out. */
typedef struct cw_wait_counts {
    _Atomic uint64_t woken, late;
} cw_wait_counts_t;
extern cw_wait_counts_t cw_wait_counts;

/** Does anything need this PE while it waits (its node's server, messages, its own transfers in
 *  flight)? If not, a wait for node-local words may sleep on them without cw_wait_round. */
bool cw_wait_must_help(void);

/** One round of progress without waiting, for long local work. */
void cw_progress(void);

/** For a call that tests and returns, behind a test without a result: one round of progress; and if
 *  its caller tests in a loop, and others want the core, it gives that away. */
void cw_wait_tested(void);
/** Behind that, the test had its result: what polls now is another wait. */
void cw_wait_found(void);
/** Gives the core away between two polls: yields, or while yields are expensive (base/wait.h) naps
 *  at most 0.2 ms, where each PE has a core only behind some polls. found: is there something since
 *  the last poll? Asked before the nap, so that what rings this PE's doorbell ends the nap; NULL:
 *  the caller takes that delay. */
void cw_wait_give_way(bool (*found)(void));

#endif
