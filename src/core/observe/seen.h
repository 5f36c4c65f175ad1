// SPDX-License-Identifier: BSD-3-Clause
//
// Checking mode: what each thread remembers of calls that were right. Programs use the same few
// buffers from the same few places again and again, so most checks are comparisons:
//
//     spans    bytes of one side, for the checks themselves (core/observe/known.h)
//     pairs    both sides of brief transfers within the node: one that lies in a pair is done
//              without a check or a frame more
//     stacks   stack pointers of calls that were made outside of signals' handlers
//
// Spans and pairs are void when a block has changed since (cw_block_changes). None needs a lock:
// all of it is the thread's own.
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
enum { CW_KNOWN_SPANS = 4 };  // a source, a destination and some more, of each kind

typedef enum cw_known_kind {
    CW_KNOWN_REMOTE,  // of another process, or symmetric: of a space
    CW_KNOWN_LOCAL,   // buffers of this process
    CW_KNOWN_KINDS
} cw_known_kind_t;

/** Bytes that are right wherever they lie in it. */
typedef struct cw_known_span {
    int64_t space;
    uintptr_t begin, end;
    bool shared;  // of this process: other processes name it, too, or it is one's here
} cw_known_span_t;

typedef struct cw_known_spans {
    unsigned changes;  // cw_block_changes when the first was found
    unsigned next;     // to be replaced
    cw_known_span_t all[CW_KNOWN_SPANS];
} cw_known_spans_t;

// ---------------------------------------------------------------- pairs
/** Each client has pairs of its own, with keys as it likes: core's own, of symmetric addresses,
 *  whose keys are words of peers, and front ends whose addresses are others. */
enum { CW_PAIR_SYMMETRIC = 0, CW_PAIR_CLIENTS = 4 };
enum {
    CW_PAIRS = 8,        // of a client: some arrays, with a neighbour or two of each
    CW_PAIRS_MANY = 32,  // that are found by place
    CW_PAIR_PLACES = 256,
};

/** Above this, a transfer takes so long that signals and other threads see its frame. */
#define CW_PAIR_BRIEF ((size_t)64 << 10)

typedef struct cw_pair {
    uint64_t key;               // the process, and the segment
    intptr_t there, there_end;  // of it
    intptr_t here, here_end;    // of this process
    uintptr_t word;             // leads from there to where that is mapped here
} cw_pair_t;

typedef struct cw_pairs {
    unsigned changes;  // as those of spans
    unsigned next, next_of_many;
    cw_pair_t all[CW_PAIRS];
    cw_pair_t many[CW_PAIRS_MANY];
    uint8_t at[CW_PAIR_PLACES];  // of many: in which a transfer with that place was found
} cw_pairs_t;

// ---------------------------------------------------------------- of a thread
enum { CW_KNOWN_STACKS = 64 };

typedef struct cw_known_seen {
    cw_known_spans_t spans[CW_KNOWN_KINDS];
    cw_pairs_t pairs[CW_PAIR_CLIENTS];
    uintptr_t stacks[CW_KNOWN_STACKS];  // stack pointers of calls outside of signals' handlers
    uintptr_t seeks[CW_KNOWN_STACKS];   // of these, where a pair was looked for
    uintptr_t seeking[2];               // the last ones that found none: a call may look twice
    unsigned walks;                     // up the stack, to find that
    unsigned turns;                     // of a client that does more behind some transfers
} cw_known_seen_t;
/** Of the calling thread, made at its first question. */
extern _Thread_local cw_known_seen_t *cw_known_mine CW_HIDDEN CW_INITIAL_EXEC;

/** The span with the bytes, if this thread remembers one, or NULL. Compares only. */
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

/** They do from now on. changes: cw_block_changes from before the span was looked for. */
void cw_known_remember(cw_known_kind_t kind, unsigned changes, const cw_known_span_t *span);
/** Leaves of a span what also lies between two addresses. */
static inline void cw_known_clip(cw_known_span_t *span, uintptr_t begin, uintptr_t end)
{
    if (begin > span->begin)
        span->begin = begin;
    if (end < span->end)
        span->end = end;
}

/** The place of a stack pointer. */
static CW_ALWAYS_INLINE unsigned cw_known_stack_place(uintptr_t pointer)
{
    return pointer / 16 % CW_KNOWN_STACKS;
}

/** Was a call made with that stack pointer before, outside of the handler of a signal? */
static CW_ALWAYS_INLINE bool cw_known_stack_seen(uintptr_t pointer)
{
    const cw_known_seen_t *mine = cw_known_mine;
    return CW_LIKELY(mine != NULL) &&
           CW_LIKELY(mine->stacks[cw_known_stack_place(pointer)] == pointer);
}

/** Does the caller, with that stack pointer, run in the handler of a signal? *interrupted_p: the
 *  place where it came. False, too, when this thread has asked too often. */
bool cw_known_in_signal(uintptr_t pointer, const void **interrupted_p) CW_COLD;

/** By the 1 KiB of both sides: differences of any size lead to other places. */
static CW_ALWAYS_INLINE unsigned cw_pair_place(uintptr_t there, const void *here)
{
    const uint64_t both = (there + 3 * (uintptr_t)here) / 1024;
    return (unsigned)(both * UINT64_C(0x9e3779b97f4a7c15) >> 56);
}
_Static_assert(CW_PAIR_PLACES == 1 << (64 - 56), "a number of so many bits");

static CW_ALWAYS_INLINE bool cw_pair_has(const cw_pair_t *pair, uint64_t key, uintptr_t there,
                                         const void *here, size_t nbytes)
{
    // signed: of what ends below half of all addresses no difference overflows
    return pair->key == key && (intptr_t)there >= pair->there &&
           pair->there_end - (intptr_t)there >= (intptr_t)nbytes && (intptr_t)here >= pair->here &&
           pair->here_end - (intptr_t)here >= (intptr_t)nbytes;
}

/** Of many; the next one like it is found by its place. NULL: there is none. */
const cw_pair_t *cw_pair_search(cw_pairs_t *pairs, uint64_t key, uintptr_t there, const void *here,
                                size_t nbytes);

/** by_place: among many, for a function that calls others anyway. NULL: there is none. */
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

/** The pair of a brief transfer of the program, or NULL: then the checks have to be made. A call in
 *  a routine, or in the handler of a signal or a message, finds none. */
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

/** A brief transfer, for which no pair was found, was right, and so is each one between both spans.
 *  In its frame. changes: cw_block_changes from before `there` was looked for. Nothing happens
 *  where an observer wants to see each transfer. */
void cw_pair_remember(int client, uint64_t key, uintptr_t word, unsigned changes,
                      const cw_known_span_t *there, const cw_known_span_t *here);
/** Behind a call that found no pair, and may have ended before a frame was opened: nothing is known
 *  of its place, which may be in the handler of a signal. */
static inline void cw_pair_leave(void)
{
    if (cw_known_mine)
        cw_known_mine->seeking[0] = cw_known_mine->seeking[1] = 0;
}
/** Whatever this thread does next is checked. */
void cw_known_forget(void);

#endif
