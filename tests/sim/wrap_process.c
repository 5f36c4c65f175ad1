// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers of processes and threads: those of a run are the same each time, and in each copy of a
// process. Where the system wants the real ones, they are translated.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "fault.h"
#include "model.h"
#include "wrap.h"

/** The PE whose process it is; -1: none of the job's. */
static int pe_of(pid_t pid)
{
    int pe = (int)pid - SIM_FIRST_PID;
    return sim_inside() && pe >= 0 && pe < sim->scene->npes ? pe : -1;
}

static bool has_ended(int pe)
{
    for (int i = 0; i < sim->nthreads; i++)
        if (sim->threads[i].pe == pe && sim->threads[i].state != SIM_GONE)
            return false;
    return true;
}

pid_t __real_getpid(void);  // plain names are those that are turned over here, too
long __real_syscall(long number, ...);

/** The system's number; -1, with errno: it has ended. */
static pid_t real_pid(pid_t pid)
{
    int pe = pe_of(pid);
    if (pe < 0)
        return pid;
    errno = ESRCH;
    return has_ended(pe) ? -1 : pe == SIM_ME->pe ? __real_getpid() : sim->pids[pe];
}

long sim_pidfd_open(int pid, long flags, long number)
{
    pid_t real = real_pid(pid);
    return real < 0 ? -1 : __real_syscall(number, real, flags);
}

SIM_WRAPPER(pid_t, getpid, void)
{
    return sim_inside() ? SIM_FIRST_PID + SIM_ME->pe : __real_getpid();
}

SIM_WRAPPER(pid_t, getppid, void)
{
    return sim_inside() ? SIM_FIRST_PID - 1 : __real_getppid();
}

SIM_WRAPPER(pid_t, gettid, void)
{
    return sim_inside() ? SIM_FIRST_TID + sim_me : __real_gettid();
}

/** A signal that others handle comes at no time: the handler would run without the token. So they
 *  learn what it would tell them in their own calls. */
SIM_WRAPPER(int, kill, pid_t pid, int signo)
{
    pid_t real = real_pid(pid);
    bool handled = pe_of(pid) >= 0 && signo != 0 && signo != SIGKILL;
    return real < 0 ? -1 : handled ? 0 : __real_kill(real, signo);
}

/** Real time says nothing here. */
SIM_WRAPPER(unsigned, alarm, unsigned seconds)
{
    return sim_inside() ? 0 : __real_alarm(seconds);
}

SIM_WRAPPER(ssize_t, process_vm_readv, pid_t pid, const struct iovec *to, unsigned long nto,
            const struct iovec *from, unsigned long nfrom, unsigned long flags)
{
    if (sim_inside()) {
        sim_fence(__ATOMIC_SEQ_CST);
        sim_point();
    }
    pid_t real = real_pid(pid);
    return real < 0 ? -1 : __real_process_vm_readv(real, to, nto, from, nfrom, flags);
}

SIM_WRAPPER(ssize_t, process_vm_writev, pid_t pid, const struct iovec *from, unsigned long nfrom,
            const struct iovec *to, unsigned long nto, unsigned long flags)
{
    if (sim_inside()) {
        sim_fence(__ATOMIC_SEQ_CST);
        sim_point();
    }
    pid_t real = real_pid(pid);
    return real < 0 ? -1 : __real_process_vm_writev(real, from, nfrom, to, nto, flags);
}

/** /proc/PID/... of a process of the job. */
static const char *translated(const char *path, char *text, size_t nbytes)
{
    char *rest;
    if (!sim_inside() || !path || strncmp(path, "/proc/", 6) != 0)
        return path;
    long pid = strtol(path + 6, &rest, 10);
    if (rest == path + 6 || pe_of((pid_t)pid) < 0)
        return path;
    pid_t real = real_pid((pid_t)pid);
    snprintf(text, nbytes, "/proc/%d%s", (int)(real < 0 ? sim->unreaped[pe_of((pid_t)pid)] : real),
             rest);
    return text;
}

static bool no_descriptor(void)
{
    if (!sim_fault_hits(SIM_FAULT_DESCRIPTORS))
        return false;
    errno = EMFILE;
    return true;
}

/** What the library calls is open64: its files may be large. */
#define OPEN(name)                                                                              \
    int __real_##name(const char *path, int flags, ...);                                        \
    __attribute__((visibility("default"))) int __wrap_##name(const char *path, int flags, ...); \
    int __wrap_##name(const char *path, int flags, ...)                                         \
    {                                                                                           \
        char text[64];                                                                          \
        va_list args;                                                                           \
        if (no_descriptor() || sim_hides(path))                                                 \
            return -1;                                                                          \
        va_start(args, flags);                                                                  \
        unsigned mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(args, unsigned) : 0;           \
        va_end(args);                                                                           \
        return __real_##name(translated(path, text, sizeof text), flags, mode);                 \
    }
OPEN(open)
OPEN(open64)

// ---------------------------------------------------------------- /proc/self/task
//
// Its names are numbers, and how long they are says where the C library puts the next one.

/** Who reads it, one at a time for each thread. */
static struct tasks {
    int next;  // a thread of the run; below 0: "." and ".."
    struct dirent64 entry;
} readers[SIM_THREADS];

static struct tasks *reader(DIR *dir)
{
    uintptr_t at = (uintptr_t)dir, from = (uintptr_t)readers;
    return at >= from && at < from + sizeof readers ? (struct tasks *)(void *)dir : NULL;
}

SIM_WRAPPER(DIR *, opendir, const char *path)
{
    if (no_descriptor() || sim_hides(path))
        return NULL;
    if (!sim_inside() || strcmp(path, "/proc/self/task") != 0)
        return __real_opendir(path);
    readers[sim_me].next = -2;
    return (DIR *)(void *)&readers[sim_me];
}

static bool is_task(int thread)
{
    return sim->threads[thread].pe == SIM_ME->pe && sim->threads[thread].state != SIM_GONE;
}

SIM_WRAPPER(struct dirent64 *, readdir64, DIR *dir)
{
    struct tasks *t = reader(dir);
    if (!t)
        return __real_readdir64(dir);
    while (t->next >= 0 && t->next < sim->nthreads && !is_task(t->next))
        t->next++;
    if (t->next >= sim->nthreads)
        return NULL;
    if (t->next < 0)
        strcpy(t->entry.d_name, t->next == -2 ? "." : "..");
    else
        snprintf(t->entry.d_name, sizeof t->entry.d_name, "%d", SIM_FIRST_TID + t->next);
    t->next++;
    return &t->entry;
}

SIM_WRAPPER(int, closedir, DIR *dir)
{
    return reader(dir) ? 0 : __real_closedir(dir);
}
