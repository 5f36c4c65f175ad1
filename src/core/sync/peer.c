// SPDX-License-Identifier: BSD-3-Clause
//
// Transfers of collectives, and the words by which they notify.
#include "core/sync/peer.h"

#include "core/mem/segment.h"
#include "core/path/contact.h"
#include "core/progress/wait.h"
#include "core/rma/amo.h"
#include "core/rma/rma.h"
#include "core/rma/routed.h"
#include "core/sync/marked.h"

static uint64_t offset_of(int pe, const void *symmetric)
{
    return cw_slice_offset((uint32_t)cw_world.slot_of_pe[pe]) +
           ((uintptr_t)symmetric - cw_segment.origin);
}

void *cw_coll_before(int pe, const void *scratch)
{
    return pe == cw_world.pe ? (void *)(uintptr_t)scratch
                             : cw_segment.base + offset_of(pe, scratch);
}

static cwt_conn_t *connection(int pe)
{
    return cw_ctx_conn(&cw_ctx_default, cw_world.node_of_pe[pe]);
}

void cw_coll_put(int pe, void *dest, const void *src, size_t nbytes, bool nbi)
{
    cw_ctx_enter(&cw_ctx_default);
    cw_must(cw_transport->put(connection(pe), offset_of(pe, dest), src, nbytes, nbi),
            "collective put", pe);
    // for quiet, and for progress in waits of this PE
    cw_ctx_mark(&cw_ctx_default);
    cw_ctx_leave(&cw_ctx_default);
}

void cw_coll_put_noted(int pe, void *dest, const void *src, size_t nbytes)
{
    cw_ctx_enter(&cw_ctx_default);
    cw_must(cw_transport->put(connection(pe), offset_of(pe, dest), src, nbytes, false),
            "collective put", pe);
    if (cw_world.nic_atomics || cw_routed_is_on())
        cw_ctx_mark(&cw_ctx_default);  // for the fence before an atomic that is the note
    cw_ctx_leave(&cw_ctx_default);
}

void cw_coll_get_nbi(int pe, void *dest, const void *src, size_t nbytes)
{
    cw_ctx_enter(&cw_ctx_default);
    cw_must(cw_transport->get(connection(pe), offset_of(pe, src), dest, nbytes, true),
            "collective get", pe);
    cw_ctx_mark(&cw_ctx_default);
    cw_ctx_leave(&cw_ctx_default);
}

void cw_coll_put_marked(int pe, void *dest, const void *src, size_t nbytes, long *word, long value)
{
    if (nbytes > CW_MARKED_MOST) {
        // without the fence of cw_marked_put, which waits for an answer: dest has been used up
        cw_coll_put_noted(pe, dest, src, nbytes);
        cw_coll_raise_word(pe, word, value);
        return;
    }
    cw_marked_put(cw_world.node_of_pe[pe], offset_of(pe, dest), src, nbytes, offset_of(pe, word),
                  (uint64_t)value);
}

static void post_word(int pe, long *word, cw_amo_op_t op, long value)
{
    if (cw_world.nic_atomics || cw_routed_is_on())
        cw_fence(&cw_ctx_default);  // else requests are in order behind the puts anyway
    cw_amo_signalling(&cw_ctx_default, word, op, sizeof value, (uint64_t)value, pe);
}

void cw_coll_set_word(int pe, long *word, long value)
{
    if (cw_coll_is_local(pe)) {
        // seq_cst: before the test for sleepers; as a release it pairs with cw_coll_await_word()
        __atomic_exchange_n((long *)cw_coll_at(pe, word), value, __ATOMIC_SEQ_CST);
        cw_local_stored_in_order(pe);
        return;
    }
    post_word(pe, word, CW_AMO_SET, value);
}

void cw_coll_add_word(int pe, long *word, long value)
{
    post_word(pe, word, CW_AMO_ADD, value);
}

void cw_coll_raise_word(int pe, long *word, long value)
{
    cw_marked_put(cw_world.node_of_pe[pe], 0, NULL, 0, offset_of(pe, word), (uint64_t)value);
}

void cw_coll_await_word(const long *word, long value)
{
    cw_wait_t w = CW_WAIT_FOR("a collective", word, sizeof *word);
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) != value)
        cw_wait_round(&w);
    cw_wait_done(&w);
}

void cw_coll_await_at_least(const long *word, long value)
{
    cw_wait_t w = CW_WAIT_FOR("a collective (data from another node)", word, sizeof *word);
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) < value)
        cw_wait_round(&w);
    cw_wait_done(&w);
}
