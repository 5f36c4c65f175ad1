// SPDX-License-Identifier: BSD-3-Clause
//
// What a PE does at this moment, in its own words, for the report that a user asks for (SIGURG to
// the PE; Ctrl-C, a time-out and --report of oshrun). The PE's signal handler writes its state
// (core/report/ask.c), the asker prints those of all PEs: oshrun from the job object, under other
// launchers a PE of each node from the node object.
#ifndef CW_BOOTSTRAP_STATE_H
#define CW_BOOTSTRAP_STATE_H

#include "base/compiler.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cwb_state {
    CW_CACHE_ALIGNED _Atomic uint32_t asked;  // counts questions; by the asker
    _Atomic uint32_t replied;                 // the last question that the rest replies to
    uint32_t printed;                         // for the asker
    _Atomic int32_t pid;                      // 0: it has no handler, or has left
    uint64_t at_ns, since_ns;  // CLOCK_MONOTONIC: of the reply; of the wait, 0: it does not wait
    char does[240];            // "shmem_barrier_all, called from main+0x1c (ring.c:14)"
    char wants[228];           // what it waits for; or ""
    char word[8];              // "image", which count from 1; or "": a PE
    _Atomic int32_t follows;   // the signal for which the handler waits; 0: none, or sent
} cwb_state_t;
_Static_assert(sizeof(cwb_state_t) == 512, "shared between processes");

/** States to be printed. silent: fills in what is to be said of a PE that has not replied; false:
 *  nothing. put: takes a line without its end. */
typedef struct cwb_states {
    cwb_state_t *first;
    int count;
    const int *pe_of;  // by index; NULL: the index itself
    bool (*silent)(void *arg, int index, char *text, size_t nbytes);
    void (*put)(const char *line);
    void *arg;
} cwb_states_t;

/** One line for each text, with all PEs that have it: "PEs 0, 2-63: in ...", or images where the
 *  first that has replied is one. Takes no memory. */
void cwb_states_print(const cwb_states_t *states);
/** Adds PEs in a row to a list, which begins as "": "0, 2-63". A list that gets too long ends with
 *  "...". */
void cwb_list_add(char *list, size_t nbytes, int first, int last);
/** Has it replied to the last question? */
static inline bool cwb_state_is_fresh(const cwb_state_t *s)
{
    // pairs with the handler, which has written the rest before
    return atomic_load_explicit(&s->replied, memory_order_acquire) ==
           atomic_load_explicit(&s->asked, memory_order_relaxed);
}

#endif
