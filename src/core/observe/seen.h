// SPDX-License-Identifier: BSD-3-Clause
//
// Checking mode: what each thread remembers of right calls, so that most checks are comparisons,
// without a lock:
//
//     spans    bytes of one side, for the checks
//     pairs    both sides of brief transfers within the node, which need no check then
//     stacks   stack pointers of calls outside of handlers of signals
//
// Changes of blocks (cw_block_changes) void spans and pairs.
//
// Threads: any. Blocking: never. Only where CW_CHECKING().
#ifndef CW_CORE_SEEN_H
#define CW_CORE_SEEN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "core/mem/memory.h"
#include "core/observe/watch.h"

// ---------------------------------------------------------------- spans
enum { CW_KNOWN_SPANS = 4 };  // of each kind

typedef enum cw_known_kind {
    CW_KNOWN_REMOTE,  // symmetric, or another process's: of a space
    CW_KNOWN_LOCAL,   // buffers of this process
    CW_KNOWN_KINDS
} cw_known_kind_t;

/** All bytes in it are right. */
typedef struct cw_known_span {
    int64_t space;
    uintptr_t begin, end;
    bool shared;  // here: other processes name it too, or it is one's here
} cw_known_span_t;

typedef struct cw_known_spans {
    unsigned changes;  // cw_block_changes when the first was found
    unsigned next;     // to be replaced
    cw_known_span_t all[CW_KNOWN_SPANS];
} cw_known_spans_t;

// ---------------------------------------------------------------- pairs
/** Each client has pairs with its own keys: core of symmetric addresses, by peer words, front ends
 *  of others. */
enum { CW_PAIR_SYMMETRIC = 0, CW_PAIR_CLIENTS = 4 };
enum {
    CW_PAIRS = 8,        // of a client: some arrays and their neighbours
    CW_PAIRS_MANY = 32,  // found by place
    CW_PAIR_PLACES = 256,
};

/** Bytes; others see frames of longer transfers. */
#define CW_PAIR_BRIEF ((size_t)64 << 10)

typedef struct cw_pair {
    uint64_t key;               // the process, and the segment
    intptr_t there, there_end;  // of it
    intptr_t here, here_end;    // of this process
    uintptr_t word;             // leads from `there` to its mapping here
} cw_pair_t;

typedef struct cw_pairs {
    unsigned changes;  // as those of spans
    unsigned next, next_of_many;
    cw_pair_t all[CW_PAIRS];
    cw_pair_t many[CW_PAIRS_MANY];
    uint8_t at[CW_PAIR_PLACES];  // index in many of the transfer last found there
} cw_pairs_t;

// ---------------------------------------------------------------- of a thread
enum { CW_KNOWN_STACKS = 64 };

typedef struct cw_known_seen {
    cw_known_spans_t spans[CW_KNOWN_KINDS];
    cw_pairs_t pairs[CW_PAIR_CLIENTS];
    uintptr_t stacks[CW_KNOWN_STACKS];  // of calls outside of handlers of signals
    uintptr_t seeks[CW_KNOWN_STACKS];   // of these, where a pair was looked for
    uintptr_t seeking[2];               // the last two that found none: a call may look twice
    unsigned walks;                     // up the stack, to find that
    unsigned turns;                     // of a client that does more after some transfers
} cw_known_seen_t;
/** NULL before the first question. */
extern _Thread_local cw_known_seen_t *cw_known_mine CW_HIDDEN CW_INITIAL_EXEC;

/** The remembered span with the bytes, or NULL. Compares only. */
static CW_ALWAYS_INLINE const cw_known_span_t *cw_known_seen(cw_known_kind_t kind, int64_t space,
                                                             const void *address, size_t nbytes)
{
    const cw_known_seen_t *mine = cw_known_mine;
    if (CW_UNLIKELY(!mine) || mine->spans[kind].changes != atomic_load(&cw_block_changes))
        return NULL;
    const cw_known_span_t *span = mine->spans[kind].all;
    for (int i = 0; i < CW_KNOWN_SPANS; i++, span++) {
        uintptr_t at = (uintptr_t)address - span->begin, room = span->end - span->begin;
        if (at <= room && nbytes <= room - at && span->space == space)
            return span;
    }
    return NULL;
}

/** changes: cw_block_changes before the search for the span. */
void cw_known_remember(cw_known_kind_t kind, unsigned changes, const cw_known_span_t *span);
/** Cuts the span to an interval. */
static inline void cw_known_clip(cw_known_span_t *span, uintptr_t begin, uintptr_t end)
{
    if (begin > span->begin)
        span->begin = begin;
    if (end < span->end)
        span->end = end;
}

