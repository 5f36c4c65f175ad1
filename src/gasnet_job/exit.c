// SPDX-License-Identifier: BSD-3-Clause
//
// The end of a job. gasnet_exit may be called by one node or by all, and so may exit or a return
// from main:
//
//   1. Each process that comes to its end counts itself on node 0 and waits for the others. If all
//      come, they leave the job in good order, with the first status other than 0 that one of them
//      gave: the failure of one is not lost where another was done before.
//   2. A process that has waited too long (GASNET_EXITTIMEOUT; a second if something failed)
//      notifies every host. Processes in a call of GASNet then observe it, and all others of a host
//      are sent SIGQUIT: by a process that waits here, or by the host's node server, since all of
//      them may compute. The handler (the library's, or the client's, which calls gasnet_exit)
//      brings them here. It may have interrupted any call, whose locks are taken and whose
//      transfers may be counted and not posted: so these processes use memory of their host only.
//      They count themselves there, and the process that notified them looks.
//      One that waits in a collective then says so, if the status is 0: no other sign is left of
//      what it waited for in vain.
//   3. The launcher ends processes that have not come 5 s later. SIGQUIT reaches a process
//      that computes, too, so only those that ignore it are waited for so long; a machine with far
//      more processes than cores needs it for the others.
//
// The words are in symmetric memory and changed by atomics that the node servers execute, so no
// process needs to poll. A signal to end the process (SIGTERM and the like) becomes SIGQUIT too, so
// that a client can clean up.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/output.h"
#include "base/symbol.h"
#include "base/wait.h"
#include "core/life/mpi.h"
#include "core/owner/handle.h"
#include "core/progress/hooks.h"
#include "core/report/crash.h"
#include "core/server/server.h"
#include "core/sync/rendezvous.h"
#include "core/world/front_end.h"
#include "gasnet_job/gas.h"

#define SECOND UINT64_C(1000000000)
#define INTERRUPTED (UINT64_C(1) << 32)
// at a load of 20 processes a core, one second was too short for output to be flushed
#define GIVEN (UINT64_C(1) << 32)  // marks a status that was given, also 0
#define ASKER_SHIFT 33             // of the PE in `wanted`
#define MANNER_SHIFT 33            // of how the job ends, in `all`

enum { ORDERLY = 1, BROKEN, WITHIN_MPI };  // BROKEN: one was interrupted; perhaps within MPI

typedef struct ending {
    uint64_t arrived;  // on node 0: processes that came, and times INTERRUPTED those that may have
                       // been interrupted in a call
    uint64_t status;   // on node 0: GIVEN | the first one
    uint64_t failed;   // on node 0: GIVEN | the first one that is not 0, of a process that came by
                       // itself
    uint64_t wanted;   // on each host's first node: GIVEN | status, of the PE << ASKER_SHIFT, which
                       // waited too long
    uint64_t all;      // on each host's first node: all came; the manner << MANNER_SHIFT | GIVEN |
                       // status
    uint64_t decided;  // on node 0: the first such, of two that may have counted all
    uint64_t in_mpi;   // on node 0: a process comes from a handler that has interrupted MPI
    uint64_t came;     // on each host's first node: processes of the host that came, in any way
    uint64_t here;     // on each node: it came
    uint64_t said;     // on node 0: a process has said that it waits in vain
} ending_t;
_Static_assert(sizeof(ending_t) <= GAS_OWN_BARRIER - GAS_OWN_EXIT,
               "its part of the library's memory");

static struct {
    ending_t *mine;        // symmetric
    ending_t *host;        // of this host; published to the server's thread by release
    pid_t pid;
    pthread_t initial;  // called gasnet_init
    atomic_flag begun;
    int status;                // with which the process came to the end
    bool forces;               // and whether it waits for others only so long
    bool exits;                // in gasnet_exit, which does not return
    bool aborts;               // it ends the job by the launcher
    bool counted;              // among those that came to the end
    bool asks;                 // this process has waited too long
    _Atomic int seen;          // SIGQUIT was raised for the end
    volatile sig_atomic_t beats, beats_seen;  // rounds of waits for the others; see on_stuck
    volatile uint64_t watched_ns;
    bool has_signalled;        // the thread of the node server
    _Atomic int first_signal;  // that became SIGQUIT
    struct sigaction earlier;  // the handler of SIGQUIT that gasnet_init found, SIG_DFL if none
} me = {.begun = ATOMIC_FLAG_INIT};

