// SPDX-License-Identifier: BSD-3-Clause
//
// Updates of elements of up to 8 bytes by CPU atomics: of memory that is mapped here, and by the
// node servers of other nodes, many elements with one request. Off the node they complete at the
// next quiet of the default context. Threads: any. Blocking: for room to send, and for old values.
#ifndef DRT_UPDATE_H
#define DRT_UPDATE_H

#include "dart/op.h"

/** Requests of other nodes will be executed: before the first cw_init. */
void drt_updates_expect(void);

/** One element, aligned; returns what it was. */
uint64_t drt_update_here(void *p, size_t nbytes, cw_reduce_fn fn, uint64_t operand);

/** Elements of one type behind each other. */
typedef struct drt_bulk {
    const char *call;
    int pe;
    char *far;           // symmetric, aligned
    const void *values;  // NULL for DART_OP_NO_OP
    size_t n;
    dart_datatype_t type;
    dart_operation_t op;
} drt_bulk_t;

void drt_update_bulk(const drt_bulk_t *b);
/** Of one element; returns what it was. */
uint64_t drt_update_fetching(const drt_bulk_t *b);

#endif
