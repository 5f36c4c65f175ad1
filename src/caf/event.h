// SPDX-License-Identifier: BSD-3-Clause
//
// Events as most programs use them: the fast path, inlined into the doors, where nothing can go
// wrong and no image is to be waited for (caf.plain); all else is event.c.
#ifndef CAF_EVENT_H
#define CAF_EVENT_H

#include "caf/transfer.h"
#include "core/rma/amo.h"

/** What the word was; operand and compare have zeros beyond nbytes. In memory of this node a word
 *  that is found as before, and left so, is a test in vain, and so is each fetch of the image's
 *  own: programs ask, and try, in loops. What another node replies has been waited for. */
uint64_t caf_atomic(void *word, cw_amo_op_t op, size_t nbytes, uint64_t operand, uint64_t compare,
                    int pe);

/** event: the symmetric address of a word of 8 bytes of that PE. */
static CW_ALWAYS_INLINE void caf_post(int pe, uint64_t *event)
{
    caf_complete_before();
    cw_amo_signalling(&cw_ctx_default, event, CW_AMO_ADD, sizeof *event, 1, pe);
}

/** Counts an event of this image down that as many posts have reached; false: it waits for some. */
static CW_ALWAYS_INLINE bool caf_take_posts(uint64_t *event, int64_t until)
{
    const int64_t threshold = until < 1 ? 1 : until;
    if ((int64_t)__atomic_load_n(event, __ATOMIC_ACQUIRE) < threshold)
        return false;
    caf_complete_by_amo();
    cw_amo_posting(&cw_ctx_default, event, CW_AMO_ADD, sizeof *event, (uint64_t)-threshold,
                   cw_world.pe);
    return true;
}

#endif
