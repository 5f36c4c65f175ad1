// SPDX-License-Identifier: BSD-3-Clause
//
// Counting PEs that come one by one to the end of a job: on words of one PE, changed by atomics
// that its CPU or its node server executes. No PE needs to attend, and when a call returns nothing
// of it is under way. The words are symmetric, of 8 bytes and zero from the start; they may be used
// before the PEs of the node have gathered (core/mem/gather.h). That one, and the parcels of
// core/report, count by themselves: they run before there is a context, or in the middle of any
// wait, and within a node need no atomics of another PE's.
// Threads: any.
#ifndef CW_CORE_RENDEZVOUS_H
#define CW_CORE_RENDEZVOUS_H

#include <stdint.h>

#include "core/rma/amo.h"

/** An atomic on the word of any PE. Returns the value before; CW_AMO_CSWAP compares with 0. */
uint64_t cw_rendezvous_ask(uint64_t *word, cw_amo_op_t op, uint64_t value, int pe);
/** Adds n to PE 0's count; returns the sum. */
uint64_t cw_rendezvous_count(uint64_t *count, uint64_t n);
/** Waits until PE 0's count is n at least. [waits] */
void cw_rendezvous_await(uint64_t *count, uint64_t n, const char *call);

#endif
