// SPDX-License-Identifier: BSD-3-Clause
//
// The simulated world: what the driver and all threads of all PEs of a job share. It lies in memory
// that the driver maps before it forks the PEs, so at one address in all of them, and is written by
// the thread that holds the token only.
#ifndef SIM_WORLD_H
#define SIM_WORLD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sim.h"

enum {
    SIM_THREADS = 48,  // of all PEs, over a run
    SIM_PES = 8,
    SIM_FRAMES = 48,   // of a stack that is kept
    SIM_OBJECTS = 48,  // shared files
    SIM_DEVICE_NBYTES = 16 << 20,
    SIM_BUFFER = 8,   // stores of a thread that others do not see yet
    SIM_CHANGES = 8,  // of priorities, and forced switches
    SIM_TRACE = 4096,
    SIM_NET_NBYTES = 24 << 20,
    SIM_FIRST_PID = 1000,
    SIM_FIRST_TID = 2000,  // as the library sees them
    SIM_SERVE = 1 << 20,   // an errand: be the origin of copies
    SIM_DIE,               // another: end by the run's fault
};

#define SIM_FOR_EVER (UINT64_MAX / 2)  // of virtual time

typedef uint64_t sim_key_t;  // names a byte of memory in the whole job (map.c); 0: none

typedef enum sim_model { SIM_SC, SIM_TSO, SIM_C11 } sim_model_t;
typedef enum sim_strategy { SIM_RANDOM, SIM_PCT, SIM_EXHAUSTIVE, SIM_FORCED } sim_strategy_t;

typedef enum sim_fault {
    SIM_FAULT_NONE,
    SIM_FAULT_MEMORY,
    SIM_FAULT_DESCRIPTORS,
    SIM_FAULT_CALL,  // of libfabric: what opens, connects or sends
    SIM_FAULT_POLL,  // of libfabric: what looks for completions and events
    SIM_FAULT_KILL,  // a PE, by a signal
    SIM_FAULT_EXIT,  // a PE, by _exit
    SIM_FAULT_NODE,  // all PEs of a node
    SIM_FAULT_LINK,  // a connection of a PE is closed by the network
    SIM_FAULT_STOP,  // a PE stands still for a while, or for ever
    SIM_FAULTS
} sim_fault_t;

/** Its place is the number of a use, not a step. */
static inline bool sim_fault_counts(sim_fault_t kind)
{
    return kind <= SIM_FAULT_POLL;
}

static inline bool sim_fault_ends(sim_fault_t kind)
{
    return kind >= SIM_FAULT_KILL && kind <= SIM_FAULT_NODE;
}

typedef enum sim_state { SIM_NONE, SIM_RUNS, SIM_WAITS, SIM_GONE } sim_state_t;

typedef struct sim_store {
    sim_key_t key;
    void *at;
    uint64_t value;
    uint32_t nbytes;
} sim_store_t;

typedef struct sim_thread {
    _Atomic uint32_t go[2];  // futex: this thread holds the token; in a copy the second one,
                             // since the thread that it was made from waits for the first
    _Atomic bool parked;     // waits for that
    sim_state_t state;
    int pe, number;    // of its PE's threads
    const char *what;  // it waits for; NULL: it runs
    sim_key_t word;    // futex, mutex or condition slept on
    bool timed_out, interrupted;
    bool polls;  // waits for descriptors: looks again after input or output of others
    uint64_t seen_io;
    uint64_t deadline;  // of a wait; 0: none
    int64_t priority;
    uint64_t run_steps;  // in a row, for starvation under priorities
    uint64_t spent;      // steps since its priority was lowered, however often others ran
    const void *robust;  // its list of robust futexes
    uint32_t depth, nstores;
    sim_store_t stores[SIM_BUFFER];
    void *at;  // of its last scheduling point
    void *stack[SIM_FRAMES];
} sim_thread_t;

typedef enum sim_verdict {
    SIM_GOING,
    SIM_DONE,
    SIM_FAILED,
    SIM_DEADLOCK,
    SIM_LIVELOCK,
    SIM_LATE,
    SIM_CRASHED,
    SIM_STUCK,
    SIM_RACE,
    SIM_LOST
} sim_verdict_t;

typedef struct sim_event {
    uint64_t step;
    int16_t thread, what;
    void *at;
} sim_event_t;

