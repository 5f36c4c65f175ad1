// SPDX-License-Identifier: BSD-3-Clause
//
// Back end of oshrun: works on the job object that its PEs inherit (job.h).
// CAUSEWAY_LAUNCH="fd=3,ino=77,node=4,bell=5,life=6,records=7,pe=2" names it: fd and inode number
// of the job object, the fd of this node's memory object, the eventfd that wakes oshrun, the read
// end of a pipe that closes when oshrun ends, the object for records (0: none), and the PE.
// Threads: put and get are lock-free; a fence is started and awaited by one thread at a time.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/env.h"
#include "base/error.h"
#include "base/futex.h"
#include "bootstrap/bootstrap.h"
#include "bootstrap/job.h"
#include "bootstrap/nodemap.h"
#include "bootstrap/placement.h"

typedef struct launch {
    cwb_job_t *job;
    int bell_fd, records_fd;
    uint32_t generation;  // of the fence in flight
    bool fencing;
    int pe;
    pid_t pid;  // the process that joined, as opposed to a child of it
    bool is_child;  // of oshrun itself
} launch_t;

static launch_t the_launch;  // one job a process

#define ABORT_NS UINT64_C(2000000000)  // that an abort waits for oshrun

typedef struct word {
    const char *name;
    unsigned long value;
    bool seen;
} word_t;

// "name=number,name=number": each name exactly once, nothing else.
static bool parse_words(const char *text, word_t *words, int nwords)
{
    for (int left = nwords; left > 0; left--) {
        int i = 0;
        size_t len = strcspn(text, "=");
        while (i < nwords && (strlen(words[i].name) != len || strncmp(text, words[i].name, len)))
            i++;
        if (i == nwords || words[i].seen || text[len] != '=' || text[len + 1] < '0' ||
            text[len + 1] > '9')
            return false;
        char *end;
        errno = 0;
        words[i].value = strtoul(text + len + 1, &end, 10);
        words[i].seen = true;
        if (errno || *end != (left > 1 ? ',' : '\0'))
            return false;
        text = end + 1;
    }
    return true;
}

