// SPDX-License-Identifier: BSD-3-Clause
//
// How a job ends: a PE that fails, a PE that ends the job, the time limit, a signal. The first
// reason decides the exit status; the others get SIGTERM, and SIGKILL 0.3 s later, so that all are
// gone within a second.
//
// The first reason is not always the first to be seen. A process that dies closes its connections
// before its parent can wait for it, so a PE that lost one may end the job before oshrun knows of
// the death. Hence deaths are taken before an abort that follows from an error, and such an abort
// waits CAUSE_NS, and longer while a PE is being taken down, for a death that explains it.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/futex.h"
#include "base/machine.h"
#include "collect.h"
#include "oshrun.h"

#define MS UINT64_C(1000000)
#define TERM_TO_KILL_NS (300 * MS)
#define FINALIZED_GRACE_NS (500 * MS)
#define KILL_AGAIN_NS (100 * MS)
#define SAME_SIGNAL_NS (100 * MS)
#define CAUSE_NS (40 * MS)
#define CAUSE_AGAIN_NS (10 * MS)
#define CAUSE_LIMIT_NS (2000 * MS)

void end_signal_all(run_t *run, int signo)
{
    for (int pe = 0; pe < run->opt.npes; pe++) {
        if (run->pes[pe].pid <= 0)
            continue;
        const pid_t apart = ask_apart(run->job, (uint32_t)pe);
        kill(-run->pes[pe].pid, signo);
        if (apart)
            kill(apart, signo);
    }
}

void end_job(run_t *run, int status, uint64_t delay_ns)
{
    if (run->ending)
        return;
    run->ending = true;
    run->status = status;
    run->term_at_ns = cwu_now_ns() + delay_ns;
    run->kill_at_ns = run->term_at_ns + TERM_TO_KILL_NS;
    atomic_store(&run->job->ending, 1);  // pairs with launch_abort
    cwu_futex_wake((uint32_t *)&run->job->ending, INT_MAX);
}

// ---------------------------------------------------------------- aborts
static void take_abort(run_t *run)
{
    // A PE that is killed in the middle of its abort leaves no status.
    bool whole = atomic_load(&run->job->abort_state) > CWB_ABORT_CLAIMED;
    int status = whole ? atomic_load(&run->job->abort_status) & 255 : 1;
    if (run->opt.verbose)
        say("PE %d ended the job with status %d", atomic_load(&run->job->abort_pe), status);
    end_job(run, status, 0);
}

/** The kernel takes the process down, or has done so. A process has this flag before any of its
 *  connections closes. */
static bool is_dying(pid_t pid)
{
    enum { PF_EXITING = 4 };
    char path[64], text[512], state;
    unsigned flags;
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    text[n > 0 ? n : 0] = '\0';
    const char *name_end = strrchr(text, ')');
    return name_end && sscanf(name_end, ") %c %*d %*d %*d %*d %*d %u", &state, &flags) == 2 &&
           (flags & PF_EXITING);
}

static bool death_is_due(run_t *run)
{
    for (int pe = 0; pe < run->opt.npes; pe++)
        if (run->pes[pe].pid > 0 &&
            atomic_load(&cwb_job_pe(run->job, (uint32_t)pe)->state) != CWB_PE_FAILED &&
            is_dying(run->pes[pe].pid))
            return true;
    return false;
}

/** The time is over that an abort has given to deaths. */
static void look_for_cause(run_t *run, uint64_t now_ns)
{
    run->cause_at_ns = 0;
    if (run->ending)
        return;
    if (now_ns < run->cause_limit_ns && death_is_due(run))
        run->cause_at_ns = now_ns + CAUSE_AGAIN_NS;
    else
        take_abort(run);
}

static void await_cause(run_t *run)
{
    if (run->ending || run->cause_at_ns)
        return;
    run->cause_at_ns = cwu_now_ns() + CAUSE_NS;
    run->cause_limit_ns = run->cause_at_ns + CAUSE_LIMIT_NS;
}

