// SPDX-License-Identifier: BSD-3-Clause
//
// What a PE did over time: CW_SLICES slices of equal length since it joined, each with the time in
// the library, the time in waits, and the bytes moved. A slice doubles in length whenever the job
// outgrows them, so that a record has one size for a job of a millisecond and one of a week, and at
// least half of the slices are in use.
// Threads: any may count. Sums are exact; what is counted while slices double may lie in another
// slice. Blocking: briefly, while another thread doubles.
#include <pthread.h>

#include "core/report/record.h"

#define FIRST_SLICE_NS 1024  // of a job that has just begun: it doubles soon enough

static pthread_mutex_t doubling = PTHREAD_MUTEX_INITIALIZER;  // one thread at a time does

void cw_timeline_open(cw_timeline_t *t)
{
    atomic_store_explicit(&t->slice_ns, FIRST_SLICE_NS, memory_order_relaxed);
}

static uint64_t take(_Atomic uint64_t *slice)
{
    return atomic_exchange_explicit(slice, 0, memory_order_relaxed);
}

static void give(_Atomic uint64_t *slice, uint64_t n)
{
    atomic_fetch_add_explicit(slice, n, memory_order_relaxed);
}

/** Each slice takes two: other threads may add to them meanwhile, and nothing of that is lost. */
static void halve(cw_timeline_t *t)
{
    for (int span = 0; span < CW_SPANS; span++)
        for (int i = 0; i < CW_SLICES; i++) {
            uint64_t n = take(&t->slices[span][i]);
            if (n)
                give(&t->slices[span][i / 2], n);
        }
}

/** The length of slices among which this moment is. */
static uint64_t slice_for(cw_timeline_t *t, uint64_t ns)
{
    uint64_t slice = atomic_load_explicit(&t->slice_ns, memory_order_relaxed);
    if (ns < CW_SLICES * slice)
        return slice;
    pthread_mutex_lock(&doubling);
    slice = atomic_load_explicit(&t->slice_ns, memory_order_relaxed);
    while (ns >= CW_SLICES * slice) {
        slice *= 2;
        atomic_store_explicit(&t->slice_ns, slice, memory_order_relaxed);
        halve(t);
    }
    pthread_mutex_unlock(&doubling);
    return slice;
}

void cw_timeline_add(cw_timeline_t *t, cw_span_t span, uint64_t from_ns, uint64_t to_ns)
{
    uint64_t slice = slice_for(t, to_ns);
    while (from_ns < to_ns) {
        uint64_t i = from_ns / slice, end_ns = (i + 1) * slice;
        end_ns = end_ns < to_ns ? end_ns : to_ns;
        give(&t->slices[span][i], end_ns - from_ns);
        from_ns = end_ns;
    }
}

void cw_timeline_bytes(cw_timeline_t *t, uint64_t at_ns, uint64_t nbytes)
{
    if (nbytes)
        give(&t->slices[CW_SPAN_NBYTES][at_ns / slice_for(t, at_ns)], nbytes);
}