static CW_ALWAYS_INLINE unsigned cw_known_stack_place(uintptr_t pointer)
{
    return pointer / 16 % CW_KNOWN_STACKS;
}

/** Was a call with that stack pointer made outside of handlers? */
static CW_ALWAYS_INLINE bool cw_known_stack_seen(uintptr_t pointer)
{
    const cw_known_seen_t *mine = cw_known_mine;
    return CW_LIKELY(mine != NULL) &&
           CW_LIKELY(mine->stacks[cw_known_stack_place(pointer)] == pointer);
}

/** Does a handler of a signal, which came at *interrupted_p, make the call? Also false after too
 *  many questions of a thread. */
bool cw_known_in_signal(uintptr_t pointer, const void **interrupted_p) CW_COLD;

/** By the KiB of both sides, so that any difference leads to another place. */
static CW_ALWAYS_INLINE unsigned cw_pair_place(uintptr_t there, const void *here)
{
    const uint64_t both = (there + 3 * (uintptr_t)here) / 1024;
    return (unsigned)(both * UINT64_C(0x9e3779b97f4a7c15) >> 56);
}
_Static_assert(CW_PAIR_PLACES == 1 << (64 - 56), "a number of so many bits");

static CW_ALWAYS_INLINE bool cw_pair_has(const cw_pair_t *pair, uint64_t key, uintptr_t there,
                                         const void *here, size_t nbytes)
{
    // signed: no difference overflows below half of all addresses
    return pair->key == key && (intptr_t)there >= pair->there &&
           pair->there_end - (intptr_t)there >= (intptr_t)nbytes && (intptr_t)here >= pair->here &&
           pair->here_end - (intptr_t)here >= (intptr_t)nbytes;
}

/** Looks in many and notes the place. NULL: none. */
const cw_pair_t *cw_pair_search(cw_pairs_t *pairs, uint64_t key, uintptr_t there, const void *here,
                                size_t nbytes);

/** by_place: in many, for functions that call others anyway. NULL: none. */
static CW_ALWAYS_INLINE const cw_pair_t *cw_pair_among(cw_pairs_t *pairs, uint64_t key,
                                                       uintptr_t there, const void *here,
                                                       size_t nbytes, bool by_place)
{
    const cw_pair_t *pair = pairs->all;
    if (by_place) {
        pair = &pairs->many[pairs->at[cw_pair_place(there, here)]];
        return CW_LIKELY(cw_pair_has(pair, key, there, here, nbytes))
                   ? pair
                   : cw_pair_search(pairs, key, there, here, nbytes);
    }
    for (int i = 0; i < CW_PAIRS; i++, pair++)
        if (cw_pair_has(pair, key, there, here, nbytes))
            return pair;
    return NULL;
}

/** The pair of a brief transfer of the program, or NULL: to be checked, as always in routines and
 *  handlers. */
static CW_ALWAYS_INLINE const cw_pair_t *cw_pair_find(int client, uint64_t key, uintptr_t there,
                                                      const void *here, size_t nbytes,
                                                      bool by_place)
{
    cw_known_seen_t *mine = cw_known_mine;
    const uintptr_t stack = (uintptr_t)__builtin_frame_address(0);
    if (!CAUSEWAY_CHECKING || CW_UNLIKELY(!mine) || CW_UNLIKELY(!cw_watch_is_outermost()))
        return NULL;
    cw_pairs_t *pairs = &mine->pairs[client];
    if (CW_LIKELY(mine->seeks[cw_known_stack_place(stack)] == stack) &&
        CW_LIKELY(nbytes - 1 < CW_PAIR_BRIEF) &&
        CW_LIKELY(pairs->changes == atomic_load(&cw_block_changes))) {
        const cw_pair_t *pair = cw_pair_among(pairs, key, there, here, nbytes, by_place);
        if (pair)
            return pair;
    }
    mine->seeking[1] = mine->seeking[0];
    mine->seeking[0] = stack;
    return NULL;
}

/** In the frame of a right brief transfer without a pair: keeps the pair, unless an observer wants
 *  transfers or there is device memory. changes: cw_block_changes before the search for `there`. */
void cw_pair_remember(int client, uint64_t key, uintptr_t word, unsigned changes,
                      const cw_known_span_t *there, const cw_known_span_t *here);
/** After a call without a pair that perhaps opened no frame: forgets its stack pointer, which may
 *  be a handler's. */
static inline void cw_pair_leave(void)
{
    if (cw_known_mine)
        cw_known_mine->seeking[0] = cw_known_mine->seeking[1] = 0;
}
/** This thread's next calls are checked. */
void cw_known_forget(void);

#endif
