// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet-1's prototype of collectives: every call, with one address and with lists, with and
// without a handle, each pair of synchronization modes, blocks of no byte, of some and of several
// pieces. With GASNET_PAR processes have 1, 2 or 3 images, which are threads. Then what modes
// promise: sources written from elsewhere until ALLSYNC begins, results read from elsewhere when it
// ends, and a collective that goes on while its members do nothing but poll.
#define EVERY_MAIN
#include <gasnet_coll.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

#include "every.h"

enum { MOST_IMAGES = 3, MOST_BLOCK = 700 };

static const int in_modes[] = {GASNET_COLL_IN_NOSYNC, GASNET_COLL_IN_MYSYNC,
                               GASNET_COLL_IN_ALLSYNC};
static const int out_modes[] = {GASNET_COLL_OUT_NOSYNC, GASNET_COLL_OUT_MYSYNC,
                                GASNET_COLL_OUT_ALLSYNC};
static unsigned nimages, local_images, first_image;
static pthread_barrier_t meeting;

typedef struct image {
    unsigned number, local;
    int *src, *dst;      // of this image
    int **srcs, **dsts;  // the same in lists: of all images, those of this process filled in
} image_t;

/** Element i of what image `from` has for image `to`. */
static int value(unsigned from, unsigned to, size_t i)
{
    return (int)(from * 1000003 + to * 1009 + i * 7 + 1);
}

static void all_images(void)
{
    if (local_images > 1 && pthread_barrier_wait(&meeting) != PTHREAD_BARRIER_SERIAL_THREAD) {
        pthread_barrier_wait(&meeting);
        return;
    }
    barrier();
    if (local_images > 1)
        pthread_barrier_wait(&meeting);
}

static void sum(void *results, size_t result_count, const void *left_operands, size_t left_count,
                const void *right_operands, size_t elem_size, int flags, int arg)
{
    const int *left = left_operands, *right = right_operands;
    int *result = results;
    CHECK(left_count == result_count && elem_size == sizeof *result && arg == 77 &&
          flags == GASNET_COLL_NONCOMM);
    for (size_t i = 0; i < result_count; i++)
        result[i] = left[i] * 3 + right[i];  // does not commute
}

typedef struct way {
    bool handle, list;
    int flags;
    unsigned root;
    size_t n;
} way_t;

static void *const *list_of(int **list, int flags)
{
    return (void *const *)(flags & GASNET_COLL_SINGLE ? list : list + first_image);
}

static void clear(const image_t *image)
{
    for (size_t i = 0; i < (size_t)nimages * MOST_BLOCK; i++)
        image->dst[i] = -1;
    all_images();
}

static void fill_source(const image_t *image, size_t n)
{
    for (unsigned to = 0; to < nimages; to++)
        for (size_t i = 0; i < n; i++)
            image->src[to * n + i] = value(image->number, to, i);
}

static size_t wrong_in(const int *at, unsigned from, unsigned to, size_t n)
{
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++)
        wrong += at[i] != value(from, to, i);
    return wrong;
}

#define NBYTES(way) ((way)->n * sizeof(int)), (way)->flags

static void test_from_root(const image_t *image, const way_t *way)
{
    unsigned root = way->root;
    void *const *dsts = list_of(image->dsts, way->flags);
    clear(image);
    if (way->list)
        way->handle ? gasnet_coll_wait_sync(gasnet_coll_broadcastM_nb(GASNET_TEAM_ALL, dsts, root,
                                                                      image->src, NBYTES(way)))
                    : gasnet_coll_broadcastM(GASNET_TEAM_ALL, dsts, root, image->src, NBYTES(way));
    else
        way->handle
            ? gasnet_coll_wait_sync(gasnet_coll_broadcast_nb(GASNET_TEAM_ALL, image->dst, root,
                                                             image->src, NBYTES(way)))
            : gasnet_coll_broadcast(GASNET_TEAM_ALL, image->dst, root, image->src, NBYTES(way));
    all_images();
    CHECK(wrong_in(image->dst, root, 0, way->n) == 0 && image->dst[way->n] == -1);
    clear(image);
    if (way->list)
        way->handle ? gasnet_coll_wait_sync(gasnet_coll_scatterM_nb(GASNET_TEAM_ALL, dsts, root,
                                                                    image->src, NBYTES(way)))
                    : gasnet_coll_scatterM(GASNET_TEAM_ALL, dsts, root, image->src, NBYTES(way));
    else
        way->handle
            ? gasnet_coll_wait_sync(gasnet_coll_scatter_nb(GASNET_TEAM_ALL, image->dst, root,
                                                           image->src, NBYTES(way)))
            : gasnet_coll_scatter(GASNET_TEAM_ALL, image->dst, root, image->src, NBYTES(way));
    all_images();
    CHECK(wrong_in(image->dst, root, image->number, way->n) == 0 && image->dst[way->n] == -1);
}

