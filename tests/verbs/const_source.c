// SPDX-License-Identifier: BSD-3-Clause
//
// Puts from memory that may not be written: constant data of the program, of many sizes. A network
// device that pins sources must not ask for the right to write to them.
#include <shmem.h>
#include <string.h>

#include "frame/check.h"

#define ROW 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n', 'o', 'p'
#define ROWS_16 ROW, ROW, ROW, ROW, ROW, ROW, ROW, ROW, ROW, ROW, ROW, ROW, ROW, ROW, ROW, ROW
#define KIB_4 ROWS_16, ROWS_16, ROWS_16, ROWS_16, ROWS_16, ROWS_16, ROWS_16, ROWS_16, ROWS_16, \
              ROWS_16, ROWS_16, ROWS_16, ROWS_16, ROWS_16, ROWS_16, ROWS_16
#define KIB_64 KIB_4, KIB_4, KIB_4, KIB_4, KIB_4, KIB_4, KIB_4, KIB_4, KIB_4, KIB_4, KIB_4, \
               KIB_4, KIB_4, KIB_4, KIB_4, KIB_4

static const char constant[] = {KIB_64, KIB_64, KIB_64, KIB_64};
static char arrived[sizeof constant];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes(), left = (me + n - 1) % n, right = (me + 1) % n;
    check_as("PE", me, n);
    size_t sizes[] = {8, 64, 300, 4096, 20000, 65536, sizeof constant};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (int nbi = 0; nbi < 2; nbi++) {
            memset(arrived, 0, sizeof arrived);
            shmem_barrier_all();
            if (nbi)
                shmem_putmem_nbi(arrived, constant, sizes[i], right);
            else
                shmem_putmem(arrived, constant, sizes[i], right);
            shmem_barrier_all();
            CHECK(memcmp(arrived, constant, sizes[i]) == 0, "%zu bytes from PE %d, nbi %d",
                  sizes[i], left, nbi);
            shmem_barrier_all();
        }
    }
    shmem_finalize();
    return check_result();
}
