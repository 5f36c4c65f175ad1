// SPDX-License-Identifier: BSD-3-Clause
//
// Where the parts that are loaded at run time lie. Threads: any. Blocking: never.
#ifndef CW_BASE_INSTALL_H
#define CW_BASE_INSTALL_H

#include <limits.h>
#include <stdbool.h>

/** Finds lib/causeway/NAME: beside this library; in lib/ beside bin/ for a program that contains
 *  the library; where it was to be installed. False when it is nowhere; path is then the last
 *  place. */
bool cwu_install_find(const char *name, char path[PATH_MAX]);

#endif
