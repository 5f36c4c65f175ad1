// SPDX-License-Identifier: BSD-3-Clause
//
// What libfabric reads of the environment while a thread of ours loads it: as it was when the job
// was joined.
//
// It asks for a hundred variables then. The program knows of no such thread, and may set variables
// at that very moment, which gives back the memory that getenv reads. So libfabric, and the library
// of verbs below it, get a getenv of ours for that time. (What the constructors of libraries ask
// for, half a dozen variables, comes too early for that.)
//
// Threads: under choose.c's lock. Blocking: never.
#ifndef CWT_OFI_SETTINGS_H
#define CWT_OFI_SETTINGS_H

/** After dlopen, around the first fi_getinfo. Without a copy (cwu_env_keep) nothing happens. */
void ofi_settings_give(void *libfabric);
void ofi_settings_take_back(void);

#endif
