// SPDX-License-Identifier: BSD-3-Clause
//
// Puts and gets of all lengths between nodes, around those at which the transport changes its way;
// more at once than there are tracks; and order behind them: signals, atomics, and puts behind a
// fence come after the bytes of puts before them, however these travel.
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = (1 << 20) + 1, MANY = 1500, MANY_NBYTES = 5000, ROUNDS = 40 };

static int me, peer, failures;

static void check(int ok, const char *what, size_t n)
{
    if (ok)
        return;
    failures++;
    fprintf(stderr, "FAIL: PE %d: %s (%zu)\n", me, what, n);
}

static unsigned char byte_of(size_t i, size_t salt)
{
    return (unsigned char)(i * 7 + (i >> 8) * 13 + salt * 31 + 1);
}

static void fill(unsigned char *p, size_t n, size_t salt)
{
    for (size_t i = 0; i < n; i++)
        p[i] = byte_of(i, salt);
}

static int holds(const unsigned char *p, size_t n, size_t salt)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] != byte_of(i, salt))
            return 0;
    return 1;
}

/** Written by the peer at distance 8, so that what lies beside is seen to stay as it was. */
static void lengths(unsigned char *shared, unsigned char *mine)
{
    static const size_t all[] = {1,     7,     8,     4095,  4096,  4097,   8192,   16383,
                                 16384, 16385, 65535, 65536, 65537, 200000, 262144, LONGEST};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        for (int nbi = 0; nbi < 2; nbi++) {
            const size_t n = all[k], salt = 2 * k + (size_t)nbi + (size_t)peer;
            memset(shared, 0, LONGEST + 16);
            fill(mine, n, 2 * k + (size_t)nbi + (size_t)me);
            shmem_barrier_all();
            if (nbi)
                shmem_putmem_nbi(shared + 8, mine, n, peer);
            else
                shmem_putmem(shared + 8, mine, n, peer);
            if (!nbi)
                memset(mine, 0, n);  // reusable on return
            shmem_barrier_all();
            check(holds(shared + 8, n, salt), "a put came otherwise than sent", n);
            check(shared[7] == 0 && shared[8 + n] == 0, "a put wrote beside its place", n);
            memset(mine, 0, LONGEST + 1);
            if (nbi) {
                shmem_getmem_nbi(mine, shared + 8, n, peer);
                shmem_quiet();
            } else {
                shmem_getmem(mine, shared + 8, n, peer);
            }
            check(holds(mine, n, 2 * k + (size_t)nbi + (size_t)me), "a get brought other bytes", n);
            check(mine[n] == 0, "a get wrote beside its place", n);
            shmem_barrier_all();
        }
}

static void many(unsigned char *shared, unsigned char *mine)
{
    for (size_t i = 0; i < MANY; i++)
        fill(mine + i * MANY_NBYTES, MANY_NBYTES, i);
    shmem_barrier_all();
    for (size_t i = 0; i < MANY; i++)
        shmem_putmem_nbi(shared + i * MANY_NBYTES, mine + i * MANY_NBYTES, MANY_NBYTES, peer);
    shmem_barrier_all();
    for (size_t i = 0; i < MANY; i++)
        check(holds(shared + i * MANY_NBYTES, MANY_NBYTES, i), "one of many puts", i);
    memset(mine, 0, (size_t)MANY * MANY_NBYTES);
    for (size_t i = 0; i < MANY; i++)
        shmem_getmem_nbi(mine + i * MANY_NBYTES, shared + i * MANY_NBYTES, MANY_NBYTES, peer);
    shmem_quiet();
    for (size_t i = 0; i < MANY; i++)
        check(holds(mine + i * MANY_NBYTES, MANY_NBYTES, i), "one of many gets", i);
    shmem_barrier_all();
}

/** The peer looks at the bytes when the word has come, which it does by one of three ways. */
static void order(unsigned char *shared, unsigned char *mine, uint64_t *words)
{
    static const size_t all[] = {8, 4096, 5000, 65536, 100000, LONGEST};
    for (uint64_t round = 1; round <= ROUNDS; round++)
        for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
            const size_t n = all[k], way = (round + k) % 3;
            fill(mine, n, round + k);
            if (way == 0)
                shmem_putmem_signal_nbi(shared, mine, n, &words[0], round, SHMEM_SIGNAL_SET, peer);
            else
                shmem_putmem_nbi(shared, mine, n, peer);
            if (way)
                shmem_fence();
            if (way == 1)
                shmem_uint64_p(&words[0], round, peer);
            if (way == 2)
                shmem_uint64_atomic_set(&words[0], round, peer);
            shmem_uint64_wait_until(&words[0], SHMEM_CMP_EQ, round);
            check(holds(shared, n, round + k), "the word came before the bytes", n);
            shmem_barrier_all();  // the peer has looked, and the sources are free
            words[0] = 0;
            shmem_barrier_all();
        }
}

int main(void)
{
    shmem_init();
    me = shmem_my_pe();
    peer = (me + shmem_n_pes() / 2) % shmem_n_pes();
    unsigned char *shared = shmem_malloc((size_t)MANY * MANY_NBYTES);
    unsigned char *mine = malloc((size_t)MANY * MANY_NBYTES);
    uint64_t *words = shmem_calloc(1, sizeof *words);
    if (!shared || !mine || !words)
        shmem_global_exit(1);
    lengths(shared, mine);
    many(shared, mine);
    order(shared, mine, words);
    printf("PE %d: %d failed\n", me, failures);
    free(mine);
    shmem_finalize();
    return failures != 0;
}
