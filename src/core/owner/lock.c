// SPDX-License-Identifier: BSD-3-Clause
//
// Locks of a PE's memory: atomics on a word there.
#include "core/owner/lock.h"

#include "core/progress/wait.h"
#include "core/rma/amo.h"

static uint64_t ask(uint64_t *word, cw_amo_op_t op, uint64_t operand, int pe)
{
    return cw_amo_fetching(&cw_ctx_default, word, op, sizeof *word, operand, 0, pe);
}

void cw_owner_lock(const char *call, uint64_t *word, int pe)
{
    cw_wait_t w = CW_WAIT_INIT(call);
    // Looks between tries: on a node a try rings the bell by which this wait sleeps.
    while (ask(word, CW_AMO_CSWAP, 1, pe) != 0)
        do
            cw_wait_round(&w);
        while (ask(word, CW_AMO_FETCH, 0, pe) != 0);
    cw_wait_done(&w);
}

void cw_owner_unlock(uint64_t *word, int pe)
{
    ask(word, CW_AMO_SWAP, 0, pe);
}
