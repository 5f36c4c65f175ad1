// SPDX-License-Identifier: BSD-3-Clause
//
// Another function for the calls of one library, and of no other.
//
// Threads: one at a time for a diverted function; the library may call it meanwhile. Blocking:
// never.
#ifndef CWT_OFI_DIVERT_H
#define CWT_OFI_DIVERT_H

#include <stdbool.h>

typedef void ofi_fn_t(void);

typedef struct ofi_diverted {
    ofi_fn_t **at;  // NULL: not diverted
    ofi_fn_t *old;
    bool shut;  // lies in pages that are read-only since the library was loaded
} ofi_diverted_t;

/** library: as dlopen gave it; it must stay loaded. False: it does not call `name` through an entry
 *  that can be found. */
bool ofi_divert(ofi_diverted_t *d, void *library, const char *name, ofi_fn_t *fn);
void ofi_restore(ofi_diverted_t *d);

#endif
