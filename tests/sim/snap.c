// SPDX-License-Identifier: BSD-3-Clause
//
// Runs that begin where the scene does. When the first PE calls sim_begin, all threads stand still:
// each PE's process becomes the origin of copies, one for each seed of a block, and the start-up is
// run once for all of them. A copy is a fork; its other threads, which fork leaves behind, are made
// anew on their old stacks, each at the place where it waits for the token.
//
// What a fork shares with its origin is put back before each run: shared memory, counters of
// eventfds, and the world. A process with descriptors of another kind is not copied; then each run
// has a start-up of its own, and takes the same steps.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fork.h"
#include "snap.h"

enum {
    PAGE = 4096,
    FDS = 256,          // of a process, at most
    PIECES = 256,       // of a file, with holes between
    STACK = 16384,      // on which a thread begins, until it is on its own
    PATIENCE_MS = 5000, // for threads to stand still
};
sim_snap_t *sim_snap;
static const char zeros[PAGE];
static sim_park_t parks[SIM_THREADS];  // of this process's threads

sim_park_t *sim_park(void)
{
    parks[sim_me].self = pthread_self();
    return &parks[sim_me];
}

// ---------------------------------------------------------------- descriptors

static struct {
    int fd;
    uint64_t count;
} counters[FDS];
static int ncounters;
static bool inherited[FDS];  // from what called the driver

static bool target_of(int fd, char *text, size_t nbytes)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(path, text, nbytes - 1);
    text[n > 0 ? n : 0] = '\0';
    return n > 0;
}

void sim_snap_init(void)
{
    char text[64];
    sim_snap = sim_share(sizeof *sim_snap);
    for (int fd = 0; fd < FDS; fd++)
        inherited[fd] = target_of(fd, text, sizeof text);
}

static uint64_t take_count(int fd)
{
    uint64_t one, all = 0;
    struct pollfd p = {.fd = fd, .events = POLLIN};
    while (poll(&p, 1, 0) > 0 && read(fd, &one, sizeof one) == sizeof one)
        all += one;
    return all;
}

static void set_count(int fd, uint64_t count)
{
    if (count > 0 && write(fd, &count, sizeof count) < 0)
        sim_stop(SIM_STUCK, "an eventfd's count cannot be put back");
}

/** False: a descriptor whose state cannot be put back. */
static bool save_fds(void)
{
    char text[64];
    for (int fd = 0; fd < FDS; fd++) {
        if (inherited[fd] || !target_of(fd, text, sizeof text))
            continue;
        if (strcmp(text, "anon_inode:[eventfd]") == 0) {
            counters[ncounters].fd = fd;
            counters[ncounters].count = take_count(fd);
            ncounters++;
        } else if (text[0] != '/') {
            snprintf(sim_snap->why, sizeof sim_snap->why, "PE %d has %s", SIM_ME->pe, text);
            return false;
        }
    }
    return true;
}

static void restore_fds(void)
{
    for (int i = 0; i < ncounters; i++) {
        take_count(counters[i].fd);
        set_count(counters[i].fd, counters[i].count);
    }
}

// ---------------------------------------------------------------- threads

static char stacks[SIM_THREADS][STACK] __attribute__((aligned(64)));

static int go_on(void *park)
{
    __builtin_longjmp(((sim_park_t *)park)->context, 1);
}

static bool make_thread(int i)
{
    const int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SYSVSEM | CLONE_SIGHAND |
                      CLONE_THREAD | CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;
    pid_t *number = sim_number_of(parks[i].self);
    return clone(go_on, stacks[i] + STACK, flags, &parks[i], number, (void *)parks[i].self,
                 number) > 0;
}

static void reply(bool ok)
{
    sim_snap->ok = ok;
    sim_give(&sim->driver);
}

static void be_copy(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sim->pids[SIM_ME->pe] = getpid();
    for (int i = 0; i < sim->nthreads; i++)
        if (i != sim_me && sim->threads[i].pe == SIM_ME->pe && sim->threads[i].state != SIM_GONE &&
            !make_thread(i))
            sim_stop(SIM_STUCK, "thread %d of a copy cannot be made: %s", i, strerror(errno));
    reply(true);
}

/** In a PE's process, all of whose threads stand still. Returns in each copy, and where there can
 *  be none. */
