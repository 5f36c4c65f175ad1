// SPDX-License-Identifier: BSD-3-Clause
//
// Active sets: from the arguments of deprecated collectives to a group.
#include "shmem/coll_args.h"

static void check_set(const char *func, shm_set_t s)
{
    const char *call = shm_call_name(func);
    if (s.size < 1 || s.log_stride < 0 || s.log_stride > 30)
        cw_check_failed(call,
                        "the active set (PE_start %d, logPE_stride %d, PE_size %d) is empty or its stride negative",
                        s.start, s.log_stride, s.size);
    long last = s.start + (long)(s.size - 1) * (1L << s.log_stride);
    if (s.start < 0 || last >= cw_world.npes)
        cw_check_failed(call, "the active set reaches from PE %d to PE %ld: PEs are 0 to %d", s.start, last,
                        cw_world.npes - 1);
    long away = cw_world.pe - s.start;
    if (away < 0 || cw_world.pe > last || away % (1L << s.log_stride))
        cw_check_failed(call, "PE %d is not in the active set (PE_start %d, logPE_stride %d, PE_size %d)", cw_world.pe,
                        s.start, s.log_stride, s.size);
    shm_check_symmetric(func, "pSync", s.psync, SHMEM_SYNC_SIZE * sizeof(long));
}

const cw_group_t *shm_active_set(const char *func, shm_set_t set, cw_group_t *room)
{
    if (SHM_CHECKING())
        check_set(func, set);
    if (set.start == 0 && set.log_stride == 0 && set.size == cw_world.npes)
        return cw_group_world;
    int stride = 1 << set.log_stride;
    *room = (cw_group_t){.start = set.start,
                         .stride = stride,
                         .size = set.size,
                         .rank = (cw_world.pe - set.start) / stride,
                         .psync = set.psync};
    return room;
}
