// SPDX-License-Identifier: BSD-3-Clause
//
// Locates the parts that are loaded at run time. Threads: any. Blocking: never.
#ifndef CW_BASE_INSTALL_H
#define CW_BASE_INSTALL_H

#include <limits.h>
#include <stdbool.h>

/** Finds lib/causeway/NAME: beside this library; in lib/ beside bin/ for a program that contains
 *  the library; in the configured installation directory. False when none has it; path is then the
 *  last one. */
bool cwu_install_find(const char *name, char path[PATH_MAX]);

#endif
