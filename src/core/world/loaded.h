// SPDX-License-Identifier: BSD-3-Clause
//
// Was this library loaded with the program, or by dlopen later? Threads: any. Allocates.
#ifndef CW_CORE_LOADED_H
#define CW_CORE_LOADED_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/** In the program's file, needed by the program, directly or not, or preloaded. */
bool cw_loaded_with_program(void);

/** Of an object's dynamic section: loaders relocate these, or leave them relative. */
static inline uintptr_t cw_loaded_pointer(const struct dl_phdr_info *info, uintptr_t at)
{
    return at < info->dlpi_addr ? at + info->dlpi_addr : at;
}

#endif