void end_check_abort(run_t *run)
{
    uint32_t state = atomic_load(&run->job->abort_state);
    if (state == CWB_ABORT_ASKED && !run->ending)
        take_abort(run);
    else if (state == CWB_ABORT_FAILED)
        await_cause(run);
}

/** "3, 5 and 7", of many the first ones. */
static void list_killed(const run_t *run, char *text, size_t nbytes)
{
    enum { MOST = 8 };
    int left = run->nkilled, put = 0;
    size_t at = 0;
    for (int pe = 0; pe < run->opt.npes && left > 0 && put < MOST; pe++) {
        if (!atomic_load(&cwb_job_pe(run->job, (uint32_t)pe)->killed))
            continue;
        const char *before = put == 0 ? "" : left == 1 ? " and " : ", ";
        at += (size_t)snprintf(text + at, nbytes - at, "%s%d", before, pe);
        left--;
        put++;
    }
    if (left > 0)
        snprintf(text + at, nbytes - at, " and %d more", left);
}

void end_settle(run_t *run)
{
    char list[160];
    end_check_abort(run);
    if (run->cause_at_ns && !run->ending)
        take_abort(run);
    if (run->nkilled == 0 || run->ending)
        return;
    list_killed(run, list, sizeof list);
    if (run->nkilled == run->opt.npes)
        end_job(run, run->killed_status, 0);
    else
        say("%d of %d PEs were killed, and the others have ended well without: PE %s", run->nkilled,
            run->opt.npes, list);
}

// ---------------------------------------------------------------- the clock and signals
/** The PEs have said what they do. */
static void go_on(run_t *run)
{
    ask_end(run);
    if (!run->ask_signal) {
        end_job(run, EXIT_TIMEOUT, 0);
        return;
    }
    end_signal_all(run, run->ask_signal);
    ask_release(run);
}

void end_on_clock(run_t *run, uint64_t now_ns)
{
    if (run->deadline_ns && now_ns >= run->deadline_ns) {
        run->deadline_ns = 0;
        if (!run->ending)
            say("the time limit of %g s is over; ending the job",
                (double)run->opt.timeout_ns / 1e9);
        if (!ask_begin(run, 0))
            end_job(run, EXIT_TIMEOUT, 0);
    }
    if (ask_is_due(run, now_ns))
        go_on(run);
    if (run->cause_at_ns && now_ns >= run->cause_at_ns)
        look_for_cause(run, now_ns);
    if (run->term_at_ns && now_ns >= run->term_at_ns) {
        run->term_at_ns = 0;
        end_signal_all(run, SIGTERM);
        end_signal_all(run, SIGCONT);  // a stopped PE takes SIGTERM only after SIGCONT
        ask_release(run);
    }
    if (run->kill_at_ns && now_ns >= run->kill_at_ns) {
        run->kill_at_ns = now_ns + KILL_AGAIN_NS;
        end_signal_all(run, SIGKILL);
    }
}

int end_poll_timeout_ms(const run_t *run, uint64_t now_ns)
{
    uint64_t next = UINT64_MAX;
    const uint64_t at[] = {run->deadline_ns, run->cause_at_ns,         run->term_at_ns,
                           run->kill_at_ns,  ask_next_ns(run, now_ns), collect_next_ns()};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++)
        if (at[i] && at[i] < next)
            next = at[i];
    if (next == UINT64_MAX)
        return -1;
    if (next <= now_ns)
        return 0;
    uint64_t ms = (next - now_ns + MS - 1) / MS;
    return ms > INT_MAX ? INT_MAX : (int)ms;
}

void end_on_signal(run_t *run, int signo)
{
    run->last_signal = signo == SIGCONT ? run->last_signal : signo;
    bool interrupt = signo == SIGINT || signo == SIGTERM;
    uint64_t now = cwu_now_ns(), before = run->interrupted_ns;
    run->interrupted_ns = interrupt ? now : before;
    if (interrupt && before && now - before < SAME_SIGNAL_NS)
        return;  // sent to this process and to its group, as timeout(1) does
    if (interrupt && ++run->ninterrupts > 1) {
        end_job(run, 128 + signo, 0);
        run->kill_at_ns = cwu_now_ns();
        return;
    }
    if ((interrupt || signo == SIGQUIT) && ask_begin(run, signo))
        return;
    end_signal_all(run, signo);
    if (signo == SIGTSTP)
        kill(getpid(), SIGSTOP);  // SIGCONT resumes oshrun, which then resumes the PEs
}

