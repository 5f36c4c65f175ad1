// SPDX-License-Identifier: BSD-3-Clause
//
// Checking mode: the blocks that all members of a group have been given at once. Each process knows
// those of all members (core/observe/known.h). Blocks of ARMCI_Memget are known to their process
// alone.
#include <stdlib.h>

#include "armci/aci.h"
#include "base/error.h"

static uintptr_t *exchanged(const char *call, const cw_group_t *group, uintptr_t mine)
{
    uintptr_t *all = malloc((size_t)group->size * sizeof *all);
    if (!all)
        cwu_fatal("%s: out of memory for the blocks of %d processes", call, group->size);
    aci_exchange(group, mine, all);
    return all;
}

void aci_known_add(const char *call, const void *place, const cw_group_t *group,
                   void *const bases[], size_t nbytes)
{
    uintptr_t *sizes = exchanged(call, group, nbytes);
    for (int rank = 0; rank < group->size; rank++)
        if (bases[rank])
            cw_known_add(&(cw_known_t){.space = cw_group_pe(group, rank),
                                       .base = (uintptr_t)bases[rank],
                                       .nbytes = sizes[rank],
                                       .call = call,
                                       .place = place});
    free(sizes);
}

void aci_known_free(const char *call, const cw_group_t *group, const void *ptr)
{
    uintptr_t *bases = exchanged(call, group, (uintptr_t)ptr);
    for (int rank = 0; rank < group->size; rank++)
        if (bases[rank])
            cw_known_free(cw_group_pe(group, rank), bases[rank]);
    free(bases);
}
