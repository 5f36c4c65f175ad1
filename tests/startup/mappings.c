// SPDX-License-Identifier: BSD-3-Clause
//
// The pieces in which a PE maps the node object do not grow with the number of PEs: the kernel has
// one list of those of all processes, and goes along it whenever a process maps another one.
#include <shmem.h>
#include <string.h>

#include "frame/check.h"

enum { MOST = 64 };

int main(void)
{
    char line[4096];
    int pieces = 0;
    shmem_init();
    check_as("PE", shmem_my_pe(), shmem_n_pes());
    shmem_barrier_all();
    FILE *maps = fopen("/proc/self/maps", "r");
    REQUIRE(maps);
    while (fgets(line, sizeof line, maps))
        pieces += strstr(line, "memfd:causeway") != NULL;
    fclose(maps);
    CHECK(pieces > 0 && pieces < MOST, "%d pieces", pieces);
    shmem_barrier_all();
    shmem_finalize();
    return check_result();
}
