// SPDX-License-Identifier: BSD-3-Clause
//
// Blocks of equal size.
#include "core/coll/call.h"

void cw_fcollect(const cw_group_t *group, void *dest, const void *src, size_t nbytes)
{
    cw_blocks_t blocks = {.each = nbytes};
    cw_coll_call_t c = {.kind = CW_COLL_fcollect,
                        .group = group,
                        .dest = dest,
                        .src = src,
                        .nbytes = nbytes,
                        .blocks = &blocks};
    cw_coll_run_or_sync(&c);
}
