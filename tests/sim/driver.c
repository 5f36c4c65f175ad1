// SPDX-License-Identifier: BSD-3-Clause
//
// The driver: starts a scene's PEs for one seed after the other, is their launcher, judges how each
// run ends, and reports findings with the command that repeats them.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bootstrap/bootstrap.h"
#include "bootstrap/job.h"
#include "driver.h"
#include "exhaust.h"
#include "fault.h"
#include "fork.h"
#include "sites.h"
#include "snap.h"

static options_t opt = {.seed = 1, .runs = 1, .model = -1, .strategy = -1};
static int output_fd;

const options_t *sim_options(void)
{
    return &opt;
}

// ---------------------------------------------------------------- shared memory

typedef struct job {
    int fd, bell, nodes[SIM_PES];
    cwb_job_t *at;
    size_t nbytes;
    ino_t ino;
} job_t;
static job_t *job;  // of the run

void *sim_share(size_t nbytes)
{
    void *at = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) {
        perror("sim: memory for the world");
        exit(2);
    }
    return at;
}

static void make_world(void)
{
    sim = sim_share(sizeof *sim);
    sim->pool = sim_share(SIM_NET_NBYTES);
    sim->net = sim_share(4096 * 8);
    if (opt.strategy == SIM_EXHAUSTIVE)
        sim_search = sim_share(sizeof *sim_search);
    job = sim_share(sizeof *job);
    sim_model_begin();
}

// ---------------------------------------------------------------- the launcher's objects

static int node_of(int pe)
{
    return pe * sim_scene.nnodes / sim_scene.npes;
}

/** The same in the form in which oshrun says it. */
static cwb_runs_t runs_of_nodes(void)
{
    cwb_runs_t runs = {0};
    for (int pe = 0, from = 0; pe < sim_scene.npes; from = pe) {
        while (pe < sim_scene.npes && node_of(pe) == node_of(from))
            pe++;
        if (runs.n == 0 || runs.ppn[runs.n - 1] != pe - from)
            runs.ppn[runs.n++] = pe - from;
        runs.nnodes[runs.n - 1]++;
    }
    return runs;
}

static void make_job(void)
{
    static const unsigned char secret[16] = "simulated secret";
    struct stat st;
    job->nbytes = cwb_job_nbytes((uint32_t)sim_scene.npes);
    job->fd = memfd_create("causeway-job", MFD_CLOEXEC);
    if (job->fd < 0 || ftruncate(job->fd, (off_t)job->nbytes) != 0 || fstat(job->fd, &st) != 0) {
        perror("sim: the job object");
        exit(2);
    }
    job->ino = st.st_ino;
    job->at = mmap(NULL, job->nbytes, PROT_READ | PROT_WRITE, MAP_SHARED, job->fd, 0);
    cwb_job_format(job->at, (uint32_t)sim_scene.npes, (uint32_t)sim_scene.nnodes);
    job->at->ncpus = 1;
    job->at->machine_nbytes = (uint64_t)4 << 30;
    snprintf(job->at->job_id, sizeof job->at->job_id, "oshrun-1-simulated");
    for (int pe = 0; pe < sim_scene.npes; pe++)
        cwb_job_pe(job->at, (uint32_t)pe)->node = (uint32_t)node_of(pe);
    job->at->runs = runs_of_nodes();
    cwb_job_put(job->at, "secret", secret, sizeof secret);
    for (int node = 0; node < sim_scene.nnodes; node++)
        job->nodes[node] = memfd_create("causeway-node", MFD_CLOEXEC);
    sim->device_fd = memfd_create("device", MFD_CLOEXEC);
    if (sim->device_fd < 0 || ftruncate(sim->device_fd, SIM_DEVICE_NBYTES) != 0) {
        perror("sim: the device's memory");
        exit(2);
    }
    job->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

static void drop_job(void)
{
    munmap(job->at, job->nbytes);
    close(job->fd);
    close(job->bell);
    for (int node = 0; node < sim_scene.nnodes; node++)
        close(job->nodes[node]);
    close(sim->device_fd);
}

// ---------------------------------------------------------------- PEs

static void set_environment(int pe)
{
    static const char *const common[] = {"CAUSEWAY_LIBFABRIC=libfabric-sim.so",
                                         "CAUSEWAY_PROVIDER=sim",
                                         "CAUSEWAY_ENDPOINT=msg",
                                         "SHMEM_SYMMETRIC_SIZE=256K",
                                         "CAUSEWAY_SPIN=2",
                                         "CAUSEWAY_YIELDS=2",
                                         "CAUSEWAY_SERVER_SPIN=2",
                                         "CAUSEWAY_PROBE=all"};
    char text[128];
    clearenv();  // the library looks at all variables: each is a step
    putenv("PATH=/usr/bin:/bin");
    snprintf(text, sizeof text, "fd=%d,ino=%lu,node=%d,bell=%d,life=0,records=0,pe=%d", job->fd,
             (unsigned long)job->ino, job->nodes[node_of(pe)], job->bell, pe);
    setenv("CAUSEWAY_LAUNCH", text, 1);
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        putenv((char *)(uintptr_t)common[i]);
    for (const char *const *e = sim_scene.env; e && *e; e++)
        putenv((char *)(uintptr_t)*e);
    for (int i = 0; i < opt.nsets; i++)
        putenv(opt.sets[i]);
}

static void be_pe(int pe)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(output_fd, 1);
    dup2(output_fd, 2);
    set_environment(pe);
    sim_take_token(pe);  // the first threads have the numbers of their PEs
    sim_scene.run();
    exit(0);
}

