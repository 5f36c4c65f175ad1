// SPDX-License-Identifier: BSD-3-Clause
//
// Every form of waiting sleeps in the end: each PE but 0 waits one second by another call, and its
// CPU time over that second must be close to 0.
#include "check.h"

#include <unistd.h>

#include "frame/usage.h"

static long words[4], wanted[4] = {1, 1, 1, 1}, lock;
static uint64_t sig;
static int ready;

static void wait_by(int form)
{
    size_t found[4];
    switch (form) {
    case 0:
        shmem_long_wait_until(&words[0], SHMEM_CMP_EQ, 1);
        break;
    case 1:
        shmem_long_wait_until_all(words, 4, NULL, SHMEM_CMP_EQ, 1);
        break;
    case 2:
        shmem_long_wait_until_any(words, 4, NULL, SHMEM_CMP_EQ, 1);
        break;
    case 3:
        shmem_long_wait_until_some_vector(words, 4, found, NULL, SHMEM_CMP_EQ, wanted);
        break;
    case 4:
        shmem_signal_wait_until(&sig, SHMEM_CMP_EQ, 1);
        break;
    case 5:
        shmem_set_lock(&lock);
        shmem_clear_lock(&lock);
        break;
    default:
        shmem_sync_all();
        return;
    }
    shmem_sync_all();
}

int main(void)
{
    check_begin();
    for (int pe = 0; pe < npes; pe++)
        shmem_int_p(&ready, 1, pe);  // connections are made now
    if (me == 0)
        shmem_set_lock(&lock);
    shmem_barrier_all();
    usleep(200000);
    double before = cpu_s(), used;
    if (me == 0) {
        sleep(1);
        used = cpu_s() - before;
        for (int pe = 1; pe < npes; pe++) {
            for (int i = 0; i < 4; i++)
                shmem_long_p(&words[i], 1, pe);
            shmem_signal_set(&sig, 1, pe);
        }
        shmem_clear_lock(&lock);
        shmem_sync_all();
    } else {
        wait_by((me - 1) % 7);
        used = cpu_s() - before;
    }
    CHECK(used < 0.05, "%.1f ms of CPU time in a second of waiting (form %d)", used * 1000,
          (me - 1) % 7);
    return check_end();
}
