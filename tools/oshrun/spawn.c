// SPDX-License-Identifier: BSD-3-Clause
//
// One process per PE. Between clone and exec it shares oshrun's memory, as after vfork: no page
// tables are copied, and an exec that fails needs no pipe to report its error. But oshrun does not
// wait for it, since one core would then start PEs while the others idle: each process on its way
// to exec has a seat with a stack of its own, and the kernel clears a word there when the process
// has left the memory. oshrun waits only for the first process, so that a program that cannot be
// run fails before the second one starts. Each PE gets a process group of its own: what the PE
// starts ends with it, and a key press at the terminal reaches it once, through oshrun.
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"
#include "base/futex.h"
#include "base/machine.h"
#include "oshrun.h"

extern char **environ;

// PEs started between two checks of signals, output and deaths.
enum { SPAWN_AT_ONCE = 32 };

// Number of seats; a process leaves its seat by exec or by its end.
enum { SEATS = 8, STACK_NBYTES = 64 * 1024 };

typedef struct seat {
    // The same for all seats.
    int job_fd, bell_fd, life_fd, records_fd;
    pid_t launcher;
    const sigset_t *mask;
    const struct rlimit *nofile;
    // Of this seat.
    bool taken;
    const char *program, *wdir;
    char **argv, **envp, *stack;
    const cpu_set_t *cpus;  // NULL: as oshrun's
    bool must_bind;         // it is the user's wish
    bool fixed_addresses;   // for one address of symmetric memory
    char launch[128], rank[32], node[32];
    int in_fd, out_fd, err_fd, node_fd;
    _Atomic uint32_t here;  // not 0 while the process shares oshrun's memory;
                            // the kernel clears it and wakes waiters
    _Atomic int error;      // of exec, or of a step before it
} seat_t;

static seat_t seats[SEATS];

// Runs between clone and exec: system calls only, on a stack of its own. Nothing here may change
// what oshrun still needs; errno is shared with oshrun, but is written only where the job fails.
static int become_pe(void *arg)
{
    seat_t *c = arg;
    int keep[] = {c->job_fd, c->node_fd, c->bell_fd, c->life_fd, c->records_fd};  // 0 is kept
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != c->launcher)  // the parent died before prctl took effect
        return 1;
    setpgid(0, 0);
    if (dup2(c->in_fd, 0) < 0 || dup2(c->out_fd, 1) < 0 || dup2(c->err_fd, 2) < 0)
        goto fail;
    for (size_t i = 0; i < sizeof keep / sizeof *keep; i++)
        if (fcntl(keep[i], F_SETFD, 0) < 0)
            goto fail;
    if (c->wdir && chdir(c->wdir) != 0)
        goto fail;
    if (c->cpus && sched_setaffinity(0, sizeof *c->cpus, c->cpus) != 0 && c->must_bind)
        goto fail;
    if (c->fixed_addresses)
        cwu_addresses_fix(true);  // where that is not allowed, it goes on as it is
    setrlimit(RLIMIT_NOFILE, c->nofile);
    sigprocmask(SIG_SETMASK, c->mask, NULL);
    execve(c->program, c->argv, c->envp);
fail:
    atomic_store(&c->error, errno);
    return EXIT_NOT_FOUND;  // clone ends the process: nothing that exit does is done
}

static pid_t start(seat_t *c)
{
    atomic_store(&c->error, 0);
    atomic_store(&c->here, 1);
    c->taken = true;
    pid_t pid = clone(become_pe, c->stack + STACK_NBYTES, CLONE_VM | CLONE_CHILD_CLEARTID | SIGCHLD,
                      c, NULL, NULL, &c->here);
    if (pid < 0)
        c->taken = false;
    else
        setpgid(pid, pid);  // the PE does the same; either way oshrun can signal the group now
    return pid;
}

/** The process has left its seat. */
static void clear_seat(run_t *run, seat_t *c)
{
    c->taken = false;
    if (c->error == 0 || run->ending)
        return;
    const char *why = "";
    if (c->error == ENOEXEC)
        why = " (neither a binary for this machine nor a script with a #! line)";
    else if (c->error == ENOENT && access(c->program, F_OK) == 0)
        why = " (the file is there, and what it names to run it is not: the interpreter of a "
              "script's #! line, or a binary's loader)";
    say("cannot run %s: %s%s", c->program, strerror(c->error), why);
    end_job(run, c->error == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN, 0);
}