static void start_pes(void)
{
    for (int pe = 0; pe < sim_scene.npes; pe++)
        sim_thread_new(pe);
    for (int pe = 0; pe < sim_scene.npes; pe++) {
        sim->pids[pe] = sim_fork_pe(pe);
        if (sim->pids[pe] < 0) {
            perror("sim: fork");
            exit(2);
        }
    }
}

/** As under launchers that report nothing of ends: the library watches them itself. */
static void be_blind(void)
{
    enum { PAGE = 4096 };
    char *at = (char *)((uintptr_t)&cwb_launch & ~(uintptr_t)(PAGE - 1));
    if (mprotect(at, 2 * PAGE, PROT_READ | PROT_WRITE) != 0) {
        perror("sim: mprotect");
        exit(2);
    }
    *(bool *)((uintptr_t)&cwb_launch + offsetof(cwb_ops_t, sees_ends)) = false;
}

/** Its status, as of wait(). Where the launcher is blind it stays unreaped until the run is over.
 */
static int end_of(int pe)
{
    int status = 0;
    siginfo_t info;
    if (!sim_scene.blind_launcher) {
        waitpid(sim->pids[pe], &status, 0);
        return status;
    }
    if (waitid(P_PID, (id_t)sim->pids[pe], &info, WEXITED | WNOWAIT) == 0)
        status = info.si_code == CLD_EXITED ? info.si_status << 8 : info.si_status;
    sim->unreaped[pe] = sim->pids[pe];
    return status;
}

static void kill_all(void)
{
    for (int pe = 0; pe < sim_scene.npes; pe++)
        if (sim->unreaped[pe] > 0) {
            waitpid(sim->unreaped[pe], NULL, 0);
            sim->unreaped[pe] = 0;
        }
    for (int pe = 0; pe < sim_scene.npes; pe++)
        if (sim->pids[pe] > 0) {
            kill(sim->pids[pe], SIGKILL);
            waitpid(sim->pids[pe], NULL, 0);
            sim->pids[pe] = 0;
        }
}

static void failed(sim_verdict_t verdict, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (sim->verdict == SIM_GOING) {
        sim->verdict = verdict;
        vsnprintf(sim->message, sizeof sim->message, format, args);
    }
    va_end(args);
}

