// SPDX-License-Identifier: BSD-3-Clause
//
// How often do the processes of two PEs sleep in operations that need no sleep? What the kernel
// counts (voluntary context switches), not times.
//   - Lone operations on a PE that waits in a barrier, between nodes: its server is awake for them.
//     Only stretches without a slow yield count, since beside other load the server sleeps.
//   - Answers that come late while yields are dear (this program's sched_yield takes 2 ms then):
//     waits and loops of tests poll that long, for 50 us. The best stretch counts of those in which
//     both PEs had their cores. How late depends on how long this machine's round trips take.
#define _GNU_SOURCE
#include <dirent.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/syscall.h>

#include "outside.h"

enum {
    CALLS = 100,
    MOST = CALLS / 4,  // sleeps in as many calls
    LATE_CALLS = 20,
    LATE_MOST = LATE_CALLS / 4,
    STRETCHES = 30,
    LATE_NS = 15000,  // at most
    COMES_NS = 35000,  // an answer, from the begin of its wait: in time
    BUDGET_S = 10,
    ATTEMPT_S = 1  // of it
};

// [0]: end of the last slow yield of either process; [1]: of a dear one; [2]: PE 1 kept its core
static _Atomic uint64_t *page;
static bool make_dear;
static long flag, cell, turn, goes_on, late_ns, pids[2];

static uint64_t now_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

int sched_yield(void)
{
    if (make_dear)
        return usleep(2000);
    uint64_t start = now_ns();
    long rc = syscall(SYS_sched_yield);
    uint64_t end = now_ns();
    if (page && end - start > 100000)
        atomic_store(&page[0], end);
    if (page && end - start > 1000000)
        atomic_store(&page[1], end);
    return (int)rc;
}

/** Sleeps of all threads of a process. */
static long sleeps_of(long pid)
{
    char path[400], line[128];
    long sum = 0, n;
    snprintf(path, sizeof path, "/proc/%ld/task", pid);
    DIR *dir = opendir(path);
    for (struct dirent *task; dir && (task = readdir(dir));) {
        snprintf(path, sizeof path, "/proc/%ld/task/%s/status", pid, task->d_name);
        FILE *f = task->d_name[0] == '.' ? NULL : fopen(path, "r");
        while (f && fgets(line, sizeof line, f))
            if (sscanf(line, "voluntary_ctxt_switches: %ld", &n) == 1)
                sum += n;
        if (f)
            fclose(f);
    }
    if (dir)
        closedir(dir);
    return sum;
}

static long sleeps(void)
{
    return sleeps_of(pids[0]) + sleeps_of(pids[1]);
}

// ---------------------------------------------------------------- lone operations

static void get(void)
{
    shmem_long_g(&cell, 1);
}

static void fetch_add(void)
{
    shmem_long_atomic_fetch_add(&cell, 1, 1);
}

static void swap(void)
{
    shmem_long_atomic_swap(&cell, 1, 1);
}

static void p_quiet(void)
{
    shmem_long_p(&cell, 1, 1);
    shmem_quiet();
}

static void add_quiet(void)
{
    shmem_long_atomic_add(&cell, 1, 1);
    shmem_quiet();
}

static int by_value(const void *a, const void *b)
{
    return *(const long *)a > *(const long *)b ? 1 : -1;
}

static bool was_quiet(uint64_t start)
{
    return atomic_load(&page[0]) < start && atomic_load(&page[1]) + 250000000u < start;
}

/** The median of stretches; -1: there were too few. */
static long lone_sleeps(void (*op)(void))
{
    long counts[STRETCHES];
    int n = 0;
    double end_s = now_s() + BUDGET_S;
    while (n < STRETCHES && now_s() < end_s) {
        for (int i = 0; i < CALLS; i++)
            op();
        uint64_t start = now_ns();
        long before = sleeps();
        for (int i = 0; i < CALLS; i++)
            op();
        counts[n] = sleeps() - before;
        n += was_quiet(start);
    }
    if (n < STRETCHES)
        return -1;
    qsort(counts, STRETCHES, sizeof counts[0], by_value);
    return counts[STRETCHES / 2];
}

/** False: the machine was never quiet. */
static bool lone_operations(void)
{
    static const struct {
        const char *name;
        void (*op)(void);
    } ops[] = {{"get", get},
               {"fetch_add", fetch_add},
               {"swap", swap},
               {"p, quiet", p_quiet},
               {"add, quiet", add_quiet}};
    bool counted = true;
    shmem_barrier_all();
    if (shmem_my_pe() == 0) {
        usleep(50000);  // the other PE sleeps now
        for (size_t i = 0; i < sizeof ops / sizeof ops[0] && counted; i++) {
            long n = lone_sleeps(ops[i].op);
            counted = n >= 0;
            printf("%s: %ld sleeps in %d calls\n", ops[i].name, n, CALLS);
            CHECK(n <= MOST, "%s: %ld sleeps in %d calls", ops[i].name, n, CALLS);
        }
    }
    shmem_barrier_all();
    return counted;
}

// ---------------------------------------------------------------- late answers

static void wait_until(long want)
{
    shmem_long_wait_until(&flag, SHMEM_CMP_EQ, want);
}

static void test_often(long want)
{
    while (!shmem_long_test(&flag, SHMEM_CMP_EQ, want)) {
    }
}

