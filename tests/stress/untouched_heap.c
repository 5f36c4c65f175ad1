// SPDX-License-Identifier: BSD-3-Clause
//
// A heap of 8 GiB per PE that is never touched costs neither time nor memory.
#include "outside.h"

#include <string.h>

int main(void)
{
    double start = now_s();
    shmem_init();
    double took = now_s() - start;
    char *p = shmem_malloc(7ull << 30);
    long kib = resident_kib();
    printf("PE %d: init %.1f ms, %ld KiB resident\n", shmem_my_pe(), took * 1e3, kib);
    int bad = !p || kib < 0 || kib > 16 * 1024 || took > 2.0;
    if (bad)
        printf("FAIL: an untouched heap is not free\n");
    shmem_finalize();
    return bad;
}
