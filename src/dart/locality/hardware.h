// SPDX-License-Identifier: BSD-3-Clause
//
// The machine that this process runs on: by hwloc, if the library was built with its header and
// finds it (loaded at the first question), else from /sys and /proc.
// Threads: any. Blocking: never, but the first question reads files for some milliseconds.
#ifndef DRT_HARDWARE_H
#define DRT_HARDWARE_H

#include "dart/drt.h"

/** What a unit on that hardware thread has: parts of the machine that it is in are its scopes, from
 *  the core outwards. Fatal: out of memory. */
void drt_hardware_of(int cpu, dart_hwinfo_t *info_p);

// ---- hwloc.c
/** Fills in what hwloc knows. False: it knows nothing. */
bool drt_hwloc_of(int cpu, dart_hwinfo_t *info);

/** Adds a scope, the next outer one. */
static inline void drt_add_scope(dart_hwinfo_t *info, dart_locality_scope_t scope, int index)
{
    if (info->num_scopes < DART_LOCALITY_MAX_DOMAIN_SCOPES)
        info->scopes[info->num_scopes++] = (dart_locality_scope_pos_t){scope, index};
}

#endif
