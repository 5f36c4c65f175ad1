// SPDX-License-Identifier: BSD-3-Clause
//
// PEs that were killed while the others go on, by the launcher's word. Their memory changes no
// more. Threads: any.
#ifndef CW_CORE_DEATHS_H
#define CW_CORE_DEATHS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "core/world/job.h"

/** This PE's death by a signal no longer ends the job, unless it hosts the server of one node among
 *  several. False: under this launcher it does. */
bool cw_outlive(void);
static inline uint32_t cw_deaths(void)
{
    // pairs with oshrun's count, which comes after the signal
    return cw_boot.deaths ? atomic_load_explicit(cw_boot.deaths, memory_order_acquire) : 0;
}
/** 0, or the signal. */
static inline int cw_killed_by(int pe)
{
    return cw_deaths() ? cw_boot.ops->killed_by(&cw_boot, pe) : 0;
}
/** This PE's death ends the job again. */
void cw_outlive_no_more(void);

#endif
