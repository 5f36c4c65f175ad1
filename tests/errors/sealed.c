// SPDX-License-Identifier: BSD-3-Clause
//
// A process that comes by the node object can neither shrink nor grow it under the PEs.
#include <errno.h>
#include <fcntl.h>
#include <shmem.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frame/check.h"

/** Opens the node object by one of its mappings. */
static int open_object(void)
{
    char line[512], path[128];
    unsigned long begin, end;
    FILE *maps = fopen("/proc/self/maps", "r");
    int fd = -1;
    while (maps && fd < 0 && fgets(line, sizeof line, maps))
        if (strstr(line, "memfd:causeway-node") && sscanf(line, "%lx-%lx", &begin, &end) == 2) {
            snprintf(path, sizeof path, "/proc/self/map_files/%lx-%lx", begin, end);
            fd = open(path, O_RDWR);
        }
    if (maps)
        fclose(maps);
    return fd;
}

int main(void)
{
    shmem_init();
    struct stat before, after;
    int fd = open_object();
    REQUIRE(fd >= 0 && fstat(fd, &before) == 0, "%s", strerror(errno));
    CHECK(ftruncate(fd, 4096) != 0 && errno == EPERM);
    CHECK(ftruncate(fd, before.st_size + 4096) != 0 && errno == EPERM);
    CHECK(fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE) != 0 && errno == EPERM);
    CHECK(fstat(fd, &after) == 0 && after.st_size == before.st_size);
    shmem_barrier_all();
    shmem_finalize();
    return check_result();
}
