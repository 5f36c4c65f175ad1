// SPDX-License-Identifier: BSD-3-Clause
//
// Requests to PE 0, timed. study/forwarded.py and study/transfers.py build and call it; one line of
// JSON is printed.
//
//   requests hot fadd|vput PES SHARE ROUNDS   PEs of other nodes (all but the first PES) contend:
//                                         SHARE % of them, spread, repeat the operation ROUNDS
//                                         times; 0: each alone, in turn. Median time by rank.
//   requests pair FIFO ROUNDS             the last PE alone, all others wait in a barrier: each
//                                         line of the FIFO is answered by one with the times of
//                                         some repetitions of each operation.
#include <armci.h>
#include <message.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    SEGMENTS = 8,
    SEGMENT_NBYTES = 64,
    ROUNDS_MOST = 4096,
    MIB = 1 << 20,
    BLOCK_NBYTES = 2 * MIB  // rows lie two row lengths apart
};

static int me, npes;
static char *blocks[4096], *here;
static double took[ROUNDS_MOST];

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(int n)
{
    qsort(took, (size_t)n, sizeof *took, compare);
    return took[(n - 1) / 2];
}

// ---------------------------------------------------------------- operations on PE 0
static void fetch_add(int nbytes)
{
    long old;
    (void)nbytes;
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, blocks[0], 1, 0);
}

static void vectored_put(int nbytes)
{
    void *from[SEGMENTS], *to[SEGMENTS];
    for (int i = 0; i < SEGMENTS; i++) {
        from[i] = here + i * SEGMENT_NBYTES;
        to[i] = blocks[0] + (2 * i + 1) * SEGMENT_NBYTES;
    }
    armci_giov_t iov = {.src_ptr_array = from,
                        .dst_ptr_array = to,
                        .ptr_array_len = SEGMENTS,
                        .bytes = SEGMENT_NBYTES};
    (void)nbytes;
    ARMCI_PutV(&iov, 1, 0);
    ARMCI_Fence(0);
}

static void put(int nbytes)
{
    ARMCI_Put(here, blocks[0], nbytes, 0);
    ARMCI_Fence(0);
}

static void get(int nbytes)
{
    ARMCI_Get(blocks[0], here, nbytes, 0);
}

/** 1 MiB in rows. */
static void strided_put(int nbytes)
{
    int count[2] = {nbytes, MIB / nbytes}, packed = nbytes, apart = 2 * nbytes;
    ARMCI_PutS(here, &packed, blocks[0], &apart, count, count[1] > 1, 0);
    ARMCI_Fence(0);
}

static void strided_get(int nbytes)
{
    int count[2] = {nbytes, MIB / nbytes}, packed = nbytes, apart = 2 * nbytes;
    ARMCI_GetS(blocks[0], &apart, here, &packed, count, count[1] > 1, 0);
}

static void accumulate(int nbytes)
{
    double one = 1;
    ARMCI_Acc(ARMCI_ACC_DBL, &one, here, blocks[0], nbytes, 0);
    ARMCI_Fence(0);
}

static void lock(int nbytes)
{
    (void)nbytes;
    ARMCI_Lock(0, 0);
    ARMCI_Unlock(0, 0);
}

static void repeat(void (*operation)(int), int nbytes, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        double begin = now_us();
        operation(nbytes);
        took[i] = now_us() - begin;
    }
}

// ---------------------------------------------------------------- many PEs
/** Is that one of the PEs that contend? They are spread over all PEs of other nodes. */
static int contends(int pe, int first, int share)
{
    int n = npes - first, wanted = (n * share + 99) / 100, i = pe - first;
    return i >= 0 && (i + 1) * wanted / n > i * wanted / n;
}

static void hot(const char *name, int first, int share, int rounds)
{
    void (*operation)(int) = strcmp(name, "fadd") == 0 ? fetch_add : vectored_put;
    double mine = 0;
    ARMCI_Barrier();
    double begin = now_us();
    if (share > 0 && contends(me, first, share)) {
        repeat(operation, 0, rounds);
        mine = median(rounds);
    }
    for (int pe = first; share == 0 && pe < npes; pe++) {
        if (pe == me) {
            repeat(operation, 0, rounds);
            mine = median(rounds);
        }
        ARMCI_Barrier();
    }
    ARMCI_Barrier();
    double all = now_us() - begin;
    ARMCI_Put(&mine, blocks[0] + MIB + (size_t)me * sizeof mine, sizeof mine, 0);
    ARMCI_Barrier();
    if (me > 0)
        return;
    const double *times = (const double *)(const void *)(blocks[0] + MIB);
    printf("{\"all_us\": %.1f, \"sum\": %ld, \"by_rank\": [", all, *(long *)(void *)blocks[0]);
    const char *comma = "";
    for (int pe = 0; pe < npes; pe++)
        if (times[pe] > 0) {
            printf("%s[%d, %.2f]", comma, pe, times[pe]);
            comma = ", ";
        }
    printf("]}\n");
}

