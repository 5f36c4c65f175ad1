// SPDX-License-Identifier: BSD-3-Clause
//
// One process per PE, by vfork and exec: vfork copies no page tables, and oshrun continues when the program is
// loaded or has failed to load, so that errors need no pipe back.
// Each PE gets a process group of its own: what it starts ends with it, and a key press at the terminal reaches it
// once, through oshrun.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "oshrun.h"

extern char **environ;

// So many PEs between two looks at signals, output and deaths.
enum { SPAWN_AT_ONCE = 32 };

typedef struct child {
    const char *program;
    char **argv, **envp;
    int in_fd, out_fd, err_fd, job_fd, node_fd, bell_fd;
    pid_t launcher;
    const sigset_t *mask;
    const struct rlimit *nofile;
    volatile int error;  // written by the child, which shares our memory until exec
} child_t;

// Between vfork and exec: system calls only. Nothing here may change what oshrun still needs.
static noreturn __attribute__((noinline)) void become_pe(child_t *c)
{
    int keep[] = {c->job_fd, c->node_fd, c->bell_fd};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != c->launcher)  // it died before the line above
        _exit(1);
    setpgid(0, 0);
    if (dup2(c->in_fd, 0) < 0 || dup2(c->out_fd, 1) < 0 || dup2(c->err_fd, 2) < 0)
        goto fail;
    for (size_t i = 0; i < sizeof keep / sizeof *keep; i++)
        if (fcntl(keep[i], F_SETFD, 0) < 0)
            goto fail;
    setrlimit(RLIMIT_NOFILE, c->nofile);
    sigprocmask(SIG_SETMASK, c->mask, NULL);
    execve(c->program, c->argv, c->envp);
fail:
    c->error = errno;
    _exit(EXIT_NOT_FOUND);
}

static pid_t start(child_t *c)
{
    c->error = 0;
    pid_t pid = vfork();
    if (pid == 0)
        become_pe(c);
    return pid;
}

