// SPDX-License-Identifier: BSD-3-Clause
//
// Communication with few neighbours: a ring ("ring"), or the four neighbours on a grid of that many
// columns ("grid COLUMNS"). The statistics show what the connections of such jobs cost (scale.py).
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long from[4];

int main(int argc, char **argv)
{
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes(), columns = argc > 2 ? atoi(argv[2]) : n, bad = 0;
    int row = me / columns, column = me % columns, rows = n / columns;
    int peer[4] = {(me + 1) % n, (me + n - 1) % n, -1, -1};
    if (argc > 1 && strcmp(argv[1], "grid") == 0) {
        peer[0] = column + 1 < columns ? me + 1 : -1;
        peer[1] = column > 0 ? me - 1 : -1;
        peer[2] = row + 1 < rows ? me + columns : -1;
        peer[3] = row > 0 ? me - columns : -1;
    }
    for (int round = 1; round <= 3; round++) {
        for (int i = 0; i < 4; i++)
            if (peer[i] >= 0)
                shmem_long_p(&from[i ^ 1], 1000l * round + me, peer[i]);
        shmem_barrier_all();
        for (int i = 0; i < 4; i++)
            bad += peer[i] >= 0 && from[i] != 1000l * round + peer[i];
        shmem_barrier_all();
    }
    if (bad)
        fprintf(stderr, "FAIL PE %d: %d words are wrong\n", me, bad);
    if (me == 0)
        puts("neighbours done");
    shmem_finalize();
    return bad != 0;
}