/** What the PEs of this run have said. */
static const char *output_text(void)
{
    static char text[65536];
    ssize_t n = pread(output_fd, text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    return text;
}

/** A line of an error that says who, where and what; and how the call failed that did. */
static bool says_why(const char *text)
{
    const char *line = strstr(text, "causeway: error: ");
    bool says_how = !sim->fault_error || strstr(text, strerror(sim->fault_error)) ||
                    strstr(text, "the provider cannot reach it") ||
                    strstr(text, "out of file descriptors");
    return line && strstr(line, "pid ") && strstr(line, "host ") && says_how;
}

/** Which PE has ended and how: those of its node say so where the launcher does not. */
static bool says_who(const char *text)
{
    char who[96];
    snprintf(who, sizeof who, "PE %d (pid %d) of this node has ended without calling ",
             sim->fault_pe, SIM_FIRST_PID + sim->fault_pe);
    const char *line = strstr(text, who);
    const char *how = sim->fault == SIM_FAULT_KILL ? ": killed by signal 9" : ": exited with ";
    return !sim_scene.blind_launcher || (line && strstr(line, how));
}

/** A fault has been met, and this PE ends by it: it says why, and the launcher ends the others. */
static void judge_fault(int pe, int status)
{
    const char *text = output_text();
    if (strstr(text, ": SIGSEGV in "))
        failed(SIM_CRASHED, "a PE crashes by a fault");
    else if (!strstr(text, "causeway: error: "))
        failed(SIM_FAILED, "PE %d ends with status %d and says nothing", pe, status);
    else if (!says_why(text) || !says_who(text))
        failed(SIM_FAILED, "PE %d ends with status %d and does not say why", pe, status);
    else
        failed(SIM_DONE, "done");
}

/** This PE has met the fault; others of its node do, too, where the node is lost. */
static void lose_others(int pe)
{
    for (int other = 0; sim->fault == SIM_FAULT_NODE && other < sim_scene.npes; other++)
        if (node_of(other) == node_of(pe) && sim->pids[other] > 0) {
            sim->fault_pe = other;
            sim->fault_hit = false;
            return;
        }
}

static bool outlived;       // a PE, in this run, by the others
static int unheard_status;  // of the PE that has ended the job under a deaf launcher

/** One PE has ended the job, and its status is that of all; or 1, where others report an end. */
static void judge_unheard(int pe, int status)
{
    if (unheard_status < 0 && status != 1)
        unheard_status = status;
    if (status == 0 || (status != 1 && status != unheard_status))
        failed(SIM_FAILED, "PE %d ends with status %d, where another one has ended the job", pe,
               status);
}

static void judge_end(int pe, int status)
{
    sim->pids[pe] = 0;
    if (pe == sim->fault_pe && sim->fault_hit && sim_fault_ends(sim->fault))
        lose_others(pe);
    else if (sim_scene.deaf_launcher && !WIFSIGNALED(status))
        judge_unheard(pe, WEXITSTATUS(status));
    else if (WIFSIGNALED(status))
        failed(SIM_CRASHED, "PE %d ends by signal %d (%s)", pe, WTERMSIG(status),
               strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) != 0 && sim->fault_hit && !outlived)
        judge_fault(pe, WEXITSTATUS(status));
    else if (WEXITSTATUS(status) != 0 && !sim_scene.may_fail)
        failed(SIM_FAILED, "PE %d ends with status %d", pe, WEXITSTATUS(status));
}

// ---------------------------------------------------------------- a PE that the others outlive

/** As oshrun has it: the PE has reported that its death by a signal ends it alone. */
static bool is_let_go(int pe)
{
    const cwb_job_pe_t *p = cwb_job_pe(job->at, (uint32_t)pe);
    return sim_scene.outlives && sim->fault == SIM_FAULT_KILL && sim->fault_hit &&
           pe == sim->fault_pe && atomic_load(&p->death) == CWB_DEATH_ENDS_PE &&
           atomic_load(&p->state) == CWB_PE_JOINED;
}

/** The futex at `at` of the job object, for PEs that sleep on it. */
static sim_key_t key_in_job(const void *at)
{
    for (int i = 0; i < sim->nobjects; i++)
        if (sim->objects[i].ino == job->ino)
            return (sim_key_t)1 << 63 | (sim_key_t)i << 48 |
                   (sim_key_t)((const char *)at - (const char *)job->at);
    return 0;
}

/** What a process has stored is there before another one can know that it has ended. */
static void show_stores_of(int pe)
{
    for (int dead = 0; dead < sim->nthreads; dead++)
        for (int i = 0; i < sim->nthreads && sim->threads[dead].pe == pe; i++)
            if (sim->threads[i].pe != pe)
                sim_follows(i, dead);
}

static void let_go(int pe)
{
    outlived = true;
    show_stores_of(pe);
    atomic_store(&cwb_job_pe(job->at, (uint32_t)pe)->killed, SIGKILL);
    atomic_fetch_add(&job->at->deaths, 1);
    atomic_fetch_add(&job->at->generation, 1);
    sim_wake(key_in_job(&job->at->generation), INT_MAX);
}

