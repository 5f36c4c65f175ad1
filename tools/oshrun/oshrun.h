// SPDX-License-Identifier: BSD-3-Clause
//
// oshrun starts the PEs of a job on this machine, forwards their output, input and signals, and
// ends all of them when one fails. One thread, one poll loop; no daemon.
//
//   options.c   command line            job.c     shared objects of the job
//   foreign.c   what other launchers call it
//   spawn.c     one process per PE      output.c  line-wise forwarding
//   input.c     standard input of PE 0  collect.c the same message of many PEs, once
//   relay.c     helpers that hold the pipes of many PEs
//   end.c       deaths, aborts, limits  guard.c   clean-up after a kill -9 of oshrun itself
//   hint.c      a program of another library
//   ask.c       what the PEs do, before the job is ended, and for --report
//   debug.c     PEs under valgrind, gdb, in windows; suppressions of sanitizers
//   bind.c      processors for each PE
//   recover.c   statistics and traces of a job that has ended early
//   handover.c  several hosts: becomes another launcher
//   main.c      order of events, the loop
#ifndef OSHRUN_H
#define OSHRUN_H

#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdnoreturn.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/compiler.h"
#include "bootstrap/job.h"

enum { EXIT_USAGE = 2, EXIT_TIMEOUT = 124, EXIT_CANNOT_RUN = 126, EXIT_NOT_FOUND = 127 };

/** A part of the command line, between colons: PEs with consecutive numbers. Later parts have what
 *  the first one says, where they do not say otherwise. */
typedef struct part {
    int npes, first_pe;
    char **argv;               // the program and its arguments, with what runs them under valgrind
    const char *wdir;          // as given; absolute once the program is found; NULL: that of oshrun
    const char **sets;         // -x, as given: "VAR" or "VAR=value"
    int nsets, own_sets_from;  // those before it are the first part's
    bool valgrind;
    const char *valgrind_more;  // further options of it; NULL: none
    const char *program;        // path after the search in PATH
} part_t;

/** A choice of PEs: -1 for all, or a list. */
typedef struct chosen {
    const char *list;  // as given, "all" or numbers and ranges with commas between; NULL: none
} chosen_t;

/** UNIT_SHARE: as many cores as each PE can have for itself. */
typedef enum unit { UNIT_NONE, UNIT_THREAD, UNIT_CORE, UNIT_SOCKET, UNIT_NUMA, UNIT_SHARE } unit_t;

typedef struct options {
    int npes, ppn, nnodes;
    bool label, verbose, report_bindings, bind_to_given;
    uint64_t timeout_ns;  // 0: none
    const char **mca;     // Open MPI's "--mca", name, value, ...; for its launchers
    int nmca;
    const char *launcher, *hosts, *hostfile, *output;  // NULL: not given
    unit_t bind_to, map_by;                            // map_by, UNIT_NONE: not given
    chosen_t gdb, xterm;
    part_t *parts;
    int nparts;
} options_t;

// Output of one PE on its way: bytes after the last newline wait in `partial`.
typedef struct stream {
    int fd;        // read end of the pipe; -1: closed, or a helper has it
    int pe, sink;  // sink: 1 stdout, 2 stderr
    bool relayed;  // a helper has the pipe (relay.c)
    char *partial;
    size_t len, cap;
} stream_t;

typedef struct pe {
    pid_t pid;  // also its process group; 0: not running
    stream_t out[2];
} pe_t;

