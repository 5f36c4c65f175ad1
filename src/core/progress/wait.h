// SPDX-License-Identifier: BSD-3-Clause
//
// The one way to wait. A waiting PE makes progress, spins only where each PE has a core, yields,
// then sleeps on its doorbell. Threads: any.
//
//     cw_wait_t w = CW_WAIT_FOR("wait_until", ivar, sizeof *ivar);
//     while (!(atomic_load_explicit(ivar, memory_order_acquire) == value))
//         cw_wait_round(&w);
//     cw_wait_done(&w);
//
// A round that is about to sleep announces what is waited for and returns, so that the caller tests
// again; the next round sleeps, with a time-out: wake-ups can be missed, and plain stores to a
// peer's memory ring nothing (docs/design/wake-ups.md).
#ifndef CW_CORE_WAIT_H
#define CW_CORE_WAIT_H

#include "base/compiler.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** For the deadlock report. */
typedef enum cw_wait_kind {
    CW_WAIT_OTHER,
    CW_WAIT_WORD,     // for an outcome of a comparison
    CW_WAIT_LOCK,     // for that at addr of PE `index`, behind PE `behind`
    CW_WAIT_WORLD,    // for all PEs of the job
    CW_WAIT_EVENT,    // for `want` posts of a Fortran event
    CW_WAIT_PARTNER,  // for PE `behind` to synchronise with this one
    CW_WAIT_NOTICE,   // for notification `want` of PE `behind`; the word counts those that came
    CW_WAIT_MESSAGE   // for tag `want` of PE `behind` (-1: any); `index` others have come,
                      // one of PE `seen_pe` with tag `seen` and nelems bytes
} cw_wait_kind_t;

typedef struct cw_wait_on {
    cw_wait_kind_t kind;
    uint8_t nbytes, is_unsigned, cmp;  // of the word; cmp: a set: equal 1, greater 2, less 4
    int behind, seen_pe;
    const void *addr;  // symmetric
    int64_t want, seen;
    size_t index, nelems;  // the word's place in a set
} cw_wait_on_t;

extern const cw_wait_on_t cw_wait_world;

typedef struct cw_wait {
    const char *call;        // for the report
    uint32_t round;
    uint32_t bell;           // rings at the announcement
    uint64_t sleep_ns;       // next time-out
    uint64_t polls_ns;       // since when it polls beside expensive yields; 0: not
    const void *word;        // of the node object, or several in a row; or NULL
    uint32_t word_size;      // 2, 4 or 8 bytes; of several: all
    const void *watched;     // published before the sleep
    bool notified;           // only cw_local_notify ends the wait
    bool deaf;               // runs no handlers of messages
    bool attended;           // cw_wait_end has to undo something
    bool announced;          // this thread counts in sleepers
    bool slept, rung;        // rung: the doorbell ended the last sleep
    uint32_t turns;          // of the node server, before the last test
    uint32_t turns_asleep;   // before the last sleep
    bool reported;           // it stands in the PE's slot for the report,
    bool named;              // with the routine
    const cw_wait_on_t *on;  // NULL: no more is known
    struct cw_frame *frame;  // of an observer
    uint64_t since_ns;       // of the first sleep, for the report
} cw_wait_t;

/** For a condition that is no word. */
#define CW_WAIT_INIT(name) \
    {                      \
        .call = (name)     \
    }
/** For one naturally aligned word of 2, 4 or 8 bytes in the node object. */
#define CW_WAIT_FOR(name, address, nbytes)                                                \
    {                                                                                     \
        .call = (name), .word = (const void *)(uintptr_t)(address), .word_size = (nbytes) \
    }

/** Runs no handlers of messages: for a condition that none of this PE can delay. */
#define CW_WAIT_DEAF(name)           \
    {                                \
        .call = (name), .deaf = true \
    }

/** For notifications (cw_local_notify). */
#define CW_WAIT_NOTIFIED(name)           \
    {                                    \
        .call = (name), .notified = true \
    }

