// SPDX-License-Identifier: BSD-3-Clause
//
// What statistics and trace keep of a PE, as plain data: one region, which oshrun lends from an
// object of its own, so that it outlives a PE that is killed; under other launchers private memory.
//
//   0           cw_record_t
//   routines    cw_routine_t[CW_ROUTINES]
//   peers       cw_peer_count_t[npes]
//   names       char[CW_TRACE_NAMES][CW_NAME_NBYTES]
//   events      cw_event_t[capacity]
//
// What prints a record takes it as it is (cw_view_t), and knows nothing of the process that made
// it: PE 0 prints records that others have sent, oshrun those of a job that has failed. Numbers in
// a region may then be anything; they are checked before they lead anywhere.
// Threads: any may count, by relaxed atomics.
#ifndef CW_CORE_RECORD_H
#define CW_CORE_RECORD_H

#include <stdbool.h>
#include <stdio.h>

#include "core/forward/forwarding.h"
#include "core/mem/arena.h"
#include "core/observe/observer.h"
#include "core/path/bundle.h"
#include "core/world/startup.h"
#include "transport/transport.h"

#define CW_RECORD_MAGIC UINT64_C(0x3230524357534143)  // "CASWCR02"

enum {
    CW_SLICES = 128,    // of the timeline: 64 or more are in use, which suits a page's width
    CW_ROUTINES = 512,  // more than a program uses; what does not fit is counted in the last
    CW_TRACE_NAMES = 1024,
    CW_NAME_NBYTES = 64,
    CW_PATH_NBYTES = 1024
};

typedef struct cw_counter {
    _Atomic uint64_t calls, nbytes, ns, max_ns;
} cw_counter_t;

/** A routine of the interface. key NULL: free. */
typedef struct cw_routine {
    _Atomic(const char *) key;  // its name in the process that counts
    cw_counter_t count;
    _Atomic uint64_t waited_ns, known_ns;  // known: for a lock, a message, a word
    char name[CW_NAME_NBYTES];
} cw_routine_t;

/** What this PE sent to and fetched from one other PE, and waited for it, where that is known. */
typedef struct cw_peer_count {
    _Atomic uint64_t puts, put_nbytes, gets, get_nbytes, atomics, messages, message_nbytes, ns,
        waited_ns;
    _Atomic int64_t pe;
} cw_peer_count_t;

/** What a PE did over time, in slices of one length, which doubles as the job goes on. */
typedef enum cw_span { CW_SPAN_LIBRARY, CW_SPAN_WAITING, CW_SPAN_NBYTES, CW_SPANS } cw_span_t;
typedef struct cw_timeline {
    _Atomic uint64_t slice_ns, slices[CW_SPANS][CW_SLICES];
} cw_timeline_t;

/** Active messages of one kind. */
typedef struct cw_message_count {
    _Atomic uint64_t sent, sent_nbytes, handled, handled_nbytes;
} cw_message_count_t;

/** A span. It begins with ns CW_EVENT_OPEN. start_ns 0: not written. */
typedef struct cw_event {
    uint64_t start_ns, ns, nbytes;
    int32_t pe;
    uint32_t flow;  // number of a message between two PEs; 0: none
    uint16_t name, thread;
    uint8_t op, is_reply;
    uint16_t unused;
} cw_event_t;
_Static_assert(sizeof(cw_event_t) == 40, "what CAUSEWAY_TRACE_EVENTS costs each");
#define CW_EVENT_OPEN UINT64_MAX
#define CW_EVENT_SENT (CW_OP_HANDLER + 1)  // op: no span, but a message that was sent

/** What other rooms count, as of some moment. */
typedef struct cw_figures {
    uint64_t rss, peak_rss, startup_ns[CW_PHASES], woken, late;
    cw_heap_stats_t heap;
    cwt_stats_t client, server;
    cw_bundle_stats_t bundles;
    cw_forwarding_stats_t forwarding;
    int32_t nodes_touched;
    char exchange[16], fabric[16], launcher[16], arrivals[16];
} cw_figures_t;

/** Of statistics, and of the trace. */
typedef enum cw_record_state { CW_RECORD_NONE, CW_RECORD_OPEN, CW_RECORD_DONE } cw_record_state_t;

