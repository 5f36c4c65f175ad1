// SPDX-License-Identifier: BSD-3-Clause
//
// An array in nearly equal parts.
#ifndef CW_CORE_COLL_PARTS_H
#define CW_CORE_COLL_PARTS_H

#include <stddef.h>

#define CW_PART_ALIGN 64u  // of parts of an aligned array

/** Part i of nparts of nelems elements is [*first_p, *last_p): whole cache lines, except at the
 *  end. */
static inline void cw_part_of(size_t nelems, size_t elem_nbytes, int i, int nparts, size_t *first_p,
                              size_t *last_p)
{
    size_t unit = elem_nbytes < CW_PART_ALIGN ? CW_PART_ALIGN / elem_nbytes : 1;
    size_t units = (nelems + unit - 1) / unit;
    size_t each = units / (size_t)nparts, more = units % (size_t)nparts, n = (size_t)i;
    size_t first = (n * each + (n < more ? n : more)) * unit,
           last = first + (each + (n < more)) * unit;
    *first_p = first < nelems ? first : nelems;
    *last_p = last < nelems ? last : nelems;
}

#endif