/** Are the blocks of all images there, side by side? column: for which image they are. */
static bool has_rows(const image_t *image, unsigned column, size_t n)
{
    size_t wrong = 0;
    for (unsigned from = 0; from < nimages; from++)
        wrong += wrong_in(image->dst + from * n, from, column, n);
    return wrong == 0 && image->dst[nimages * n] == -1;
}

static void test_to_root(const image_t *image, const way_t *way)
{
    unsigned root = way->root;
    void *const *srcs = list_of(image->srcs, way->flags);
    clear(image);
    if (way->list)
        way->handle ? gasnet_coll_wait_sync(gasnet_coll_gatherM_nb(GASNET_TEAM_ALL, root,
                                                                   image->dst, srcs, NBYTES(way)))
                    : gasnet_coll_gatherM(GASNET_TEAM_ALL, root, image->dst, srcs, NBYTES(way));
    else
        way->handle
            ? gasnet_coll_wait_sync(
                  gasnet_coll_gather_nb(GASNET_TEAM_ALL, root, image->dst, image->src, NBYTES(way)))
            : gasnet_coll_gather(GASNET_TEAM_ALL, root, image->dst, image->src, NBYTES(way));
    all_images();
    CHECK(image->number == root ? has_rows(image, 0, way->n) : image->dst[0] == -1);
    clear(image);
    size_t size = sizeof(int), n = way->n;
    if (way->list)
        way->handle
            ? gasnet_coll_wait_sync(gasnet_coll_reduceM_nb(GASNET_TEAM_ALL, root, image->dst, srcs,
                                                           0, 0, size, n, 1, 77, way->flags))
            : gasnet_coll_reduceM(GASNET_TEAM_ALL, root, image->dst, srcs, 0, 0, size, n, 1, 77,
                                  way->flags);
    else
        way->handle
            ? gasnet_coll_wait_sync(gasnet_coll_reduce_nb(
                  GASNET_TEAM_ALL, root, image->dst, image->src, 0, 0, size, n, 1, 77, way->flags))
            : gasnet_coll_reduce(GASNET_TEAM_ALL, root, image->dst, image->src, 0, 0, size, n, 1,
                                 77, way->flags);
    all_images();
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++) {
        int want = value(0, 0, i);
        for (unsigned from = 1; from < nimages; from++)
            want = want * 3 + value(from, 0, i);
        wrong += image->dst[i] != want;
    }
    CHECK(image->number == root ? wrong == 0 : image->dst[0] == -1);
}

static void test_all_to_all(const image_t *image, const way_t *way)
{
    void *const *dsts = list_of(image->dsts, way->flags), *const *srcs =
                                                              list_of(image->srcs, way->flags);
    clear(image);
    if (way->list)
        way->handle ? gasnet_coll_wait_sync(
                          gasnet_coll_gather_allM_nb(GASNET_TEAM_ALL, dsts, srcs, NBYTES(way)))
                    : gasnet_coll_gather_allM(GASNET_TEAM_ALL, dsts, srcs, NBYTES(way));
    else
        way->handle ? gasnet_coll_wait_sync(gasnet_coll_gather_all_nb(GASNET_TEAM_ALL, image->dst,
                                                                      image->src, NBYTES(way)))
                    : gasnet_coll_gather_all(GASNET_TEAM_ALL, image->dst, image->src, NBYTES(way));
    all_images();
    CHECK(has_rows(image, 0, way->n));
    clear(image);
    if (way->list)
        way->handle ? gasnet_coll_wait_sync(
                          gasnet_coll_exchangeM_nb(GASNET_TEAM_ALL, dsts, srcs, NBYTES(way)))
                    : gasnet_coll_exchangeM(GASNET_TEAM_ALL, dsts, srcs, NBYTES(way));
    else
        way->handle ? gasnet_coll_wait_sync(gasnet_coll_exchange_nb(GASNET_TEAM_ALL, image->dst,
                                                                    image->src, NBYTES(way)))
                    : gasnet_coll_exchange(GASNET_TEAM_ALL, image->dst, image->src, NBYTES(way));
    all_images();
    CHECK(has_rows(image, image->number, way->n));
}

