// SPDX-License-Identifier: BSD-3-Clause
//
// Counts on PE 0 by atomics.
#include "core/sync/rendezvous.h"

#include "core/progress/wait.h"
#include "core/rma/context.h"
#include "core/sync/peer.h"

uint64_t cw_rendezvous_ask(uint64_t *word, cw_amo_op_t op, uint64_t value, int pe)
{
    if (cw_world.nic_atomics || !cw_coll_is_local(pe))
        return cw_amo_fetching(&cw_ctx_default, word, op, sizeof *word, value, 0, pe);
    uint64_t before = cw_amo_local(cw_coll_before(pe, word), op, sizeof *word, value, 0);
    cw_local_stored(pe);
    return before;
}

uint64_t cw_rendezvous_count(uint64_t *count, uint64_t n)
{
    return cw_rendezvous_ask(count, CW_AMO_ADD, n, 0) + n;
}

void cw_rendezvous_await(uint64_t *count, uint64_t n, const char *call)
{
    cw_wait_t w = CW_WAIT_INIT(call);
    while (cw_rendezvous_ask(count, CW_AMO_FETCH, 0, 0) < n)
        cw_wait_round(&w);
    cw_wait_done(&w);
}
