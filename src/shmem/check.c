// SPDX-License-Identifier: BSD-3-Clause
//
// The messages for wrong use of a routine: the call, the argument, and what to do.
#include "shmem/shm.h"

void shm_not_initialized(const char *func)
{
    const char *call = shm_call_name(func);
    if (cw_world.finalized)
        cw_check_failed(call, "called after shmem_finalize; move the call before it, or initialize again");
    cw_check_failed(call, "called before shmem_init; call shmem_init or shmem_init_thread first");
}

void shm_bad_context(const char *func)
{
    cw_check_failed(shm_call_name(func), "the context is not valid; use SHMEM_CTX_DEFAULT, or one whose creation "
                                         "returned 0");
}

void shm_bad_team(const char *func)
{
    cw_check_failed(shm_call_name(func), "the team is not valid; use SHMEM_TEAM_WORLD");
}

void shm_bad_compare(const char *func, int cmp)
{
    cw_check_failed(shm_call_name(func), "%d is not a comparison; use one of SHMEM_CMP_EQ, NE, GT, GE, LT, LE", cmp);
}

void shm_check_symmetric(const char *func, const char *what, const void *addr, size_t nbytes)
{
    if (nbytes && !cw_is_symmetric(addr, nbytes))
        cw_check_failed(shm_call_name(func),
                        "%s %p (%zu bytes) is not symmetric memory; use shmem_malloc or a global variable", what, addr,
                        nbytes);
}

void shm_check_pe(const char *func, int pe)
{
    if (pe < 0 || pe >= cw_world.npes)
        cw_check_failed(shm_call_name(func), "no PE %d: PEs are 0 to %d", pe, cw_world.npes - 1);
}

void shm_check_count(const char *func, const char *what, size_t nelems, size_t elem_nbytes)
{
    if (nelems > (size_t)PTRDIFF_MAX / elem_nbytes)
        cw_check_failed(shm_call_name(func), "negative count: %s is %td", what, (ptrdiff_t)nelems);
}
