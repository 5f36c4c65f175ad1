// SPDX-License-Identifier: BSD-3-Clause
//
// Floods of small puts, values, accumulates and gets without waiting, which travel together between
// nodes: they take effect in the order of the calls, also on words that are hit again and again,
// beside large puts, rows and atomics, which take other ways, and where the process computes in
// between. A handle completes what it stands for. floods [THREADS]: each has words of its own.
#include <armci.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "frame/check.h"

enum { PROCS_MOST = 8, THREADS_MOST = 4, WORDS = 256, HOT = 4, PHASES = 120, GETS = 64 };

/** What a process has for each thread of another one. */
typedef struct place {
    long words[WORDS];
    double sums[WORDS];
    double pairs[HOT][2];  // complex
} place_t;

typedef struct thread {
    uint64_t random;
    int number, ngets;
    long version, src[WORDS];
    place_t model[PROCS_MOST];
    long got[GETS][4], expected[GETS][4];
    armci_hdl_t hdl;
} thread_t;

static int me, nprocs, nthreads = 1;
static void *blocks[PROCS_MOST];

static size_t pick(thread_t *t, size_t bound)
{
    t->random ^= t->random << 13;  // xorshift64
    t->random ^= t->random >> 7;
    t->random ^= t->random << 17;
    return (size_t)(t->random >> 8) % bound;
}

static place_t *place_of(const thread_t *t, int proc)
{
    return (place_t *)blocks[proc] + me * nthreads + t->number;
}

/** The first of n words: half of the time of those that are hit often. */
static size_t place(thread_t *t, size_t n)
{
    return pick(t, 2) ? pick(t, HOT) : pick(t, WORDS - n + 1);
}

static void fresh(thread_t *t, size_t n)
{
    t->version++;
    for (size_t i = 0; i < n; i++)
        t->src[i] = t->version * 1000 + (long)i;
}

// ---------------------------------------------------------------- small operations
static void put(thread_t *t, int proc, int form)
{
    size_t n = form < 2 ? 1 + pick(t, 4) : 1, at = place(t, n);
    long *there = place_of(t, proc)->words + at;
    armci_size_t nbytes = (armci_size_t)(n * sizeof(long));
    fresh(t, n);
    memcpy(t->model[proc].words + at, t->src, n * sizeof(long));
    if (form == 0)
        ARMCI_NbPut(t->src, there, nbytes, proc, &t->hdl);
    else if (form == 1)
        ARMCI_Put(t->src, there, nbytes, proc);
    else if (form == 2)
        ARMCI_NbPutValueLong(t->src[0], there, proc, &t->hdl);
    else
        ARMCI_PutValueLong(t->src[0], there, proc);
}

static void add(thread_t *t, int proc, int nb)
{
    size_t n = 1 + pick(t, 4), at = place(t, n);
    long scale = pick(t, 2) ? 1 : 3, *there = place_of(t, proc)->words + at;
    armci_size_t nbytes = (armci_size_t)(n * sizeof(long));
    fresh(t, n);
    for (size_t i = 0; i < n; i++)
        t->model[proc].words[at + i] += scale * t->src[i];
    if (nb)
        ARMCI_NbAcc(ARMCI_ACC_LNG, &scale, t->src, there, nbytes, proc, NULL);
    else
        ARMCI_Acc(ARMCI_ACC_LNG, &scale, t->src, there, nbytes, proc);
}

static void add_reals(thread_t *t, int proc)
{
    size_t at = place(t, 1);
    double scale = 0.5, value = (double)(2 * pick(t, 1000));
    double turn[2] = {0, 1}, pair[2] = {value, 1};
    t->model[proc].sums[at] += scale * value;
    ARMCI_NbAcc(ARMCI_ACC_DBL, &scale, &value, &place_of(t, proc)->sums[at], sizeof value, proc,
                NULL);
    at %= HOT;
    t->model[proc].pairs[at][0] -= 1;
    t->model[proc].pairs[at][1] += value;
    ARMCI_NbAcc(ARMCI_ACC_DCP, turn, pair, place_of(t, proc)->pairs[at], sizeof pair, proc, NULL);
}

static void wait_for_gets(thread_t *t)
{
    ARMCI_Wait(&t->hdl);
    long bad = 0;
    for (int i = 0; i < t->ngets; i++)
        bad += memcmp(t->got[i], t->expected[i], sizeof t->got[i]) != 0;
    CHECK(bad == 0, "thread %d: %ld of %d gets", t->number, bad, t->ngets);
    t->ngets = 0;
}

static void get(thread_t *t, int proc)
{
    size_t at = place(t, 4);
    if (t->ngets == GETS)
        wait_for_gets(t);
    memset(t->got[t->ngets], 0xee, sizeof t->got[0]);
    memcpy(t->expected[t->ngets], t->model[proc].words + at, sizeof t->got[0]);
    ARMCI_NbGet(place_of(t, proc)->words + at, t->got[t->ngets++], sizeof t->got[0], proc, &t->hdl);
}

