// SPDX-License-Identifier: BSD-3-Clause
//
// Device heaps that fail, and wrong use; the first argument says what. What ends the job does so in
// the call; a failure that a program may go on from ends with "goes on".
#include <causeway/device.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpu/device.h"

static int me, npes;
static long lock_word;

/** Host memory works as ever. */
static void use_host(void)
{
    static int from_left;
    shmem_int_p(&from_left, me + 1, (me + 1) % npes);
    shmem_barrier_all();
    CHECK(from_left == (me + npes - 1) % npes + 1);
    shmem_barrier_all();
}

/** The heap works, to the last PE. */
static void use(size_t nbytes)
{
    int *p = shmemx_device_malloc(nbytes);
    REQUIRE(p != NULL);
    shmem_int_p(p, me + 1, (me + 1) % npes);
    shmem_barrier_all();
    CHECK(shmem_int_g(p, me) == (me + npes - 1) % npes + 1);
    CHECK(shmemx_device_ptr(p, me) == p);
    for (int pe = 0; pe < npes; pe++) {
        char *at = shmemx_device_ptr(p, pe), *next = shmemx_device_ptr((char *)p + 4, pe);
        CHECK(at ? next == at + 4 && (pe == me || at != (char *)p) : pe != me && !next);
    }
    CHECK(shmemx_device_ptr(&me, me) == NULL && shmemx_device_ptr(p, -1) == NULL &&
          shmemx_device_ptr(p, npes) == NULL);
    shmem_barrier_all();
    shmemx_device_free(p);
}

/** PE `pe` (-1: all) lets a call of the driver fail. The next attempt finds nothing in its way. */
static void one_call(const char *which, int pe)
{
    if (pe < 0 || pe == me)
        setenv("FAKE_CUDA_FAIL", which, 1);
    CHECK(shmemx_device_heap(1 << 20) != 0, "%s", which);
    use_host();
    CHECK(shmemx_device_heap(1 << 20) == 0, "after %s", which);
    use(100);
}

/** PE 1 has that many descriptors left: for its memory, to listen, to receive. */
static void few_files(int left)
{
    struct rlimit old, few;
    getrlimit(RLIMIT_NOFILE, &old);
    few = old;
    few.rlim_cur = (rlim_t)dup(STDERR_FILENO);
    close((int)few.rlim_cur);
    few.rlim_cur += (rlim_t)left;
    if (me == 1)
        setrlimit(RLIMIT_NOFILE, &few);
    CHECK(shmemx_device_heap(1 << 20) != 0);
    setrlimit(RLIMIT_NOFILE, &old);
    use_host();
    CHECK(shmemx_device_heap(1 << 20) == 0);
    use(100);
}

static void use_world(bool works)
{
    cwd_world_t world;
    CHECK((shmemx_device_world(&world) == 0) == works);
    if (works) {
        CHECK(world.pe == me && world.npes == npes);
        shmemx_device_world_end();
    }
    use(100);
    use_host();
}

/** A call fails while the handle of kernels is made, for the first time or when the symmetric heap
 *  has grown. The next attempt finds nothing in its way. */
static void one_world_call(const char *which, int pe, bool later)
{
    if (pe < 0 || pe == me)
        setenv("FAKE_CUDA_FAIL", which, 1);  // the driver reads it once
    REQUIRE(shmemx_device_heap(1 << 20) == 0);
    long *w = shmemx_device_calloc(1, sizeof *w);
    shmem_long_atomic_add(w, 1, (me + 1) % npes);
    if (later) {
        use_world(true);
        REQUIRE(shmem_malloc(1 << 20) != NULL);
    }
    use_world(false);
    shmem_long_atomic_add(w, 1, (me + 1) % npes);
    use_world(true);
    shmem_long_atomic_add(w, 1, (me + 1) % npes);
    shmem_barrier_all();
    CHECK(shmem_long_g(w, me) == 3);
}

/** The driver's call fails by the environment. */
static void in_transfer(void)
{
    REQUIRE(shmemx_device_heap(1 << 20) == 0);
    int *p = shmemx_device_calloc(1, sizeof *p);
    shmem_int_p(p, 1, me);
}