// ---------------------------------------------------------------- deaths
typedef struct death {
    int pe;
    pid_t pid;
    int wstatus;
} death_t;

/** others: what becomes of them. */
static void report(run_t *run, const death_t *d, const char *how, const char *others)
{
    say("PE %d of %d (pid %ld, host %s) %s%s", d->pe, run->opt.npes, (long)d->pid, run->host, how,
        run->nrunning ? others : "");
    if (run->opt.output)
        say("what PE %d wrote is in %s/pe.%d.out and pe.%d.err", d->pe, run->opt.output, d->pe,
            d->pe);
}

static const char ending_others[] = "; ending the other PEs";
static const char no_memory[] =
    " by the system, which had no memory left for it (this machine's, or its control group's "
    "limit); start fewer PEs, or let each of them use less";

static void report_signalled(run_t *run, const death_t *d, const char *others)
{
    int signo = WTERMSIG(d->wstatus);
    char how[256];
    snprintf(how, sizeof how, "was killed by signal %d (%s%s)%s", signo, strsignal(signo),
             WCOREDUMP(d->wstatus) ? ", core dumped" : "",
             signo == SIGKILL && cwu_memory_kills() > run->memory_kills ? no_memory : "");
    report(run, d, how, others);
}

static void on_signalled(run_t *run, const death_t *d)
{
    int signo = WTERMSIG(d->wstatus);
    bool hosts = atomic_load(&cwb_job_pe(run->job, (uint32_t)d->pe)->death) == CWB_DEATH_ENDS_NODE;
    if (signo == run->last_signal)
        say("ended by signal %d (%s), which went to all PEs", signo, strsignal(signo));
    else if (hosts)
        report_signalled(run, d,
                         "; it hosted the server of its node, without which the other PEs "
                         "cannot go on: ending them");
    else
        report_signalled(run, d, ending_others);
    end_job(run, 128 + signo, 0);
}

/** The program has asked that the others go on without it. */
static bool is_let_go(const run_t *run, const death_t *d)
{
    const cwb_job_pe_t *pe = cwb_job_pe(run->job, (uint32_t)d->pe);
    return WIFSIGNALED(d->wstatus) && WTERMSIG(d->wstatus) != run->last_signal &&
           atomic_load(&pe->death) == CWB_DEATH_ENDS_PE && atomic_load(&pe->state) == CWB_PE_JOINED;
}

static void let_go(run_t *run, const death_t *d)
{
    cwb_job_t *job = run->job;
    report_signalled(run, d, "; the others go on without it");
    run->nkilled++;
    run->killed_status = 128 + WTERMSIG(d->wstatus);
    atomic_store(&cwb_job_pe(job, (uint32_t)d->pe)->killed, (uint32_t)WTERMSIG(d->wstatus));
    atomic_fetch_add(&job->deaths, 1);
    atomic_fetch_add(&job->generation, 1);  // a fence may have waited for it alone
    cwu_futex_wake((uint32_t *)&job->generation, INT_MAX);
}

/** The routine by which the others have joined. */
static const char *others_init(cwb_job_t *job)
{
    for (uint32_t pe = 0; pe < job->npes; pe++) {
        cwb_job_pe_t *one = cwb_job_pe(job, pe);
        one->init[sizeof one->init - 1] = '\0';
        if (atomic_load(&one->state) != CWB_PE_NEW && one->init[0])
            return one->init;
    }
    return "shmem_init (or gasnet_init, ARMCI_Init, dart_init)";  // none has got so far
}

