// SPDX-License-Identifier: BSD-3-Clause
//
// What a core file of a PE would contain, as the kernel's flags of its mappings say: static data
// and what was allocated of its heap, but neither the rest of the node object nor reserved
// addresses.
#include <inttypes.h>
#include <shmem.h>
#include <stdio.h>
#include <string.h>

#include "frame/check.h"

#define MIB ((uint64_t)1 << 20)

static int data[1000] = {1};

typedef struct dumped {
    uint64_t shared, all;  // bytes of mappings that a core file contains
    int found;             // of the addresses asked for
} dumped_t;

static void count(dumped_t *d, uintptr_t from, uintptr_t end, const char *flags,
                  const void *const wanted[2])
{
    if (strstr(flags, " dd") || !strstr(flags, " rd"))
        return;
    d->all += end - from;
    d->shared += strstr(flags, " sh") ? end - from : 0;
    for (int i = 0; i < 2; i++)
        d->found += (uintptr_t)wanted[i] >= from && (uintptr_t)wanted[i] < end;
}

static dumped_t look(const void *const wanted[2])
{
    char line[512];
    uintptr_t from = 0, end = 0;
    dumped_t d = {0};
    FILE *maps = fopen("/proc/self/smaps", "r");
    REQUIRE(maps != NULL);
    while (fgets(line, sizeof line, maps)) {
        uintptr_t a, b;
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &a, &b) == 2)
            from = a, end = b;
        else if (strncmp(line, "VmFlags:", 8) == 0)
            count(&d, from, end, line, wanted);
    }
    fclose(maps);
    return d;
}

int main(void)
{
    shmem_init();
    check_as("PE", shmem_my_pe(), shmem_n_pes());
    char *small = shmem_malloc(100), *block = shmem_malloc(8 * MIB);
    CHECK(small && block);
    shmem_int_put(data + 1, data, 1, 1 - shmem_my_pe());  // the network is there
    shmem_barrier_all();
    dumped_t d = look((const void *const[]){data, block + 8 * MIB - 1});
    CHECK(d.found == 2, "of static data and a block, %d are in a core file", d.found);
    CHECK(d.shared >= 8 * MIB && d.shared < 16 * MIB, "%" PRIu64 " bytes of shared memory",
          d.shared);
    CHECK(d.all < 1024 * MIB, "%" PRIu64 " bytes in all", d.all);
    shmem_barrier_all();
    shmem_finalize();
    return check_result();
}
