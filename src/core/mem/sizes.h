// SPDX-License-Identifier: BSD-3-Clause
//
// Sizes of a slice, chosen without communication; core/world/agreement.h finds differences.
#ifndef CW_CORE_SIZES_H
#define CW_CORE_SIZES_H

#include <stdbool.h>
#include <stdint.h>

#include "bootstrap/bootstrap.h"

typedef struct cw_sizes {
    uint64_t heap, area;
    bool sparse;  // little of them may be used
} cw_sizes_t;

/** By settings, machine and limit on addresses, after core/world/place.h. 0, or CW_ENOMEM: the user
 *  asks for too much, reported. */
int cw_sizes_choose(const cwb_t *boot, uint64_t data_nbytes, cw_sizes_t *sizes_p);

#endif