static _Thread_local bool ends_it;  // this thread has begun the end
// SIGQUIT itself; volatile: compilers know that raise calls no function of this file
static _Thread_local volatile bool raises CW_INITIAL_EXEC;

static const int signals[] = {SIGQUIT, SIGTERM, SIGINT, SIGHUP};

static bool all_came(void)
{
    return __atomic_load_n(&me.host->all, __ATOMIC_ACQUIRE) != 0;
}

static bool is_wanted(void)
{
    return me.host && __atomic_load_n(&me.host->wanted, __ATOMIC_ACQUIRE) != 0;
}

// ---------------------------------------------------------------- signals
void gas_exit_poll(void)
{
    if (CW_LIKELY(__atomic_load_n(&me.host->wanted, __ATOMIC_RELAXED) == 0) ||
        atomic_exchange(&me.seen, 1))
        return;
    raises = true;
    raise(SIGQUIT);
    raises = false;
}

/** The signal handlers end the process too, which must not happen while it ends. */
static void block_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaddset(&set, signals[i]);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

/** Does that wait end only when all processes come? */
static bool is_collective(const cw_wait_t *w)
{
    return w && (w->on == &gas_wait_collective || (w->on && w->on->kind == CW_WAIT_WORLD));
}

/** Once a job. Behind a status other than 0 the process that gave it has a reason, and mostly said
 *  it. */
static void say_in_vain(const void *context)
{
    const uint64_t wanted = me.host->wanted;
    cwu_routine_t routine;
    char where[160];
    if ((uint32_t)wanted != 0 || !is_collective(cw_wait_current) || me.counted ||
        cw_rendezvous_ask(&me.mine->said, CW_AMO_CSWAP, 1, 0) != 0)
        return;
    const char *call = cw_wait_current->call;
    bool found =
        cwu_symbol_interrupted(cw_crash_pc(context), cw_is_routine, &routine, where, sizeof where);
    cw_rename_routine(routine.name, sizeof routine.name, routine.exact);
    cwu_warn_of_end("waits in %s%s%s for all processes, but PE %d has ended the job, by "
                    "gasnet_exit(0) or by a return from main",
                    found ? routine.name : call, found ? ", called from " : "", found ? where : "",
                    (int)(wanted >> ASKER_SHIFT));
}

static bool is_of_malloc(const void *pc)
{
    char call[64], where[160];
    return cwu_symbol_below(pc, call, sizeof call, where, sizeof where) &&
           (strstr(call, "alloc") || strstr(call, "free"));
}

/** Has the signal come to a place of a library that may have locked what the end needs: memory,
 *  streams, the node server? Not if the thread sleeps: it is where it was twice before. */
static bool is_interrupted_badly(const void *context)
{
    static const void *last;
    static int times;
    const void *pc = cw_crash_pc(context);
    times = pc == last ? times + 1 : 0;
    last = pc;
    if (raises)
        return false;
    if (cwu_symbol_in_library(pc) && (times < 2 || is_of_malloc(pc)))
        return true;
    return cw_server_is_here() || (cw_progress_alone_serves() && cwu_symbol_in_network(pc));
}

/** The thread goes on for a moment, and is interrupted again: for a second at most, or four in
 *  malloc. */
static bool comes_later(const void *context)
{
    static uint64_t since_ns;
    static timer_t timer;
    static bool has_timer;
    const struct itimerspec soon = {.it_value = {.tv_nsec = CWU_WAIT_NS(LISTEN)}};
    uint64_t now = cwu_now_ns();
    since_ns = since_ns ? since_ns : now;
    uint64_t since = now - since_ns;
    if (!is_interrupted_badly(context) || since > 4 * SECOND ||
        (since > SECOND && !is_of_malloc(cw_crash_pc(context))))
        return false;
    if (!has_timer) {
        struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGQUIT};
        has_timer = timer_create(CLOCK_MONOTONIC, &event, &timer) == 0;
    }
    return has_timer && timer_settime(timer, 0, &soon, NULL) == 0;
}