typedef struct sim_world {
    // the run
    uint64_t seed, block;  // block: of seeds with one start-up
    sim_strategy_t strategy;
    sim_model_t model;
    int depth;              // of PCT
    uint32_t mean_quantum;  // of random walks
    uint64_t changes[SIM_CHANGES];
    int nchanges, next_change;
    uint64_t random, scene_random;
    uint64_t plan_steps, plan_begun;    // of a run, as far as is known
    int wanted_strategy, wanted_depth;  // by options; -1, 0: by the seed
    sim_fault_t fault;                  // of this run
    int fault_pe;
    uint64_t fault_at;  // the number of the use, or its step
    bool fault_hit;
    char fault_call[24];  // the call that has failed, and its error
    int fault_error;
    uint64_t fault_for;      // how long a PE stands still
    uint64_t stopped_until;  // of virtual time: fault_pe stands still; 0: it does not
    uint64_t uses[SIM_FAULTS][SIM_PES], plan_uses[SIM_FAULTS];
    bool snaps, snap_asked;
    int copied;    // 1: the run's processes are copies
    int begun_by;  // the thread that began the scene; -1: not yet
    // the token
    int64_t left, quantum;  // scheduling points until the next decision
    uint64_t steps, switches, decisions;
    int yields;               // behind the network's last step
    int current, errand;      // errand: network action that the woken thread is to carry out
    _Atomic uint32_t driver;  // futex of the driver
    int ended_pe;             // a process that has ended, for the driver to wait for
    int ended_status;
    int nthreads, ndecided;
    int64_t lowest;  // priority given to threads that give way
    sim_thread_t threads[SIM_THREADS];
    pid_t pids[SIM_PES];
    pid_t unreaped[SIM_PES];  // of PEs that have ended, where the launcher does not ask for them
    // time
    uint64_t now_ns, counted;           // steps that are in it
    uint64_t strict_from, strict_most;  // 0: time may pass
    uint64_t jumps;
    uint64_t began_steps;  // steps at sim_begin
    uint64_t io;           // bumped by what may make a descriptor ready
    uint64_t nstores;      // in all buffers
    // objects
    int nobjects;
    struct {
        uint64_t dev, ino;
    } objects[SIM_OBJECTS];
    // the verdict
    sim_verdict_t verdict;
    uint64_t hash;  // of all decisions: two runs of a seed are the same
    char message[2048];
    const sim_scene_t *scene;
    void *common;   // of the scene
    int device_fd;  // the memory of the simulated device (device.c), in all processes
    uint64_t most_steps;
    bool tracing;
    uint32_t ntrace;
    sim_event_t trace[SIM_TRACE];
    struct sim_net *net;
    void *pool;  // of the network; from here on
} sim_world_t;

extern sim_world_t *sim;  // NULL: this process is not simulated
extern _Thread_local int sim_me __attribute__((tls_model("initial-exec")));  // -1: outside
#define SIM_ME (&sim->threads[sim_me])

static inline bool sim_inside(void)
{
    return sim_me >= 0;
}

/** Does none of its threads run, since the PE stands still? */
static inline bool sim_is_stopped(int pe)
{
    return sim->stopped_until > sim->now_ns && pe == sim->fault_pe;
}

// ---------------------------------------------------------------- sched.c
uint64_t sim_random(uint64_t *state);
static inline uint32_t sim_below(uint32_t n)
{
    return n ? (uint32_t)(sim_random(&sim->random) >> 33) % n : 0;
}
void sim_reschedule(void);
static inline void sim_point(void)
{
    if (sim_me >= 0 && --sim->left <= 0)
        sim_reschedule();
}
/** An access that no other thread can see: a step, but no point. */
void sim_pass(void);
/** Decide at the next point: something may run that could not before. */
static inline void sim_decide_soon(void)
{
    if (sim->strategy == SIM_PCT && sim->left > 1) {
        sim->quantum -= sim->left - 1;
        sim->left = 1;
    }
}
/** Sleeps until woken or timed out; deadline 0: for ever. Returns true when woken. */
bool sim_wait(const char *what, sim_key_t word, uint64_t deadline, bool polls);
int sim_wake(sim_key_t word, int most);
void sim_give_way(bool yields);
uint64_t sim_clock(void);
int sim_thread_new(int pe);
void sim_take_token(int me);
void sim_leave(void);  // this thread has ended; gives the token away, for ever
void sim_stop(sim_verdict_t verdict, const char *format, ...)
    __attribute__((format(printf, 2, 3), noreturn));
/** Of this thread's process; signo: it is killed. */
void sim_end_process(int status, int signo) __attribute__((noreturn));
void sim_start(int thread);  // by the driver
void sim_hand_to_driver(void);
void sim_plan_scene(void);                   // all that the seed decides from sim_begin on
void sim_go_on(void);                        // by the driver: decides who is next
bool sim_await_driver(uint32_t timeout_ms);  // false: the time is over
static inline void sim_io(void)
{
    sim->io++;
    sim_decide_soon();
}

// ---------------------------------------------------------------- map.c
sim_key_t sim_key(const void *at);
/** Of memory of a file that PEs share; else it is its process's own. */
static inline bool sim_key_is_shared(sim_key_t key)
{
    return key >> 63;
}
void sim_mapped(void *at, size_t nbytes, int flags, int fd, off_t offset);
void sim_unmapped(void *at, size_t nbytes);
void sim_remapped(void *from, size_t from_nbytes, void *to, size_t nbytes);
bool sim_on_stack(const void *at);

// ---------------------------------------------------------------- model.c
void sim_drain(void);                            // this thread's stores become visible
void sim_forget(const void *at, size_t nbytes);  // memory that is used anew
void sim_model_begin(void);  // before PEs are forked
void sim_model_reset(void);
void sim_follows(int later, int earlier);  // threads: all of earlier's is visible to later
/** Memory written by the network, in the process that it belongs to. */
void sim_written(void *at, size_t nbytes);

// ---------------------------------------------------------------- net.c
void sim_net_reset(void);
void sim_net_draw(uint64_t seed);          // its habits
int sim_net_actions(int *list, int most);  // what may happen next
int sim_net_process(int action);           // in which PE's process
void sim_net_act(int action);
int64_t sim_net_priority(int action);
void sim_net_set_priority(int action, int64_t priority);
const char *sim_net_text(int action);
void sim_net_lost(int pe);  // its process has ended
void sim_net_cut(int pe);   // one of its connections, if there is one
uint64_t sim_net_deadline(void);
void *sim_net_library(const char *name);  // dlsym of the simulated libfabric
void *sim_share(size_t nbytes);           // by the driver: memory that its PEs share
void *sim_alloc(size_t nbytes);           // shared, zeroed, freed at the end of the run

// ---------------------------------------------------------------- real ones (wrap.c)
void sim_wrap_reset(void);
void sim_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
