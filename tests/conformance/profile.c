// SPDX-License-Identifier: BSD-3-Clause
//
// The profiling interface: a tool defines some shmem_ names and passes on to the pshmem_ ones. The
// library itself never calls through the replaced names.
#include <pshmem.h>

#include "check.h"

static int puts_seen, barriers_seen, adds_seen;

void shmem_long_put(long *dest, const long *source, size_t nelems, int pe)
{
    puts_seen++;
    pshmem_long_put(dest, source, nelems, pe);
}

void shmem_int_p(int *dest, int value, int pe)
{
    puts_seen++;
    pshmem_int_p(dest, value, pe);
}

void shmem_barrier_all(void)
{
    barriers_seen++;
    pshmem_barrier_all();
}

long shmem_long_atomic_fetch_add(long *dest, long value, int pe)
{
    adds_seen++;
    return pshmem_long_atomic_fetch_add(dest, value, pe);
}

int main(void)
{
    static long box[4], counter;
    static int word;
    long values[4] = {1, 2, 3, 4};
    check_begin();
    shmem_long_put(box, values, 4, next);
    shmem_int_p(&word, 7, next);
    shmem_long_atomic_fetch_add(&counter, 5, next);
    shmem_barrier_all();
    CHECK(box[3] == 4 && word == 7 && counter == 5, "the calls did not arrive");
    // has a barrier inside the library, which must not reach the tool
    void *block = shmem_malloc(8);
    CHECK(puts_seen == 2 && barriers_seen == 1 && adds_seen == 1,
          "the tool saw %d puts, %d barriers, %d adds", puts_seen, barriers_seen, adds_seen);
    shmem_free(block);
    CHECK(barriers_seen == 1, "the library called the tool");
    return check_end();
}
