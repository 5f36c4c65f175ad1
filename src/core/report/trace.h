// SPDX-License-Identifier: BSD-3-Clause
//
// CAUSEWAY_TRACE=FILE: every routine, transfer and wait as a span, in the JSON form that Perfetto
// (ui.perfetto.dev) and chrome://tracing show: a process per PE, a track per thread. Spans go into
// a buffer of CAUSEWAY_TRACE_EVENTS per PE; when it is full further ones are dropped and counted.
// PE 0 writes the file at finalize.
// Threads: any thread may add.
#ifndef CW_CORE_TRACE_H
#define CW_CORE_TRACE_H

#include "core/observe/watch.h"

/** Active with CAUSEWAY_TRACE. Finishing writes the file and is collective. */
extern const cw_observer_t cw_trace_observer;

#endif
