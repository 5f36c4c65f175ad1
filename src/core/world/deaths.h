// SPDX-License-Identifier: BSD-3-Clause
//
// PEs that were killed while the others go on, as the launcher tells. What such a PE has written
// into its memory before is there, and changes no more by its doing. Threads: any.
#ifndef CW_CORE_DEATHS_H
#define CW_CORE_DEATHS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "core/world/job.h"

/** From here on the death of this PE by a signal does not end the job, unless the PE hosts the
 *  server of one node among several. False: this launcher ends it in any case. */
bool cw_outlive(void);
/** How many there are. */
static inline uint32_t cw_deaths(void)
{
    // pairs with oshrun's count, which comes after the signal
    return cw_boot.deaths ? atomic_load_explicit(cw_boot.deaths, memory_order_acquire) : 0;
}
/** 0, or the signal that has killed the PE. */
static inline int cw_killed_by(int pe)
{
    return cw_deaths() ? cw_boot.ops->killed_by(&cw_boot, pe) : 0;
}
/** The death of this PE ends the job again. */
void cw_outlive_no_more(void);

#endif
