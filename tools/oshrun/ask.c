// SPDX-License-Identifier: BSD-3-Clause
//
// What the PEs of a job do, from their own words (bootstrap/state.h): before a job is ended by a
// signal or the time limit, and for `oshrun --report`, which maps the job object of an oshrun that
// runs, and needs nothing of that.
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "oshrun.h"

#define MS UINT64_C(1000000)
#define REPLIES_NS (500 * MS)  // a loaded machine needs some time to read tables of symbols
#define POLL_NS (5 * MS)
#define ASKED 2u  // cwb_state_t.printed: by the question that is under way

static pid_t parent_of(pid_t pid)
{
    char path[64], line[128];
    long parent = 0;
    snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file) && sscanf(line, "PPid: %ld", &parent) != 1)
        ;
    if (file)
        fclose(file);
    return (pid_t)parent;
}

pid_t ask_apart(cwb_job_t *job, uint32_t pe)
{
    const pid_t group = atomic_load(&cwb_job_pe(job, pe)->pid),
                own = atomic_load(&cwb_job_states(job)[pe].pid);
    pid_t from = group > 0 && own > 0 && getpgid(own) != group ? own : 0;
    while (from > 1 && from != group)  // what the PE calls itself may be of another PID namespace
        from = parent_of(from);
    return from > 1 ? own : 0;
}

/** Can it reply? It has a handler, and has neither left nor ended. */
static bool is_there(cwb_job_t *job, uint32_t pe)
{
    cwb_job_pe_t *one = cwb_job_pe(job, pe);
    return atomic_load(&one->pid) > 0 && atomic_load(&one->state) == CWB_PE_JOINED &&
           atomic_load(&cwb_job_states(job)[pe].pid) != 0;
}

static int signal_after;  // what the PEs get after the question, or 0

/** Asks those that are there and have not been asked yet. SIGURG does nothing to processes that do
 *  not know it: wrappers, children. Returns how many are asked. */
static int ask_more(cwb_job_t *job)
{
    int count = 0;
    for (uint32_t pe = 0; pe < job->npes; pe++) {
        cwb_state_t *s = &cwb_job_states(job)[pe];
        if (!is_there(job, pe) || s->printed == ASKED)
            continue;
        s->printed = ASKED;
        atomic_store(&s->follows, signal_after);
        atomic_fetch_add(&s->asked, 1);
        const pid_t apart = ask_apart(job, pe);
        if (apart)
            kill(apart, SIGURG);
        count += kill(-atomic_load(&cwb_job_pe(job, pe)->pid), SIGURG) == 0;
    }
    return count;
}

static int ask(cwb_job_t *job, int follows)
{
    for (uint32_t pe = 0; pe < job->npes; pe++)
        cwb_job_states(job)[pe].printed = 0;
    signal_after = follows;
    return ask_more(job);
}

/** What a PE that has joined meanwhile has said is of an earlier question, or nothing. */
static bool all_have_replied(cwb_job_t *job)
{
    ask_more(job);
    for (uint32_t pe = 0; pe < job->npes; pe++)
        if (is_there(job, pe) && !cwb_state_is_fresh(&cwb_job_states(job)[pe]))
            return false;
    return true;
}

static char kernel_state(pid_t pid)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    const char *name_end = strrchr(text, ')');
    return name_end && name_end[1] ? name_end[2] : '?';
}

static bool explain_silence(void *arg, int pe, char *text, size_t nbytes)
{
    cwb_job_t *job = arg;
    cwb_job_pe_t *one = cwb_job_pe(job, (uint32_t)pe);
    uint32_t state = atomic_load(&one->state);
    pid_t pid = atomic_load(&one->pid);
    if (pid <= 0)
        snprintf(text, nbytes, "%s", state == CWB_PE_NEW ? "ended, or not begun" : "ended");
    else if (state == CWB_PE_NEW)
        snprintf(text, nbytes, "not in the job yet");
    else if (state == CWB_PE_LEFT)
        snprintf(text, nbytes, "finalized, and outside of the library since");
    else if (kernel_state(pid) == 'T')
        snprintf(text, nbytes, "stopped (SIGSTOP)");
    else if (atomic_load(&cwb_job_states(job)[pe].pid) == 0)
        snprintf(text, nbytes, "joining the job, or without a handler (CAUSEWAY_BACKTRACE=0)");
    else
        snprintf(text, nbytes, "without a reply (SIGURG is blocked, or the machine is loaded?)");
    return true;
}

static void put(const char *line)
{
    say("%s", line);
}

