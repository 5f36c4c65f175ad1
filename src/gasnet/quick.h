// SPDX-License-Identifier: BSD-3-Clause
//
// The short ways of transfers. A node's word (gas.h) says whether its memory is mapped here, or
// leads to a record of the transport's; while nobody looks on, that is all there is to look at.
#ifndef GAS_QUICK_H
#define GAS_QUICK_H

#include "gasnet/gas.h"

#define GAS_QUICK static inline __attribute__((always_inline))

/** Is the memory mapped here, and nobody to be woken behind a store? */
GAS_QUICK bool gas_is_near(uintptr_t word)
{
    return !(word & 3);
}

/** The record of a node that was reached before, or NULL. */
GAS_QUICK cwt_target_t *gas_far(uintptr_t word)
{
    cwt_target_t *far = (cwt_target_t *)(word - 1);
    return (word & 1) && CW_LIKELY(far->conn != NULL) ? far : NULL;
}

/** What every put that was handed over leaves behind: marks that a quiet looks for. */
GAS_QUICK void gas_mark(cwt_target_t *far, uintptr_t word)
{
    __atomic_store_n(&far->last, word, __ATOMIC_RELEASE);
    cw_ctx_mark_word(&cw_hot, word);
}

/** To another node (bit 0 of its word is set): up to 8 bytes, or up to gas.inject. src is free when
 *  it returns. */
GAS_QUICK void gas_inject(uintptr_t word, void *dest, const void *src, size_t nbytes)
{
    cwt_target_t *far = (cwt_target_t *)(word - 1);
    ssize_t rc =
        far->inject(far->ep, src, nbytes, far->fabric_addr, (uintptr_t)dest + far->base, far->key);
    gas_mark(far, word);
    if (CW_UNLIKELY(rc != 0))
        cw_owner_put(far, dest, src, nbytes, false);
    else if (CW_UNLIKELY(cw_ctx_room_is_used_up(&cw_hot)))
        cw_put_scalar_drain(&cw_ctx_default);
}

#endif
