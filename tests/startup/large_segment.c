// SPDX-License-Identifier: BSD-3-Clause
//
// A segment of GASNet may have large pages and takes no memory when it is attached, whatever
// CAUSEWAY_HUGEPAGES says: clients reserve more than they use.
#include <gasnet.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "frame/check.h"

enum { SEGMENT = 64 << 20 };

int main(int argc, char **argv)
{
    gasnet_seginfo_t all[16];
    char line[4096];
    int inside = 0, may = 0;
    size_t resident = 0;
    REQUIRE(gasnet_init(&argc, &argv) == GASNET_OK);
    REQUIRE(gasnet_attach(NULL, 0, SEGMENT, 0) == GASNET_OK);
    check_as("node", gasnet_mynode(), gasnet_nodes());
    REQUIRE(gasnet_nodes() <= 16 && gasnet_getSegmentInfo(all, 16) == GASNET_OK);
    const uintptr_t from = (uintptr_t)all[gasnet_mynode()].addr, middle = from + SEGMENT / 2;
    FILE *maps = fopen("/proc/self/smaps", "r");
    REQUIRE(maps);
    while (fgets(line, sizeof line, maps)) {
        unsigned long a, b;
        size_t kib;
        if (sscanf(line, "%lx-%lx ", &a, &b) == 2)
            inside = a <= middle && b > middle;
        else if (inside && sscanf(line, "Rss: %zu", &kib) == 1)
            resident = kib << 10;
        else if (inside && strncmp(line, "VmFlags:", 8) == 0)
            may = strstr(line, " hg") != NULL;
    }
    fclose(maps);
    CHECK(may == (argc < 2 || strcmp(argv[1], "off") != 0), "may be large: %d", may);
    CHECK(resident < SEGMENT / 2, "%zu bytes have memory", resident);
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    CHECK(gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS) == GASNET_OK);
    const int status = check_result();
    gasnet_exit(status);
    return status;
}
