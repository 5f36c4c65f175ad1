// SPDX-License-Identifier: BSD-3-Clause
//
// Sections of arrays (base/copy/section.h) from the arguments of the strided calls: counts are
// checked, levels without effect are left out. Threads: any.
#ifndef ACI_SECTION_H
#define ACI_SECTION_H

#include "base/copy/section.h"

enum { ACI_LEVELS = 8 };  // ARMCI_MAX_STRIDE_LEVEL

/** Fatal: a count is negative, too many levels, a total beyond 64 bits. */
void aci_section_make(cwu_section_t *s, const char *call, int proc, const void *src,
                      const int *src_stride, void *dst, const int *dst_stride, const int *count,
                      int levels);
/** One side is a buffer without gaps. */
void aci_section_dense(cwu_section_t *s, const char *call, bool dense_src, const void *src,
                       void *dst, const int *stride, const int *count, int levels);
/** Where the lowest byte of the source (or the destination) is, and how many bytes lie from it to
 *  the highest one. Fatal: more than memory can be. */
uintptr_t aci_section_extent(const char *call, int proc, const cwu_section_t *s, bool dst,
                             size_t *nbytes_p);
/** In checking mode: rows of the written side that overlap. Fatal. */
void aci_section_check_rows(const char *call, int proc, const cwu_section_t *s);

#endif