typedef struct run {
    options_t opt;
    cwb_job_t *job;
    int job_fd, bell_fd, signal_fd, source_fd;  // source_fd: epoll over all streams
    int lifeline_fd;                            // see guard_start
    int records_fd;                             // for statistics and traces; 0: none are wanted
    unsigned long job_ino;
    int *node_fds;
    pe_t *pes;
    int nstarted, nrunning, nopen_streams;
    int nkilled, killed_status;  // PEs without which the others go on; how the last of them ended
    struct {
        pid_t pid;
        int pe;
    } * by_pid;  // open addressing, filled by spawn
    uint32_t nby_pid;
    sigset_t old_mask;
    struct rlimit old_nofile;
    char host[256];
    int output_dir_fd;  // of --output; -1: none
    // How the job ends
    bool ending;                           // PEs have been, or will be, signalled
    int status;                            // exit status of oshrun, once `ending`
    uint64_t cause_at_ns, cause_limit_ns;  // an abort waits for a death that explains it
    pid_t absent_pid;  // of the first PE that ended well before any PE had joined, or without the
                       // end of its part; 0: none
    int absent_pe;
    uint64_t started_ns;                           // when main began
    uint64_t deadline_ns, term_at_ns, kill_at_ns;  // 0: not set
    int ninterrupts, last_signal;
    uint64_t ask_limit_ns;    // PEs have been asked what they do, and have so long; 0: not asked
    int ask_signal;           // what they get after that; 0: the time limit is over
    uint64_t memory_kills;    // at start: see base/machine.h
    uint64_t interrupted_ns;  // by the last SIGINT or SIGTERM
} run_t;

/** Writes "oshrun: text" to stderr, after the output already taken from the PEs. */
void say(const char *fmt, ...) CW_PRINTF(1, 2);
/** Calls say, then exits with `status`. Only before PEs exist. */
noreturn void die(int status, const char *fmt, ...) CW_PRINTF(2, 3);

void options_parse(options_t *opt, int argc, char **argv);
/** Names the options that have no meaning for this launcher, in one line. */
void options_say_ignored(const options_t *opt);
int options_node_of(const options_t *opt, int pe);
/** The same for all PEs. */
cwb_runs_t options_runs(const options_t *opt);
part_t *options_part_of(const options_t *opt, int pe);
/** The last argument of -x of this part that sets `name`, or the environment's value; NULL when
 *  unset. */
const char *options_getenv(const part_t *part, const char *name);
/** "none", "core", ...; the names of launchers' own options differ little. */
const char *options_unit_name(unit_t unit);

/** Insertions, deletions and exchanges that make one name of the other; many: 40. */
size_t foreign_distance(const char *a, const char *b);
/** "localhost" or the like, once, perhaps with a number of PEs: no other launcher is needed. */
bool foreign_is_this_machine(const char *hosts);

/** Checks the lists of --gdb and --xterm, and finds these programs. */
void debug_check(options_t *opt);
/** The words that run a PE: those of its part, or under gdb, in a window of its own. Never freed
 *  if they differ from the part's. */
char **debug_argv(const options_t *opt, const part_t *part, int pe);
/** The words that run `argv` under valgrind, with more options of it, by blanks (or NULL). */
char **debug_valgrind(char **argv, const char *more);
/** "NAME=options", the variable of a sanitizer with the file of suppressions added to what it is
 *  `before` (or NULL); NULL: it stays as it is. */
char *debug_sanitizer_entry(const char *name, const char *file, const char *before);

/** No process has joined the job: says so if the program is linked with another such library. */
void hint_other_library(const run_t *run);

/** Finds out which processors each PE may use, unless they are not to be bound; prints that. */
void bind_prepare(const options_t *opt);
/** The processors of a PE, to be given to sched_setaffinity; NULL: it is not bound. */
const cpu_set_t *bind_of(int pe);

/** Replaces oshrun by another launcher when the options or a Slurm allocation ask for one; else
 *  returns. */
void handover(const options_t *opt);
/** Fills in what only a job of this machine needs, and rejects what does not fit on one machine. */
void options_check_shape(options_t *opt);

void job_create(run_t *run);
/** All PEs have ended: writes what they had counted, where the job has not done so itself. */
void recover_records(const run_t *run);

/** Returns the read end of a pipe whose write end only oshrun holds. The PEs inherit it. */
int guard_start(cwb_job_t *job);
void guard_stop(void);

/** The file of a program that is in the PATH of a part; NULL: there is none. Never freed. */
char *spawn_search(const part_t *part, const char *name);
/** For all parts: the directory and the program. */
void spawn_find_programs(run_t *run);
void spawn_begin(run_t *run);
/** Starts the next PEs while run->nstarted < npes; on failure prints why, and the job ends. */
void spawn_some(run_t *run);
/** Reports a program that could not be run. Called before dead PEs are reaped. */
void spawn_check(run_t *run);
int spawn_pe_of(const run_t *run, pid_t pid);

