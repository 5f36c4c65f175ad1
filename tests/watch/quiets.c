// SPDX-License-Identifier: BSD-3-Clause
//
// Each PE writes a word of its neighbour and waits for quiet, 100 times: a write each, which needs
// no flush behind it.
#include <shmem.h>

int main(void)
{
    static long word;
    shmem_init();
    int next = (shmem_my_pe() + 1) % shmem_n_pes();
    for (int i = 0; i < 100; i++) {
        shmem_long_p(&word, i, next);
        shmem_quiet();
    }
    shmem_finalize();
    return 0;
}
