// SPDX-License-Identifier: BSD-3-Clause
//
// A stream of operations of every kind to PEs of many nodes, in random order, where few connections
// may be open at a time: nothing is lost, doubled or overtaken when one is evicted and opened
// again. Each PE owns places on all others and knows what must be there. Usage: reconnect [rounds]
// [sockets at most]
#include <dirent.h>
#include <netinet/in.h>
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "frame/random.h"

enum { MOST = 64, BLOCK = 3000, STRIDED = 17 };

typedef struct mine {  // what one PE keeps on another
    long word, count, last;
    long strided[3 * STRIDED];
    long block[BLOCK];
    uint64_t signal;
} mine_t;

typedef struct known {  // what the owner knows of it
    long word, count, last, strided, block, block_n;
    uint64_t signal;
} known_t;

static int me, n;
static long bad;
static mine_t *area;  // [n], symmetric: area[pe] belongs to that PE
static known_t known[MOST];
static long buffer[BLOCK], back[BLOCK], pending[MOST][BLOCK / 10];

static void expect(long got, long want, const char *what, int pe)
{
    if (got != want && bad++ < 5)
        fprintf(stderr, "FAIL PE %d: %s on PE %d: %ld instead of %ld\n", me, what, pe, got, want);
}

static void block_put(int pe, long value, int nbi)
{
    mine_t *m = &area[me];
    known_t *k = &known[pe];
    k->block = value;
    k->block_n = 1 + (long)(random_word() % (nbi ? BLOCK / 10 : BLOCK));
    long *src = nbi ? pending[pe] : buffer;
    if (nbi)
        shmem_quiet();  // the source of the previous one
    else
        shmem_fence();
    for (long i = 0; i < k->block_n; i++)
        src[i] = value + i;
    if (nbi)
        shmem_long_put_nbi(m->block, src, (size_t)k->block_n, pe);
    else
        shmem_long_put(m->block, src, (size_t)k->block_n, pe);
}

static void block_check(int pe, int nbi)
{
    known_t *k = &known[pe];
    if (k->block_n == 0)
        return;
    shmem_quiet();
    memset(back, 0, sizeof back);
    if (nbi) {
        shmem_long_get_nbi(back, area[me].block, (size_t)k->block_n, pe);
        // Another connection meanwhile.
        shmem_long_g(&area[me].word, (int)(random_word() % (unsigned)n));
        shmem_quiet();
    } else {
        shmem_long_get(back, area[me].block, (size_t)k->block_n, pe);
    }
    for (long i = 0; i < k->block_n; i++)
        expect(back[i], k->block + i, "a block", pe);
}

static void one_round(long round)
{
    int pe = (int)(random_word() % (unsigned)n);
    mine_t *m = &area[me];
    known_t *k = &known[pe];
    long value = round * 1000 + me;
    switch (random_word() % 12) {
    case 0:
    case 1:
        shmem_fence();  // two puts to one place have no order by themselves
        shmem_long_p(&m->word, k->word = value, pe);
        break;
    case 2:
        shmem_quiet();
        expect(shmem_long_g(&m->word, pe), k->word, "a word", pe);
        break;
    case 3:
        shmem_long_atomic_add(&m->count, 3, pe);
        k->count += 3;
        break;
    case 4:
        shmem_fence();
        expect(shmem_long_atomic_fetch_add(&m->count, 1, pe), k->count, "a counter", pe);
        k->count++;
        break;
    case 5:  // an atomic behind a fence behind a put, and a put behind one behind an atomic
        shmem_fence();
        shmem_long_p(&m->last, value, pe);
        shmem_fence();
        expect(shmem_long_atomic_swap(&m->last, value + 1, pe), value,
               "what a fence keeps in order", pe);
        shmem_long_atomic_set(&m->last, value + 2, pe);
        shmem_fence();
        shmem_long_p(&m->last, k->last = value + 3, pe);
        break;
    case 6:
        block_put(pe, value, 0);
        break;
    case 7:
        block_put(pe, value, 1);
        break;
    case 8:
        block_check(pe, (int)(random_word() & 1));
        break;
    case 9:
        for (long i = 0; i < STRIDED; i++)
            buffer[i] = value + i;
        shmem_fence();
        shmem_long_iput(m->strided, buffer, 3, 1, STRIDED, pe);
        k->strided = value;
        break;
    case 10:
        block_put(pe, value, 0);
        shmem_fence();
        shmem_long_put_signal(m->block, buffer, (size_t)k->block_n, &m->signal, 1, SHMEM_SIGNAL_ADD,
                              pe);
        k->signal++;
        break;
    default:
        shmem_quiet();
    }
}

static void check_all(void)
{
    for (int pe = 0; pe < n; pe++) {
        known_t *k = &known[pe];
        expect(shmem_long_g(&area[me].word, pe), k->word, "the last word", pe);
        expect(shmem_long_atomic_fetch(&area[me].count, pe), k->count, "the last counter", pe);
        expect(shmem_long_g(&area[me].last, pe), k->last, "the last of the fences", pe);
        expect((long)shmem_uint64_g(&area[me].signal, pe), (long)k->signal, "the signals", pe);
        block_check(pe, 0);
        shmem_long_iget(back, area[me].strided, 1, 3, STRIDED, pe);
        for (long i = 0; i < STRIDED && k->strided; i++)
            expect(back[i], k->strided + i, "strided", pe);
    }
}

/** Connected sockets of this process. */
static int sockets(void)
{
    int count = 0;
    DIR *dir = opendir("/proc/self/fd");
    for (struct dirent *e; dir && (e = readdir(dir));) {
        struct sockaddr_in name;
        socklen_t nbytes = sizeof name;
        count += getpeername(atoi(e->d_name), (struct sockaddr *)&name, &nbytes) == 0 &&
                 name.sin_family == AF_INET;
    }
    if (dir)
        closedir(dir);
    return count;
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? atol(argv[1]) : 500;
    int most = argc > 2 ? atoi(argv[2]) : 0, seen = 0;
    shmem_init();
    me = shmem_my_pe();
    n = shmem_n_pes();
    random_state *= (uint64_t)(me + 1);
    area = shmem_calloc((size_t)n, sizeof *area);
    if (n > MOST || !area) {
        fprintf(stderr, "FAIL: at most %d PEs, and memory for them\n", MOST);
        return 1;
    }
    for (long round = 1; round <= rounds; round++) {
        one_round(round);
        if (most && round % 16 == 0) {
            int now = sockets();
            seen = now > seen ? now : seen;
        }
    }
    shmem_barrier_all();
    check_all();
    shmem_barrier_all();
    if (most && shmem_team_my_pe(SHMEM_TEAM_SHARED) != 0 &&
        seen > most) {  // the first PE's server has its clients' too
        fprintf(stderr, "FAIL PE %d: %d sockets where at most %d are due\n", me, seen, most);
        bad++;
    }
    if (me == 0)
        puts("reconnect done");
    shmem_free(area);
    shmem_finalize();
    return bad != 0;
}
