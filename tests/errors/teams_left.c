// SPDX-License-Identifier: BSD-3-Clause
//
// Two teams that no PE destroys: checking mode reports them on each PE, and the job still ends
// well. Without checking mode, destroying a predefined team does nothing.
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    shmem_team_t first, second, third;
    shmem_init();
    int n = shmem_n_pes();
    int failed = shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, n, NULL, 0, &first) ||
                 shmem_team_split_strided(SHMEM_TEAM_WORLD, n - 1, -1, n, NULL, 0, &second) ||
                 shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 1, NULL, 0, &third);
    shmem_team_destroy(third);
    if (!getenv("CAUSEWAY_CHECK")) {
        shmem_team_destroy(SHMEM_TEAM_WORLD);
        shmem_team_destroy(SHMEM_TEAM_SHARED);
        shmem_team_sync(SHMEM_TEAM_SHARED);
        shmem_sync_all();
    }
    if (shmem_my_pe() == 0 && !failed)
        printf("teams done\n");
    shmem_finalize();
    return failed;
}
