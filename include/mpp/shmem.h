/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The deprecated place of shmem.h, where the oldest programs look. They may also call the cache
 * routines, which OpenSHMEM 1.5 removed; with coherent caches these have nothing to do. */
#ifndef MPP_SHMEM_H
#define MPP_SHMEM_H

#include "../shmem.h"

static __inline__ void shmem_clear_cache_inv(void)
{
}
static __inline__ void shmem_clear_cache_line_inv(void *dest)
{
    (void)dest;
}
static __inline__ void shmem_set_cache_inv(void)
{
}
static __inline__ void shmem_set_cache_line_inv(void *dest)
{
    (void)dest;
}
static __inline__ void shmem_udcflush(void)
{
}
static __inline__ void shmem_udcflush_line(void *dest)
{
    (void)dest;
}

#endif
