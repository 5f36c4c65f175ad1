// SPDX-License-Identifier: BSD-3-Clause
//
// Copies past the caches where these would not hold the data. memcpy knows neither concurrent
// copies nor, in virtual machines, the size of the cache.
#ifndef CW_CORE_MEM_COPY_H
#define CW_CORE_MEM_COPY_H

#include <stddef.h>
#include <string.h>

#include "base/copy/section.h"

#define CW_LONG_COPY 65536u  // bytes; shorter copies use the caches

/** memcpy, as part of `traffic` bytes read and written here and by others at that time; stores as
 *  ordered as memcpy's. Never waits. */
void cw_copy_part(void *dest, const void *src, size_t nbytes, size_t traffic);

// Of mapped memory, with deltas for addresses: a section; n pieces of nbytes.
void cw_copy_section(const cwu_section_t *s, uintptr_t dst_delta, uintptr_t src_delta);
void cw_copy_lists(void *const *dst, uintptr_t dst_delta, void *const *src, uintptr_t src_delta,
                   size_t nbytes, size_t n);

#endif
