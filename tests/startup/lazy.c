// SPDX-License-Identifier: BSD-3-Clause
//
// What start-up leaves for later, observed by events and not by clocks.
//
//   fabric            which processes have libfabric in memory: none on one node; on several, after
//                     shmem_init at most the PEs that host a node server, and every other PE after
//                     its first transfer to another node
//   chain             a token passes all PEs, from node to node: which have libfabric in memory
//                     when it comes, before their first transfer
//   alone             which have it where none but those that host a node server communicates
//   nobarrier FILE    the PEs of the last node call shmem_init only when every other PE has
//                     returned from it
//   late FILE         the last PE of a node calls shmem_init only when every other PE of it has
//                     returned; these then put, get and add to its static data before that is
//                     mapped, each by a path of its own
//   never             the last PE never calls shmem_init: one PE accesses its memory, one waits for
//                     a word, one is in a barrier
//   early FILE        as nobarrier, and the early PEs need the exchange before the late node has
//                     begun it
//   compute MS        computes for so long, then a transfer to another node; the statistics show
//                     whether it had to wait
//   rest MS           the same, asleep
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int word;

static int has_libfabric(void)
{
    char line[4096];
    int found = 0;
    FILE *f = fopen("/proc/self/maps", "r");
    while (f && fgets(line, sizeof line, f))
        found |= strstr(line, "/libfabric") != NULL;
    if (!f)
        abort();
    fclose(f);
    return found;
}

static int number(const char *name)
{
    const char *text = getenv(name);
    if (!text)
        abort();
    return atoi(text);
}

static void fabric(void)
{
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes(), nnodes = number("NNODES"),
        far = (me + n / nnodes) % n;
    int leads = me % (n / nnodes) == 0;
    if (nnodes == 1 || !leads) {
        int loaded = has_libfabric();
        printf("PE %d after init: %s\n", me, loaded ? "FAIL: libfabric is loaded" : "no libfabric");
    }
    shmem_int_p(&word, me, far);
    shmem_quiet();
    if (nnodes > 1)
        printf("PE %d after a transfer: %s\n", me,
               has_libfabric() ? "libfabric" : "FAIL: no libfabric");
    shmem_barrier_all();
    if (nnodes == 1)
        printf("PE %d at the end: %s\n", me,
               has_libfabric() ? "FAIL: libfabric is loaded" : "no libfabric");
    shmem_finalize();
}

static void chain(void)
{
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes(), half = n / 2,
        next = me < half ? me + half : me - half + 1;
    if (me != 0)
        shmem_int_wait_until(&word, SHMEM_CMP_EQ, 1);
    printf("PE %d, when the token comes: %s\n", me, has_libfabric() ? "libfabric" : "none");
    if (me != n - 1)
        shmem_int_p(&word, 1, next);
    shmem_quiet();
    shmem_finalize();
}

static void alone(void)
{
    shmem_init();
    shmem_barrier_all();
    printf("PE %d, at the end: %s\n", shmem_my_pe(), has_libfabric() ? "libfabric" : "none");
    shmem_finalize();
}

/** The size of the file: one byte for every PE that has returned. */
static long returned(const char *path)
{
    FILE *f = fopen(path, "r");
    long n = 0;
    while (f && fgetc(f) != EOF)
        n++;
    if (f)
        fclose(f);
    return n;
}

static void await_returned(const char *path, long n)
{
    struct timespec nap = {0, 5000000};
    while (returned(path) < n)
        nanosleep(&nap, NULL);
}

static void say_returned(const char *path)
{
    FILE *f = fopen(path, "a");
    if (!f || fputc('.', f) == EOF || fclose(f))
        abort();
}

static void nobarrier(const char *path, int need_early)
{
    int n = number("OSHRUN_NPES"), per_node = n / number("NNODES"), me = number("OSHRUN_PE");
    int late = me >= n - per_node;
    if (late)
        await_returned(path, n - per_node);
    shmem_init();
    if (!late)
        say_returned(path);
    if (need_early || late)
        shmem_int_p(&word, me, (me + per_node) % n);
    shmem_barrier_all();
    printf("PE %d returned %s\n", me, late ? "late" : "early");
    shmem_finalize();
}

// Of the late PE: initialised, so that stores of other PEs before its shmem_init could be lost when
// it copies its data.
static long early_word[64] = {[0 ... 63] = 77};
static long early_sum = 1000, early_block[64][40] = {[0 ... 63] = {[0 ... 39] = 55}};

