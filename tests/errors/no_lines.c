// SPDX-License-Identifier: BSD-3-Clause
//
// One wrong call, for no_lines.py.
#include <shmem.h>

static int word;

int main(void)
{
    shmem_init();
    shmem_int_p(&word, 1, 99);
    shmem_finalize();
    return 0;
}