void sim_snap_serve(void)
{
    int pe = SIM_ME->pe;
    bool ready = sim_number_of(pthread_self()) && save_fds();
    restore_fds();
    reply(ready);
    while (ready) {
        sim_await(&sim_snap->go[pe]);
        if (sim_snap->dismissed) {
            reply(true);
            return;
        }
        restore_fds();
        pid_t pid = sim_fork(CLONE_PARENT);
        if (pid == 0) {
            be_copy();
            return;
        }
        if (pid < 0)
            reply(false);
    }
}

// ---------------------------------------------------------------- the driver's part

static bool have;
static struct {
    size_t world_nbytes, pool_nbytes, net_nbytes;
    char *world, *pool, *net;
} kept;

static bool is_still(int pe)
{
    char path[40];
    int alive = 0, tasks = 0;
    for (int i = 0; i < sim->nthreads; i++) {
        const sim_thread_t *t = &sim->threads[i];
        if (t->pe != pe || t->state == SIM_GONE)
            continue;
        alive++;
        if (!atomic_load(&t->parked))
            return false;
    }
    snprintf(path, sizeof path, "/proc/%d/task", (int)sim->pids[pe]);
    DIR *dir = opendir(path);
    for (const struct dirent *e; dir && (e = readdir(dir));)
        tasks += e->d_name[0] != '.';
    if (dir)
        closedir(dir);
    return tasks == alive;
}

static bool are_still(void)
{
    for (int ms = 0; ms < PATIENCE_MS * 10; ms++) {
        bool still = true;
        for (int pe = 0; pe < sim->scene->npes && still; pe++)
            still = sim->pids[pe] <= 0 || is_still(pe);
        if (still)
            return true;
        usleep(100);
    }
    return false;
}

// ---------------------------------------------------------------- shared files

typedef struct piece {
    off_t from, to;
    char *bytes;
} piece_t;

static struct {
    int fd, npieces;
    off_t nbytes;
    char *at;  // mapped here
    piece_t pieces[PIECES];
} files[SIM_OBJECTS];
static int nfiles;

static bool save_file(int fd)
{
    struct stat st;
    piece_t *p = files[nfiles].pieces, *end = p + PIECES;
    if (fstat(fd, &st) != 0)
        return false;
    files[nfiles].fd = fd;
    files[nfiles].nbytes = st.st_size;
    files[nfiles].at = NULL;
    if (st.st_size > 0)
        files[nfiles].at =
            mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (files[nfiles].at == MAP_FAILED)
        return false;
    for (off_t at = 0; p < end && (at = lseek(fd, at, SEEK_DATA)) >= 0; at = p++->to) {
        *p = (piece_t){.from = at, .to = lseek(fd, at, SEEK_HOLE)};
        p->bytes = malloc((size_t)(p->to - p->from));
        memcpy(p->bytes, files[nfiles].at + p->from, (size_t)(p->to - p->from));
    }
    files[nfiles].npieces = (int)(p - files[nfiles].pieces);
    nfiles++;
    return p < end;
}

/** Bytes that were not there are zero. */
static void clear(char *at, off_t from, off_t to)
{
    for (off_t i = from; i < to; i += PAGE)
        if (memcmp(at + i, zeros, PAGE) != 0)
            memset(at + i, 0, PAGE);
}

static void restore_file(int i)
{
    int fd = files[i].fd, k = 0;
    char *at = files[i].at;
    struct stat st;
    if (fstat(fd, &st) == 0 && st.st_size != files[i].nbytes && ftruncate(fd, files[i].nbytes) != 0)
        sim_stop(SIM_STUCK, "a shared file has another size");
    for (off_t from = 0, to; (from = lseek(fd, from, SEEK_DATA)) >= 0; from = to) {
        to = lseek(fd, from, SEEK_HOLE);
        for (off_t page = from; page < to; page += PAGE) {
            while (k < files[i].npieces && files[i].pieces[k].to <= page)
                k++;
            const piece_t *p = k < files[i].npieces ? &files[i].pieces[k] : NULL;
            if (!p || page < p->from)
                clear(at, page, page + PAGE);
        }
    }
    for (const piece_t *p = files[i].pieces; p < files[i].pieces + files[i].npieces; p++)
        for (off_t page = p->from; page < p->to; page += PAGE)
            if (memcmp(at + page, p->bytes + (page - p->from), PAGE) != 0)
                memcpy(at + page, p->bytes + (page - p->from), PAGE);
}

static void forget_files(void)
{
    for (int i = 0; i < nfiles; i++) {
        for (int k = 0; k < files[i].npieces; k++)
            free(files[i].pieces[k].bytes);
        if (files[i].at)
            munmap(files[i].at, (size_t)files[i].nbytes);
    }
    nfiles = 0;
}