/** Must survive: each PE stores its own words of the late one, by a path that depends on the PE. */
static void reach_into(int late, int me)
{
    long block[40];
    for (int i = 0; i < 40; i++)
        block[i] = me * 100 + i;
    switch (me % 5) {
    case 0:
        shmem_long_p(&early_word[me], me, late);
        break;
    case 1:
        if (shmem_long_g(&early_word[me], late) != 77)
            printf("PE %d: FAIL: a get saw no initialised data\n", me);
        shmem_long_put(&early_word[me], &(long){me}, 1, late);
        break;
    case 2:
        *(long *)shmem_ptr(&early_word[me], late) = me;
        break;
    case 3:
        if (shmem_long_atomic_compare_swap(&early_word[me], 77, me, late) != 77)
            printf("PE %d: FAIL: an atomic saw no initialised data\n", me);
        break;
    default: {
        shmem_ctx_t ctx;
        if (shmem_ctx_create(0, &ctx))
            abort();
        shmem_ctx_long_p(ctx, &early_word[me], me, late);
        shmem_ctx_destroy(ctx);
    }
    }
    shmem_long_put_nbi(early_block[me], block, 40, late);
    shmem_long_atomic_add(&early_sum, me, late);
}

static void come_late(const char *path)
{
    int n = number("OSHRUN_NPES"), me = number("OSHRUN_PE"), late = n - 1;
    if (me == late)
        await_returned(path, n - 1);
    shmem_init();
    if (me != late) {
        say_returned(path);
        reach_into(late, me);
    }
    shmem_barrier_all();
    long sum = 1000;
    for (int pe = 0; me == late && pe < late; pe++) {
        sum += pe;
        int wrong = early_word[pe] != pe;
        for (int i = 0; i < 40; i++)
            wrong |= early_block[pe][i] != pe * 100 + i;
        if (wrong)
            printf("FAIL: what PE %d stored early is lost: %ld, %ld\n", pe, early_word[pe],
                   early_block[pe][0]);
    }
    if (me == late && early_sum != sum)
        printf("FAIL: sum %ld instead of %ld\n", early_sum, sum);
    printf("PE %d returned %s\n", me, me == late ? "late" : "early");
    shmem_finalize();
}

/** The last PE never calls shmem_init; the others wait for it in a way that depends on the PE. */
static void never(void)
{
    int n = number("OSHRUN_NPES"), me = number("OSHRUN_PE");
    if (me == n - 1) {
        sleep(600);
        return;
    }
    shmem_init();
    if (me == 0)
        shmem_int_p(&word, 1, n - 1);
    else if (me == 1)
        shmem_int_wait_until(&word, SHMEM_CMP_EQ, 1);
    shmem_finalize();
}

static void compute(long ms)
{
    struct timespec now, end;
    volatile uint64_t work = 0;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += ms / 1000;
    end.tv_nsec += ms % 1000 * 1000000;
    do {
        for (int i = 0; i < 10000; i++)
            work += (uint64_t)i;
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - end.tv_sec) * 1000000000L + now.tv_nsec - end.tv_nsec < 0);
}

static void hide(long ms, int awake)
{
    struct timespec nap = {ms / 1000, ms % 1000 * 1000000};
    shmem_init();
    if (awake)
        compute(ms);
    else
        nanosleep(&nap, NULL);
    int n = shmem_n_pes(), me = shmem_my_pe();
    shmem_int_p(&word, me, (me + n / number("NNODES")) % n);
    shmem_barrier_all();
    shmem_finalize();
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "fabric") == 0)
        fabric();
    else if (argc > 1 && strcmp(argv[1], "chain") == 0)
        chain();
    else if (argc > 1 && strcmp(argv[1], "alone") == 0)
        alone();
    else if (argc > 2 && strcmp(argv[1], "nobarrier") == 0)
        nobarrier(argv[2], 0);
    else if (argc > 2 && strcmp(argv[1], "late") == 0)
        come_late(argv[2]);
    else if (argc > 1 && strcmp(argv[1], "never") == 0)
        never();
    else if (argc > 2 && strcmp(argv[1], "early") == 0)
        nobarrier(argv[2], 1);
    else if (argc > 2 && strcmp(argv[1], "compute") == 0)
        hide(atol(argv[2]), 1);
    else if (argc > 2 && strcmp(argv[1], "rest") == 0)
        hide(atol(argv[2]), 0);
    else
        return 2;
    return 0;
}
