// SPDX-License-Identifier: BSD-3-Clause
//
// The layer: the only code of its program that calls OpenSHMEM.
#include "layer.h"

#include <shmem.h>

static int own;

static int symmetric(void *at)
{
    return shmem_addr_accessible(at, (shmem_my_pe() + 1) % shmem_n_pes());
}

const struct layer layer = {.init = shmem_init,
                            .end = shmem_finalize,
                            .barrier = shmem_barrier_all,
                            .me = shmem_my_pe,
                            .n = shmem_n_pes,
                            .symmetric = symmetric,
                            .alloc = shmem_malloc,
                            .put = shmem_int_p,
                            .get = shmem_int_g,
                            .own = &own};