static void report_absent(run_t *run, const death_t *d)
{
    char how[128];
    snprintf(how, sizeof how, "exited without calling %s, which others have called",
             others_init(run->job));
    report(run, d, how, ending_others);
    end_job(run, 1, 0);
}

static void on_exit_status(run_t *run, const death_t *d)
{
    uint32_t state = atomic_load(&cwb_job_pe(run->job, (uint32_t)d->pe)->state);
    int status = WEXITSTATUS(d->wstatus);
    char how[128];
    if (status && state == CWB_PE_JOINED && run->absent_pid) {
        // no PE can join behind one that is absent, so that is why this one failed
        report_absent(run, &(death_t){.pe = run->absent_pe, .pid = run->absent_pid});
    } else if (status) {
        snprintf(how, sizeof how, "exited with status %d", status);
        report(run, d, how, ending_others);
        // After finalize the other PEs are about to end by themselves.
        end_job(run, status, state == CWB_PE_LEFT ? FINALIZED_GRACE_NS : 0);
    } else if (state == CWB_PE_JOINED) {
        const char *missing = cwb_job_pe(run->job, (uint32_t)d->pe)->finalize;
        snprintf(how, sizeof how, "exited without calling %.79s",
                 missing[0] ? missing : "the end of the job");
        report(run, d, how, ending_others);
        run->absent_pid = d->pid;
        end_job(run, 1, 0);
    } else if (state == CWB_PE_NEW) {
        atomic_fetch_add(&run->job->left_unjoined, 1);
        if (atomic_load(&run->job->joined) == 0) {
            // so far an ordinary program that runs in parallel
            run->absent_pe = run->absent_pid ? run->absent_pe : d->pe;
            run->absent_pid = run->absent_pid ? run->absent_pid : d->pid;
            return;
        }
        report_absent(run, d);
    }
}

// Forwards what a PE wrote before oshrun reports its end.
static void take_rest(run_t *run, int pe)
{
    if (relay_holds(pe))
        relay_drain(run, pe);
    for (int i = 0; i < 2; i++) {
        stream_t *s = &run->pes[pe].out[i];
        for (int reads = 0; s->fd >= 0 && reads < 32; reads++)
            if (!output_take(s))
                run->nopen_streams--;
        output_flush_partial(s);
    }
}

// Finds a process that has ended, kills the rest of its process group (before the process is
// reaped, since the group's number cannot be reused until then), and reaps it. False when there is
// none.
static bool reap_one(run_t *run, death_t *d)
{
    siginfo_t info = {0};
    while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0) {
        d->pid = info.si_pid;
        d->pe = spawn_pe_of(run, d->pid);
        if (d->pe >= 0) {
            atomic_store(&cwb_job_pe(run->job, (uint32_t)d->pe)->pid, 0);
            kill(-d->pid, SIGKILL);
        }
        waitpid(d->pid, &d->wstatus, 0);
        info.si_pid = 0;
        if (d->pe < 0)
            continue;  // not a PE: a child inherited over exec, or the guard
        run->pes[d->pe].pid = 0;
        run->nrunning--;
        return true;
    }
    return false;
}

// Reaps all PEs that have ended. Of several that died together, one killed by a signal is the
// likelier cause; the kernel does not report their order.
void end_reap(run_t *run)
{
    death_t d, first = {.pe = -1};
    spawn_check(run);
    while (reap_one(run, &d)) {
        if (run->ending)
            continue;
        take_rest(run, d.pe);
        end_check_abort(run);
        bool failed = d.wstatus != 0;
        if (is_let_go(run, &d))
            let_go(run, &d);
        else if (atomic_load(&cwb_job_pe(run->job, (uint32_t)d.pe)->state) == CWB_PE_FAILED)
            await_cause(run);
        else if (!failed)
            on_exit_status(run, &d);
        else if (first.pe < 0 || (WIFSIGNALED(d.wstatus) && !WIFSIGNALED(first.wstatus)))
            first = d;
    }
    if (first.pe < 0 || run->ending)
        return;
    if (WIFSIGNALED(first.wstatus))
        on_signalled(run, &first);
    else
        on_exit_status(run, &first);
}