/** The default handler of SIGQUIT. */
static void on_quit(int signo, siginfo_t *info, void *context)
{
    // A thread of a library below (a launcher's client) must go on for the end to come, so the
    // thread that called gasnet_init runs it.
    if (!pthread_equal(pthread_self(), me.initial) && pthread_kill(me.initial, signo) == 0)
        return;
    int first = atomic_load(&me.first_signal);
    if (is_wanted()) {
        if (comes_later(context))
            return;
        block_signals();  // a second one would end the process before it has spoken
        cw_check_no_threads();
        say_in_vain(context);
        gasnet_exit((int)(uint32_t)me.host->wanted);
    }
    if (me.earlier.sa_handler != SIG_DFL) {  // as without this handler
        if (me.earlier.sa_flags & SA_SIGINFO)
            me.earlier.sa_sigaction(signo, info, context);
        else
            me.earlier.sa_handler(signo);
        return;
    }
    signal(first ? first : signo, SIG_DFL);
    raise(first ? first : signo);
}

static void on_end(int signo, siginfo_t *info, void *context)
{
    (void)info, (void)context;
    atomic_store(&me.first_signal, signo);
    raise(SIGQUIT);
}

/** A client's handler stays. */
static void install_handler(int signo, void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction now,
        wanted = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART};
    if (gas_catches(signo) && sigaction(signo, NULL, &now) == 0 && now.sa_handler == SIG_DFL)
        sigaction(signo, &wanted, NULL);
}

/** SIGQUIT, by which the ends of other processes come, is also handled where it is ignored (shells
 *  ignore it for commands in the background), and where a handler was before gasnet_init, which
 *  then has the other SIGQUITs: Fortran's run-time library has one, which kills the process. */
static void install_quit(void)
{
    struct sigaction wanted = {.sa_sigaction = on_quit,
                               .sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART};
    if (!gas_catches(SIGQUIT) || sigaction(SIGQUIT, &wanted, &me.earlier) != 0)
        return;
    if (me.earlier.sa_handler == SIG_IGN)
        me.earlier.sa_handler = SIG_DFL;
}

/** Other threads take signals up to the end; what the handlers read is about to go. */
static void ignore_signals(void)
{
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction now;
        if (sigaction(signals[i], NULL, &now) == 0 &&
            (now.sa_sigaction == on_quit || now.sa_sigaction == on_end))
            signal(signals[i], SIG_IGN);
    }
}

// ---------------------------------------------------------------- together
/** For all, or until another process has waited too long. */
static bool wait_for_all(uint64_t patience_ns, bool also_wanted)
{
    uint64_t begun = cwu_now_ns();
    cw_wait_t w = CW_WAIT_INIT("gasnet_exit");
    while (!all_came() && cwu_now_ns() - begun < patience_ns && !(also_wanted && is_wanted())) {
        cw_wait_round(&w);
        me.beats++;
    }
    cw_wait_done(&w);
    return all_came();
}

/** Sets a word of every host. */
static void notify_hosts(uint64_t *word, uint64_t value)
{
    for (int node = 0; node < cw_world.nnodes; node++)
        cw_rendezvous_ask(word, CW_AMO_SET, value, cw_world.leader_of_node[node]);
    cw_quiet(&cw_ctx_default);
}

/** Sends SIGQUIT to the processes of this host that have not come. */
static void signal_host(void)
{
    for (int slot = 0; slot < cw_world.nslots; slot++) {
        int pe = cw_world.pes_of_node[slot], pid = cw_pid_of(pe);
        const ending_t *theirs = cw_area_early(me.mine, pe);
        if (pid > 0 && theirs && !__atomic_load_n(&theirs->here, __ATOMIC_RELAXED))
            kill(pid, SIGQUIT);
    }
}

/** In the node server's thread. What this process learns of others from now on (those that do not
 *  wait for it end through the launcher) is a consequence. */
