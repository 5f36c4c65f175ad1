// SPDX-License-Identifier: BSD-3-Clause
//
// What registration needs of memory: memory MODE.
//
//   sleep    joins and asks nothing of the network
#include <shmem.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "frame/check.h"

int main(int argc, char **argv)
{
    shmem_init();
    REQUIRE(argc > 1, "a mode is missing");
    if (strcmp(argv[1], "sleep") == 0)
        sleep(60);
    else
        REQUIRE(0, "no mode %s", argv[1]);
    shmem_finalize();
    return 0;
}
