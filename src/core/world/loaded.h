// SPDX-License-Identifier: BSD-3-Clause
//
// Was this library loaded with the program, before main, or by a call to dlopen later on? Threads:
// any. Waits for no PE; allocates.
#ifndef CW_CORE_LOADED_H
#define CW_CORE_LOADED_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/** The program brings the library: it is in the program's file, or the program needs it, directly
 *  or through other libraries, or it was preloaded. An interpreter that opens it does not. */
bool cw_loaded_with_program(void);

/** A pointer of an object's dynamic section: loaders relocate these, or leave them relative. */
static inline uintptr_t cw_loaded_pointer(const struct dl_phdr_info *info, uintptr_t at)
{
    return at < info->dlpi_addr ? at + info->dlpi_addr : at;
}

#endif
