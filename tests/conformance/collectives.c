// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives of the world team that move data, of every type and for bytes, back to back without
// barriers, with counts from 0 to more than any internal buffer.
#include "check.h"

#define MANY 600       // elements per PE, for any type
#define MOST 20000     // for some types
#define ELEMENT 16     // bytes of the largest type

static unsigned char *dest, *source;
static size_t room;  // bytes of dest that are checked

static unsigned char byte_of(int pe, size_t i, int turn)
{
    return (unsigned char)(pe * 101 + i * 3 + (i >> 9) + (size_t)turn * 29);
}

static int turn;

static void fill(size_t nbytes)
{
    turn++;
    for (size_t i = 0; i < nbytes; i++)
        source[i] = byte_of(me, i, turn);
    memset(dest, 0xEE, room);
    shmem_sync_all();  // the program's own duty: dest is ready on all PEs
}

/** Checks that nbytes of dest at `at` are what `pe` had in source at `from`. */
static void part(const char *call, size_t at, int pe, size_t from, size_t nbytes)
{
    size_t i = 0;
    while (i < nbytes && dest[at + i] == byte_of(pe, from + i, turn))
        i++;
    CHECK(i == nbytes, "%s: byte %zu of the %zu from PE %d is wrong", call, i, nbytes, pe);
}

static void untouched(const char *call, size_t at)
{
    size_t i = at;
    while (i < room && dest[i] == 0xEE)
        i++;
    CHECK(i == room, "%s wrote at byte %zu, behind its %zu", call, i, at);
}

// All types use the first two counts, some use all.
static const size_t counts[] = {5, MANY, 0, 1, MOST};
static size_t ncounts = 2;
#define EACH_COUNT(n) for (size_t c_ = 0, n; c_ < ncounts && ((n) = counts[c_], 1); c_++)
#define D (void *)dest
#define S (void *)source

