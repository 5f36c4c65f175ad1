// SPDX-License-Identifier: BSD-3-Clause
//
// Counters. Always on and cheap: time per start-up phase (startup.h), connections (kept by the
// transport). With CAUSEWAY_STATS also calls, bytes and time per operation class, per routine and
// per peer, from every frame that ends. At finalize they are printed
// (CAUSEWAY_STATS=1: stats_text.c), or written for the whole job as one JSON file
// (CAUSEWAY_STATS=json:PATH: stats_json.c; causeway-stats(5) describes it).
// Threads: any thread may count; all counters are relaxed atomics. Size: 64 bytes per PE,
// only while counting, because the traffic with each is the question.
#ifndef CW_CORE_STATS_H
#define CW_CORE_STATS_H

#include <stdio.h>

#include "core/observe/watch.h"

typedef struct cw_counter {
    _Atomic uint64_t calls, nbytes, ns, max_ns;
} cw_counter_t;

/** A routine of the interface. name NULL: free. */
typedef struct cw_routine {
    _Atomic(const char *) name;
    cw_counter_t count;
    _Atomic uint64_t waited_ns;
} cw_routine_t;

/** What this PE sent to and fetched from one other PE. */
typedef struct cw_peer_count {
    _Atomic uint64_t puts, put_nbytes, gets, get_nbytes, atomics, messages, message_nbytes, ns;
} cw_peer_count_t;

/** Active messages of one kind. */
typedef struct cw_message_count {
    _Atomic uint64_t sent, sent_nbytes, handled, handled_nbytes;
} cw_message_count_t;

enum { CW_ROUTINES = 512 };  // more than a program uses; what does not fit is counted in the last

typedef struct cw_stats {
    cw_counter_t classes[CW_OP_TRANSFERS];
    cw_message_count_t messages[2][CW_MESSAGE_KINDS];  // [request or reply][kind]
    _Atomic uint64_t credit_waits, room_waits;  // requests that waited for a credit; for room at
                                                // the target
    _Atomic uint64_t routed_messages;           // sent along a topology
    cw_routine_t *routines;  // [CW_ROUTINES], NULL when nothing is counted
    cw_peer_count_t *peers;  // [npes], NULL when nothing is counted
    const char *json_path;   // NULL: text
} cw_stats_t;

extern cw_stats_t cw_stats;
/** Active with CAUSEWAY_STATS; a value that it does not know is fatal. Finishing prints or writes,
 *  and is collective when a file is written. */
extern const cw_observer_t cw_stats_observer;
/** "short_request"; or NULL: none was sent or handled. */
const char *cw_stats_message_name(bool is_reply, cw_message_kind_t kind);

int cw_stats_nodes_touched(void);
int cw_stats_peers_touched(void);
/** Resident memory of this process in bytes: now and at most. */
void cw_stats_memory(uint64_t *rss_p, uint64_t *peak_p);

void cw_stats_text(FILE *out);
void cw_stats_json(void);

#endif