static void mind_the_end(void)
{
    const ending_t *host = __atomic_load_n(&me.host, __ATOMIC_ACQUIRE);
    if (!host || me.has_signalled || __atomic_load_n(&host->wanted, __ATOMIC_ACQUIRE) == 0)
        return;
    me.has_signalled = true;
    cwu_error_hush();
    signal_host();
}

/** How long a process with that status waits for the others. */
static uint64_t patience_ns(int status, bool forces)
{
    if (!forces)
        return UINT64_MAX;
    return status ? SECOND : (uint64_t)(gas_exit_timeout() * (double)SECOND);
}

/** GIVEN | that of the job, of the processes that have come. */
static uint64_t status_now(void)
{
    uint64_t failed = cw_rendezvous_ask(&me.mine->failed, CW_AMO_FETCH, 0, 0);
    return failed ? failed : cw_rendezvous_ask(&me.mine->status, CW_AMO_FETCH, 0, 0);
}

static void give_status(int status)
{
    uint64_t mine = GIVEN | (uint32_t)status;
    cw_rendezvous_ask(&me.mine->status, CW_AMO_CSWAP, mine, 0);
    if (status && !is_wanted())
        cw_rendezvous_ask(&me.mine->failed, CW_AMO_CSWAP, mine, 0);
}

/** All came. Another process may find that, too: one manner is that of all. */
static void notify_all_came(uint64_t manner)
{
    uint64_t mine = manner << MANNER_SHIFT | status_now(),
             first = cw_rendezvous_ask(&me.mine->decided, CW_AMO_CSWAP, mine, 0);
    notify_hosts(&me.mine->all, first ? first : mine);
}

/** Once: this may be a handler that runs while this thread waits for the others already. */
static void count(bool interrupted)
{
    if (me.counted)
        return;
    uint64_t one = interrupted ? INTERRUPTED + 1 : 1,
             came = cw_rendezvous_count(&me.mine->arrived, one);
    me.counted = true;
    if ((uint32_t)came != gas.nodes)
        return;
    uint64_t manner = came >= INTERRUPTED ? BROKEN : ORDERLY;
    if (cw_rendezvous_ask(&me.mine->in_mpi, CW_AMO_FETCH, 0, 0) != 0)
        manner = WITHIN_MPI;
    notify_all_came(manner);
}

static uint64_t longer(uint64_t nap_ns)
{
    return nap_ns < CWU_WAIT_NS(SAFEGUARD) ? 2 * nap_ns : nap_ns;
}

static void come(void)
{
    if (__atomic_exchange_n(&me.mine->here, 1, __ATOMIC_RELAXED) == 0)
        __atomic_fetch_add(&me.host->came, 1, __ATOMIC_RELEASE);
}

/** In a process that was not interrupted. */
static bool have_come(void)
{
    uint64_t came = 0;
    for (int node = 0; node < cw_world.nnodes; node++)
        came += cw_rendezvous_ask(&me.mine->came, CW_AMO_FETCH, 0, cw_world.leader_of_node[node]);
    return came >= gas.nodes;
}

/** Notifies all, and ends the job when they have come, or one of them does not. */
static void end_others(void)
{
    uint64_t begun = cwu_now_ns(), nap_ns = CWU_WAIT_NS(LISTEN);
    me.asks = true;
    notify_hosts(&me.mine->wanted, (uint64_t)cw_world.pe << ASKER_SHIFT | status_now());
    signal_host();
    while (!all_came() && !have_come() && cwu_now_ns() - begun < CWU_WAIT_NS(GIVE_UP)) {
        wait_for_all(nap_ns, false);
        nap_ns = longer(nap_ns);
    }
    if (!all_came() && have_come())
        notify_all_came(BROKEN);
}

/** Returns the status when all have come; ends the job when a process does not come, if it may. */
static int end_together(int status, bool interrupted, bool forces)
{
    give_status(status);
    come();
    count(interrupted);
    if (wait_for_all(patience_ns(status, forces), true))
        return (int)(uint32_t)me.host->all;
    cwu_error_hush();  // connections break between this process and those that leave later
    if (!is_wanted() || me.asks)  // a handler that ends the job may run while this process looks
        end_others();
    else
        signal_host();
    if (!wait_for_all(CWU_WAIT_NS(GIVE_UP), false))
        cw_global_exit((int)(uint32_t)me.host->wanted);
    return (int)(uint32_t)me.host->all;
}

