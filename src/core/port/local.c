// SPDX-License-Identifier: BSD-3-Clause
//
// Copies that are not inlined.
#include "core/port/local.h"

#include "core/port/check.h"

void cw_copy_long(void *dest, const void *src, size_t nbytes)
{
    if (CW_UNLIKELY(nbytes > PTRDIFF_MAX))
        cw_count_refused(nbytes);
    cw_copy_part(dest, src, nbytes, 2 * nbytes);
}

void cw_put_and_wake(void *dest, const void *src, size_t nbytes, int rank, cw_ctx_t *ctx)
{
    cw_copy(dest, src, nbytes);
    cw_ctx_stored(ctx, rank);
}
