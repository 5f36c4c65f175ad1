// SPDX-License-Identifier: BSD-3-Clause
//
// Arrays of any type and rank, as the compiler of the module passes them. It is known when the
// library runs, not when this file is compiled.
#ifndef PRF_DESCRIPTOR_H
#define PRF_DESCRIPTOR_H

#include "caf/section.h"

/** What the module says it was compiled by. */
enum { PRF_GFORTRAN = 1, PRF_FLANG = 2 };

/** text_length: of characters, else 0. The section's kind is set; 0: it has none. */
void prf_describe(caf_section_t *s, const char *call, const void *descriptor, int compiler,
                  int text_length);

#endif
