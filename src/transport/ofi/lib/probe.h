// SPDX-License-Identifier: BSD-3-Clause
//
// What libfabric is spared while it loads and looks for devices for the first time. CAUSEWAY_PROBE
// decides; probe.c has the reasons and what each part saves.
//
// Threads: under choose.c's lock; the library's own threads may call meanwhile. Blocking: never.
#ifndef CWT_OFI_PROBE_H
#define CWT_OFI_PROBE_H

#include <stdbool.h>

/** dlopen of libfabric, with stand-ins for libraries of devices that this machine does not have.
 *  NULL: dlerror() says why. */
void *ofi_probe_load(const char *path);
/** Around the first fi_getinfo, with what ofi_probe_load returned. */
void ofi_probe_begin(void *libfabric);
void ofi_probe_end(void);

/** Is the costly part of the search spared? */
bool ofi_probe_is_short(void);
/** From here on the library finds no list of the kernel's names; until ofi_probe_show_names. */
void ofi_probe_hide_names(void *library);
void ofi_probe_show_names(void);

#endif
