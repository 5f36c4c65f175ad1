// SPDX-License-Identifier: BSD-3-Clause
//
// Was this library loaded with the program, before main, or by a call to dlopen later on? Threads:
// any. Waits for no PE; allocates.
#ifndef CW_CORE_LOADED_H
#define CW_CORE_LOADED_H

#include <stdbool.h>

/** The program brings the library: it is in the program's file, or the program needs it, directly
 *  or through other libraries, or it was preloaded. An interpreter that opens it does not. */
bool cw_loaded_with_program(void);

#endif