static void await_seat(run_t *run, seat_t *c)
{
    for (uint32_t here; c->taken && (here = atomic_load(&c->here));)
        cwu_futex_wait((uint32_t *)&c->here, here, 1000000000u);
    if (c->taken)
        clear_seat(run, c);
}

void spawn_check(run_t *run)
{
    for (int i = 0; i < SEATS; i++)
        if (seats[i].taken && atomic_load(&seats[i].here) == 0)
            clear_seat(run, &seats[i]);
}

static bool is_program(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/** Makes the directory of the PEs an absolute path. */
static void find_directory(part_t *part)
{
    struct stat st;
    char *full = realpath(part->wdir, NULL);
    int error = !full || stat(full, &st) != 0 ? errno : S_ISDIR(st.st_mode) ? 0 : ENOTDIR;
    if (!error && access(full, X_OK) != 0)
        error = errno;
    if (error)
        die(EXIT_CANNOT_RUN, "--wdir %s: %s", part->wdir, strerror(error));
    part->wdir = full;  // lives as long as oshrun
}

/** A relative path is that of a file seen from the PEs' directory. Lives as long as oshrun. */
static char *path_of(const part_t *part, const char *folder, size_t len, const char *name)
{
    const char *wdir = part->wdir && (len ? *folder : *name) != '/' ? part->wdir : NULL;
    char *full;
    if (asprintf(&full, "%s%s%.*s%s%s", wdir ? wdir : "", wdir ? "/" : "", (int)len, folder,
                 len ? "/" : "", name) < 0)
        die(1, "out of memory");
    return full;
}

char *spawn_search(const part_t *part, const char *name)
{
    const char *path = options_getenv(part, "PATH");
    for (const char *p = path ? path : "/usr/bin:/bin"; *p;) {
        size_t len = strcspn(p, ":");
        char *full = path_of(part, p, len, name);
        if (is_program(full))
            return full;
        free(full);
        p += len + (p[len] == ':');
    }
    return NULL;
}

static void find_program(part_t *part)
{
    const char *name = part->argv[0];
    if (!*name)
        die(EXIT_USAGE, "the name of the program is empty");
    if (strchr(name, '/')) {
        struct stat st;
        part->program = path_of(part, "", 0, name);
        if (stat(part->program, &st) != 0)
            die(EXIT_NOT_FOUND, "cannot run %s: %s", part->program, strerror(errno));
        if (!is_program(part->program))
            die(EXIT_CANNOT_RUN, "cannot run %s: it is not an executable file", part->program);
        return;
    }
    part->program = spawn_search(part, name);
    if (part->program)
        return;
    char *here = path_of(part, "", 0, name);
    if (is_program(here))
        die(EXIT_NOT_FOUND, "%s is not in PATH; did you mean ./%s?", name, name);
    die(EXIT_NOT_FOUND, "cannot run %s: not found in PATH", name);
}

void spawn_find_programs(run_t *run)
{
    for (int i = 0; i < run->opt.nparts; i++) {
        if (run->opt.parts[i].wdir)
            find_directory(&run->opt.parts[i]);
        find_program(&run->opt.parts[i]);
    }
}

// The environment of a part's PEs; the last entries are each PE's own and are filled in for each.
enum { OWN_LAUNCH, OWN_PE, OWN_NODE, NOWN };
_Static_assert(NOWN == 3, "as many as a seat has");

static bool same_name(const char *a, const char *b)
{
    size_t n = strcspn(a, "=");
    return strcspn(b, "=") == n && !strncmp(a, b, n);
}

static bool is_replaced(const part_t *part, const char *entry)
{
    static const char *const own[] = {CWB_JOB_ENV, "OSHRUN_PE", "OSHRUN_NPES", "OSHRUN_NODE"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (same_name(entry, own[i]))
            return true;
    for (int i = 0; i < part->nsets; i++)
        if (strchr(part->sets[i], '=') && same_name(entry, part->sets[i]))
            return true;
    return false;
}

// Programs that are not built for a sanitizer never read its variable.
static const struct {
    const char *name, *file;
} sanitizers[] = {{"LSAN_OPTIONS", "lsan.supp"}, {"TSAN_OPTIONS", "tsan.supp"}};
enum { NSANITIZERS = sizeof sanitizers / sizeof *sanitizers };

/** Adds to the variable of a sanitizer among `n` entries, or adds the variable; returns how many
 *  there are then. */
static size_t set_suppressions(const part_t *part, char **envp, size_t n, int sanitizer)
{
    const char *name = sanitizers[sanitizer].name;
    char *entry =
        debug_sanitizer_entry(name, sanitizers[sanitizer].file, options_getenv(part, name));
    if (!entry)
        return n;
    size_t i = 0;
    while (i < n && !same_name(envp[i], entry))
        i++;
    envp[i] = entry;
    return i == n ? n + 1 : n;
}

static char **make_environment(const part_t *part, int npes_of_job, size_t *nshared_p)
{
    size_t n = 0, count = 0;
    while (environ[count])
        count++;
    char **envp = calloc(count + (size_t)part->nsets + NSANITIZERS + NOWN + 2, sizeof *envp), *npes;
    if (!envp || asprintf(&npes, "OSHRUN_NPES=%d", npes_of_job) < 0)
        die(1, "out of memory");
    for (size_t i = 0; i < count; i++)
        if (!is_replaced(part, environ[i]))
            envp[n++] = environ[i];
    for (int i = 0; i < part->nsets; i++) {
        bool gives = strchr(part->sets[i], '=') != NULL, other = false;
        for (int k = gives ? i + 1 : 0; k < part->nsets; k++)  // the last -x of a name counts
            other =
                other || (strchr(part->sets[k], '=') && same_name(part->sets[i], part->sets[k]));
        if (gives && !other)
            envp[n++] = (char *)(uintptr_t)part->sets[i];
        else if (!gives && !other && !getenv(part->sets[i]))
            say("-x %s: the variable is not set", part->sets[i]);
    }
    envp[n++] = npes;
    for (int i = 0; i < NSANITIZERS; i++)
        n = set_suppressions(part, envp, n, i);
    *nshared_p = n;
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
    // entries of PEs that have ended stay, and their pids may come again
    while (run->by_pid[i].pid &&
           (run->by_pid[i].pid != pid || run->pes[run->by_pid[i].pe].pid != pid))
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

/** The ends of a PE's output, in [1]: pipes that are read here, or files. */
static bool open_output(run_t *run, int pe, int out[2], int err[2])
{
    if (run->output_dir_fd < 0 && relay_holds(pe))
        return pipe2(out, O_CLOEXEC) == 0 && pipe2(err, O_CLOEXEC) == 0 &&
               relay_add(run, pe, out[0], err[0]);
    if (run->output_dir_fd < 0)
        return pipe2(out, O_CLOEXEC) == 0 && pipe2(err, O_CLOEXEC) == 0 &&
               watch(run, pe, 0, out[0]) == 0 && watch(run, pe, 1, err[0]) == 0;
    out[1] = output_file(run->output_dir_fd, pe, 1);
    err[1] = out[1] < 0 ? -1 : output_file(run->output_dir_fd, pe, 2);
    return err[1] >= 0;
}

static bool start_pe(run_t *run, seat_t *c, int pe)
{
    int out[2] = {-1, -1}, err[2] = {-1, -1};
    pid_t pid = -1;
    bool opened = open_output(run, pe, out, err);
    if (opened) {
        c->out_fd = out[1];
        c->err_fd = err[1];
        pid = start(c);
    }
    int error = errno;
    close(out[1]);
    close(err[1]);
    if (!opened && run->output_dir_fd >= 0)
        say("--output %s: cannot make the file for standard %s of PE %d: %s", run->opt.output,
            out[1] < 0 ? "output" : "error", pe, strerror(error));
    else if (pid < 0 && !run->ending)
        say("cannot start PE %d of %d: %s%s", pe, run->opt.npes, strerror(error),
            error == EAGAIN ? " (limit of processes, ulimit -u or the container's)" : "");
    if (pid < 0)
        return false;
    // A failed exec is a process that ended like any other: it is reaped, and its seat holds an
    // error to report.
    run->pes[pe].pid = pid;
    atomic_store(&cwb_job_pe(run->job, (uint32_t)pe)->pid, pid);
    remember_pid(run, pid, pe);
    run->nrunning++;
    return true;
}

static int in_fd, null_fd;

static void make_seat(const run_t *run, seat_t *c)
{
    *c = (seat_t){.job_fd = run->job_fd,
                  .bell_fd = run->bell_fd,
                  .life_fd = run->lifeline_fd,
                  .records_fd = run->records_fd,
                  .launcher = getpid(),
                  .mask = &run->old_mask,
                  .nofile = &run->old_nofile};
    c->stack = mmap(NULL, STACK_NBYTES, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (c->stack == MAP_FAILED)
        die(1, "out of memory");
}

/** A position-independent program that is its own loader. Without randomisation the kernel places
 *  it right below the stack, and the symmetric heap has no room above it. */
static bool is_static_pie(const char *path)
{
    ElfW(Ehdr) file;
    ElfW(Phdr) ph;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool found = fd >= 0 && read(fd, &file, sizeof file) == (ssize_t)sizeof file &&
                 memcmp(file.e_ident, ELFMAG, SELFMAG) == 0 && file.e_type == ET_DYN;
    for (int i = 0; found && i < file.e_phnum; i++)
        found = pread(fd, &ph, sizeof ph, (off_t)(file.e_phoff + (size_t)i * sizeof ph)) ==
                    (ssize_t)sizeof ph &&
                ph.p_type != PT_INTERP;
    if (fd >= 0)
        close(fd);
    return found;
}

/** The seats start PEs of this part from now on. None is taken. */
static void use_part(const run_t *run, const part_t *part)
{
    size_t nshared;
    char **envp = make_environment(part, run->opt.npes, &nshared);
    const char *one_address = options_getenv(part, "CAUSEWAY_ONE_ADDRESS");
    bool fixed = !(one_address && cwu_is_no(one_address)) && !is_static_pie(part->program);
    for (int i = 0; i < SEATS && i < run->opt.npes; i++) {
        seat_t *c = &seats[i];
        c->wdir = part->wdir;
        c->fixed_addresses = fixed;
        free(c->envp);
        c->envp = calloc(nshared + NOWN + 1, sizeof *envp);
        if (!c->envp)
            die(1, "out of memory");
        memcpy(c->envp, envp, nshared * sizeof *envp);
        c->envp[nshared + OWN_LAUNCH] = c->launch;
        c->envp[nshared + OWN_PE] = c->rank;
        c->envp[nshared + OWN_NODE] = c->node;
    }
    free(envp);
}

void spawn_begin(run_t *run)
{
    for (int i = 0; i < SEATS && i < run->opt.npes; i++)
        make_seat(run, &seats[i]);
    in_fd = input_open();
    null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null_fd < 0)
        die(1, "cannot open /dev/null: %s", strerror(errno));
}

static void spawn_end(run_t *run)
{
    run->nstarted = run->opt.npes;  // the remaining PEs are not started
    close(null_fd);
    if (in_fd > 2)
        close(in_fd);
}

void spawn_some(run_t *run)
{
    for (int i = 0; i < SPAWN_AT_ONCE && run->nstarted < run->opt.npes && !run->ending; i++) {
        int pe = run->nstarted, n = options_node_of(&run->opt, pe);
        seat_t *c = &seats[pe % SEATS];
        await_seat(run, c);
        if (run->ending)
            break;
        const part_t *part = options_part_of(&run->opt, pe);
        if (pe == part->first_pe) {
            for (int k = 0; k < SEATS; k++)
                await_seat(run, &seats[k]);
            use_part(run, part);
        }
        run->nstarted++;
        c->argv = debug_argv(&run->opt, part, pe);
        c->program = c->argv == part->argv ? part->program : c->argv[0];
        c->cpus = bind_of(pe);
        c->must_bind = run->opt.bind_to_given;
        c->node_fd = run->node_fds[n];
        c->in_fd = pe == 0 ? in_fd : null_fd;
        snprintf(c->launch, sizeof c->launch,
                 CWB_JOB_ENV "=fd=%d,ino=%lu,node=%d,bell=%d,life=%d,records=%d,pe=%d", c->job_fd,
                 run->job_ino, c->node_fd, c->bell_fd, c->life_fd, c->records_fd, pe);
        snprintf(c->rank, sizeof c->rank, "OSHRUN_PE=%d", pe);
        snprintf(c->node, sizeof c->node, "OSHRUN_NODE=%d", n);
        if (!start_pe(run, c, pe))
            end_job(run, 1, 0);
        else if (pe == part->first_pe)
            await_seat(run, c);
    }
    if (run->nstarted == run->opt.npes || run->ending)
        spawn_end(run);
}
