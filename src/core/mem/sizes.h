// SPDX-License-Identifier: BSD-3-Clause
//
// Sizes of a PE's slice that are chosen at start, without communication: PEs of one job come to the
// same ones, or find in the agreement (core/world/agreement.h) that they did not.
#ifndef CW_CORE_SIZES_H
#define CW_CORE_SIZES_H

#include <stdbool.h>
#include <stdint.h>

#include "bootstrap/bootstrap.h"

typedef struct cw_sizes {
    uint64_t heap, area;
    bool sparse;  // little of them may ever be used
} cw_sizes_t;

/** By the settings, the machine's memory and the limit on addresses. Places are known
 *  (core/world/place.h). 0, or CW_ENOMEM: what the user asked for does not fit, reported. */
int cw_sizes_choose(const cwb_t *boot, uint64_t data_nbytes, cw_sizes_t *sizes_p);

#endif
