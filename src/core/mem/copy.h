// SPDX-License-Identifier: BSD-3-Clause
//
// Copies of much memory, past the caches where these would not hold it: then a store that first
// reads its line, and drives another one out, costs more than the copy. memcpy decides by what the
// processor tells, which in virtual machines may be ten times what the kernel reports, and cannot
// know that others copy at the same time.
#ifndef CW_CORE_MEM_COPY_H
#define CW_CORE_MEM_COPY_H

#include <stddef.h>
#include <string.h>

#include "base/copy/section.h"

#define CW_LONG_COPY 65536u  // bytes; a shorter copy never goes past the caches

/** memcpy, as a part of `traffic` bytes that are read and written at about the same time, here and
 *  by others. Its stores are ordered as those of memcpy are. Never waits. */
void cw_copy_part(void *dest, const void *src, size_t nbytes, size_t traffic);

// Memory that is mapped here, with these distances added to its addresses: a section; n pieces of
// nbytes each, as cwu_copy_lists.
void cw_copy_section(const cwu_section_t *s, uintptr_t dst_delta, uintptr_t src_delta);
void cw_copy_lists(void *const *dst, uintptr_t dst_delta, void *const *src, uintptr_t src_delta,
                   size_t nbytes, size_t n);

#endif
