// SPDX-License-Identifier: BSD-3-Clause
//
// Calls of each kind on threads whose stack is as small as the threads guide allows, first contact
// with the other nodes included. The stacks are painted: what each kind used at most is printed.
#include <pthread.h>
#include <shmem.h>
#include <string.h>
#include <sys/mman.h>

#include "frame/check.h"

// Of the guide. The C library takes a part of it for the thread itself. SPARE of it are never used.
enum { STACK_NBYTES = 32 << 10, SPARE = 2 << 10, GUARD = 4096, N = 3000, PAINT = 0xa5 };

static long dest[4 * N], src[4 * N], counter, flag, lock;
static uint64_t signal_word;
static int me, npes, to;

static void puts_and_quiet(void)
{
    shmem_long_put(dest, src, N, to);
    shmem_long_put_nbi(dest, src, 10, to);
    shmem_long_p(&dest[1], 1, to);
    shmem_quiet();
}

static void gets(void)
{
    shmem_long_get(dest, src, N, to);
    (void)shmem_long_g(src, to);
}

static void strided(void)
{
    shmem_long_iput(dest, src, 3, 2, 300, to);
    shmem_long_iget(dest, src, 3, 2, 300, to);
    shmem_quiet();
}

static void atomics(void)
{
    shmem_long_atomic_add(&counter, 1, to);
    (void)shmem_long_atomic_fetch_add(&counter, 1, to);
    shmem_quiet();
}

static void flood(void)
{
    for (int i = 0; i < 500; i++)
        shmem_long_atomic_add(&counter, 1, to);
    for (int i = 0; i < 500; i++)
        shmem_long_get_nbi(&dest[i], &src[i], 1, to);
    shmem_quiet();
}

static void signals(void)
{
    shmem_long_put_signal(dest, src, 400, &signal_word, 1, SHMEM_SIGNAL_ADD, to);
    shmem_signal_wait_until(&signal_word, SHMEM_CMP_GE, 1);
}

static void wait(void)
{
    shmem_long_p(&flag, 1, to);
    shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
}

static void reductions(void)
{
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, dest, src, N);
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, dest, src, 1);
}

static void sums_of_a_team(void)
{
    shmem_team_t team;
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes, NULL, 0, &team) == 0);
    shmem_long_sum_reduce(team, dest, src, 400);
    shmem_long_sum_reduce(team, dest, src, N);
    shmem_long_sum_exscan(team, dest, src, N);
    shmem_team_destroy(team);
}

static void scan(void)
{
    shmem_long_sum_inscan(SHMEM_TEAM_WORLD, dest, src, 100);
    shmem_long_sum_exscan(SHMEM_TEAM_WORLD, dest, src, 100);
}

static void long_scans(void)
{
    shmem_long_sum_inscan(SHMEM_TEAM_WORLD, dest, src, N);
    shmem_long_sum_exscan(SHMEM_TEAM_WORLD, dest, src, N);
    shmem_long_sum_exscan(SHMEM_TEAM_WORLD, dest, src, 4 * N);
}

static void collectives(void)
{
    shmem_long_broadcast(SHMEM_TEAM_WORLD, dest, src, N, 0);
    shmem_long_broadcast(SHMEM_TEAM_WORLD, dest, src, 100, 0);
    shmem_long_fcollect(SHMEM_TEAM_WORLD, dest, src, 100);
    shmem_long_alltoall(SHMEM_TEAM_WORLD, dest, src, 100);
    shmem_long_alltoalls(SHMEM_TEAM_WORLD, dest, src, 2, 2, 100);
    shmem_long_collect(SHMEM_TEAM_WORLD, dest, src, 10 * (size_t)(me + 1));
    shmem_long_collect(SHMEM_TEAM_WORLD, dest, src, 800 + (size_t)me);
    shmem_barrier_all();
}

static void locks(void)
{
    shmem_set_lock(&lock);
    shmem_clear_lock(&lock);
}

static void memory_and_teams(void)
{
    shmem_team_t team;
    shmem_ctx_t ctx;
    void *p = shmem_malloc(5000);
    CHECK(p != NULL);
    shmem_free(p);
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes, NULL, 0, &team) == 0);
    CHECK(shmem_ctx_create(0, &ctx) == 0);
    shmem_ctx_long_put(ctx, dest, src, 100, to);
    shmem_ctx_quiet(ctx);
    shmem_ctx_destroy(ctx);
    shmem_team_destroy(team);
}

static const struct {
    const char *name;
    void (*call)(void);
} kinds[] = {{"puts", puts_and_quiet}, {"gets", gets},
             {"strided", strided},     {"atomics", atomics},
             {"flood", flood},         {"signals", signals},
             {"wait", wait},           {"sums", reductions},
             {"team", sums_of_a_team}, {"scan", scan},
             {"scans", long_scans},    {"collectives", collectives},
             {"locks", locks},         {"teams", memory_and_teams}};

static void *thread_main(void *arg)
{
    (*(void (*const *)(void))arg)();
    return NULL;
}

/** Bytes that were used. */
static size_t run(void (*call)(void), uint8_t *stack)
{
    pthread_attr_t attr;
    pthread_t thread;
    size_t unused = 0;
    memset(stack, PAINT, STACK_NBYTES);
    pthread_attr_init(&attr);
    REQUIRE(pthread_attr_setstack(&attr, stack, STACK_NBYTES) == 0);
    REQUIRE(pthread_create(&thread, &attr, thread_main, &call) == 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attr);
    while (unused < STACK_NBYTES && stack[unused] == PAINT)
        unused++;
    return STACK_NBYTES - unused;
}

int main(void)
{
    int got;
    shmem_init_thread(SHMEM_THREAD_SERIALIZED, &got);
    me = shmem_my_pe(), npes = shmem_n_pes(), to = (me + 1) % npes;
    check_as("PE", me, npes);
    uint8_t *at = mmap(NULL, STACK_NBYTES + GUARD, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(at != MAP_FAILED && mprotect(at, GUARD, PROT_NONE) == 0);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        size_t used = run(kinds[i].call, at + GUARD);
        if (me == 0)
            printf("%s: %zu\n", kinds[i].name, used);
        CHECK(used <= STACK_NBYTES - SPARE);
        shmem_barrier_all();
    }
    shmem_finalize();
    return check_result();
}
