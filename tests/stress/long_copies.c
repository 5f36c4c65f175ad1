// SPDX-License-Identifier: BSD-3-Clause
//
// Puts and gets of more than the caches of most machines hold, at odd offsets: a signal or a flag
// behind them is seen after all their bytes.
#include <shmem.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 40 << 20, ROUNDS = 6 };

static uint64_t arrived;
static unsigned char *array;

static unsigned char byte(size_t i, int round)
{
    return (unsigned char)(i * 2654435761u >> 11 ^ (unsigned)round * 37u);
}

static void expect(const unsigned char *at, size_t nbytes, int round)
{
    for (size_t i = nbytes; i-- > 0;)  // the last that were written first
        if (at[i] != byte(i, round)) {
            fprintf(stderr, "FAIL PE %d round %d: byte %zu of %zu\n", shmem_my_pe(), round, i,
                    nbytes);
            shmem_global_exit(1);
        }
}

static void send(const unsigned char *from, size_t nbytes, int round)
{
    unsigned char *to = array + 1 + round * 3;
    if (round % 2) {
        shmem_putmem_signal(to, from, nbytes, &arrived, (uint64_t)round + 1, SHMEM_SIGNAL_SET, 1);
        return;
    }
    shmem_putmem(to, from, nbytes, 1);
    shmem_fence();
    shmem_uint64_p(&arrived, (uint64_t)round + 1, 1);
}

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    unsigned char *source = shmem_malloc(MOST);
    array = shmem_calloc(1, MOST);
    for (int round = 0; round < ROUNDS; round++) {
        size_t nbytes = (MOST - 100) >> round % 3;
        shmem_barrier_all();
        for (size_t i = 0; i < nbytes && me == 0; i++)
            source[i] = byte(i, round);
        if (me == 0) {
            send(source, nbytes, round);
            memset(source, 0, nbytes);
            shmem_getmem(source, array + 1 + round * 3, nbytes, 1);
            expect(source, nbytes, round);
        } else {
            shmem_uint64_wait_until(&arrived, SHMEM_CMP_EQ, (uint64_t)round + 1);
            expect(array + 1 + round * 3, nbytes, round);
        }
    }
    shmem_barrier_all();
    if (me == 0)
        printf("long_copies: %d rounds ok\n", ROUNDS);
    shmem_finalize();
    return 0;
}