/** A core of its own for each PE. */
static void bind_to_core(int nth)
{
    cpu_set_t all, one;
    sched_getaffinity(0, sizeof all, &all);
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &all) && nth-- == 0)
            CPU_SET(cpu, &one);
    if (CPU_COUNT(&one) == 1)
        sched_setaffinity(0, sizeof one, &one);
}

/** How often this thread had to give its core to another. */
static long preempted(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nivcsw;
}

static void answer(void (*wait)(long want), int other)
{
    for (int i = 0; i < LATE_CALLS; i++) {
        turn++;
        if (shmem_my_pe() == 1)
            wait(turn);
        uint64_t start = now_ns();
        while (now_ns() - start < (uint64_t)late_ns) {
        }
        shmem_long_p(&flag, turn, other);
        if (shmem_my_pe() == 0)
            wait(turn);
    }
}

static int compare(const void *a, const void *b)
{
    const long *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/** Of answers that are not late, while yields are not dear: the median of stretches. */
static long round_trip_ns(void (*wait)(long want))
{
    enum { TRIPS = 15 };
    long ns[TRIPS];
    late_ns = flag = turn = 0;
    for (int i = 0; i < TRIPS; i++) {
        shmem_barrier_all();
        uint64_t start = now_ns();
        answer(wait, 1 - shmem_my_pe());
        ns[i] = (long)((now_ns() - start) / LATE_CALLS);
    }
    qsort(ns, TRIPS, sizeof *ns, compare);
    return ns[TRIPS / 2];
}

static void tell(long *word, long value)
{
    shmem_barrier_all();
    for (int pe = 0; shmem_my_pe() == 0 && pe < 2; pe++)
        shmem_long_p(word, value, pe);
    shmem_barrier_all();
}

/** Returns whether answers can come in time. */
static bool choose_late(const char *what, void (*wait)(long want))
{
    long trip = round_trip_ns(wait), left = COMES_NS - trip;
    tell(&late_ns, left < LATE_NS ? left : LATE_NS);
    if (shmem_my_pe() == 0)
        printf("%s: a round trip takes %.1f us, so answers come %.1f us late\n", what, 1e-3 * trip,
               1e-3 * late_ns);
    return late_ns >= 0;
}

/** What PE 0 knows of answers to one kind of wait. */
typedef struct late {
    const char *what;
    void (*wait)(long want);
    long best;    // sleeps of a stretch
    int counted;  // stretches
    double end_s;
} late_t;

static void count_stretches(late_t *late)
{
    int me = shmem_my_pe();
    double end_s = now_s() + ATTEMPT_S;
    flag = turn = 0;
    make_dear = true;
    do {
        shmem_barrier_all();
        long before = sleeps_of(getpid()), switches = preempted();
        answer(late->wait, 1 - me);
        long n = sleeps_of(getpid()) - before;
        bool whole = preempted() == switches;
        if (me == 1)
            atomic_store(&page[2], whole);
        shmem_barrier_all();
        if (me == 0 && whole && atomic_load(&page[2])) {
            late->counted++;
            late->best = n < late->best ? n : late->best;
        }
        tell(&goes_on, late->best > LATE_MOST && now_s() < end_s);
    } while (goes_on);
    make_dear = false;
}

/** In a thread that has not waited yet: two threads that have polled in vain for each other sleep
 *  in most of their waits. */
static void *attempt(void *arg)
{
    late_t *late = arg;
    bind_to_core(shmem_my_pe());
    if (choose_late(late->what, late->wait))
        count_stretches(late);
    tell(&goes_on, late->best > LATE_MOST && now_s() < late->end_s);
    return NULL;
}

/** False: round trips take too long here, or in too few stretches both PEs had their cores. */
static bool late_answers(const char *what, void (*wait)(long want))
{
    late_t late = {what, wait, LONG_MAX, 0, now_s() + BUDGET_S};
    do {
        pthread_t thread;
        REQUIRE(pthread_create(&thread, NULL, attempt, &late) == 0);
        REQUIRE(pthread_join(thread, NULL) == 0);
    } while (goes_on);
    if (shmem_my_pe() != 0)
        return true;
    printf("%s: %ld sleeps in %d calls, the best of %d stretches\n", what,
           late.counted ? late.best : -1, LATE_CALLS, late.counted);
    if (late.best > LATE_MOST && late.counted < STRETCHES)
        return false;
    CHECK(late.best <= LATE_MOST, "%s: %ld sleeps in %d calls", what, late.best, LATE_CALLS);
    return true;
}

int main(void)
{
    if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
        printf("SKIP: PEs without a core each sleep\n");
        return 77;
    }
    int provided;
    REQUIRE(shmem_init_thread(SHMEM_THREAD_SERIALIZED, &provided) == 0);
    int me = shmem_my_pe();
    check_as("PE", me, shmem_n_pes());
    bool between_nodes = !shmem_ptr(&cell, 1 - me);
    page = outside_page();
    pids[me] = getpid();
    shmem_long_p(&pids[me], getpid(), 1 - me);
    shmem_barrier_all();
    bool counted = !between_nodes || lone_operations();
    counted &= late_answers("wait_until", wait_until);
    counted &= late_answers("test", test_often);
    shmem_finalize();
    if (me == 0 && !counted && !checks_failed) {
        printf("SKIP: this machine is too slow, or too much else runs; what could be counted "
               "passed\n");
        return 77;
    }
    return me == 0 ? check_result() : 0;
}
