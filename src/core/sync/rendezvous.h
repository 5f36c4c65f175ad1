// SPDX-License-Identifier: BSD-3-Clause
//
// Counts of PEs that come one by one to the end of a job, by atomics on words of one PE. No PE
// attends, and nothing is under way when a call returns. Words are symmetric, of 8 bytes, zero from
// the start, usable before PEs have gathered. core/mem/gather.h and core/report count by
// themselves: before there is a context, or amid any wait. Threads: any.
#ifndef CW_CORE_RENDEZVOUS_H
#define CW_CORE_RENDEZVOUS_H

#include <stdint.h>

#include "core/rma/amo.h"

/** Returns the value before; CW_AMO_CSWAP compares with 0. */
uint64_t cw_rendezvous_ask(uint64_t *word, cw_amo_op_t op, uint64_t value, int pe);
/** On PE 0; returns the sum. */
uint64_t cw_rendezvous_count(uint64_t *count, uint64_t n);
/** Until PE 0's count is n at least. [waits] */
void cw_rendezvous_await(uint64_t *count, uint64_t n, const char *call);

#endif
