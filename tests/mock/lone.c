// SPDX-License-Identifier: BSD-3-Clause
//
// PE 0 does one thing ROUNDS times, each alone between two quiets: lone p, lone add, lone block
// (a non-blocking put of 4 KiB), lone long (a blocking one of 32). Or, in the second half, two puts
// at a time, which a guess that each is alone must not lose: lone pairs, or lone apart, long ones
// to two nodes. PEs 1 and 2, on nodes of their own, check the result. lone none: the same job
// without any.
#include <shmem.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define ROUNDS 200
#define WORDS 512
#define LONG_WORDS 4096

static long word[LONG_WORDS], block[LONG_WORDS];

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "none";
    bool p = strcmp(what, "p") == 0, pairs = strcmp(what, "pairs") == 0,
         blocks = strcmp(what, "block") == 0, apart = strcmp(what, "apart") == 0,
         longs = apart || strcmp(what, "long") == 0;
    shmem_init();
    for (long i = 1; i <= ROUNDS && shmem_my_pe() == 0 && strcmp(what, "none") != 0; i++) {
        if (p || pairs)
            shmem_long_p(&word[0], i, 1);
        else if (blocks)
            shmem_long_put_nbi(word, (block[0] = block[WORDS - 1] = i, block), WORDS, 1);
        else if (longs)
            shmem_long_put(word, (block[0] = block[LONG_WORDS - 1] = i, block), LONG_WORDS, 1);
        else
            shmem_long_atomic_add(&word[0], 1, 1);
        if (pairs && i > ROUNDS / 2)
            shmem_long_p(&word[1], i, 1);
        else if (apart && i > ROUNDS / 2)
            shmem_long_put(word, block, LONG_WORDS, 2);
        shmem_quiet();
        if (i % 50 == 0 && shmem_long_g(&word[0], 1) != i)
            printf("FAIL: word 0 at round %ld\n", i);
    }
    shmem_barrier_all();
    bool checks = shmem_my_pe() == 1 || (shmem_my_pe() == 2 && apart);
    long want = checks && strcmp(what, "none") != 0 ? ROUNDS : 0;
    long last = longs ? word[LONG_WORDS - 1] : word[WORDS - 1];
    if (word[0] != want || word[1] != (pairs ? want : 0) || last != (blocks || longs ? want : 0))
        printf("FAIL: PE %d has %ld, %ld and %ld\n", shmem_my_pe(), word[0], word[1], last);
    shmem_finalize();
    return 0;
}