// A program started by a PE inherits the variable but not the descriptors: it is not a PE.
static bool is_job_object(unsigned long fd, unsigned long ino)
{
    struct stat st;
    return fd <= 1u << 30 && fstat((int)fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_ino == ino &&
           st.st_size >= (off_t)sizeof(cwb_job_t);
}

static int map_job(int fd, unsigned long pe, cwb_job_t **job_p)
{
    struct stat st;
    if (fstat(fd, &st) != 0) {
        cwu_error("cannot inspect the job object of oshrun: %s", strerror(errno));
        return CW_ESYS;
    }
    cwb_job_t *job = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (job == MAP_FAILED) {
        cwu_error("cannot map the job object of oshrun (%lld bytes): %s", (long long)st.st_size,
                  strerror(errno));
        return CW_ESYS;
    }
    if (job->magic != CWB_JOB_MAGIC || job->nbytes != (uint64_t)st.st_size || pe >= job->npes) {
        munmap(job, (size_t)st.st_size);
        cwu_error(
            "oshrun and this program's library are of different versions; use the oshrun that was "
            "installed with the library");
        return CW_EMISMATCH;
    }
    *job_p = job;
    return 0;
}

static int join(cwb_job_t *job, int pe)
{
    uint32_t state = CWB_PE_NEW;
    if (!atomic_compare_exchange_strong(&cwb_job_pe(job, (uint32_t)pe)->state, &state,
                                        CWB_PE_JOINED)) {
        cwu_error("another program has already been PE %d of this job; one PE can run one program "
                  "of this library, start the next one with an oshrun of its own",
                  pe);
        return CW_EINVAL;
    }
    atomic_fetch_add(&job->joined, 1);
    if (atomic_load(&job->left_unjoined) > 0) {
        cwu_error("a PE of this job has ended without joining it, so the job cannot start");
        return CW_ELOST;
    }
    return 0;
}

static void describe(cwb_t *b, launch_t *l, int node_fd)
{
    b->pe = l->pe;
    b->npes = (int)l->job->npes;
    b->node_fd = node_fd;
    b->records_fd = l->records_fd;
    b->states = cwb_job_states(l->job);
    b->deaths = &l->job->deaths;
    b->ending = &l->job->ending;
    b->one_machine = true;
    b->started_ns = l->job->started_ns;
    b->machine_nbytes = l->job->machine_nbytes;
    b->ncpus = (int)l->job->ncpus;
    b->pid_namespace = l->is_child ? l->job->pid_namespace : 0;
    memcpy(b->job_id, l->job->job_id, sizeof l->job->job_id);
    b->priv = l;
}

/** Joins again after a finalize. The inherited node object is used up: the PEs create another. */
static int rejoin(cwb_t *b, launch_t *l)
{
    atomic_store(&cwb_job_pe(l->job, (uint32_t)l->pe)->state, CWB_PE_JOINED);
    describe(b, l, -1);
    return 0;
}

/** No wrapper is between: the kernel kills this process when oshrun ends, which has asked for that
 *  in its child, and has its process numbers from the same namespace. */
static bool is_child_of(const cwb_job_t *job)
{
    int signo = 0;
    return prctl(PR_GET_PDEATHSIG, &signo) == 0 && signo == SIGKILL &&
           getppid() == job->launcher_pid;
}

/** The kernel kills this process when oshrun's end of the pipe closes, however many wrappers are
 *  between: a parent-death signal is of no use under them, because it follows the parent. The
 *  setting belongs to an open file, so the process opens one of its own, which stays open. A child
 *  of oshrun needs none. */
static void end_with_launcher(bool is_child, int life_fd)
{
    char path[64];
    struct stat st;
    if (fstat(life_fd, &st) != 0 || !S_ISFIFO(st.st_mode))
        return;
    if (is_child) {
        close(life_fd);
        return;
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", life_fd);
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    close(life_fd);
    struct pollfd p = {.fd = fd, .events = POLLIN};
    if (fd < 0 || fcntl(fd, F_SETSIG, SIGKILL) != 0 || fcntl(fd, F_SETOWN, getpid()) != 0 ||
        fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK) != 0)
        return;
    if (poll(&p, 1, 0) > 0)  // it has closed before
        raise(SIGKILL);
}

enum { FD, INO, NODE, BELL, LIFE, RECORDS, PE, NWORDS };

static bool parse(const char *text, word_t words[NWORDS])
{
    static const word_t names[NWORDS] = {{.name = "fd"},   {.name = "ino"},  {.name = "node"},
                                         {.name = "bell"}, {.name = "life"}, {.name = "records"},
                                         {.name = "pe"}};
    memcpy(words, names, sizeof names);
    return parse_words(text, words, NWORDS);
}

bool cwb_is_of_oshrun(void)
{
    const char *text = getenv(CWB_JOB_ENV);
    word_t words[NWORDS];
    if (the_launch.job)
        return the_launch.pid == getpid();
    return text && parse(text, words) && is_job_object(words[FD].value, words[INO].value);
}

static int launch_open(cwb_t *b)
{
    const char *text = getenv(CWB_JOB_ENV);
    if (the_launch.job)
        return the_launch.pid == getpid() ? rejoin(b, &the_launch) : CW_ENOENT;
    if (!text)
        return CW_ENOENT;
    word_t words[NWORDS];
    if (!parse(text, words)) {
        cwu_error("%s=\"%s\" is not what oshrun writes; unset it", CWB_JOB_ENV, text);
        return CW_EINVAL;
    }
    if (!is_job_object(words[FD].value, words[INO].value))
        return CW_ENOENT;
    launch_t *l = &the_launch;
    int fd = (int)words[FD].value, rc = map_job(fd, words[PE].value, &l->job);
    if (rc)
        return rc;
    l->pe = (int)words[PE].value;
    l->pid = getpid();
    l->bell_fd = (int)words[BELL].value;
    l->records_fd = (int)words[RECORDS].value;
    if (l->records_fd)
        fcntl(l->records_fd, F_SETFD, FD_CLOEXEC);
    l->is_child = is_child_of(l->job);
    end_with_launcher(l->is_child, (int)words[LIFE].value);
    describe(b, l, (int)words[NODE].value);
    rc = join(l->job, b->pe);
    if (rc)
        return rc;
    close(fd);  // the mapping stays
    fcntl(b->node_fd, F_SETFD, FD_CLOEXEC);
    fcntl(l->bell_fd, F_SETFD, FD_CLOEXEC);
    return 0;
}

static int launch_put(cwb_t *b, const char *key, const void *value, size_t nbytes)
{
    launch_t *l = b->priv;
    int rc = cwb_job_put(l->job, key, value, nbytes);
    if (rc == CW_ENOMEM)
        cwu_error("the job's key-value store is full (%llu bytes) at key \"%s\"",
                  (unsigned long long)l->job->nbytes, key);
    else if (rc)
        cwu_error("key \"%s\" with a value of %zu bytes: keys have 1-%d characters, values at most "
                  "%d bytes",
                  key, nbytes, CWB_KEY_MAX, CWB_VALUE_MAX);
    return rc;
}

static int launch_get(cwb_t *b, int owner, const char *key, void *value, size_t *nbytes_p)
{
    (void)owner;  // the store does not need it
    launch_t *l = b->priv;
    return cwb_job_get(l->job, key, value, nbytes_p);
}

static int launch_fence_nb(cwb_t *b)
{
    launch_t *l = b->priv;
    cwb_job_t *job = l->job;
    if (l->fencing)
        return CW_EINVAL;
    l->fencing = true;
    // The generation cannot move before this PE arrives.
    l->generation = atomic_load_explicit(&job->generation, memory_order_relaxed);
    atomic_fetch_add_explicit(&cwb_job_pe(job, (uint32_t)b->pe)->fences, 1, memory_order_release);
    bool last = atomic_fetch_add(&job->arrived, 1) + 1 == job->npes;
    if (!last && atomic_load(&job->deaths) == 0)
        return 0;
    if (last)
        atomic_store_explicit(&job->arrived, 0, memory_order_relaxed);
    // Sequentially consistent with the sleeper's increment and load: either the sleeper sees the
    // new generation, or this load sees the sleeper.
    atomic_fetch_add(&job->generation, 1);
    if (atomic_load(&job->sleepers) > 0)
        cwu_futex_wake((uint32_t *)&job->generation, INT_MAX);
    return 0;
}

/** How many PEs that live have not come to the fence of this one, and the first of them. */
static uint32_t count_late(const launch_t *l, uint32_t *first_p)
{
    uint32_t mine = atomic_load(&cwb_job_pe(l->job, (uint32_t)l->pe)->fences), late = 0;
    for (uint32_t pe = l->job->npes; pe-- > 0;) {
        const cwb_job_pe_t *one = cwb_job_pe(l->job, pe);
        if ((int32_t)(atomic_load(&one->fences) - mine) < 0 && !atomic_load(&one->killed)) {
            late++;
            *first_p = pe;
        }
    }
    return late;
}

static bool fence_passed(const launch_t *l)
{
    uint32_t first;
    bool moved = atomic_load_explicit(&l->job->generation, memory_order_acquire) != l->generation;
    // pairs with oshrun's count, which comes before it moves the generation on
    if (CW_LIKELY(atomic_load_explicit(&l->job->deaths, memory_order_acquire) == 0))
        return moved;
    return count_late(l, &first) == 0;
}

static bool launch_fence_test(cwb_t *b)
{
    const launch_t *l = b->priv;
    return !l->fencing || fence_passed(l);
}

static bool each_pe_has_a_core(const cwb_job_t *job)
{
    return job->ncpus >= job->npes;
}

static int report_late(cwb_t *b, const launch_t *l)
{
    uint32_t first = 0, late = count_late(l, &first);
    (void)b;
    if (late == 0)
        return 0;
    cwu_error(
        "%u of %u PEs, PE %u first, did not reach the start-up fence in %ld s (CAUSEWAY_TIMEOUT)",
        late, l->job->npes, first, cwu_env.timeout);
    return CW_ETIMEOUT;
}

static int launch_fence_wait(cwb_t *b)
{
    launch_t *l = b->priv;
    if (!l->fencing)
        return 0;
    uint64_t limit_ns = cwu_env.timeout > 0 ? (uint64_t)cwu_env.timeout * 1000000000u : 0;
    for (int spins = each_pe_has_a_core(l->job) ? 2000 : 0; spins > 0 && !fence_passed(l); spins--)
        cwu_cpu_pause();
    uint64_t start_ns = cwu_now_ns();
    int rc = 0;
    while (!fence_passed(l) && rc == 0) {
        atomic_fetch_add(&l->job->sleepers, 1);
        uint32_t seen = atomic_load(&l->job->generation);
        if (!fence_passed(l))
            cwu_futex_wait((uint32_t *)&l->job->generation, seen, limit_ns);
        atomic_fetch_sub(&l->job->sleepers, 1);
        if (limit_ns && cwu_now_ns() - start_ns >= limit_ns && !fence_passed(l))
            rc = report_late(b, l);
    }
    if (rc == 0)
        l->fencing = false;
    return rc;
}

// oshrun knows CAUSEWAY_NODE when it is set for the whole job; a wrapper may still change it for
// single PEs.
static int nodes_by_name(cwb_t *b, int *node_of_pe)
{
    char key[CWB_KEY_MAX + 1], name[CWB_VALUE_MAX + 1];
    snprintf(key, sizeof key, "nodename.%d", b->pe);
    const char *mine = cwu_env.node ? cwu_env.node : "";
    int rc = cwb_placement_check();
    if (rc == 0)
        rc = launch_put(b, key, mine, strlen(mine));
    if (rc == 0)
        rc = launch_fence_nb(b);
    if (rc == 0)
        rc = launch_fence_wait(b);
    cwb_nodemap_t map;
    if (rc == 0)
        rc = cwb_nodemap_init(&map, b->npes);
    if (rc)
        return rc;
    for (int pe = 0; pe < b->npes && rc == 0; pe++) {
        size_t nbytes = CWB_VALUE_MAX;
        snprintf(key, sizeof key, "nodename.%d", pe);
        rc = launch_get(b, pe, key, name, &nbytes);
        name[rc == 0 ? nbytes : 0] = '\0';
        if (rc == 0)
            node_of_pe[pe] = cwb_nodemap_add(&map, name);
    }
    cwb_nodemap_finish(&map);
    // The inherited object is shared by the nodes that oshrun made, not by these.
    close(b->node_fd);
    b->node_fd = -1;
    return rc;
}

static int launch_nodes(cwb_t *b, int *node_of_pe)
{
    launch_t *l = b->priv;
    if (l->job->flags & CWB_JOB_NODE_NAMES)
        return nodes_by_name(b, node_of_pe);
    if (cwu_env.node) {
        cwu_error("CAUSEWAY_NODE is set for this PE only; set it for oshrun too (-x "
                  "CAUSEWAY_NODE=any), so that "
                  "every PE knows that names decide");
        return CW_EINVAL;
    }
    for (uint32_t pe = 0; pe < l->job->npes; pe++)
        node_of_pe[pe] = (int)cwb_job_pe(l->job, pe)->node;
    return 0;
}

static bool launch_runs(cwb_t *b, cwb_runs_t *runs_p)
{
    const launch_t *l = b->priv;
    if ((l->job->flags & CWB_JOB_NODE_NAMES) || cwu_env.node)
        return false;
    *runs_p = l->job->runs;
    return true;
}

// Waits for the end of the job: were this process to go first, its peers would lose their
// connections to it, and report that.
static void launch_abort(cwb_t *b, int status, bool failed)
{
    launch_t *l = b->priv;
    cwb_job_t *job = l->job;
    uint32_t none = 0;
    if (failed)
        atomic_store(&cwb_job_pe(job, (uint32_t)b->pe)->state, CWB_PE_FAILED);
    if (atomic_compare_exchange_strong(&job->abort_state, &none, CWB_ABORT_CLAIMED)) {
        atomic_store(&job->abort_status, status);
        atomic_store(&job->abort_pe, b->pe);
        atomic_store(&job->abort_state, failed ? CWB_ABORT_FAILED : CWB_ABORT_ASKED);
    }
    uint64_t one = 1, limit_ns = cwu_now_ns() + ABORT_NS;
    // If the bell fails, oshrun still sees the end of this process.
    if (write(l->bell_fd, &one, sizeof one) == sizeof one)
        while (!atomic_load(&job->ending) && cwu_now_ns() < limit_ns)
            cwu_futex_wait((uint32_t *)&job->ending, 0, ABORT_NS);
    _exit(status);
}

static void launch_tell(cwb_t *b, const char *init, const char *finalize)
{
    launch_t *l = b->priv;
    cwb_job_pe_t *pe = cwb_job_pe(l->job, (uint32_t)b->pe);
    snprintf(pe->init, sizeof pe->init, "%s", init);
    snprintf(pe->finalize, sizeof pe->finalize, "%s", finalize);
}

static void launch_survive(cwb_t *b, cwb_death_t what)
{
    launch_t *l = b->priv;
    atomic_store(&cwb_job_pe(l->job, (uint32_t)b->pe)->death, (uint32_t)what);
}

static int launch_killed_by(cwb_t *b, int pe)
{
    launch_t *l = b->priv;
    return (int)atomic_load(&cwb_job_pe(l->job, (uint32_t)pe)->killed);
}

static void launch_close(cwb_t *b)
{
    launch_t *l = b->priv;
    if (!l || !l->job)
        return;
    atomic_store(&cwb_job_pe(l->job, (uint32_t)b->pe)->state, CWB_PE_LEFT);
}

static void launch_goodbye(void)
{
    // oshrun reads it in the job object
}

const cwb_ops_t cwb_launch = {
    .name = "launch",
    .sees_ends = true,
    .open = launch_open,
    .nodes = launch_nodes,
    .runs = launch_runs,
    .put = launch_put,
    .fence_nb = launch_fence_nb,
    .fence_wait = launch_fence_wait,
    .fence_test = launch_fence_test,
    .get = launch_get,
    .abort = launch_abort,
    .tell = launch_tell,
    .survive = launch_survive,
    .killed_by = launch_killed_by,
    .close = launch_close,
    .lost = cwb_never_lost,
    .goodbye = launch_goodbye,
};
