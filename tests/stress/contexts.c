// SPDX-License-Identifier: BSD-3-Clause
//
// Contexts are created, used off the node and destroyed, some at the same time: the next ones take
// their endpoints. After a warm-up no process has new memory or sockets, on either side, and each
// transfer arrives. Endpoints that wait for a context give way when descriptors run out.
//   contexts CYCLES flat|any [THREADS]
//   contexts 0 files
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <shmem.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "frame/check.h"
#include "frame/usage.h"

enum { MOST_THREADS = 2, AT_ONCE = 3, WARM_UP = 4, FILES = 400 };

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { GROWTH_KIB = 1 << 20 };  // what is freed stays in quarantine
#else
enum { GROWTH_KIB = 1500 };
#endif

static const long kinds[] = {0, SHMEM_CTX_SERIALIZED, SHMEM_CTX_PRIVATE, SHMEM_CTX_NOSTORE};

// of all PEs, as their left neighbours see them
static long words[MOST_THREADS][AT_ONCE], counts[MOST_THREADS], looks;
static int me, npes, right, cycles;
static pthread_barrier_t phase;

/** Descriptors of this process that are sockets, and the sum of their inodes: it names the set. */
static unsigned long sockets(int *n_p)
{
    unsigned long sum = 0;
    DIR *dir = opendir("/proc/self/fd");
    *n_p = 0;
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        char path[300], target[64] = "";
        snprintf(path, sizeof path, "/proc/self/fd/%s", entry->d_name);
        if (readlink(path, target, sizeof target - 1) < 0 || strncmp(target, "socket:[", 8) != 0)
            continue;
        sum += strtoul(target + 8, NULL, 10);
        ++*n_p;
    }
    if (dir)
        closedir(dir);
    return sum;
}

static void cycle(int thread, int i)
{
    shmem_ctx_t ctx[AT_ONCE];
    long got = -1, mark = 1 + (long)i * AT_ONCE;
    for (int k = 0; k < AT_ONCE; k++) {
        REQUIRE(shmem_ctx_create(kinds[(i + k) % 4], &ctx[k]) == 0);
        shmem_ctx_long_p(ctx[k], &words[thread][k], mark + k, right);
        shmem_ctx_long_atomic_inc(ctx[k], &counts[thread], right);
    }
    shmem_ctx_quiet(ctx[0]);
    shmem_ctx_get64(ctx[1], &got, &words[thread][0], 1, right);
    REQUIRE(got == mark, "cycle %d: %ld", i, got);
    for (int k = 0; k < AT_ONCE; k++)
        shmem_ctx_destroy(ctx[k]);  // complete then
    shmem_long_get(&got, &words[thread][AT_ONCE - 1], 1, right);
    REQUIRE(got == mark + AT_ONCE - 1, "cycle %d, behind its end: %ld", i, got);
}

/** As many of each kind of endpoint as all threads may ever have at once. */
static void use_all(int privates)
{
    shmem_ctx_t ctx[MOST_THREADS * (AT_ONCE + 1)];
    for (int k = 0; k < MOST_THREADS * (AT_ONCE + 1); k++) {
        long kind = k < privates ? SHMEM_CTX_PRIVATE : 0;
        REQUIRE(shmem_ctx_create(kind, &ctx[k]) == 0);
        shmem_ctx_long_atomic_inc(ctx[k], &looks, right);
    }
    for (int k = 0; k < MOST_THREADS * (AT_ONCE + 1); k++)
        shmem_ctx_destroy(ctx[k]);
}

typedef struct usage {
    long kib;
    unsigned long set;
    int sockets;
} usage_t;

/** Of this process, while it and its neighbours have a context. */
static usage_t look(void)
{
    usage_t usage;
    shmem_ctx_t ctx;
    REQUIRE(shmem_ctx_create(0, &ctx) == 0);
    shmem_ctx_long_atomic_inc(ctx, &looks, right);
    shmem_ctx_quiet(ctx);
    shmem_barrier_all();
    usage.kib = resident_kib();
    usage.set = sockets(&usage.sockets);
    shmem_barrier_all();
    shmem_ctx_destroy(ctx);
    return usage;
}

static void *run(void *arg)
{
    int thread = *(int *)arg;
    for (int i = 0; i < cycles / WARM_UP; i++)
        cycle(thread, i);
    pthread_barrier_wait(&phase);  // the main thread looks
    pthread_barrier_wait(&phase);
    for (int i = cycles / WARM_UP; i < cycles; i++)
        cycle(thread, i);
    return NULL;
}

/** PE 0 has no descriptor left, and needs some for a context of another kind. */
static void use_without_files(void)
{
    static int files[FILES];
    static long word;
    int n = 0;
    use_all(0);
    shmem_barrier_all();
    while (me == 0 && n < FILES && (files[n] = open("/dev/null", O_RDONLY)) >= 0)
        n++;
    if (me == 0) {
        shmem_ctx_t ctx;
        REQUIRE(shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx) == 0);
        shmem_ctx_long_p(ctx, &word, 7, right);
        shmem_ctx_quiet(ctx);
        CHECK(shmem_ctx_long_g(ctx, &word, right) == 7);
        shmem_ctx_destroy(ctx);
    }
    while (n > 0)
        close(files[--n]);
    shmem_barrier_all();
}

int main(int argc, char **argv)
{
    cycles = argc > 1 ? atoi(argv[1]) : 100;
    int flat = argc > 2 && strcmp(argv[2], "flat") == 0;
    int threads = argc > 3 ? atoi(argv[3]) : 1, provided;
    struct rlimit limit = {FILES, FILES};
    if (cycles == 0)
        setrlimit(RLIMIT_NOFILE, &limit);
    shmem_init_thread(cycles == 0 || threads > 1 ? SHMEM_THREAD_MULTIPLE : SHMEM_THREAD_SERIALIZED,
                      &provided);
    me = shmem_my_pe();
    npes = shmem_n_pes();
    right = (me + 1) % npes;
    check_as("PE", me, npes);
    if (argc > 2 && strcmp(argv[2], "files") == 0) {
        use_without_files();
        shmem_finalize();
        return check_result();
    }
    use_all(MOST_THREADS);

    pthread_t id[MOST_THREADS];
    int number[MOST_THREADS];
    pthread_barrier_init(&phase, NULL, (unsigned)threads + 1);
    for (int t = 0; t < threads; t++) {
        number[t] = t;
        REQUIRE(pthread_create(&id[t], NULL, run, &number[t]) == 0);
    }
    pthread_barrier_wait(&phase);
    usage_t before = look();
    pthread_barrier_wait(&phase);
    for (int t = 0; t < threads; t++)
        pthread_join(id[t], NULL);
    usage_t after = look();
    long more = after.kib - before.kib;
    CHECK(!flat || more < GROWTH_KIB, "%ld KiB more", more);
    CHECK(!flat || (after.set == before.set && after.sockets == before.sockets),
          "%d sockets, then %d, or others", before.sockets, after.sockets);
    for (int t = 0; t < threads; t++)
        CHECK(counts[t] == (long)cycles * AT_ONCE, "%ld increments", counts[t]);
    if (me == 0)
        printf("%ld KiB more, %d sockets\n", more, after.sockets);
    shmem_finalize();
    return check_result();
}