/** All that PEs have mapped, if the driver has it, too. */
static bool save_files(const int *fds, int n)
{
    int known = 0;
    for (int i = 0; i < n; i++) {
        struct stat st;
        snprintf(sim_snap->why, sizeof sim_snap->why, "shared file %d cannot be kept", i);
        if (fstat(fds[i], &st) != 0 || !save_file(fds[i]))
            return false;
        for (int k = 0; k < sim->nobjects; k++)
            known += sim->objects[k].dev == st.st_dev && sim->objects[k].ino == st.st_ino;
    }
    if (known < sim->nobjects)
        snprintf(sim_snap->why, sizeof sim_snap->why, "PEs share %d files that are their own",
                 sim->nobjects - known);
    return known == sim->nobjects;
}

// ---------------------------------------------------------------- the world

static void save_world(void)
{
    kept.world_nbytes = offsetof(sim_world_t, trace);
    kept.world = realloc(kept.world, kept.world_nbytes);
    memcpy(kept.world, sim, kept.world_nbytes);
    sim_net_used(&kept.net_nbytes, &kept.pool_nbytes);
    kept.net = realloc(kept.net, kept.net_nbytes);
    kept.pool = realloc(kept.pool, kept.pool_nbytes);
    memcpy(kept.net, sim->net, kept.net_nbytes);
    memcpy(kept.pool, sim->pool, kept.pool_nbytes);
    sim_model_save();
}

static void restore_world(void)
{
    size_t net_nbytes, pool_nbytes;
    sim_net_used(&net_nbytes, &pool_nbytes);
    memcpy(sim, kept.world, kept.world_nbytes);
    memcpy(sim->net, kept.net, kept.net_nbytes);
    memcpy(sim->pool, kept.pool, kept.pool_nbytes);
    if (pool_nbytes > kept.pool_nbytes)
        memset((char *)sim->pool + kept.pool_nbytes, 0, pool_nbytes - kept.pool_nbytes);
    sim_model_restore();
}

/** By the origin, or its copy. Beside other load both may have to wait long for a processor. */
static bool replied(pid_t origin)
{
    while (!sim_await_driver(PATIENCE_MS)) {
        siginfo_t info = {.si_pid = 0};
        if (waitid(P_PID, (id_t)origin, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid)
            return false;
    }
    return sim_snap->ok;
}

/** The processes go on as what they are. */
static void dismiss(void)
{
    sim_snap->dismissed = true;
    for (int pe = 0; pe < sim->scene->npes; pe++)
        if (sim_snap->pids[pe]) {
            sim_give(&sim_snap->go[pe]);
            replied(sim_snap->pids[pe]);
            sim_snap->pids[pe] = 0;
        }
    sim_snap->dismissed = false;
}

bool sim_snap_take(const int *fds, int n)
{
    have = are_still();
    if (!have)
        snprintf(sim_snap->why, sizeof sim_snap->why, "threads do not stand still");
    for (int pe = 0; pe < sim->scene->npes && have; pe++) {
        if (sim->pids[pe] <= 0)
            continue;
        sim->errand = SIM_SERVE;
        sim_start(sim_thread_of(pe));
        have = replied(sim->pids[pe]);
        if (have)
            sim_snap->pids[pe] = sim->pids[pe];
    }
    sim->errand = -1;
    have = have && save_files(fds, n);
    if (have) {
        save_world();
    } else {
        forget_files();
        dismiss();
    }
    return have;
}

bool sim_snap_have(void)
{
    return have;
}

bool sim_snap_copy(void)
{
    restore_world();
    sim->copied = 1;
    for (int i = 0; i < nfiles; i++)
        restore_file(i);
    for (int pe = 0; pe < sim->scene->npes; pe++) {
        sim->pids[pe] = 0;
        if (sim_snap->pids[pe] == 0)
            continue;
        sim_give(&sim_snap->go[pe]);
        if (!replied(sim_snap->pids[pe]))
            return false;
    }
    return true;
}

/** The origins end. */
void sim_snap_drop(void)
{
    for (int pe = 0; pe < SIM_PES; pe++)
        if (sim_snap->pids[pe] > 0) {
            kill(sim_snap->pids[pe], SIGKILL);
            waitpid(sim_snap->pids[pe], NULL, 0);
            sim_snap->pids[pe] = 0;
        }
    forget_files();
    have = false;
}
