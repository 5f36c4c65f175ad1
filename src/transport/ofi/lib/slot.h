// SPDX-License-Identifier: BSD-3-Clause
//
// Gives one library another function in place of one that it calls from elsewhere, for the moment:
// in the slot of its own table through which it calls that function. Nobody else's calls are
// touched. Where there is no such slot (another processor, another way of linking), nothing
// happens.
//
// The library must stay loaded meanwhile. Threads: one at a time for a slot; the library's own may
// call at any time.
#ifndef CWT_OFI_SLOT_H
#define CWT_OFI_SLOT_H

#include <stdbool.h>
#include <stdint.h>

typedef void ofi_fn_t(void);

typedef struct ofi_slot {
    ofi_fn_t **at;  // NULL: not diverted
    ofi_fn_t *old;
    bool shut;  // lies in pages that are read-only since the library was loaded
} ofi_slot_t;

/** library: as dlopen gave it. False: it does not call `name` through a slot that can be found. */
bool ofi_slot_divert(ofi_slot_t *slot, void *library, const char *name, ofi_fn_t *fn);
void ofi_slot_restore(ofi_slot_t *slot);

#endif