#define BROADCAST(NAME, SIZE)                                                        \
    EACH_COUNT(n) for (int root = 0; root < npes; root += npes > 1 ? npes - 1 : 1) { \
        fill(n * (SIZE));                                                            \
        CHECK(shmem_##NAME(SHMEM_TEAM_WORLD, D, S, n, root) == 0, "shmem_" #NAME);   \
        part("shmem_" #NAME, 0, root, 0, n * (SIZE));                                \
        untouched("shmem_" #NAME, n * (SIZE));                                       \
    }

#define FCOLLECT(NAME, SIZE)                                                         \
    EACH_COUNT(n) {                                                                  \
        fill(n * (SIZE));                                                            \
        CHECK(shmem_##NAME(SHMEM_TEAM_WORLD, D, S, n) == 0, "shmem_" #NAME);         \
        for (int pe = 0; pe < npes; pe++)                                            \
            part("shmem_" #NAME, (size_t)pe * n * (SIZE), pe, 0, n * (SIZE));        \
        untouched("shmem_" #NAME, (size_t)npes * n * (SIZE));                        \
    }

/** Each PE contributes its own count; some contribute nothing. */
static size_t share(int pe, size_t n)
{
    return pe % 3 == 1 ? 0 : n / (size_t)(pe + 1);
}
#define COLLECT(NAME, SIZE)                                                          \
    EACH_COUNT(n) {                                                                  \
        size_t at = 0;                                                               \
        fill(n * (SIZE));                                                            \
        CHECK(shmem_##NAME(SHMEM_TEAM_WORLD, D, S, share(me, n)) == 0, "shmem_" #NAME); \
        for (int pe = 0; pe < npes; at += share(pe++, n) * (SIZE))                   \
            part("shmem_" #NAME, at, pe, 0, share(pe, n) * (SIZE));                  \
        untouched("shmem_" #NAME, at);                                               \
    }

#define ALLTOALL(NAME, SIZE)                                                           \
    EACH_COUNT(all) {                                                                  \
        size_t n = all / (size_t)npes;                                                 \
        fill((size_t)npes * n * (SIZE));                                               \
        CHECK(shmem_##NAME(SHMEM_TEAM_WORLD, D, S, n) == 0, "shmem_" #NAME);           \
        for (int pe = 0; pe < npes; pe++)                                              \
            part("shmem_" #NAME, (size_t)pe * n * (SIZE), pe, (size_t)me * n * (SIZE), \
                 n * (SIZE));                                                          \
        untouched("shmem_" #NAME, (size_t)npes * n * (SIZE));                          \
    }

static const struct {
    ptrdiff_t dst, sst;
    size_t n;
} strides[] = {{1, 3, 5}, {3, 2, 60}, {1, 1, 7}, {2, 1, 5}, {2, 2, 0}};
#define ALLTOALLS(NAME, SIZE)                                                                \
    for (size_t k = 0; k < ncounts; k++) {                                                   \
        size_t n = strides[k].n, dst = (size_t)strides[k].dst, sst = (size_t)strides[k].sst; \
        fill((size_t)npes * n * sst * (SIZE));                                               \
        CHECK(shmem_##NAME(SHMEM_TEAM_WORLD, D, S, strides[k].dst, strides[k].sst, n) == 0,  \
              "shmem_" #NAME);                                                               \
        for (int pe = 0; pe < npes; pe++)                                                    \
            for (size_t i = 0; i < n; i++)                                                   \
                part("shmem_" #NAME, ((size_t)pe * n + i) * dst * (SIZE), pe,                \
                     ((size_t)me * n + i) * sst * (SIZE), SIZE);                             \
        for (size_t i = 0; dst > 1 && i < (size_t)npes * n * (SIZE); i++)                    \
            CHECK(dest[i / (SIZE) * dst * (SIZE) + (SIZE) + i % (SIZE)] == 0xEE,             \
                  "shmem_" #NAME " wrote between");                                          \
        untouched("shmem_" #NAME, (size_t)npes * n * dst * (SIZE));                          \
    }

#define ALL(N, T)                                                                    \
    static void all_##N(void)                                                        \
    {                                                                                \
        BROADCAST(N##_broadcast, sizeof(T))                                          \
        FCOLLECT(N##_fcollect, sizeof(T))                                            \
        COLLECT(N##_collect, sizeof(T))                                              \
        ALLTOALL(N##_alltoall, sizeof(T))                                            \
        ALLTOALLS(N##_alltoalls, sizeof(T))                                          \
    }
RMA_TYPES(ALL)

static void bytes(void)
{
    BROADCAST(broadcastmem, 1)
    FCOLLECT(fcollectmem, 1)
    COLLECT(collectmem, 1)
    ALLTOALL(alltoallmem, 1)
    ALLTOALLS(alltoallsmem, 1)
}

/** The source may lie in the gaps of the destination. */
static void interleaved(void)
{
    enum { N = 5, PES = 64, DST = 2, WIDE = 4 };
    static int words[PES * N * WIDE];
    for (int sst = DST; sst <= WIDE && npes <= PES; sst += DST) {
        memset(words, 0xFF, sizeof words);
        for (int i = 0; i < npes * N; i++)
            words[i * sst] = me * 1000 + i;
        shmem_barrier_all();
        CHECK(shmem_int_alltoalls(SHMEM_TEAM_WORLD, words + 1, words, DST, sst, N) == 0);
        for (int i = 0; i < npes * N; i++)
            CHECK(words[1 + i * DST] == i / N * 1000 + me * N + i % N, "element %d is %d", i,
                  words[1 + i * DST]);
        shmem_barrier_all();
    }
}

/** No PE leaves before all have arrived; sync completes nothing, barrier completes puts. */
static void synchronization(void)
{
    static long arrived, word;
    for (int lap = 1; lap <= 100; lap++) {
        shmem_long_atomic_inc(&arrived, 0);
        shmem_quiet();
        if (lap % 3 == 0)
            shmem_barrier_all();
        else if (lap % 3 == 1)
            shmem_sync_all();
        else
            CHECK(shmem_team_sync(SHMEM_TEAM_WORLD) == 0, "shmem_team_sync");
        long seen = shmem_long_atomic_fetch(&arrived, 0);
        CHECK(seen >= (long)lap * npes, "left with %ld of %ld arrived", seen, (long)lap * npes);
        shmem_long_p(&word, lap, next);
        shmem_barrier_all();
        CHECK(word == lap, "after the barrier the word is %ld, not %d", word, lap);
        shmem_sync_all();
    }
}

int main(void)
{
    check_begin();
    size_t most = (size_t)MOST * ELEMENT * (size_t)npes + 4096;
    dest = shmem_align(64, most);
    source = shmem_align(64, most);
    room = (size_t)MANY * ELEMENT * (size_t)npes + 4096;
    if (!dest || !source)
        return 1;
#define RUN(N, T) all_##N();
    RMA_TYPES(RUN)
    ncounts = 5;
    room = most;
    all_longdouble();
    all_int();
    bytes();
    interleaved();
    synchronization();
    shmem_free(source);
    shmem_free(dest);
    return check_end();
}
