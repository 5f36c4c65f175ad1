// SPDX-License-Identifier: BSD-3-Clause
//
// What a thread remembers, beyond the header's comparisons.
#include "core/observe/seen.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/symbol.h"
#include "core/mem/foreign.h"

_Thread_local cw_known_seen_t *cw_known_mine CW_INITIAL_EXEC;

// Allocated: libraries that are loaded later have little thread-local room.
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t end_of_thread;

static void forget(void *seen)
{
    cw_known_mine = NULL;
    free(seen);
}

static void make_key(void)
{
    (void)pthread_key_create(&end_of_thread, forget);
}

/** NULL: no memory. */
static cw_known_seen_t *seen_by_me(void)
{
    if (!cw_known_mine) {
        pthread_once(&once, make_key);
        cw_known_seen_t *seen = calloc(1, sizeof *seen);
        if (seen && pthread_setspecific(end_of_thread, seen)) {
            free(seen);
            seen = NULL;
        }
        cw_known_mine = seen;
    }
    return cw_known_mine;
}

void cw_known_remember(cw_known_kind_t kind, unsigned changes, const cw_known_span_t *span)
{
    cw_known_seen_t *seen = seen_by_me();
    if (!seen)
        return;
    cw_known_spans_t *mine = &seen->spans[kind];
    if (mine->changes != changes)
        *mine = (cw_known_spans_t){.changes = changes};
    mine->all[mine->next] = *span;
    mine->next = (mine->next + 1) % CW_KNOWN_SPANS;
}

const cw_pair_t *cw_pair_search(cw_pairs_t *pairs, uint64_t key, uintptr_t there, const void *here,
                                size_t nbytes)
{
    for (uint8_t i = 0; i < CW_PAIRS_MANY; i++)
        if (cw_pair_has(&pairs->many[i], key, there, here, nbytes)) {
            pairs->at[cw_pair_place(there, here)] = i;
            return &pairs->many[i];
        }
    return NULL;
}

/** Unless it is there already. */
static void add(cw_pair_t *all, unsigned n, unsigned *next, const cw_pair_t *pair)
{
    for (unsigned i = 0; i < n; i++)
        if (memcmp(&all[i], pair, sizeof *pair) == 0)
            return;
    all[*next] = *pair;
    *next = (*next + 1) % n;
}

static intptr_t signed_of(uintptr_t address)
{
    return address < INTPTR_MAX ? (intptr_t)address : INTPTR_MAX;
}

void cw_pair_remember(int client, uint64_t key, uintptr_t word, unsigned changes,
                      const cw_known_span_t *there, const cw_known_span_t *here)
{
    cw_known_seen_t *seen = cw_known_mine;
    // deeper, a routine called, which has looked for no pair; a span of this process's memory may
    // hold a device's, to which a processor cannot copy
    if (!seen || !cw_watch_untimed || cw_watch_depth != 1 || cw_foreign)
        return;
    cw_pairs_t *mine = &seen->pairs[client];
    const cw_pair_t pair = {key,
                            signed_of(there->begin),
                            signed_of(there->end),
                            signed_of(here->begin),
                            signed_of(here->end),
                            word};
    // both opened frames, so neither is in a handler
    for (int i = 0; i < 2; i++)
        if (seen->seeking[i])
            seen->seeks[cw_known_stack_place(seen->seeking[i])] = seen->seeking[i];
    if (mine->changes != changes)
        *mine = (cw_pairs_t){.changes = changes};
    add(mine->all, CW_PAIRS, &mine->next, &pair);
    add(mine->many, CW_PAIRS_MANY, &mine->next_of_many, &pair);
}

void cw_known_forget(void)
{
    cw_known_seen_t *seen = cw_known_mine;
    for (int client = 0; seen && client < CW_PAIR_CLIENTS; client++)
        seen->pairs[client].changes = 0;
}

// A walk takes 10 us, and some threads' stacks differ at each call.
enum { WALKS_MOST = 4096 };

bool cw_known_in_signal(uintptr_t pointer, const void **interrupted_p)
{
    if (cw_known_mine && cw_known_mine->walks >= WALKS_MOST)
        return false;
    if (cwu_symbol_in_signal(interrupted_p))
        return true;
    cw_known_seen_t *seen = seen_by_me();
    if (seen) {
        seen->walks++;
        seen->stacks[cw_known_stack_place(pointer)] = pointer;
    }
    return false;
}
