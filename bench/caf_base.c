// SPDX-License-Identifier: BSD-3-Clause
/*
 * What the rows of caf.f90 and prif.f90 are judged by: the same operations by OpenSHMEM, under the
 * same names, in the processes of those programs, whose slices of time alternate with these. put is
 * a p and a fence, as assignments to one variable are in order; sync images a p each way and a wait
 * for it; an event a put with a signal and a wait, there and back. On a node sections are judged by
 * memcpy and loops over the other PE's memory.
 */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMS = 131072, SUM_MOST = 8192 };

static double *remote, *sums, *word;  // in the symmetric heap, as the rest
static uint64_t *signal_word;
static long *flag;
static double *mine;  // private memory, as that of the coarray programs is
static double *mapped;  // the other PE's remote, where there is such an address
static int me, other;
static size_t nsum;

static void *allocated(size_t nbytes)
{
    void *p = shmem_align(4096, nbytes);
    if (!p) {
        fprintf(stderr, "caf_base: no symmetric memory for %zu bytes\n", nbytes);
        shmem_global_exit(1);
    }
    memset(p, 0, nbytes);
    return p;
}

// ---------------------------------------------------------------- by the first PE
static void put(int n)
{
    for (int i = 0; i < n; i++) {
        shmem_double_p(word, 1, other);
        shmem_fence();
    }
}

static void get(int n)
{
    volatile double value;
    for (int i = 0; i < n; i++)
        value = shmem_double_g(word, other);
    (void)value;
}

static void put_memory(int n)
{
    for (int i = 0; i < n; i++) {
        shmem_double_p(word, 1, other);
        shmem_quiet();
    }
}

static void put_loop(int n)
{
    for (int i = 0; i < n; i++) {
        for (int k = 1; k <= 1000; k++)
            shmem_double_p(remote + 17 * k, 1, other);
        shmem_quiet();
    }
}

static void put_section(int n)
{
    for (int i = 0; i < n; i++) {
        shmem_double_put(remote, mine, ELEMS, other);
        shmem_quiet();
    }
}

static void get_section(int n)
{
    for (int i = 0; i < n; i++)
        shmem_double_get(mine, remote, ELEMS, other);
}

static void put_stride(int n)
{
    for (int i = 0; i < n; i++) {
        shmem_double_iput(remote, mine, 2, 1, ELEMS, other);
        shmem_quiet();
    }
}

static void get_stride(int n)
{
    for (int i = 0; i < n; i++)
        shmem_double_iget(mine, remote, 1, 2, ELEMS, other);
}

// ---------------------------------------------------------------- by plain C, on a node
static void copy_out(int n)
{
    for (int i = 0; i < n; i++) {
        memcpy(mapped, mine, ELEMS * sizeof *mine);
        __asm__ volatile("" ::: "memory");
    }
}

static void copy_in(int n)
{
    for (int i = 0; i < n; i++) {
        memcpy(mine, mapped, ELEMS * sizeof *mine);
        __asm__ volatile("" ::: "memory");
    }
}

static void spread(int n)
{
    for (int i = 0; i < n; i++) {
        for (size_t k = 0; k < ELEMS; k++)
            mapped[2 * k] = mine[k];
        __asm__ volatile("" ::: "memory");
    }
}

static void gather(int n)
{
    for (int i = 0; i < n; i++) {
        for (size_t k = 0; k < ELEMS; k++)
            mine[k] = mapped[2 * k];
        __asm__ volatile("" ::: "memory");
    }
}

// ---------------------------------------------------------------- by both
static void sync_all(int n)
{
    for (int i = 0; i < n; i++)
        shmem_barrier_all();
}

static void sync_images(int n)
{
    static long count;
    for (int i = 0; i < n; i++) {
        shmem_long_p(flag, ++count, other);
        shmem_long_wait_until(flag, SHMEM_CMP_GE, count);
    }
}

static void event(int n)
{
    static uint64_t count;
    for (int i = 0; i < n; i++) {
        count++;
        if (me == 1)
            shmem_signal_wait_until(signal_word, SHMEM_CMP_GE, count);
        shmem_putmem_signal(word, word, sizeof *word, signal_word, 1, SHMEM_SIGNAL_ADD, other);
        if (me == 0)
            shmem_signal_wait_until(signal_word, SHMEM_CMP_GE, count);
    }
}

static void sum(int n)
{
    for (int i = 0; i < n; i++) {
        for (size_t k = 0; k < nsum; k++)
            sums[k] = 1;
        shmem_double_sum_reduce(SHMEM_TEAM_WORLD, sums, sums, nsum);
    }
}

static const struct {
    const char *name;
    void (*far)(int), (*near)(int);
} ROWS[] = {{"put", put, put},
            {"get", get, get},
            {"put_memory", put_memory, put_memory},
            {"put_loop", put_loop, put_loop},
            {"put_section", put_section, copy_out},
            {"get_section", get_section, copy_in},
            {"put_stride", put_stride, spread},
            {"get_stride", get_stride, gather},
            {"sync_all", sync_all, sync_all},
            {"sync_images", sync_images, sync_images},
            {"event", event, event},
            {"sum", sum, sum}};

static void (*chosen)(int);

int caf_base_choose(const char *name, int nbytes)
{
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        if (!strcmp(ROWS[i].name, name)) {
            chosen = mapped ? ROWS[i].near : ROWS[i].far;
            nsum = (size_t)nbytes / sizeof *sums;
            return 1;
        }
    return 0;
}

void caf_base_run(const int *ncalls)
{
    chosen(*ncalls);
}

/** What either interface has begun is done: a slice pays for its own operations alone. */
void caf_base_settle(void)
{
    shmem_quiet();
}

/** Behind the start of coarrays. */
void caf_base_begin(void)
{
    shmem_init();
    me = shmem_my_pe();
    other = 1 - me;
    if (shmem_n_pes() != 2) {
        fprintf(stderr, "caf_base: there are two PEs in a pair, not %d\n", shmem_n_pes());
        shmem_global_exit(2);
    }
    remote = allocated(2 * ELEMS * sizeof *remote);
    sums = allocated(SUM_MOST * sizeof *sums);
    word = allocated(64);
    signal_word = allocated(64);
    flag = allocated(64);
    mapped = shmem_ptr(remote, other);
    mine = malloc(ELEMS * sizeof *mine);
    if (!mine)
        abort();
    memset(mine, 1, ELEMS * sizeof *mine);
    shmem_barrier_all();
}

void caf_base_end(void)
{
    shmem_finalize();
}