/** Barriers of images: none leaves before the last one has come; names and mismatches. */
static void test_image_barriers(const image_t *image)
{
    enum { PHASES = 60 };
    static _Atomic unsigned came[PHASES];
    const int any = GASNET_BARRIERFLAG_ANONYMOUS | GASNET_BARRIERFLAG_IMAGES;
    for (int phase = 0; phase < PHASES; phase++) {
        bool odd = phase % 7 == 3 && image->number == nimages - 1 && nimages > 1;
        int flags = phase % 3 ? GASNET_BARRIERFLAG_IMAGES : any, rc;
        came[phase]++;
        gasnet_coll_barrier_notify(GASNET_TEAM_ALL, phase + odd, flags);
        if (phase % 2)
            rc = gasnet_coll_barrier_wait(GASNET_TEAM_ALL, phase + odd, flags);
        else
            while ((rc = gasnet_coll_barrier_try(GASNET_TEAM_ALL, phase + odd, flags)) ==
                   GASNET_ERR_NOT_READY)
                sched_yield();
        bool differs = phase % 3 && phase % 7 == 3 && nimages > 1;
        CHECK(rc == (differs ? GASNET_ERR_BARRIER_MISMATCH : GASNET_OK), "phase %d: %d", phase, rc);
        CHECK(came[phase] == local_images, "phase %d: %u of %u came", phase, came[phase],
              local_images);
    }
}

static void test_image(const image_t *image)
{
    static const size_t lengths[] = {0, 1, 255, 260, MOST_BLOCK - 1};
    for (int mode = 0; mode < 9; mode++) {
        way_t way = {.handle = mode % 2, .list = mode / 2 % 2, .n = lengths[mode % 5]};
        way.root = (unsigned)mode % nimages;
        way.flags = in_modes[mode / 3] | out_modes[mode % 3] |
                    (mode % 4 < 2 ? GASNET_COLL_LOCAL : GASNET_COLL_SINGLE);
        fill_source(image, way.n);
        test_from_root(image, &way);
        test_to_root(image, &way);
        test_all_to_all(image, &way);
    }
}

/** Many in flight, waited for from the last to the first; the arrays' forms of tests and waits. */
static void test_many(const image_t *image)
{
    enum { MANY = 12, N = 300 };
    gasnet_coll_handle_t handles[MANY];
    int flags = GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC | GASNET_COLL_LOCAL;
    int *results = malloc(MANY * nimages * N * sizeof *results);
    fill_source(image, N);
    for (int round = 0; round < 4; round++) {
        memset(results, 0, MANY * nimages * N * sizeof *results);
        for (unsigned i = 0; i < MANY; i++)
            handles[i] = gasnet_coll_exchange_nb(GASNET_TEAM_ALL, results + i * nimages * N,
                                                 image->src, N * sizeof(int), flags);
        if (round == 0)
            for (unsigned i = MANY; i-- > 0;)
                gasnet_coll_wait_sync(handles[i]);
        else if (round == 1)
            while (gasnet_coll_try_sync_all(handles, MANY) != GASNET_OK)
                ;
        else if (round == 2)
            for (gasnet_coll_wait_sync_some(handles, MANY);
                 gasnet_coll_try_sync_some(handles, MANY) != GASNET_OK;)
                ;
        gasnet_coll_wait_sync_all(handles, round == 0 ? 0 : MANY);
        size_t wrong = 0;
        for (unsigned i = 0; i < MANY; i++)
            for (unsigned from = 0; from < nimages; from++)
                wrong += wrong_in(results + (i * nimages + from) * N, from, image->number, N);
        CHECK(wrong == 0, "round %d: %zu wrong", round, wrong);
    }
    gasnet_coll_handle_t handle =
        gasnet_coll_gather_all_nb(GASNET_TEAM_ALL, results, image->src, 4, flags);
    while (gasnet_coll_try_sync(handle) != GASNET_OK)
        ;
    CHECK(results[nimages - 1] == value(nimages - 1, 0, 0));
    free(results);
}

