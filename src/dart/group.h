// SPDX-License-Identifier: BSD-3-Clause
//
// Groups: sets of units, in ascending order. Threads: a group at one time by one thread.
#ifndef DRT_GROUP_H
#define DRT_GROUP_H

#include "dart/drt.h"

struct dart_group_struct {
    size_t n, capacity;
    dart_unit_t *units;  // [n], ascending
};

/** An empty group with room for n units; NULL: no memory. */
dart_group_t drt_group_make(size_t n);
/** Behind all that it has. */
static inline void drt_group_append(dart_group_t group, dart_unit_t unit)
{
    group->units[group->n++] = unit;
}

#endif