static bool is_program(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

void spawn_find_program(run_t *run)
{
    const char *name = run->opt.argv[0];
    if (!*name)
        die(EXIT_USAGE, "the name of the program is empty");
    if (strchr(name, '/')) {
        struct stat st;
        if (stat(name, &st) != 0)
            die(EXIT_NOT_FOUND, "cannot run %s: %s", name, strerror(errno));
        if (!is_program(name))
            die(EXIT_CANNOT_RUN, "cannot run %s: it is not an executable file", name);
        run->program = name;
        return;
    }
    const char *path = options_getenv(&run->opt, "PATH");
    for (const char *p = path ? path : "/usr/bin:/bin"; *p;) {
        size_t len = strcspn(p, ":");
        char *full;
        if (asprintf(&full, "%.*s%s%s", (int)len, p, len ? "/" : "", name) < 0)
            die(1, "out of memory");
        if (is_program(full)) {
            run->program = full;  // lives as long as oshrun
            return;
        }
        free(full);
        p += len + (p[len] == ':');
    }
    if (is_program(name))
        die(EXIT_NOT_FOUND, "%s is not in PATH; did you mean ./%s?", name, name);
    die(EXIT_NOT_FOUND, "cannot run %s: not found in PATH", name);
}

// The environment of all PEs; the last entries are the PE's own and are filled in for each.
enum { OWN_LAUNCH, OWN_PE, OWN_NODE, NOWN };

static bool same_name(const char *a, const char *b)
{
    size_t n = strcspn(a, "=");
    return strcspn(b, "=") == n && !strncmp(a, b, n);
}

static bool is_replaced(const options_t *opt, const char *entry)
{
    static const char *const own[] = {CWB_JOB_ENV, "OSHRUN_PE", "OSHRUN_NPES", "OSHRUN_NODE"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (same_name(entry, own[i]))
            return true;
    for (int i = 0; i < opt->nsets; i++)
        if (strchr(opt->sets[i], '=') && same_name(entry, opt->sets[i]))
            return true;
    return false;
}

static char **make_environment(const options_t *opt, char ***own_p)
{
    size_t n = 0, count = 0;
    while (environ[count])
        count++;
    char **envp = calloc(count + (size_t)opt->nsets + NOWN + 2, sizeof *envp), *npes;
    if (!envp || asprintf(&npes, "OSHRUN_NPES=%d", opt->npes) < 0)
        die(1, "out of memory");
    for (size_t i = 0; i < count; i++)
        if (!is_replaced(opt, environ[i]))
            envp[n++] = environ[i];
    for (int i = 0; i < opt->nsets; i++) {
        bool later = false;  // the last -x of a name counts
        for (int k = i + 1; k < opt->nsets; k++)
            later = later || (strchr(opt->sets[k], '=') && same_name(opt->sets[i], opt->sets[k]));
        if (strchr(opt->sets[i], '=') && !later)
            envp[n++] = (char *)(uintptr_t)opt->sets[i];
        else if (!strchr(opt->sets[i], '=') && !getenv(opt->sets[i]))
            say("-x %s: the variable is not set", opt->sets[i]);
    }
    envp[n++] = npes;
    *own_p = envp + n;
    return envp;
}

static void remember_pid(run_t *run, pid_t pid, int pe)
{
    uint32_t i = (uint32_t)pid & (run->nby_pid - 1);
    while (run->by_pid[i].pid)
        i = (i + 1) & (run->nby_pid - 1);
    run->by_pid[i].pid = pid;
    run->by_pid[i].pe = pe;
}

int spawn_pe_of(const run_t *run, pid_t pid)
{
    uint32_t i = (uint32_t)pid & (run->nby_pid - 1);
    while (run->by_pid[i].pid && run->by_pid[i].pid != pid)
        i = (i + 1) & (run->nby_pid - 1);
    return run->by_pid[i].pid ? run->by_pid[i].pe : -1;
}

static int watch(run_t *run, int pe, int which, int fd)
{
    stream_t *s = &run->pes[pe].out[which];
    *s = (stream_t){.fd = fd, .pe = pe, .sink = which + 1};
    struct epoll_event ev = {.events = EPOLLIN, .data.ptr = s};
    if (fcntl(fd, F_SETFL, O_NONBLOCK) < 0 || epoll_ctl(run->source_fd, EPOLL_CTL_ADD, fd, &ev) < 0)
        return -1;
    run->nopen_streams++;
    return 0;
}

static bool start_pe(run_t *run, child_t *c, int pe)
{
    int out[2] = {-1, -1}, err[2] = {-1, -1};
    pid_t pid = -1;
    if (pipe2(out, O_CLOEXEC) == 0 && pipe2(err, O_CLOEXEC) == 0 && watch(run, pe, 0, out[0]) == 0 &&
        watch(run, pe, 1, err[0]) == 0) {
        c->out_fd = out[1];
        c->err_fd = err[1];
        pid = start(c);
    }
    int error = errno;
    close(out[1]);
    close(err[1]);
    if (pid < 0) {
        say("cannot start PE %d of %d: %s%s", pe, run->opt.npes, strerror(error),
            error == EAGAIN ? " (limit of processes, ulimit -u or the container's)" : "");
        return false;
    }
    // A failed exec is a process that ended like any other: it is reaped, and its PE has an error to tell.
    run->pes[pe].pid = pid;
    atomic_store(&cwb_job_pe(run->job, (uint32_t)pe)->pid, pid);
    remember_pid(run, pid, pe);
    run->nrunning++;
    if (c->error) {
        say("cannot run %s: %s%s", run->program, strerror(c->error),
            c->error == ENOEXEC ? " (neither a binary for this machine nor a script with a #! line)" : "");
        return false;
    }
    return true;
}

static struct {
    child_t child;
    char launch[128], rank[32], node[32];
    int in_fd, null_fd;
} next;

void spawn_begin(run_t *run)
{
    char **own;
    next.child = (child_t){.program = run->program,
                           .argv = run->opt.argv,
                           .job_fd = run->job_fd,
                           .bell_fd = run->bell_fd,
                           .launcher = getpid(),
                           .mask = &run->old_mask,
                           .nofile = &run->old_nofile};
    next.child.envp = make_environment(&run->opt, &own);
    own[OWN_LAUNCH] = next.launch;
    own[OWN_PE] = next.rank;
    own[OWN_NODE] = next.node;
    next.in_fd = input_open();
    next.null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (next.null_fd < 0)
        die(1, "cannot open /dev/null: %s", strerror(errno));
}

static void spawn_end(run_t *run)
{
    run->nstarted = run->opt.npes;  // none of those left will come
    close(next.null_fd);
    if (next.in_fd > 2)
        close(next.in_fd);
    free(next.child.envp);
}

void spawn_some(run_t *run)
{
    child_t *c = &next.child;
    for (int i = 0; i < SPAWN_AT_ONCE && run->nstarted < run->opt.npes && !run->ending; i++) {
        int pe = run->nstarted++, n = options_node_of(&run->opt, pe);
        c->node_fd = run->node_fds[n];
        c->in_fd = pe == 0 ? next.in_fd : next.null_fd;
        snprintf(next.launch, sizeof next.launch, CWB_JOB_ENV "=fd=%d,ino=%lu,node=%d,bell=%d,pe=%d", c->job_fd,
                 run->job_ino, c->node_fd, c->bell_fd, pe);
        snprintf(next.rank, sizeof next.rank, "OSHRUN_PE=%d", pe);
        snprintf(next.node, sizeof next.node, "OSHRUN_NODE=%d", n);
        if (!start_pe(run, c, pe))
            end_job(run, c->error == ENOENT ? EXIT_NOT_FOUND : c->error ? EXIT_CANNOT_RUN : 1, 0);
    }
    if (run->nstarted == run->opt.npes || run->ending)
        spawn_end(run);
}