static void print(cwb_job_t *job)
{
    ask_more(job);
    for (uint32_t pe = 0; pe < job->npes; pe++) {
        cwb_state_t *s = &cwb_job_states(job)[pe];
        // What it said before is over; what it has replied to this question is not: a sleep ends
        // by the signal, and the program may, too.
        if (!is_there(job, pe) && s->printed != ASKED)
            atomic_store(&s->asked, atomic_load(&s->replied) + 1);
    }
    cwb_states_print(&(cwb_states_t){.first = cwb_job_states(job),
                                     .count = (int)job->npes,
                                     .silent = explain_silence,
                                     .put = put,
                                     .arg = job});
}

// ---------------------------------------------------------------- the job of this oshrun

bool ask_begin(run_t *run, int signo)
{
    if (run->ending || run->ask_limit_ns || ask(run->job, signo ? signo : SIGTERM) == 0)
        return false;
    run->ask_limit_ns = cwu_now_ns() + REPLIES_NS;
    run->ask_signal = signo;
    return true;
}

void ask_end(run_t *run)
{
    run->ask_limit_ns = 0;
    print(run->job);
}

void ask_release(run_t *run)
{
    for (uint32_t pe = 0; pe < run->job->npes; pe++)
        atomic_store(&cwb_job_states(run->job)[pe].follows, 0);  // pairs with the PE's handler
}

bool ask_is_due(const run_t *run, uint64_t now_ns)
{
    return run->ask_limit_ns && (now_ns >= run->ask_limit_ns || all_have_replied(run->job));
}

uint64_t ask_next_ns(const run_t *run, uint64_t now_ns)
{
    return run->ask_limit_ns ? now_ns + POLL_NS : 0;
}

// ---------------------------------------------------------------- the job of another one

/** Maps the job object that a process holds; NULL: it holds none. errno is that of a folder of
 *  descriptors that cannot be read. */
static cwb_job_t *job_of(pid_t pid)
{
    char path[64], name[PATH_MAX], target[64];
    cwb_job_t *job = NULL;
    snprintf(path, sizeof path, "/proc/%ld/fd", (long)pid);
    DIR *fds = opendir(path);
    for (struct dirent *e; fds && !job && (e = readdir(fds)) != NULL;) {
        snprintf(name, sizeof name, "%s/%s", path, e->d_name);
        ssize_t n = readlink(name, target, sizeof target - 1);
        if (n <= 0 || (target[n] = '\0', strncmp(target, "/memfd:causeway-job", 19)))
            continue;
        struct stat st;
        int fd = open(name, O_RDWR | O_CLOEXEC);
        void *at = fd >= 0 && fstat(fd, &st) == 0 && st.st_size >= (off_t)sizeof *job
                       ? mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                       : MAP_FAILED;
        if (fd >= 0)
            close(fd);
        if (at != MAP_FAILED)
            job = at;
    }
    if (fds)
        closedir(fds);
    return job;
}

/** "oshrun-PID-...", as --verbose names a job, or a number of a process. */
static pid_t pid_of(const char *name)
{
    const char *digits = strncmp(name, "oshrun-", 7) == 0 ? name + 7 : name;
    char *end;
    errno = 0;
    long pid = strtol(digits, &end, 10);
    if (errno || pid < 1 || end == digits || (*end && !(*end == '-' && digits != name)))
        die(EXIT_USAGE,
            "--report \"%s\": expected the process number of an oshrun, or of a PE, or "
            "a job as --verbose names it",
            name);
    return (pid_t)pid;
}

noreturn void ask_other(const char *name)
{
    pid_t pid = pid_of(name), at = pid;
    cwb_job_t *job = NULL;
    if (kill(pid, 0) != 0)
        die(1, "--report %s: %s", name,
            errno == EPERM ? "this process is another user's" : "there is no such process");
    while (at > 1 && !(job = job_of(at)))
        at = parent_of(at);
    if (!job)
        die(1,
            "--report %s: this process is of no job of an oshrun (PEs of other launchers report "
            "on their standard error when they get SIGURG: kill -URG PID)",
            name);
    if (job->magic != CWB_JOB_MAGIC)
        die(1, "--report %s: that job is of another version of oshrun", name);
    output_init(false, false);
    ask(job, 0);
    for (uint64_t end_ns = cwu_now_ns() + REPLIES_NS;
         cwu_now_ns() < end_ns && !all_have_replied(job);)
        usleep(POLL_NS / 1000);
    say("job %s: %u PEs", job->job_id, job->npes);
    print(job);
    output_drain();
    exit(0);
}