/** Another process ends the job, and this one may be within any call. */
static noreturn void be_ended(void)
{
    uint64_t begun = cwu_now_ns(), nap_ns = CWU_WAIT_NS(SOON);
    cwu_error_hush();
    come();
    while (!all_came() && cwu_now_ns() - begun < CWU_WAIT_NS(GIVE_UP)) {
        if (cw_progress_alone_serves())
            cw_server_poll();
        cwu_sleep_ns(nap_ns);
        nap_ns = longer(nap_ns);
        me.beats++;
    }
    if (!all_came())
        cw_global_exit((int)(uint32_t)me.host->wanted);
    cw_drop_out((int)(uint32_t)me.host->all);
}

/** All processes leave together, in good order. */
static void leave(bool beside_threads)
{
    if (beside_threads) {
        cw_leave_threads("gasnet_exit");
        return;
    }
    if (gas.attached)
        gas_close_messages();
    while (cw_world.initialized)
        cw_finalize("gasnet_exit");
}

#define MPI_SECONDS 60

static void *end_anyway(void *arg)
{
    sleep(MPI_SECONDS);
    cw_exit((int)(intptr_t)arg);
}

/** Without MPI_Finalize the launcher of an MPI takes the end for a failure. All processes are here,
 *  so it can be called; if messages that no process receives make it wait, the job ends without. */
static void end_mpi(int status)
{
    pthread_t thread;
    alarm(0);  // of watch_end: this has a time of its own
    if (pthread_create(&thread, NULL, end_anyway, (void *)(intptr_t)status) == 0)
        cw_mpi_end();
}

/** In checking mode, where this thread comes to the end by itself: its gets are of no use. */
static void check_gets(const char *call)
{
    if (gas.check && !is_wanted() && !cw_am_running())
        cw_implicit_left_gets(call, "no call has waited for them; call gasnet_wait_syncnbi_gets, "
                                    "gasnet_wait_syncnbi_all or gex_NBI_Wait before what they "
                                    "bring is used");
}

/** Returns the job's status. Without force the process waits as long as the others take. */
static int end(const char *call, int status, bool forces)
{
    if (status == 0 && cw_world.initialized)
        check_gets(call);
    // Core must not take a signal handler for a call of the client: nothing is checked from here
    // on.
    gas.check = false;
    cw_check_no_threads();
    if (!cw_world.initialized)
        return status;
    me.status = status;
    me.forces = forces;
    if (is_wanted() && !me.counted)
        be_ended();
    const void *pc;
    bool in_mpi = cwu_symbol_in_signal(&pc) && cwu_symbol_in_network(pc),
         interrupted = in_mpi || cw_am_running();
    if (interrupted)
        cwu_error_hush();
    if (in_mpi)
        cw_rendezvous_ask(&me.mine->in_mpi, CW_AMO_SET, 1, 0);
    int agreed = end_together(status, interrupted, forces);
    uint64_t manner = __atomic_load_n(&me.host->all, __ATOMIC_ACQUIRE) >> MANNER_SHIFT;
    if (manner != ORDERLY)
        cw_disband();
    bool ends_mpi = !is_wanted() && manner != WITHIN_MPI && cw_mpi_is_live(),
         last = cw_mpi_is_road();
    me.aborts = manner != ORDERLY && last;
    if (ends_mpi && !last)
        end_mpi(agreed);
    ignore_signals();
    leave(!last && gas.threads == GAS_PAR && (me.exits || cw_has_threads()));
    if (ends_mpi && last)
        end_mpi(agreed);
    return agreed;
}

/** Without a round of a wait for the others in that time, the end wants what the interrupted code
 *  holds. A SIGALRM of the client's may come here, too. */
