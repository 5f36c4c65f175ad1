// SPDX-License-Identifier: BSD-3-Clause
//
// The order of events in oshrun, and its loop.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "collect.h"
#include "oshrun.h"

// Opens descriptors 0-2 if they are closed, so that no descriptor of oshrun gets such a number.
static void open_standard_fds(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= 2);
    if (fd > 2)
        close(fd);
}

static void raise_fd_limit(run_t *run)
{
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &run->old_nofile);
    limit = run->old_nofile;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    getrlimit(RLIMIT_NOFILE, &limit);
    relay_plan(run, limit.rlim_cur);
}

// Signals arrive in the loop, through a descriptor. Signals that were ignored at start (nohup) stay
// ignored.
static void take_signals(run_t *run)
{
    static const int forwarded[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,
                                    SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT};
    sigset_t set, blocked;
    signal(SIGCHLD, SIG_DFL);  // if it were ignored, the kernel would hide the deaths of PEs
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    for (size_t i = 0; i < sizeof forwarded / sizeof *forwarded; i++) {
        struct sigaction old;
        if (sigaction(forwarded[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaddset(&set, forwarded[i]);
    }
    blocked = set;
    sigaddset(&blocked, SIGPIPE);  // a closed reader is then an error of write
    sigaddset(&blocked, SIGXFSZ);  // and so is a file of the largest size (ulimit -f)
    sigprocmask(SIG_BLOCK, &blocked, &run->old_mask);
    run->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    run->source_fd = epoll_create1(EPOLL_CLOEXEC);
    if (run->signal_fd < 0 || run->source_fd < 0)
        die(1, "cannot set up the event loop: %s", strerror(errno));
}

static void prepare(run_t *run)
{
    run->pes = calloc((size_t)run->opt.npes, sizeof *run->pes);
    run->nby_pid = 16;
    while (run->nby_pid < 2 * (uint32_t)run->opt.npes)
        run->nby_pid *= 2;
    run->by_pid = calloc(run->nby_pid, sizeof *run->by_pid);
    if (!run->pes || !run->by_pid)
        die(1, "out of memory for %d PEs", run->opt.npes);
    for (int pe = 0; pe < run->opt.npes; pe++)
        run->pes[pe].out[0].fd = run->pes[pe].out[1].fd = -1;
    if (gethostname(run->host, sizeof run->host - 1) != 0)
        strcpy(run->host, "?");
}

static void take_sources(run_t *run)
{
    struct epoll_event events[64];
    int n = epoll_wait(run->source_fd, events, 64, 0);
    for (int i = 0; i < n; i++) {
        stream_t *s = events[i].data.ptr;
        // A process that is being started holds copies of the descriptors until exec: a stream that
        // has ended, and was closed here, is reported again.
        if (s->pe < 0)
            relay_take(run, s);
        else if (s->fd >= 0 && !output_take(s))
            run->nopen_streams--;
    }
}

static void take_signal_events(run_t *run)
{
    struct signalfd_siginfo info;
    while (read(run->signal_fd, &info, sizeof info) == sizeof info)
        if (info.ssi_signo != SIGCHLD)
            end_on_signal(run, (int)info.ssi_signo);
    end_check_abort(run);
    end_reap(run);
}

/** Output is lost: the job has failed, whatever its PEs say. */
static void end_unwritten(run_t *run)
{
    int error = output_error();
    if (run->ending)
        return;
    if (error != EPIPE)
        say("cannot write the output of the PEs: %s%s", strerror(error),
            run->nrunning ? "; ending the job" : "");
    end_job(run, error == EPIPE ? 128 + SIGPIPE : 1, 0);
}

static void loop(run_t *run)
{
    enum { SIGNALS, BELL, NFIXED };
    bool starting = true;
    while (starting || run->nrunning > 0) {
        if (starting)
            spawn_some(run);
        starting = run->nstarted < run->opt.npes;
        struct pollfd fds[NFIXED + 4] = {{.fd = run->signal_fd, .events = POLLIN},
                                         {.fd = run->bell_fd, .events = POLLIN}};
        int n = NFIXED, input_at = n;
        int ninputs = input_pollfds(fds + n);
        n += ninputs;
        n += output_pollfds(fds + n);
        if (!output_congested() && run->nopen_streams > 0)
            fds[n++] = (struct pollfd){.fd = run->source_fd, .events = POLLIN};
        int wait_ms = starting ? 0 : end_poll_timeout_ms(run, cwu_now_ns());
        if (input_timeout_ms() >= 0 && (wait_ms < 0 || wait_ms > input_timeout_ms()))
            wait_ms = input_timeout_ms();
        if (poll(fds, (nfds_t)n, wait_ms) < 0 && errno != EINTR)
            say("poll: %s", strerror(errno));
        if (!output_congested())
            take_sources(run);
        if (ninputs)
            input_move(fds + input_at);
        uint64_t rings;
        if (read(run->bell_fd, &rings, sizeof rings) > 0)
            end_check_abort(run);
        take_signal_events(run);
        end_on_clock(run, cwu_now_ns());
        collect_put_due(cwu_now_ns());
        output_push();
        if (output_error())
            end_unwritten(run);
    }
}

// Processes that left their PE's group may still hold a stream open: oshrun takes what is there and
// waits for none of them.
static void take_leftovers(run_t *run)
{
    for (int pe = 0; pe < run->opt.npes; pe++) {
        for (int i = 0; i < 2; i++) {
            stream_t *s = &run->pes[pe].out[i];
            if (s->relayed && relay_holds(pe))
                relay_drain(run, pe);
            for (int reads = 0; s->fd >= 0 && reads < 32; reads++)
                output_take(s);
            output_flush_partial(s);
            if (output_congested())
                output_drain();
        }
    }
}

/** A wrapper that ends before its program looks like an ordinary program that has ended. */
static void report_left(const run_t *run)
{
    int pe = 0;
    while (pe < run->opt.npes && run->pes[pe].out[0].fd < 0 && run->pes[pe].out[1].fd < 0)
        pe++;
    if (run->absent_pid && pe < run->opt.npes)
        say("PE %d has ended, but a process that it has started goes on outside of its process "
            "group, where oshrun neither waits for it nor reads what it prints; a wrapper must "
            "stay until the program ends (setsid --wait)",
            pe);
}

int main(int argc, char **argv)
{
    static run_t run;
    run.started_ns = cwu_now_ns();
    open_standard_fds();
    options_parse(&run.opt, argc, argv);
    handover(&run.opt);
    options_check_shape(&run.opt);
    output_init(run.opt.label, isatty(0));
    output_collect(run.opt.npes);
    run.output_dir_fd = run.opt.output ? output_open_dir(run.opt.output) : -1;
    spawn_find_programs(&run);
    debug_check(&run.opt);
    bind_prepare(&run.opt);
    raise_fd_limit(&run);
    prepare(&run);
    job_create(&run);
    run.lifeline_fd = guard_start(run.job);
    take_signals(&run);
    if (run.opt.verbose)
        say("job %s: %d PEs on %d node(s), program %s", run.job->job_id, run.opt.npes,
            run.opt.nnodes, run.opt.parts[0].program);
    if (run.opt.timeout_ns)
        run.deadline_ns = cwu_now_ns() + run.opt.timeout_ns;
    relay_start(&run);
    spawn_begin(&run);
    loop(&run);
    end_settle(&run);
    if (atomic_load(&run.job->joined) == 0)
        hint_other_library(&run);
    guard_stop();
    // The PEs are gone; any signal ends oshrun even if a reader does not read.
    sigset_t mask = run.old_mask;
    sigaddset(&mask, SIGPIPE);
    sigaddset(&mask, SIGXFSZ);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    take_leftovers(&run);
    report_left(&run);
    collect_put_all();
    recover_records(&run);
    output_drain();
    if (output_error())
        end_unwritten(&run);
    return run.ending ? run.status : 0;
}