// ---------------------------------------------------------------- one PE
static const struct {
    const char *name;
    void (*operation)(int);
    int nbytes, share;  // share: of the rounds
} rows[] = {
    {"put", put, 8, 1},
    {"put", put, 64, 1},
    {"put", put, 512, 1},
    {"put", put, 4096, 1},
    {"put", put, 32768, 2},
    {"put", put, 262144, 4},
    {"put", put, MIB, 8},
    {"get", get, 8, 1},
    {"get", get, 64, 1},
    {"get", get, 512, 1},
    {"get", get, 4096, 1},
    {"get", get, 32768, 2},
    {"get", get, 262144, 4},
    {"get", get, MIB, 8},
    {"strided put", strided_put, 8, 16},
    {"strided put", strided_put, 64, 16},
    {"strided put", strided_put, 512, 16},
    {"strided put", strided_put, 1024, 16},
    {"strided put", strided_put, 4096, 16},
    {"strided put", strided_put, 16384, 16},
    {"strided put", strided_put, 65536, 16},
    {"strided put", strided_put, MIB, 16},
    {"strided get", strided_get, 8, 16},
    {"strided get", strided_get, 64, 16},
    {"strided get", strided_get, 512, 16},
    {"strided get", strided_get, 1024, 16},
    {"strided get", strided_get, 4096, 16},
    {"strided get", strided_get, 16384, 16},
    {"strided get", strided_get, 65536, 16},
    {"strided get", strided_get, MIB, 16},
    {"accumulate", accumulate, 8, 1},
    {"accumulate", accumulate, 1024, 1},
    {"accumulate", accumulate, 65536, 4},
    {"fetch-add", fetch_add, 8, 1},
    {"lock", lock, 8, 1},
};
enum { NROWS = sizeof rows / sizeof rows[0] };

static void turn(int rounds)
{
    for (int i = 0; i < NROWS; i++) {
        int n = rounds / rows[i].share + 1;
        repeat(rows[i].operation, rows[i].nbytes, 2);  // connections, caches
        repeat(rows[i].operation, rows[i].nbytes, n);
        printf("%s{\"name\": \"%s\", \"nbytes\": %d, \"took_us\": [", i ? ", " : "[", rows[i].name,
               rows[i].nbytes);
        for (int k = 0; k < n; k++)
            printf("%s%.2f", k ? ", " : "", took[k]);
        printf("]}");
    }
    printf("]\n");
    fflush(stdout);
}

static void pair(const char *path, int rounds)
{
    char line[64];
    ARMCI_Create_mutexes(1);
    ARMCI_Barrier();
    FILE *lines = me == npes - 1 ? fopen(path, "r") : NULL;
    if (me == npes - 1 && !lines)
        ARMCI_Error("cannot open the FIFO", 1);
    while (lines && fgets(line, sizeof line, lines))
        turn(rounds);
    ARMCI_Barrier();
    ARMCI_Destroy_mutexes();
}

int main(int argc, char **argv)
{
    ARMCI_Init();
    me = armci_msg_me();
    npes = armci_msg_nproc();
    int rounds = argc > 2 ? atoi(argv[argc - 1]) : 0;
    if (rounds < 1 || rounds > ROUNDS_MOST - 3 || npes > 4096)
        ARMCI_Error("usage: requests hot fadd|vput PES SHARE ROUNDS | pair FIFO ROUNDS", 1);
    if (ARMCI_Malloc((void **)blocks, BLOCK_NBYTES) != 0 || !(here = calloc(1, BLOCK_NBYTES)))
        ARMCI_Error("out of memory", 1);
    memset(blocks[me], 0, me == 0 ? BLOCK_NBYTES : 1);
    ARMCI_Barrier();
    if (strcmp(argv[1], "hot") == 0 && argc == 6)
        hot(argv[2], atoi(argv[3]), atoi(argv[4]), rounds);
    else if (strcmp(argv[1], "pair") == 0 && argc == 4)
        pair(argv[2], rounds);
    ARMCI_Barrier();
    free(here);
    ARMCI_Free(blocks[me]);
    ARMCI_Finalize();
    return 0;
}