/** The token holder has died, or waits for something that is not simulated. */
static void look_for_dead(void)
{
    for (int pe = 0; pe < sim_scene.npes; pe++) {
        siginfo_t info = {.si_pid = 0};
        if (sim->pids[pe] <= 0 ||
            waitid(P_PID, (id_t)sim->pids[pe], &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
            info.si_pid == 0 || sim->ended_pe == pe)  // by its own end, which is about to be taken
            continue;
        judge_end(pe, end_of(pe));
        failed(SIM_CRASHED, "PE %d has ended past the simulator", pe);
    }
}

static bool any_left(void)
{
    for (int pe = 0; pe < sim_scene.npes; pe++)
        if (sim->pids[pe] > 0)
            return true;
    return false;
}

static bool no_snapshots;  // a process of this scene cannot be copied
static bool no_copy;       // nor was it now

/** All threads stand still at sim_begin: from here on copies run, if there can be any. */
static void take_snapshot(void)
{
    sim->snaps = sim->snap_asked = false;
    int thread = sim->begun_by, fds[SIM_PES + 2] = {job->fd, sim->device_fd};
    memcpy(fds + 2, job->nodes, sizeof job->nodes);
    if (!sim_snap_take(fds, 2 + sim_scene.nnodes)) {
        no_snapshots = true;
        if (opt.verbose)
            printf("sim: runs begin at the start: %s\n", sim_snap->why);
    } else if (!sim_snap_copy()) {
        no_copy = true;
        failed(SIM_STUCK, "the job cannot be copied");
        return;
    }
    sim_start(thread);
}

static void await_verdict(void)
{
    enum { ROUND_MS = 200, PATIENCE_MS = 20000 };
    uint64_t seen = 0;
    int waited = 0;
    while (sim->verdict == SIM_GOING) {
        if (!sim_await_driver(ROUND_MS)) {
            look_for_dead();
            waited = seen == sim->decisions ? waited + ROUND_MS : 0;
            seen = sim->decisions;
            if (waited >= PATIENCE_MS)
                failed(SIM_STUCK,
                       "thread %d keeps the token: it computes without end, or waits "
                       "for something that is not simulated",
                       sim->current);
            continue;
        }
        if (sim->snap_asked)
            take_snapshot();
        if (sim->ended_pe < 0)
            continue;
        int pe = sim->ended_pe, status = end_of(pe);
        sim->ended_pe = -1;
        bool unseen = sim_scene.deaf_launcher ||
                      (sim_scene.blind_launcher && sim->fault_hit && pe == sim->fault_pe);
        bool goes = is_let_go(pe);
        judge_end(pe, status);
        sim_net_lost(pe);
        if (goes)
            let_go(pe);
        if (!any_left() || (status != 0 && !unseen && !goes))  // oshrun ends the others, too
            failed(SIM_DONE, "done");
        if (sim->verdict == SIM_GOING)
            sim_go_on();
    }
}

// ---------------------------------------------------------------- one run

static uint64_t block;  // whose start-up the snapshot has

static void forget_start(void)
{
    if (!sim_snap_have())
        return;
    sim_snap_drop();
    drop_job();
}

static void run_from_start(uint64_t seed, const run_plan_t *p, bool snaps)
{
    forget_start();
    sim_plan(seed, p);
    block = sim_block(seed, p);
    sim->snaps = snaps && p->begins && !no_snapshots;
    make_job();
    start_pes();
    sim_go_on();
    await_verdict();
}

static void run_from_scene(uint64_t seed)
{
    if (!sim_snap_copy()) {
        no_copy = true;
        failed(SIM_STUCK, "the job cannot be copied");
        return;
    }
    sim->seed = seed;
    sim_start(sim->begun_by);
    await_verdict();
}

/** A PE has met its end, the others wait, and the launcher, which sees that, would have ended them
 *  long ago. Or it stands still, and so do those that wait for it. */
static bool is_ended_by_launcher(void)
{
    return sim->fault_hit && !sim_scene.blind_launcher && !outlived &&
           (sim_fault_ends(sim->fault) || sim_is_stopped(sim->fault_pe)) &&
           (sim->verdict == SIM_DEADLOCK || sim->verdict == SIM_LATE ||
            sim->verdict == SIM_LIVELOCK);
}

/** `copies`: the run may begin at sim_begin, in a copy of what the start-up has left. */
static sim_verdict_t run(uint64_t seed, const run_plan_t *p, bool copies)
{
    outlived = false;
    unheard_status = -1;
    if (copies && sim_snap_have() && block == sim_block(seed, p))
        run_from_scene(seed);
    else
        run_from_start(seed, p, copies);
    if (no_copy) {  // a copy saves time only
        no_copy = false;
        no_snapshots = true;
        kill_all();
        if (sim_search)
            sim_search->grown = true;  // memory lies elsewhere: the search begins anew
        run_from_start(seed, p, false);
    }
    if (is_ended_by_launcher())
        sim->verdict = SIM_DONE;
    if (sim->verdict != SIM_DONE)
        sim_report(opt.verbose);
    kill_all();
    if (!sim_snap_have())
        drop_job();
    return sim->verdict;
}

// ---------------------------------------------------------------- runs

static uint64_t real_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/** How long a run is, for points at which priorities change. */
static run_plan_t calibrate(void)
{
    run_plan_t p = {.steps = 1, .calibrates = true};
    sim_verdict_t v = run(0, &p, false);
    p = (run_plan_t){.steps = sim->steps, .begun = sim->began_steps, .begins = sim->begun_by >= 0};
    for (int kind = 0; kind < SIM_FAULTS; kind++)
        for (int pe = 0; pe < SIM_PES; pe++)
            if (sim->uses[kind][pe] > p.uses[kind])
                p.uses[kind] = sim->uses[kind][pe];
    if (v != SIM_DONE && !p.begins)
        p.steps /= 2;
    return p;
}

static void show_output(void)
{
    char buf[8192];
    lseek(output_fd, 0, SEEK_SET);
    for (ssize_t n; (n = read(output_fd, buf, sizeof buf)) > 0;)
        fwrite(buf, 1, (size_t)n, stdout);
}

static void forget_output(void)
{
    if (ftruncate(output_fd, 0) != 0 || lseek(output_fd, 0, SEEK_SET) != 0)
        exit(2);
}

static int finding(uint64_t seed)
{
    printf("FINDING scene %s seed %llu model %s strategy %s: %s%s\n", sim_scene.name,
           (unsigned long long)seed, sim_model_name(sim->model), sim_strategy_name(), sim->message,
           sim_fault_text());
    printf("  ./dev sim --scene %s --seed %llu", sim_scene.name, (unsigned long long)seed);
    if (opt.model >= 0)
        printf(" --model %s", sim_model_name((sim_model_t)opt.model));
    if (opt.strategy >= 0)
        printf(" --strategy %s", sim_strategy_word((sim_strategy_t)opt.strategy));
    if (opt.strategy == SIM_EXHAUSTIVE)
        printf(" --preemptions %d", opt.preemptions);
    for (int i = 0; i < opt.nsets; i++)
        printf(" --set %s", opt.sets[i]);
    printf("\n");
    show_output();
    fflush(stdout);
    return 1;
}

// ---------------------------------------------------------------- all of them

static run_plan_t the_plan;

/** A finding is one that its seed repeats from the start of the job. */
static sim_verdict_t run_and_confirm(uint64_t seed, const run_plan_t *p, bool copies)
{
    sim_verdict_t v = run(seed, p, copies);
    if (v == SIM_DONE || !copies)
        return v;
    char message[sizeof sim->message];
    memcpy(message, sim->message, sizeof message);
    forget_output();
    v = run(seed, p, false);
    if (v == SIM_DONE)
        printf("sim: %s, seed %llu: \"%s\" in a copy of a start-up, not from the start: a fault of "
               "the simulator\n",
               sim_scene.name, (unsigned long long)seed, message);
    return v;
}

static sim_verdict_t run_one(void)
{
    forget_output();
    return run(opt.seed, &the_plan, true);
}

static int find_one(void)
{
    return finding(opt.seed);
}

static int explore_all(void)
{
    the_plan = calibrate();
    if (sim->verdict != SIM_DONE)
        finding(0);
    int rc = sim_explore_all(run_one, find_one, real_ns);
    if (rc == 1 && opt.trace)
        sim_show_trace();
    forget_start();
    return rc;
}

/** Were there so many points behind the start-up, which most runs copy? */
static bool is_enough(uint64_t steps, uint64_t runs, const run_plan_t *p)
{
    uint64_t copied = p->begins ? runs * p->begun : 0;
    return opt.points && steps > copied && steps - copied >= opt.points;
}

static int explore(void)
{
    run_plan_t p = calibrate();
    uint64_t start = real_ns(), runs = 0, steps = 0, switches = 0, last_hash = 0, faults = 0;
    int findings = 0;
    if (sim->verdict != SIM_DONE)
        findings += finding(0);
    for (uint64_t i = 0; findings < opt.most_findings; i++) {
        uint64_t ns = real_ns() - start;
        if (opt.seconds ? ns >= (uint64_t)opt.seconds * 1000000000u : i >= opt.runs)
            break;
        if (is_enough(steps, runs, &p))
            break;
        forget_output();
        uint64_t seed = opt.seed + (opt.same ? 0 : i * opt.stride);
        sim_verdict_t v = opt.same ? run(seed, &p, i % 2) : run_and_confirm(seed, &p, true);
        runs++;
        steps += sim->steps;
        switches += sim->switches;
        if (opt.same && i > 0 && sim->hash != last_hash) {
            printf("FINDING scene %s seed %llu: run %llu differs from the one before it\n",
                   sim_scene.name, (unsigned long long)seed, (unsigned long long)i);
            findings++;
        }
        last_hash = sim->hash;
        faults += sim->fault_hit;
        if (opt.verbose && sim->fault_hit && v == SIM_DONE) {
            printf("seed %llu:%s\n", (unsigned long long)seed, sim_fault_text());
            show_output();
        }
        if (opt.trace)
            sim_show_trace();
        if (v != SIM_DONE)
            findings += finding(seed);
    }
    forget_start();
    double seconds = (double)(real_ns() - start) / 1e9;
    printf("%s: %llu runs, %.0f a minute, %llu steps and %llu switches a run (%llu before the "
           "scene begins), %d findings\n",
           sim_scene.name, (unsigned long long)runs, (double)runs * 60 / seconds,
           (unsigned long long)(runs ? steps / runs : 0),
           (unsigned long long)(runs ? switches / runs : 0), (unsigned long long)p.begun, findings);
    if (opt.same && findings == 0)
        printf("%s: seed %llu took the same steps %llu times, hash %016llx\n", sim_scene.name,
               (unsigned long long)opt.seed, (unsigned long long)runs,
               (unsigned long long)last_hash);
    if (sim_scene.faults)
        printf("%s: %llu runs met a fault\n", sim_scene.name, (unsigned long long)faults);
    return findings > 0;
}

static void settle(int argc, char **argv)
{
    const int wanted = ADDR_NO_RANDOMIZE;
    if (personality(0xffffffff) & wanted)
        return;
    (void)argc;
    personality(wanted);
    setenv("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0:glibc.malloc.arena_max=1", 1);
    unsetenv("CAUSEWAY_LAUNCH");
    execv("/proc/self/exe", argv);
    perror("sim: execv");
    exit(2);
}

static __attribute__((noinline)) int explore_by(int argc, char **argv)
{
    sim_parse(argc, argv, &opt);
    if (opt.cpu >= 0) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET(opt.cpu, &set);
        sched_setaffinity(0, sizeof set, &set);
    }
    output_fd = memfd_create("output", MFD_CLOEXEC);
    fcntl(output_fd, F_SETFL, O_APPEND);
    if (!freopen("/dev/null", "r", stdin))
        return 2;
    setvbuf(stdout, NULL, _IOLBF, 0);
    make_world();
    sim_snap_init();
    if (sim_scene.blind_launcher)
        be_blind();
    sim_sites_begin(opt.coverage, opt.weaken);
    sim_fork_begin(be_pe);
    int found = opt.strategy == SIM_EXHAUSTIVE ? explore_all() : explore();
    sim_sites_end(opt.coverage);
    return found;
}

/** The first thread's frames lie at one place in all runs of a seed: above them are the environment
 *  and the arguments, of any length, and the library keeps tables by addresses. */
int sim_main(int argc, char **argv)
{
    enum { ABOVE = 1 << 20 };
    close_range(STDERR_FILENO + 1, ~0u, 0);  // numbers of descriptors are part of a run
    settle(argc, argv);
    volatile char *room = __builtin_alloca(1 + (uintptr_t)__builtin_frame_address(0) % ABOVE);
    *room = 0;
    int found = explore_by(argc, argv);
    *room = 1;  // it stays until here
    return found;
}
