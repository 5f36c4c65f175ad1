// SPDX-License-Identifier: BSD-3-Clause
//
// Texts of any length from all PEs to PE 0, PE by PE, at the end of a job: through a page of each
// PE in the node object (core/report/report.h), so that the program's heap is not touched. A PE
// fills its page; PE 0 takes it (a get from the node object of another node) and acknowledges it;
// and so on. One page a PE is all the memory that this takes. Collective; waits. Threads: one.
#ifndef CW_CORE_PARCEL_H
#define CW_CORE_PARCEL_H

#include <stddef.h>
#include <stdint.h>

/** Writes the next piece, at most capacity bytes; 0: that was all. */
typedef size_t cw_parcel_source_fn(void *arg, char *text, size_t capacity);
/** On PE 0: gets the pieces of PE 0, then of PE 1, ... */
typedef void cw_parcel_sink_fn(void *arg, const char *text, size_t nbytes);

/** At init, before the PEs of the node wait for one another. */
void cw_parcel_open(void);

void cw_parcel_gather(cw_parcel_source_fn *source, void *source_arg, cw_parcel_sink_fn *sink,
                      void *sink_arg);

/** A source that is a text in memory. */
typedef struct cw_parcel_text {
    const char *text;
    size_t nbytes;  // left
} cw_parcel_text_t;
size_t cw_parcel_from_text(void *arg, char *text, size_t capacity);

/**
 * Nanoseconds to add to this PE's cwu_now_ns() for the time since `origin_ns` on PE 0's clock.
 * Exact on one machine (one monotonic clock); else estimated by PE 0 as in NTP: the quickest of
 * some round trips, half of which is the error. Collective the first time; kept from then on.
 */
int64_t cw_parcel_clock_offset(uint64_t origin_ns);

#endif
