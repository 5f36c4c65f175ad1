// SPDX-License-Identifier: BSD-3-Clause
//
// The table of transports (transports.c), by name.
#ifndef CW_TRANSPORT_TABLE_H
#define CW_TRANSPORT_TABLE_H

#include "transport/transport.h"

/** For tests: operations are delayed, reordered and overlooked as far as this contract allows
 *  (delay/). */
typedef struct cwt_delay_config {
    const char *spec;  // "SEED:MICROSECONDS"; seed 0: draw one from `job`
    const char *job;   // any text that is the same on all PEs
    const char *log;   // path (the PE's number is appended) of a line per operation, or NULL
    int pe;
} cwt_delay_config_t;

/** The transport of that name; with delay (or NULL), behind the one that delays it. Once a process,
 *  before anything is opened. CW_ENOENT (reported): there is none of that name; CW_EINVAL
 *  (reported): the spec is no spec. */
int cwt_find(const char *name, const cwt_delay_config_t *delay, const cwt_ops_t **ops_p);
/** The parts of a spec, or CW_EINVAL (reported). */
int cwt_delay_read(const char *spec, uint64_t *seed_p, uint64_t *max_ns_p);

#endif
