// SPDX-License-Identifier: BSD-3-Clause
//
// One PE ends the program with its status while the others wait for ever; buffered output is
// written.
#include "check.h"

int main(void)
{
    static int never;
    check_begin();
    shmem_barrier_all();
    if (me == npes - 1) {
        printf("last words");  // no newline, so the text is still in the buffer
        shmem_global_exit(42);
    }
    shmem_int_wait_until(&never, SHMEM_CMP_NE, 0);
    printf("FAIL the wait returned\n");
    return 1;
}
