// SPDX-License-Identifier: BSD-3-Clause
//
// Threads, locks, futexes, time and the end of a process, as the simulator has them.
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "fault.h"
#include "model.h"
#include "wrap.h"

#define EPOCH_NS UINT64_C(1700000000000000000)  // of the virtual calendar

// ---------------------------------------------------------------- time

SIM_WRAPPER(int, clock_gettime, clockid_t id, struct timespec *ts)
{
    if (!sim_inside())
        return __real_clock_gettime(id, ts);
    uint64_t now = sim_clock() + (id == CLOCK_REALTIME ? EPOCH_NS : 1000000000u);
    *ts = (struct timespec){(time_t)(now / 1000000000u), (long)(now % 1000000000u)};
    sim_point();
    return 0;
}

SIM_WRAPPER(time_t, time, time_t *at)
{
    time_t now =
        sim_inside() ? (time_t)((sim_clock() + EPOCH_NS) / 1000000000u) : __real_time(NULL);
    if (at)
        *at = now;
    return now;
}

static uint64_t ns_of(const struct timespec *ts)
{
    return (uint64_t)ts->tv_sec * 1000000000u + (uint64_t)ts->tv_nsec;
}

/** Deadlines of the virtual clock; 0 stands for none, so that one is never 0. */
static uint64_t behind(uint64_t ns)
{
    uint64_t now = sim_clock();
    return ns > UINT64_MAX / 2 ? UINT64_MAX / 2 : now + ns + 1;
}

static void sleep_for(uint64_t ns)
{
    sim_drain();
    sim_wait("time to pass", 0, behind(ns), false);
}

SIM_WRAPPER(int, nanosleep, const struct timespec *ts, struct timespec *left)
{
    if (!sim_inside())
        return __real_nanosleep(ts, left);
    sleep_for(ns_of(ts));
    return 0;
}

SIM_WRAPPER(int, usleep, useconds_t us)
{
    if (!sim_inside())
        return __real_usleep(us);
    sleep_for((uint64_t)us * 1000);
    return 0;
}

SIM_WRAPPER(int, sched_yield, void)
{
    if (!sim_inside())
        return __real_sched_yield();
    sim_drain();
    sim_give_way(true);
    return 0;
}

/** For good: signals are not simulated. */
SIM_WRAPPER(int, pause, void)
{
    if (!sim_inside())
        return __real_pause();
    sim_drain();
    for (;;)
        sim_wait("a signal", 0, 0, false);
}

__attribute__((visibility("default"))) void sim_pause(void);
void sim_pause(void)
{
    sim_point();
}

// ---------------------------------------------------------------- futexes

static long futex_wait(uint32_t *word, uint32_t expected, const struct timespec *ts)
{
    sim_drain();
    sim_point();
    if (sim_raw_load(word, 4) != expected) {
        errno = EAGAIN;
        return -1;
    }
    if (sim_wait("a futex", sim_key(word), ts ? behind(ns_of(ts)) : 0, false))
        return 0;
    errno = ETIMEDOUT;
    return -1;
}

static long futex(va_list args)
{
    uint32_t *word = va_arg(args, uint32_t *);
    int op = va_arg(args, int);
    uint32_t value = va_arg(args, uint32_t);
    const struct timespec *ts = va_arg(args, const struct timespec *);
    if ((op & FUTEX_CMD_MASK) == FUTEX_WAIT)
        return futex_wait(word, value, ts);
    if ((op & FUTEX_CMD_MASK) != FUTEX_WAKE)
        sim_stop(SIM_STUCK, "futex operation %d is not simulated", op);
    sim_drain();
    sim_point();
    return sim_wake(sim_key(word), value > INT_MAX ? INT_MAX : (int)value);
}

__attribute__((visibility("default"))) long __wrap_syscall(long number, ...);
long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...)
{
    va_list args;
    va_start(args, number);
    long rc;
    if (sim_inside() && number == SYS_futex) {
        rc = futex(args);
    } else if (sim_inside() && number == SYS_gettid) {
        rc = SIM_FIRST_TID + sim_me;
    } else if (sim_inside() && number == SYS_set_robust_list) {
        const struct robust_list_head *head = va_arg(args, const struct robust_list_head *);
        SIM_ME->robust = head;
        rc = 0;
    } else if (sim_inside() && number == SYS_pidfd_open) {
        pid_t pid = va_arg(args, pid_t);
        rc = sim_pidfd_open(pid, va_arg(args, unsigned), number);
    } else {
        long a[6];
        for (int i = 0; i < 6; i++)
            a[i] = va_arg(args, long);
        rc = __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    }
    va_end(args);
    return rc;
}