/** Waits for this from the next round on; NULL: for notifications. */
static inline void cw_wait_on_word(cw_wait_t *w, const void *word, uint32_t nbytes)
{
    w->notified = !word;
    w->word = word;
    w->word_size = nbytes;
}

void cw_wait_round(cw_wait_t *w);

/** Before each sleep of another loop. Returns within which time it is to be called again. If it
 *  sets w->reported, the loop ends with cw_progress_hooks.moved(w). */
uint64_t cw_wait_may_sleep(cw_wait_t *w);
/** In the last finalize: waits explain themselves. */
extern bool cw_wait_explains;
/** For signal handlers: the wait in which this thread sleeps or slept, and whether it sleeps. */
extern _Thread_local const struct cw_wait *volatile cw_wait_current CW_INITIAL_EXEC;
extern _Thread_local bool cw_wait_asleep CW_INITIAL_EXEC;

/** Undoes what the rounds announced. Due when the loop ends. */
void cw_wait_end(cw_wait_t *w);

static inline void cw_wait_done(cw_wait_t *w)
{
    if (CW_UNLIKELY(w->attended))
        cw_wait_end(w);
}

void cw_wait_init(void);
/** Of the node server, before it blocks. */
extern struct cwu_wait_plan cw_wait_server;
/** A core for each PE at least. */
extern bool cw_wait_roomy;
/** More cores than PEs. */
extern bool cw_wait_spare_core;

/** Rings a sleeping PE of this node, unless its word is unchanged or it awaits notifications
 *  only. */
void cw_wake(int pe) CW_COLD;
/** Rings whatever it waits for. */
void cw_wake_notify(int pe) CW_COLD;
/** Rings this node's sleeping PEs whose word has changed, after arrivals. Returns how many. all:
 *  also those that have published nothing, which are not counted. */
int cw_wake_changed(bool all);

/** Of waits that slept: did doorbell or time-out end the last sleep? */
typedef struct cw_wait_counts {
    _Atomic uint64_t woken, late;
} cw_wait_counts_t;
extern cw_wait_counts_t cw_wait_counts;

/** Does anything need this PE while it waits? If not, waits for words of the node may sleep on them
 *  without cw_wait_round. */
bool cw_wait_must_help(void);

/** One round of progress, for long local work. */
void cw_progress(void);

/** After a test in vain, by a call that returns: one round of progress, which runs handlers; gives
 *  the core away, in a loop of tests, if others want it. */
void cw_wait_tested(void);
/** What this thread fetches. Programs wait by loops of fetches, of one word or of many: a turn ends
 *  where the word is fetched again that it began with. */
typedef struct cw_fetched {
    const void *at;       // with which turns begin
    uint64_t sum, before;  // of the values of this turn, and of the one before
    uint32_t words;
} cw_fetched_t;
enum { CW_FETCHED = 1024 };  // words of a turn; with the next one another turn begins
extern _Thread_local cw_fetched_t cw_fetched CW_INITIAL_EXEC;

/** After a fetch without a wait. True: cw_wait_fetched_again is due. */
static CW_ALWAYS_INLINE bool cw_wait_fetched(const void *at, uint64_t value)
{
    cw_fetched_t *turn = &cw_fetched;
    turn->sum = 3 * turn->sum + value;
    return turn->at == at || ++turn->words == CW_FETCHED;
}

/** A turn with the values of the last one is tests in vain. True: they may have changed. */
bool cw_wait_fetched_again(const void *at);
/** A lock whose word is in memory of that PE has been released. */
void cw_wait_released(int pe);
/** Before a try of a lock. In a loop of tries by a thread that had the lock, other nodes get their
 *  turn: else their tries would be executed only where the holder yields, all in vain. */
void cw_wait_will_try(void);
/** After a successful test: what polls next is another wait. */
void cw_wait_found(void);
/** Gives the core away between two polls: yields, or while yields are expensive naps 0.2 ms at
 *  most, where each PE has a core only after some polls. found: has something come since the last
 *  poll? Asked before the nap, so that the doorbell ends it; NULL: the caller takes the delay. */
void cw_wait_give_way(bool (*found)(void));

#endif
