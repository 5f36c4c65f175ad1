// SPDX-License-Identifier: BSD-3-Clause
//
// The library is loaded and its provider chosen once a process, by whichever thread comes first,
// with forks held off meanwhile. Where a helper thread chooses, the program's thread has loaded:
// constructors of libraries read the environment, which the program may change later.
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/thread.h"
#include "base/wait.h"
#include "offers.h"
#include "probe.h"
#include "sockets.h"

// Guards ofi_lib, ofi_choice and what follows. Recursive: a provider may fork in this thread while
// it is loaded.
static pthread_mutex_t load_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int load_result = 1;
static bool safe_tried;

// ---------------------------------------------------------------- a program that forks
//
// The node server loads libfabric in the background, which holds a lock of libfabric meanwhile, and
// its destructor takes that lock: a child forked meanwhile would wait in its exit() for a thread
// that it does not have. So a fork waits until loading is over. Not for ever: the forking thread
// may hold what loading waits for, as the constructor of a library does.

static _Thread_local bool fork_has_lock;

static void before_fork(void)
{
    static atomic_bool waited_in_vain;  // once is enough
    struct timespec limit;
    clock_gettime(CLOCK_MONOTONIC, &limit);
    limit.tv_sec += atomic_load(&waited_in_vain) ? 0 : CWU_WAIT_S(GIVE_UP);
    fork_has_lock = pthread_mutex_clocklock(&load_lock, CLOCK_MONOTONIC, &limit) == 0;
    if (!fork_has_lock)
        atomic_store(&waited_in_vain, true);
}

static void after_fork_in_parent(void)
{
    if (fork_has_lock)
        pthread_mutex_unlock(&load_lock);
}

static void after_fork_in_child(void)
{
    // the child's thread is not its owner
    load_lock = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
}

static void guard_forks(void)
{
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

/** Called without the lock: a fork may wait for it with the C library's own lock held. */
static void guard_forks_once(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, guard_forks);
}

// ---------------------------------------------------------------- loading

void ofi_begin_load(void)
{
    guard_forks_once();
    cwu_env_keep();
    pthread_mutex_lock(&load_lock);
    if (load_result > 0 && !ofi_lib.handle) {
        sigset_t before;
        cwu_signals_hold(&before);
        int rc = ofi_lib_open();
        cwu_signals_release(&before);
        load_result = rc ? rc : load_result;
    }
    pthread_mutex_unlock(&load_lock);
}

int ofi_load(bool one_machine)
{
    guard_forks_once();
    pthread_mutex_lock(&load_lock);
    if (load_result > 0) {
        sigset_t before;
        cwu_signals_hold(&before);  // the dynamic linker ends a process that enters it twice
        load_result = ofi_lib.handle ? 0 : ofi_lib_open();
        if (load_result == 0) {
            ofi_probe_begin(ofi_lib.handle);
            load_result = ofi_choose(one_machine);
            ofi_probe_end();
            if (load_result == 0) {
                ofi_store_words_once();
                ofi_gate_open(one_machine);
            }
        }
        cwu_signals_release(&before);
    }
    int rc = load_result;
    pthread_mutex_unlock(&load_lock);
    return rc;
}

bool ofi_needs_memory(void)
{
    return ofi_choice.pieces;
}

bool ofi_software(void)
{
    return ofi_choice.software;
}

/** A connection of its own has an end that the provider reports. Elsewhere clients that wait ask
 *  what has come, which takes order and an inject (client/request.c). Where a request waits for the
 *  puts before it, puts are as fast. */
bool ofi_sees_loss(void)
{
    return ofi_choice.msg || (ofi_choice.send_after_send && ofi_choice.send_after_write &&
                              ofi_choice.inject_nbytes >= sizeof(cwt_header_t));
}

bool ofi_threads_serve(void)
{
    return true;
}

/** Over ofi_rxm of libfabric 1.17 a second endpoint of a process gets no replies. */
bool ofi_one_client(void)
{
    pthread_mutex_lock(&load_lock);
    const char *name =
        load_result == 0 ? ofi_choice.info->fabric_attr->prov_name : cwu_env.provider;
    bool one = name && strstr(name, "ofi_rxm");
    pthread_mutex_unlock(&load_lock);
    return one;
}

void ofi_load_safe(void)
{
    pthread_mutex_lock(&load_lock);
    if (!safe_tried)
        ofi_choose_safe();
    safe_tried = true;
    pthread_mutex_unlock(&load_lock);
}
