// SPDX-License-Identifier: BSD-3-Clause
//
// Units 0 and 1 each take a lock, and then wait for the other's; unit 2 computes.
#include <dash/dart/if/dart.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    dart_global_unit_t me;
    dart_lock_t lock[2];
    dart_init(&argc, &argv);
    dart_myid(&me);
    for (int i = 0; i < 2; i++)
        dart_team_lock_init(DART_TEAM_ALL, &lock[i]);
    if (me.id < 2)
        dart_lock_acquire(lock[me.id]);
    dart_barrier(DART_TEAM_ALL);
    if (me.id < 2)
        dart_lock_acquire(lock[1 - me.id]);  // never given
    sleep(30);
    printf("FAIL: the job went on\n");
    return 0;
}
