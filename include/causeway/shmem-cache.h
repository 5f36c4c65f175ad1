/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The cache routines of OpenSHMEM 1.0 to 1.4, for shmem.h. OpenSHMEM 1.5 removed them, and others
 * still have them there. With coherent caches these have nothing to do. */
#ifndef CAUSEWAY_SHMEM_CACHE_H
#define CAUSEWAY_SHMEM_CACHE_H

#include "shmem-base.h"

CAUSEWAY_OLD static __inline__ void shmem_clear_cache_inv(void)
{
}
CAUSEWAY_OLD static __inline__ void shmem_clear_cache_line_inv(void *dest)
{
    (void)dest;
}
CAUSEWAY_OLD static __inline__ void shmem_set_cache_inv(void)
{
}
CAUSEWAY_OLD static __inline__ void shmem_set_cache_line_inv(void *dest)
{
    (void)dest;
}
CAUSEWAY_OLD static __inline__ void shmem_udcflush(void)
{
}
CAUSEWAY_OLD static __inline__ void shmem_udcflush_line(void *dest)
{
    (void)dest;
}

#endif