static void on_stuck(int signo)
{
    struct sigaction deadly = {.sa_handler = SIG_DFL};
    const uint64_t now = cwu_now_ns();
    alarm(CWU_WAIT_S(GIVE_UP));
    if (now - me.watched_ns < CWU_WAIT_NS(GIVE_UP) || me.beats != me.beats_seen) {
        me.beats_seen = me.beats;
        me.watched_ns = now;
        return;
    }
    sigaction(signo, &deadly, NULL);  // if this hangs, too
    cwu_error_hush();
    cwu_warn_of_end("gasnet_exit, in the handler of a signal, does not come to an end: it needs "
                    "what the interrupted code holds, such as locks of the network or of malloc; "
                    "the launcher ends the job");
    cw_global_exit(is_wanted() ? (int)(uint32_t)me.host->wanted : me.status);
}

/** An end in the handler of a client's signal may have interrupted anything. Which code a handler
 *  runs in is found out under that alarm already: the interrupted one may hold what this needs. */
static void watch_end(int status)
{
    struct sigaction stuck = {.sa_handler = on_stuck, .sa_flags = SA_NODEFER}, before;
    sigset_t set, blocked;
    const void *pc;
    me.status = status;
    me.watched_ns = cwu_now_ns();
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    sigaction(SIGALRM, &stuck, &before);
    pthread_sigmask(SIG_UNBLOCK, &set, &blocked);
    const unsigned left = alarm(CWU_WAIT_S(GIVE_UP));
    if (cwu_symbol_in_signal(&pc))
        return;
    alarm(0);
    pthread_sigmask(SIG_SETMASK, &blocked, NULL);
    sigaction(SIGALRM, &before, NULL);
    alarm(left);
}

/** The first thread of the process that comes here returns and ends the process; the others stay.
 *  It comes again where it waits for the other processes and runs a handler that ends the job, too:
 *  then it goes on from there. */
static void begin_or_stay(void)
{
    if (ends_it)
        return;
    if (atomic_flag_test_and_set(&me.begun))
        for (;;)
            pause();
    ends_it = true;
}

/** Where an MPI connects the nodes, the processes that are ended do not come to MPI_Finalize, and
 *  wait for the launcher: it has the status of the job from here. */
static noreturn void finish(int agreed)
{
    if (me.aborts)
        cw_global_exit(agreed);
    cw_exit(agreed);
}

GAS_API void gasnet_exit(int exitcode)
{
    if (!gas.threads || getpid() != me.pid) {
        fflush(NULL);
        _exit(exitcode);
    }
    block_signals();
    begin_or_stay();
    watch_end(exitcode);
    me.exits = true;
    cwu_flush_output(NULL);
    finish(end(__func__, exitcode, true));
}

void gas_exit_resume(void)
{
    if (ends_it)
        finish(end("gasnet_exit", me.status, me.forces));
}

/** exit, or a return from main, without gasnet_exit. With GASNET_CATCH_EXIT=0 the others go on, so
 *  the process stays until they end: its memory, and what it does for its node, is still needed.
 *  Libraries below libfabric also turn SIGTERM into exit(1). */
static void at_exit(int status, void *arg)
{
    (void)arg;
    block_signals();
    if (getpid() != me.pid || ends_it)
        return;
    begin_or_stay();
    watch_end(status);
    fflush(NULL);
    // where exit is not caught, a launcher would end the job because of another status than 0
    int agreed = end("exit", status, status != 0 || cwu_env.catch_exit);
    if (agreed != status || me.aborts)
        finish(agreed);
}

void gas_exit_announce(void)
{
    static const cw_server_hooks_t hooks = {.between = mind_the_end};
    cw_server_hook(&hooks);
}

void gas_exit_open(void)
{
    me.mine = gas_own(GAS_OWN_EXIT, sizeof(ending_t));
    if (!me.mine)
        cwu_fatal("gasnet_init: no room for %zu bytes in the symmetric heap (SHMEM_SYMMETRIC_SIZE)",
                  sizeof(ending_t));
    if (gas.used_memory)
        cw_barrier(cw_group_world);
    me.pid = getpid();
    me.initial = pthread_self();
    __atomic_store_n(&me.host, cw_area_early(me.mine, cw_world.pes_of_node[0]), __ATOMIC_RELEASE);
    install_quit();
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (signals[i] != SIGQUIT)
            install_handler(signals[i], on_end);
    on_exit(at_exit, NULL);
}