static void wrong(const char *what)
{
    int *p = NULL;
    if (strcmp(what, "world") == 0)
        use_world(true);  // before the heap
    if (strcmp(what, "before") != 0) {
        REQUIRE(shmemx_device_heap(1 << 20) == 0);
        p = shmemx_device_calloc(100, sizeof *p);
    }
    if (strcmp(what, "before") == 0)
        p = shmemx_device_malloc(4);
    else if (strcmp(what, "free") == 0)
        shmem_free(p);
    else if (strcmp(what, "twice") == 0) {
        shmemx_device_free(p);
        shmemx_device_free(p);
    } else if (strcmp(what, "foreign") == 0)
        shmemx_device_free(&lock_word);
    else if (strcmp(what, "wait") == 0)
        shmem_int_wait_until(p, SHMEM_CMP_EQ, 1);
    else if (strcmp(what, "signal") == 0)
        shmem_signal_wait_until((uint64_t *)(void *)p, SHMEM_CMP_EQ, 1);
    else if (strcmp(what, "lock") == 0)
        shmem_set_lock((long *)(void *)p);
    else if (strcmp(what, "unaligned") == 0)
        shmem_int_atomic_inc((int *)(void *)((char *)p + 2), 0);
    else if (strcmp(what, "pe") == 0)
        shmem_int_p(p, 1, npes);
    else if (strcmp(what, "again") == 0)
        CHECK(shmemx_device_heap(1 << 20) != 0);
    else if (strcmp(what, "size") == 0)
        p = shmemx_device_malloc(me == 0 ? 100 : 200);
    else if (strcmp(what, "full") == 0)
        CHECK(shmemx_device_malloc((size_t)1 << 40) == NULL &&
              shmemx_device_calloc(SIZE_MAX / 2, 4) == NULL && shmemx_device_malloc(0) == NULL &&
              shmemx_device_align(3, 8) == NULL);
    else if (strcmp(what, "end") == 0)
        shmemx_device_world_end();
    else if (strcmp(what, "single") == 0 || strcmp(what, "rings") == 0)
        use_world(false);
    else if (strcmp(what, "beyond") == 0)
        shmem_putmem(p, &lock_word, (size_t)3 << 20, npes - 1);
    else if (strcmp(what, "get_beyond") == 0)
        shmem_getmem(&lock_word, p, (size_t)-8, npes - 1);
    else if (strcmp(what, "rows_beyond") == 0)
        shmem_int_iput(p, (int *)(void *)&lock_word, 1 << 17, 1, 5, npes - 1);
    else if (strcmp(what, "rows_get_beyond") == 0)
        shmem_int_iget((int *)(void *)&lock_word, p, 1, 1 << 17, 5, npes - 1);
    else if (strcmp(what, "end_of_heap") == 0)
        shmem_getmem(malloc((size_t)2 << 20), p, (size_t)2 << 20, npes - 1);  // all of it
}

/** The process joins a second time. */
static void epochs(void)
{
    int provided;
    for (int i = 0; i < 2; i++) {
        REQUIRE(shmemx_device_heap((size_t)(i + 1) << 20) == 0);
        use(4096);
        use_host();
        use_world(true);
        shmem_finalize();
        REQUIRE(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) == 0);
    }
    use_host();  // without a heap
}

int main(int argc, char **argv)
{
    REQUIRE(argc > 1);
    if (strcmp(argv[1], "rings") == 0)  // one PE comes first
        setenv("CAUSEWAY_DEVICE_RING", mkdir("rings", 0700) == 0 ? "8" : "16", 1);
    int provided = strcmp(argv[1], "single") ? SHMEM_THREAD_MULTIPLE : SHMEM_THREAD_SINGLE;
    REQUIRE(shmem_init_thread(provided, &provided) == 0);
    me = shmem_my_pe();
    npes = shmem_n_pes();
    check_as("PE", me, npes);
    if (strcmp(argv[1], "heap") == 0) {
        size_t nbytes = strtoul(argv[2], NULL, 10);
        CHECK(shmemx_device_heap(argc > 3 ? nbytes * (size_t)(me + 1) : nbytes) != 0);
        use_host();
    } else if (strcmp(argv[1], "call") == 0) {
        one_call(argv[2], atoi(argv[3]));
    } else if (strcmp(argv[1], "world_call") == 0) {
        one_world_call(argv[2], atoi(argv[3]), argc > 4);
    } else if (strcmp(argv[1], "transfer") == 0) {
        in_transfer();
    } else if (strcmp(argv[1], "align") == 0) {
        REQUIRE(shmemx_device_heap((size_t)16 << 20) == 0);
        for (size_t a = 1; a <= (size_t)4 << 20; a *= 2) {
            char *p = shmemx_device_align(a, 10);
            CHECK(p ? (uintptr_t)p % a == 0 : a > (size_t)2 << 20, "%zu", a);
            shmemx_device_free(p);
        }
        use(5000);
    } else if (strcmp(argv[1], "files") == 0) {
        few_files(atoi(argv[2]));
    } else if (strcmp(argv[1], "epochs") == 0) {
        epochs();
    } else {
        wrong(argv[1]);
    }
    shmem_barrier_all();
    printf("goes on\n");
    shmem_finalize();
    return check_result();
}