struct pollfd;

void output_init(bool label, bool prompt_at_once);
/** Messages of the PEs wait for equal ones from here on. */
void output_collect(int npes);
/** Takes what a stream has; returns false at its end, after closing it. */
bool output_take(stream_t *stream);
/** Makes the directory of --output where it is missing; returns a descriptor of it. */
int output_open_dir(const char *path);
/** A PE's file in it, for standard output (1) or error (2); -1 with errno. */
int output_file(int dir_fd, int pe, int sink);
/** What a stream has: bytes, and later its end. */
void output_bytes(stream_t *stream, const char *bytes, size_t nbytes);
void output_end(stream_t *stream);
/** Forwards what waits for a newline as it is. */
void output_flush_partial(stream_t *stream);
/** True when too much is queued: the caller takes nothing from streams until it has drained. */
bool output_congested(void);
/** 0, or why oshrun's standard output or error takes no more: EPIPE, the reader is gone; or the
 *  disk is full, ... */
int output_error(void);
/** For poll: the sinks (0-2) with queued output. Returns their number. */
int output_pollfds(struct pollfd *fds);
/** Writes what can be written without waiting. */
void output_push(void);
/** Writes all that is queued, however long it takes. */
void output_drain(void);

/** How many helpers shall hold the pipes of PEs, where oshrun may open `most` files. */
void relay_plan(const run_t *run, rlim_t most);
/** Starts them. */
void relay_start(run_t *run);
/** Does a helper have that PE's pipes, or shall it? */
bool relay_holds(int pe);
/** Gives it these, which are closed here; false: the job ends. */
bool relay_add(run_t *run, int pe, int out_fd, int err_fd);
/** Takes what a helper has passed on; one of the streams without a PE that the loop waits for. */
void relay_take(run_t *run, stream_t *relay);
/** Takes what that PE has written so far. */
void relay_drain(run_t *run, int pe);

/** The descriptor for PE 0's standard input: oshrun's own, or a pipe that input_move fills from a
 *  terminal. */
int input_open(void);
/** For poll: the descriptors that input_move waits for. Returns their number, 0 or 1. */
int input_pollfds(struct pollfd *fds);
/** Milliseconds after which input_pollfds may have a descriptor though nothing else happens; -1:
 *  never. */
int input_timeout_ms(void);
void input_move(const struct pollfd *fd);

/** The process of a PE that has joined, if a wrapper (setsid, script, a shell with job control) has
 *  given it a process group that is not the PE's; else 0. */
pid_t ask_apart(cwb_job_t *job, uint32_t pe);
/** Asks the PEs what they do, for the sake of a signal that they get after that (0: the time
 *  limit). False: not now; none has joined, or the job ends already. */
bool ask_begin(run_t *run, int signo);
/** Have all replied, or is it too late? Then ask_end prints what they said. */
bool ask_is_due(const run_t *run, uint64_t now_ns);
void ask_end(run_t *run);
/** The signal that follows the question has been sent: the PEs' handlers, which wait for it so that
 *  no sleep that the question ended leads on, return. */
void ask_release(run_t *run);
/** When to look again; 0: nothing is asked. */
uint64_t ask_next_ns(const run_t *run, uint64_t now_ns);
/** --report: prints what the PEs of that job do. */
noreturn void ask_other(const char *name);

void end_reap(run_t *run);
void end_check_abort(run_t *run);
/** All PEs have ended: nothing can explain an abort any more. Names the PEs that were killed while
 *  the others went on. */
void end_settle(run_t *run);
void end_on_signal(run_t *run, int signo);
void end_on_clock(run_t *run, uint64_t now_ns);
/** Signals all PEs to end: SIGTERM after `delay_ns`, then SIGKILL. Only the first reason counts. */
void end_job(run_t *run, int status, uint64_t delay_ns);
void end_signal_all(run_t *run, int signo);
int end_poll_timeout_ms(const run_t *run, uint64_t now_ns);

#endif
