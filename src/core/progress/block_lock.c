// SPDX-License-Identifier: BSD-3-Clause
//
// The table of locks, and waiting for one.
#include "core/progress/block_lock.h"

#include "core/progress/hooks.h"

static uint64_t table_nbytes(void)
{
    return sizeof(cw_block_lock_t) << CW_BLOCK_LOCKS_SHIFT;
}

cw_section_t cw_block_section = {.in = CW_SECTION_CONTROL, .align = 64, .nbytes = table_nbytes};

static void look_at_neighbours(void)
{
    (void)cw_progress_hooks.mind_neighbours();
}

void cw_block_lock_take(cwu_lock_t *lock)
{
    if (CW_UNLIKELY(!cwu_trylock(lock)))
        cwu_lock_slowly_and(lock, look_at_neighbours);
}