typedef struct cw_record {
    uint64_t magic, nbytes;
    int32_t pe, npes, nnodes, node, slot, pid;
    char host[64], program[256];
    uint64_t begin_ns;                                  // of the call that joins
    char stats[CW_PATH_NBYTES], trace[CW_PATH_NBYTES];  // as set; paths are absolute
    _Atomic uint32_t stats_state, trace_state;          // cw_record_state_t
    _Atomic uint64_t last_ns;                           // when something was counted
    int64_t offset_ns;  // from this PE's clock to the time since PE 0 joined
    cw_timeline_t timeline;
    cw_figures_t figures;
    cw_counter_t classes[CW_OP_TRANSFERS];
    cw_message_count_t messages[2][CW_MESSAGE_KINDS];  // [request or reply][kind]
    _Atomic uint64_t credit_waits, room_waits;  // requests that waited for a credit; for room at
                                                // the target
    _Atomic uint64_t routed_messages;           // sent along a topology
    uint64_t capacity;                          // events
    _Atomic uint64_t added;                     // to them, including the dropped ones
    uint64_t is_packed, nroutines, npeers;      // the last two: if it is
} cw_record_t;

/** A record and its tables. */
typedef struct cw_view {
    cw_record_t *head;
    cw_routine_t *routines;
    cw_peer_count_t *peers;
    char (*names)[CW_NAME_NBYTES];
    cw_event_t *events;
    uint64_t nroutines, npeers, capacity;
} cw_view_t;

/** Bytes of a region. */
uint64_t cw_record_nbytes(int npes, uint64_t capacity);
/** The tables of a region of room bytes that was filled in. False: it is none. */
bool cw_record_view(void *region, uint64_t room, cw_view_t *view_p);
/** Bytes of a record without a trace, and without what is 0. */
uint64_t cw_record_packed_nbytes(const cw_view_t *view);
void cw_record_pack(const cw_view_t *view, void *packed);

/** "short_request", by [request or reply][kind] as one index; or NULL: none was sent or handled. */
const char *cw_message_name(const cw_message_count_t *count, int index);
bool cw_peer_is_touched(const cw_peer_count_t *peer);
/** From the call that joins until something was counted last. */
uint64_t cw_record_elapsed_ns(const cw_record_t *record);
/** The bytes of transfers and messages; an atomic counts 8. */
uint64_t cw_peer_nbytes(const cw_peer_count_t *peer);

// ---------------------------------------------------------------- counting over time

void cw_timeline_open(cw_timeline_t *timeline);
/** Times since the PE joined. */
void cw_timeline_add(cw_timeline_t *timeline, cw_span_t span, uint64_t from_ns, uint64_t to_ns);
/** Bytes that were moved at a moment. */
void cw_timeline_bytes(cw_timeline_t *timeline, uint64_t at_ns, uint64_t nbytes);

// ---------------------------------------------------------------- what prints records

/** Opens a file to be written, compressed if its name ends with ".gz". NULL with errno: ELIBACC,
 *  zlib is not here. */
FILE *cw_report_file(const char *path);

/** The path in CAUSEWAY_STATS=json:PATH, html:PATH or html; NULL: it names no file. */
const char *cw_stats_path(const char *setting);
/** The statistics as a file: JSON, or a page in HTML with this JSON in it. recovered: not by the
 *  job itself. */
void cw_stats_file_begin(FILE *out, const char *setting, const cw_view_t *first, bool recovered);
void cw_stats_file_end(FILE *out, const char *setting);

/** The page before and behind the JSON: tools/page.html. */
extern const char *const cw_job_page[2];

void cw_stats_json_begin(FILE *out, const cw_view_t *first, bool recovered);
void cw_stats_json_pe(FILE *out, const cw_view_t *view, bool is_first);
void cw_stats_json_end(FILE *out);

/** CAUSEWAY_STATS=pes: lines for one PE. */
void cw_stats_text(FILE *out, const cw_view_t *view);

/** CAUSEWAY_STATS=1: what all PEs did together, where they differ, and which wait for which. */
typedef struct cw_page cw_page_t;
/** NULL: out of memory, as everywhere here. */
cw_page_t *cw_page_new(void);
void cw_page_add(cw_page_t *page, const cw_view_t *view);
void cw_page_print(FILE *out, cw_page_t *page, bool recovered);
void cw_page_free(cw_page_t *page);

/** CAUSEWAY_TRACE: text in pieces. */
typedef struct cw_trace_text {
    const cw_view_t *view;
    uint64_t next, count;
    int64_t offset_ns;  // to be added to the record's times
    bool is_first, head_done;
    uint64_t sampled_ns, totals[3];  // of the counters
} cw_trace_text_t;
void cw_trace_begin(FILE *out);
void cw_trace_text_open(cw_trace_text_t *text, const cw_view_t *view, int64_t offset_ns,
                        bool is_first);
/** The next piece, at most room bytes; 0: that was all. */
size_t cw_trace_text_next(void *text, char *piece, size_t room);
void cw_trace_end(FILE *out);

#endif