static int **all_srcs, **all_dsts;
static gasnet_image_t *counts;

static void *run_image(void *arg)
{
    gasnet_coll_fn_entry_t functions[] = {{NULL, 0}, {sum, GASNET_COLL_NONCOMM}};
    image_t image = {.local = (unsigned)(uintptr_t)arg, .srcs = all_srcs, .dsts = all_dsts};
    image.number = first_image + image.local;
    image.src = all_srcs[image.number];
    image.dst = all_dsts[image.number];
    gasnet_coll_init(nimages == nodes ? NULL : counts, image.number, functions, 2, 0);
    all_images();
    test_image_barriers(&image);
    all_images();
    test_image(&image);
    all_images();
    test_many(&image);
    all_images();
    for (int i = 0; i < 300000; i++)  // all at a time: later polls, of one, still carry things on
        gasnet_AMPoll();
    return NULL;
}

static void test_images(void)
{
    pthread_t threads[MOST_IMAGES];
    counts = calloc(nodes, sizeof *counts);
    for (unsigned node = 0; node < nodes; node++) {
        first_image = node == me ? nimages : first_image;
#ifdef GASNET_PAR
        counts[node] = 1 + (node + 1) % MOST_IMAGES;
#else
        counts[node] = 1;
#endif
        nimages += counts[node];
    }
    local_images = counts[me];
    pthread_barrier_init(&meeting, NULL, local_images);
    all_srcs = calloc(nimages, sizeof *all_srcs);
    all_dsts = calloc(nimages, sizeof *all_dsts);
    for (unsigned i = first_image; i < first_image + local_images; i++) {
        all_srcs[i] = malloc(nimages * MOST_BLOCK * sizeof(int));
        all_dsts[i] = malloc(nimages * MOST_BLOCK * sizeof(int));
    }
    for (unsigned i = 1; i < local_images; i++)
        pthread_create(&threads[i], NULL, run_image, (void *)(uintptr_t)i);
    run_image(NULL);
    for (unsigned i = 1; i < local_images; i++)
        pthread_join(threads[i], NULL);
}

// ---------------------------------------------------------------- what modes promise
static int flags_of_processes(int modes)
{
    return modes | GASNET_COLL_LOCAL | GASNET_COLL_NO_IMAGES | GASNET_COLL_SRC_IN_SEGMENT |
           GASNET_COLL_DST_IN_SEGMENT;
}

/** The process before this one writes the source and reads the result. */
static void test_all_sync(void)
{
    int *src = (int *)(void *)mine, *dst = src + 1000;
    int *its_src = (int *)(void *)theirs, *its_dst = its_src + 1000;
    for (int round = 0; round < 30; round++) {
        int word = (int)next * 100 + round, got = -1;
        gasnet_put(next, its_src, &word, sizeof word);
        gasnet_coll_gather_all(
            GASNET_TEAM_ALL, dst, src, sizeof word,
            flags_of_processes(GASNET_COLL_IN_ALLSYNC | GASNET_COLL_OUT_ALLSYNC));
        for (unsigned node = 0; node < nodes; node++) {
            gasnet_get(&got, next, its_dst + node, sizeof got);
            CHECK(got == (int)node * 100 + round, "node %u in round %d: %d", node, round, got);
        }
        gasnet_coll_barrier_notify(GASNET_TEAM_ALL, 0, GASNET_BARRIERFLAG_ANONYMOUS);
        CHECK(gasnet_coll_barrier_wait(GASNET_TEAM_ALL, 0, GASNET_BARRIERFLAG_ANONYMOUS) ==
              GASNET_OK);
    }
}

