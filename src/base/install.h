// SPDX-License-Identifier: BSD-3-Clause
//
// Locates the parts that are loaded at run time, and loads libraries of others. Threads: any.
// Blocking: as dlopen(3).
#ifndef CW_BASE_INSTALL_H
#define CW_BASE_INSTALL_H

#include <limits.h>
#include <stdbool.h>

/** Finds lib/causeway/NAME: beside this library; where lib is seen from bin, for a program there
 *  that contains the library; in the configured installation directory. False when none has it;
 *  path is then the last one. */
bool cwu_install_find(const char *name, char path[PATH_MAX]);

/** dlopen(3), which a program that is linked statically is refused: the library would bring a
 *  second C library, without the environment and the threads of the first, and crash. */
void *cwu_load(const char *file, int mode);

/** Why cwu_load, or dlopen(3) or dlsym(3), returned NULL. */
const char *cwu_load_error(void);

#endif