// ---------------------------------------------------------------- threads

typedef struct start {
    void *(*run)(void *);
    void *arg;
    int me;
} start_t;

static pthread_t handles[SIM_THREADS];  // of this process's threads

// A thread ends behind the destructors of its keys, which run in rounds, and goes no further: what
// these and the C library free there, another thread that allocates would find or not, depending on
// the real time.
enum { ROUNDS = 3 };
_Static_assert(ROUNDS < PTHREAD_DESTRUCTOR_ITERATIONS, "the last round is never reached");
static pthread_key_t end_key;

static void end_round(void *left)
{
    uintptr_t rounds = (uintptr_t)left - 1;
    if (rounds > 0) {
        pthread_setspecific(end_key, (void *)rounds);
        return;
    }
    sim_leave();
    __real_syscall(SYS_exit, 0);  // the kernel tells the thread that joins it
}

static void make_end_key(void)
{
    if (pthread_key_create(&end_key, end_round) != 0)
        sim_stop(SIM_STUCK, "there is no key for the ends of threads");
}

static void *run_thread(void *arg)
{
    static pthread_once_t made = PTHREAD_ONCE_INIT;
    start_t s = *(start_t *)arg;
    sim_take_token(s.me);
    free(arg);
    pthread_once(&made, make_end_key);
    pthread_setspecific(end_key, (void *)(uintptr_t)ROUNDS);
    return s.run(s.arg);
}

static sim_key_t end_of(int thread)
{
    return (sim_key_t)1 << 62 | (sim_key_t)thread;
}

#define STACKS ((char *)0x7d0000000000)
#define STACK_NBYTES ((size_t)8 << 20)

/** A stack at an address that the thread's number in the run gives: tables find what lies on stacks
 *  by addresses, and the kernel chooses those by what else the process has mapped. */