/** Processes by parity, the last one first; then all of them, from a team of a team. */
static void test_teams(void)
{
    gasnet_seginfo_t scratch = {mine, 4096};
    gasnet_team_handle_t half =
        gasnet_coll_team_split(GASNET_TEAM_ALL, me % 2, nodes - me, &scratch);
    unsigned size = (nodes + 1 - me % 2) / 2, rank = gasnet_coll_team_node2rank(half, me);
    CHECK(gasnet_coll_team_size(half) == size && gasnet_coll_team_size(GASNET_TEAM_ALL) == nodes);
    CHECK(gasnet_coll_team_rank2node(half, (int)rank) == me && rank == size - 1 - me / 2);
    gasnet_team_handle_t again = gasnet_coll_team_split(half, 0, rank, &scratch);
    int flags = GASNET_COLL_LOCAL | GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC;
    int own[3] = {(int)me * 10, (int)me * 10 + 1, (int)me * 10 + 2}, word = (int)me,
        *all = calloc((size_t)nodes * 3, sizeof *all);
    gasnet_coll_gather_all(again, all, own, sizeof own, flags);
    for (unsigned r = 0; r < size; r++)
        CHECK(all[3 * r + 2] == (int)gasnet_coll_team_rank2node(again, (int)r) * 10 + 2, "rank %u",
              r);
    gasnet_coll_broadcast(half, &word, size - 1, &word, sizeof word, flags);
    CHECK(word == (int)(me % 2), "the last rank is the lowest process");
    for (int phase = 0; phase < 20; phase++) {
        bool odd = phase % 4 == 1 && rank == 0 && size > 1;
        gasnet_coll_barrier_notify(half, phase + odd, 0);
        int rc = gasnet_coll_barrier_wait(half, phase + odd, 0);
        bool differs = phase % 4 == 1 && size > 1;
        CHECK(rc == (differs ? GASNET_ERR_BARRIER_MISMATCH : GASNET_OK), "phase %d: %d", phase, rc);
    }
    gasnet_coll_barrier_notify(again, 0, GASNET_BARRIERFLAG_ANONYMOUS);
    while (gasnet_coll_barrier_try(again, 7, 0) == GASNET_ERR_NOT_READY)
        ;
    CHECK(gasnet_coll_barrier(again, 0, GASNET_BARRIERFLAG_MISMATCH) ==
          GASNET_ERR_BARRIER_MISMATCH);
    free(all);
}

static _Atomic int go_on;

static void on_go_on(gasnet_token_t token)
{
    (void)token;
    go_on = 1;
}

/** Node 0 ends a collective of several pieces while the others only poll. */
static void test_polling(void)
{
    enum { N = 5000 };
    static char src[N], dst[1];
    char *all = malloc((size_t)nodes * N);
    fill(src, me, 9, N);
    gasnet_coll_handle_t handle =
        gasnet_coll_gather_nb(GASNET_TEAM_ALL, 0, me == 0 ? all : dst, src, N,
                              flags_of_processes(GASNET_COLL_IN_ALLSYNC | GASNET_COLL_OUT_MYSYNC));
    if (me == 0) {
        gasnet_coll_wait_sync(handle);
        for (unsigned node = 0; node < nodes; node++)
            CHECK(compare(all + node * N, node, 9, N) == N, "node %u", node);
        for (unsigned node = 1; node < nodes; node++)
            GASNET_Safe(gasnet_AMRequestShort0(node, 210));
    } else {
        while (!go_on)
            gasnet_AMPoll();
        gasnet_coll_wait_sync(handle);
    }
    free(all);
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t handlers[] = {{210, (gasnet_causeway_fnptr_t)on_go_on}};
    GASNET_Safe(gasnet_init(&argc, &argv));
    every_attach(handlers, 1, SEGMENT);
    test_teams();
    test_images();
    test_all_sync();
    test_polling();
    gasnet_coll_loadTuningState(argv[0], GASNET_TEAM_ALL);
    gasnet_coll_dumpTuningState(argv[0], GASNET_TEAM_ALL);
    gasnet_coll_dumpProfile(argv[0], GASNET_TEAM_ALL);
    CHECK(gasnet_coll_barrier(GASNET_TEAM_ALL, 5, 0) == GASNET_OK);
    int id = 0;
    CHECK(gasnet_coll_barrier_result(GASNET_TEAM_ALL, &id) == 0 && id == 5);
    gasnet_coll_barrier_notify(GASNET_TEAM_ALL, 6, 0);
    while (gasnet_coll_barrier_try(GASNET_TEAM_ALL, 6, 0) == GASNET_ERR_NOT_READY)
        ;
    every_end("collectives");
}
