// SPDX-License-Identifier: BSD-3-Clause
//
// Several epochs in one process: init and finalize are counted, and after the last finalize the
// library may be initialised again. Static data keeps its contents, also what a peer put there and
// what was stored between epochs; heap, locks, collectives and connections begin anew. A child
// forked in between is no PE. Argument "nodes": PEs with even and odd ranks pretend to be on two
// nodes (for launchers that do not emulate nodes).
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

#define LIVES 4

static long counter = 100, from_prev, kept[3000] = {1, 2, 3}, lock;
static long unseen[1 << 16];  // read in the last life only
static int sum_in, sum_out;
static uint64_t sig;

static int initialized(void)
{
    int yes = -1;
    shmem_query_initialized(&yes);
    return yes;
}

static void static_data(int life)
{
    CHECK(counter == 100 + 10 * life, "the counter is %ld in life %d", counter, life);
    CHECK(kept[1] == 2 && kept[2999] == (life ? life * 7 - 1 : 0), "static data changed: %ld %ld",
          kept[1], kept[2999]);
    CHECK(from_prev == (life ? prev + 1000 * life : 0), "what prev put in the life before is %ld",
          from_prev);
    CHECK(lock == 0, "the lock is %ld", lock);
    if (life == 0)
        shmem_long_p(&unseen[40000], me + 1, next);
    if (life == LIVES - 1)
        CHECK(unseen[40000] == prev + 1, "what prev put in the first life is %ld", unseen[40000]);
    shmem_barrier_all();
    CHECK(shmem_long_g(&counter, next) == 100 + 10 * life, "next's counter is %ld",
          shmem_long_g(&counter, next));
    CHECK(shmem_long_g(&kept[2999], next) == kept[2999], "next's static data differs");
    shmem_barrier_all();
    shmem_long_p(&from_prev, me + 1000 * (life + 1), next);
    shmem_long_atomic_add(&counter, 5, next);
    shmem_barrier_all();
}

static void heap(int life)
{
    static long *first_block;
    long *block = shmem_calloc(2000, sizeof *block);
    CHECK(block != NULL, "no heap in life %d", life);
    if (!block)
        return;
    CHECK(life == 0 || block == first_block, "the heap does not begin anew");
    first_block = block;
    for (int i = 0; i < 2000; i++)
        CHECK(block[i] == 0, "the heap is not fresh");
    shmem_barrier_all();
    long *own = malloc(2000 * sizeof *own);
    for (int i = 0; i < 2000; i++)
        own[i] = me * 10000 + i + life;
    shmem_long_put_nbi(block, own, 2000, next);
    shmem_barrier_all();
    CHECK(block[1999] == prev * 10000 + 1999 + life, "put: %ld", block[1999]);
    free(own);
    if (life % 2)
        shmem_free(block);  // otherwise finalize frees it
}

static void the_rest(int life)
{
    sum_in = me + life;
    shmem_int_sum_reduce(SHMEM_TEAM_WORLD, &sum_out, &sum_in, 1);
    CHECK(sum_out == npes * (npes - 1) / 2 + npes * life, "a reduction gives %d", sum_out);
    shmem_set_lock(&lock);
    shmem_clear_lock(&lock);
    shmem_signal_set(&sig, (uint64_t)life + 1, next);
    shmem_signal_wait_until(&sig, SHMEM_CMP_EQ, (uint64_t)life + 1);
    shmem_barrier_all();
}

/** The child sees the memory of its parent and ends by exit; it must not affect the job. */
static void have_a_child(void)
{
    pid_t child = fork();
    if (child == 0)
        exit(7);
    int status = 0;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7,
          "the child ended with %d", status);
}

static void one_life(int life)
{
    static const int level[] = {SHMEM_THREAD_FUNNELED, SHMEM_THREAD_MULTIPLE, SHMEM_THREAD_SINGLE,
                                SHMEM_THREAD_SERIALIZED};
    int provided = -1, again = -1, said = -1;
    CHECK(initialized() == 0, "initialized before life %d", life);
    CHECK(shmem_init_thread(level[life % 4], &provided) == 0, "shmem_init_thread");
    check_ring();
    CHECK(initialized() != 0, "not initialized in life %d", life);
    shmem_init();
    CHECK(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &again) == 0 && again == provided,
          "level %d, then %d", provided, again);
    shmem_query_thread(&said);
    CHECK(said == provided && provided >= SHMEM_THREAD_SINGLE && provided <= SHMEM_THREAD_MULTIPLE,
          "level %d", said);
    static_data(life);
    heap(life);
    shmem_finalize();
    have_a_child();
    CHECK(initialized() != 0, "one finalize of three ends life %d", life);
    the_rest(life);
    shmem_finalize();
    shmem_barrier_all();
    shmem_finalize();
    CHECK(initialized() == 0, "initialized after life %d", life);
}

int main(int argc, char **argv)
{
    const char *rank = getenv("PMI_RANK");
    if (argc > 1 && !strcmp(argv[1], "nodes") && rank)
        setenv("CAUSEWAY_NODE", atoi(rank) % 2 ? "odd" : "even", 1);
    for (int life = 0; life < LIVES; life++) {
        one_life(life);
        counter += 5;  // with the 5 that prev added
        kept[2999] = (life + 1) * 7 - 1;
        have_a_child();
        if (life == 1)
            usleep(1000 * (unsigned)me);
    }
    return checks_failed != 0;
}