// ---------------------------------------------------------------- what goes other ways
static void put_large(thread_t *t, int proc)
{
    size_t at = pick(t, 2 * HOT), n = WORDS - 2 * HOT;
    fresh(t, n);
    memcpy(t->model[proc].words + at, t->src, n * sizeof(long));
    ARMCI_Put(t->src, place_of(t, proc)->words + at, (armci_size_t)(n * sizeof(long)), proc);
}

/** Too long to be collected. */
static void add_large(thread_t *t, int proc)
{
    size_t at = pick(t, 2 * HOT), n = 40;
    long one = 1;
    fresh(t, n);
    for (size_t i = 0; i < n; i++)
        t->model[proc].words[at + i] += t->src[i];
    ARMCI_Acc(ARMCI_ACC_LNG, &one, t->src, place_of(t, proc)->words + at,
              (armci_size_t)(n * sizeof(long)), proc);
}

static void put_rows(thread_t *t, int proc)
{
    int row = 8, gaps = 16, count[2] = {row, 3};
    size_t at = pick(t, 2 * HOT);
    fresh(t, 3);
    for (size_t i = 0; i < 3; i++)
        t->model[proc].words[at + 2 * i] = t->src[i];
    ARMCI_PutS(t->src, &row, place_of(t, proc)->words + at, &gaps, count, 1, proc);
}

static void fetch(thread_t *t, int proc)
{
    size_t at = place(t, 1);
    long old;
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, place_of(t, proc)->words + at, 3, proc);
    CHECK(old == t->model[proc].words[at], "fetch: %ld, not %ld", old, t->model[proc].words[at]);
    t->model[proc].words[at] += 3;
}

static void read_back(thread_t *t, int proc)
{
    place_t now, *model = &t->model[proc];
    ARMCI_Get(place_of(t, proc), &now, sizeof now, proc);
    long bad = 0;
    for (int i = 0; i < WORDS; i++)
        bad += now.words[i] != model->words[i] || now.sums[i] != model->sums[i];
    bad += memcmp(now.pairs, model->pairs, sizeof now.pairs) != 0;
    CHECK(bad == 0, "thread %d: %ld wrong at process %d", t->number, bad, proc);
}

/** Makes no call for up to 300 µs, or some ms now and then. */
static void compute(thread_t *t)
{
    struct timespec now, begun;
    long ns = (long)(pick(t, 8) ? pick(t, 300000) : 3000000);
    clock_gettime(CLOCK_MONOTONIC, &begun);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - begun.tv_sec) * 1000000000 + now.tv_nsec - begun.tv_nsec < ns);
}

static void step(thread_t *t, int proc)
{
    static void (*const others[])(thread_t *, int) = {put_large, put_rows, fetch, read_back,
                                                      add_large};
    size_t which = pick(t, 300);
    if (which < 5)
        others[which](t, proc);
    else if (which < 9)
        compute(t);
    else if (which < 60)
        get(t, proc);
    else if (which < 100)
        add(t, proc, which % 2);
    else if (which < 120)
        add_reals(t, proc);
    else
        put(t, proc, (int)(which % 4));
}

static void *work(void *arg)
{
    static const int windows[] = {1, 5, 30, 200, 600};
    thread_t *t = arg;
    ARMCI_INIT_HANDLE(&t->hdl);
    for (int phase = 0; phase < PHASES; phase++) {
        int proc = (int)pick(t, (size_t)nprocs), n = windows[pick(t, 5)];
        for (int i = 0; i < n; i++)
            step(t, phase % 5 == 4 ? (int)pick(t, (size_t)nprocs) : proc);
        switch (pick(t, 5)) {
        case 0:
            ARMCI_Fence(proc);
            break;
        case 1:
            ARMCI_WaitAll();
            break;
        case 2:
            wait_for_gets(t);
            break;
        case 3:
            read_back(t, proc);
            break;
        default:
            compute(t);
        }
    }
    wait_for_gets(t);
    for (int proc = 0; proc < nprocs; proc++)
        read_back(t, proc);
    return NULL;
}

int main(int argc, char **argv)
{
    static thread_t threads[THREADS_MOST];
    pthread_t id[THREADS_MOST];
    nthreads = argc > 1 ? atoi(argv[1]) : 1;
    REQUIRE((nthreads > 1 ? ARMCI_Init_thread(3) : ARMCI_Init()) == 0);
    me = armci_msg_me();
    nprocs = armci_msg_nproc();
    check_as("process", me, nprocs);
    REQUIRE(nprocs <= PROCS_MOST && nthreads <= THREADS_MOST);
    armci_size_t nbytes = (armci_size_t)sizeof(place_t) * nprocs * nthreads;
    REQUIRE(ARMCI_Malloc(blocks, nbytes) == 0);
    memset(blocks[me], 0, (size_t)nbytes);
    ARMCI_Barrier();
    for (int i = 0; i < nthreads; i++) {
        threads[i].number = i;
        threads[i].random = 88172645463325252u + (uint64_t)(me * THREADS_MOST + i) * 104729;
    }
    for (int i = 1; i < nthreads; i++)
        pthread_create(&id[i], NULL, work, &threads[i]);
    work(&threads[0]);
    for (int i = 1; i < nthreads; i++)
        pthread_join(id[i], NULL);
    ARMCI_Barrier();
    ARMCI_Free(blocks[me]);
    ARMCI_Finalize();
    return check_result();
}