static int place_stack(pthread_attr_t *attr, const pthread_attr_t *wanted, int number)
{
    int detached = PTHREAD_CREATE_JOINABLE;
    char *stack = mmap(STACKS + (size_t)number * STACK_NBYTES, STACK_NBYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (stack == MAP_FAILED)
        return EAGAIN;
    if (wanted)
        pthread_attr_getdetachstate(wanted, &detached);
    pthread_attr_init(attr);
    pthread_attr_setdetachstate(attr, detached);
    return pthread_attr_setstack(attr, stack, STACK_NBYTES);
}

SIM_WRAPPER(int, pthread_create, pthread_t *thread, const pthread_attr_t *attr,
            void *(*run)(void *), void *arg)
{
    if (!sim_inside())
        return __real_pthread_create(thread, attr, run, arg);
    start_t *s = sim_fault_hits(SIM_FAULT_MEMORY) ? NULL : malloc(sizeof *s);
    if (!s)
        return EAGAIN;
    sim_drain();
    sim_point();
    int me = sim_thread_new(SIM_ME->pe);
    *s = (start_t){run, arg, me};
    pthread_attr_t placed;
    int rc = place_stack(&placed, attr, me);
    if (rc == 0)
        rc = __real_pthread_create(thread, &placed, run_thread, s);
    if (rc != 0) {
        sim->threads[me].state = SIM_GONE;
        free(s);
        return rc;
    }
    sim_follows(me, sim_me);
    handles[me] = *thread;
    sim_decide_soon();
    sim_point();
    return 0;
}

SIM_WRAPPER(int, pthread_join, pthread_t thread, void **result)
{
    if (!sim_inside())
        return __real_pthread_join(thread, result);
    sim_drain();
    int other = -1;
    for (int i = 0; i < sim->nthreads; i++)
        if (sim->threads[i].pe == SIM_ME->pe && pthread_equal(handles[i], thread))
            other = i;
    while (other >= 0 && sim->threads[other].state != SIM_GONE)
        sim_wait("a thread's end", end_of(other), 0, false);
    if (other >= 0)
        sim_follows(sim_me, other);
    return __real_pthread_join(thread, result);
}

// ---------------------------------------------------------------- mutexes and conditions

#define LOCK_WORD(mutex) (&(mutex)->__data.__lock)
#define IS_RECURSIVE(mutex) (((mutex)->__data.__kind & 3) == PTHREAD_MUTEX_RECURSIVE_NP)

static bool mutex_try(pthread_mutex_t *mutex)
{
    uint64_t free_word = 0;
    if (IS_RECURSIVE(mutex) && mutex->__data.__lock && mutex->__data.__owner == sim_me + 1) {
        mutex->__data.__count++;
        return true;
    }
    if (!sim_cas(LOCK_WORD(mutex), 4, &free_word, 1, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return false;
    mutex->__data.__owner = sim_me + 1;
    return true;
}

static bool mutex_lock(pthread_mutex_t *mutex, uint64_t deadline)
{
    sim_point();
    while (!mutex_try(mutex))
        if (!sim_wait("a mutex", sim_key(mutex), deadline, false))
            return false;
    return true;
}

static void mutex_unlock(pthread_mutex_t *mutex)
{
    if (mutex->__data.__count > 0) {
        mutex->__data.__count--;
        return;
    }
    mutex->__data.__owner = 0;
    sim_rmw(LOCK_WORD(mutex), 4, SIM_SWAP, 0, __ATOMIC_RELEASE);
    sim_wake(sim_key(mutex), 1);
}

SIM_WRAPPER(int, pthread_mutex_lock, pthread_mutex_t *mutex)
{
    if (!sim_inside())
        return __real_pthread_mutex_lock(mutex);
    mutex_lock(mutex, 0);
    return 0;
}

SIM_WRAPPER(int, pthread_mutex_clocklock, pthread_mutex_t *mutex, clockid_t id,
            const struct timespec *ts)
{
    if (!sim_inside())
        return __real_pthread_mutex_clocklock(mutex, id, ts);
    return mutex_lock(mutex, ns_of(ts)) ? 0 : ETIMEDOUT;
}

SIM_WRAPPER(int, pthread_mutex_trylock, pthread_mutex_t *mutex)
{
    if (!sim_inside())
        return __real_pthread_mutex_trylock(mutex);
    sim_point();
    return mutex_try(mutex) ? 0 : EBUSY;
}

SIM_WRAPPER(int, pthread_mutex_unlock, pthread_mutex_t *mutex)
{
    if (!sim_inside())
        return __real_pthread_mutex_unlock(mutex);
    sim_point();
    mutex_unlock(mutex);
    return 0;
}

SIM_WRAPPER(int, pthread_cond_wait, pthread_cond_t *cond, pthread_mutex_t *mutex)
{
    if (!sim_inside())
        return __real_pthread_cond_wait(cond, mutex);
    mutex_unlock(mutex);
    sim_wait("a condition", sim_key(cond), 0, false);
    mutex_lock(mutex, 0);
    return 0;
}

SIM_WRAPPER(int, pthread_cond_signal, pthread_cond_t *cond)
{
    if (!sim_inside())
        return __real_pthread_cond_signal(cond);
    sim_point();
    sim_wake(sim_key(cond), 1);
    return 0;
}

SIM_WRAPPER(int, pthread_cond_broadcast, pthread_cond_t *cond)
{
    if (!sim_inside())
        return __real_pthread_cond_broadcast(cond);
    sim_point();
    sim_wake(sim_key(cond), INT_MAX);
    return 0;
}

SIM_WRAPPER(int, pthread_once, pthread_once_t *once, void (*run)(void))
{
    enum { NEW, UNDER_WAY, DONE };
    if (!sim_inside())
        return __real_pthread_once(once, run);
    sim_point();
    while (*once == UNDER_WAY)
        sim_wait("another thread's pthread_once", sim_key(once), 0, false);
    if (*once == NEW) {
        *once = UNDER_WAY;
        run();
        *once = DONE;
        sim_wake(sim_key(once), INT_MAX);
    }
    sim_fence(__ATOMIC_SEQ_CST);
    return 0;
}

// ---------------------------------------------------------------- the end of a process

static int exit_status;

SIM_WRAPPER(void, exit, int status)
{
    exit_status = status;
    __real_exit(status);
}

SIM_WRAPPER(void, _exit, int status)
{
    if (sim_inside())
        sim_end_process(status, 0);
    __real__exit(status);
}

SIM_WRAPPER(void, abort, void)
{
    if (sim_inside())
        sim_stop(SIM_CRASHED, "PE %d calls abort", SIM_ME->pe);
    __real_abort();
}

/** Runs behind all else that exit runs in this library. */
__attribute__((destructor(101))) static void leave(void)
{
    if (sim_inside())
        sim_end_process(exit_status, 0);
}
