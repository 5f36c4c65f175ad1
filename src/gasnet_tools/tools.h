// SPDX-License-Identifier: BSD-3-Clause
//
// What the files of GASNet's tools share. Everything is in thread-safe mode here; nothing polls.
#ifndef GASNET_TOOLS_TOOLS_H
#define GASNET_TOOLS_TOOLS_H

#define GASNETT_THREAD_SAFE 1
#include "gasnet_tools.h"

#include <locale.h>

/** A yes or no as users write it: 1, 0, or -1 if it is neither. */
int gast_parse_yesno(const char *text);

/** Numbers of this thread have a decimal point from here on, whatever the locale of the program,
 *  which uselocale() brings back. */
static inline locale_t gast_decimal_point(void)
{
    return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

#endif
