// SPDX-License-Identifier: BSD-3-Clause
/*
 * The start-up simulator. It runs the library's own placement, exchange and connection code
 * (src/bootstrap, src/core), one simulated PE after the other, over a bootstrap and a transport
 * that only record their calls (record.c). The record is then played in simulated time: each PE and
 * node server is a thread on the cores of its host, and the price of each step comes from measured
 * runs (model.c, over the event queue of engine.c).
 *
 * There are two steps because the library is one PE a process, and its calls at start do not depend
 * on the time of the replies. One thread, except for the real server threads while recording.
 */
#ifndef BENCH_SIM_H
#define BENCH_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ---------------------------------------------------------------- the job
typedef enum sim_pattern {
    SIM_HELLO,   // nothing
    SIM_RING,    // a put to the next PE
    SIM_STENCIL  // puts to four neighbours on a grid of PEs, a reduction
} sim_pattern_t;

typedef enum sim_fence {
    SIM_SHM,   // one machine, counters in shared memory (oshrun)
    SIM_STAR,  // each host sends to one server, which replies to each
    SIM_TREE   // combining tree between hosts
} sim_fence_t;

typedef struct sim_config {
    int npes, nnodes;
    int nhosts;  // 1: all nodes share a machine (emulated); nnodes: a host for each
    int cores;   // of a host
    bool is_static, is_blocking;
    sim_pattern_t pattern;
    sim_fence_t fence;
    int fanout;        // of the tree, for launch and fence
    double tables_ns;  // of a PE's tables of all PEs; negative: as measured of the real code
} sim_config_t;

// ----------------------------------- prices, in nanoseconds of a core unless said otherwise
typedef struct sim_cost {
    double start;      // launcher, before it starts the first PE
    double spawn;      // launcher, to start one PE
    double reap;       // and to read what it prints, and to reap it
    double seat;       // PE, until its exec: so long it takes one of the launcher's seats
    double exec;       // PE, from exec to shmem_init
    double kernel;     // and what the kernel does beside, which no process is charged with
    double join;       // PE, in shmem_init, whatever the size of the job
    double wake;       // PE, to be woken up
    double look;       // PE that waits, to look whether the others live and to sleep again
    double leave;      // PE, shmem_finalize and the end of the process
    double serve;      // thread of a node server: start and end
    double shut;       // the PE that hosts it, to close what is between nodes
    double begin;      // process, to load the network library, in the thread of its program
    double load;       // and to choose a provider, perhaps in a thread of its own
    double load_wait;  // and the time it sleeps meanwhile, no core busy
    double listen;     // node server, to open its endpoint
    double open;       // PE, to open its client
    double connect;    // PE, for one connection
    double accept;     // node server, for one connection
    double hop;        // latency between nodes, no core busy
    double message;    // launcher's daemon, for one message of a fence
    double daemon;     // to start a launcher's daemon on another host, latency
    double bandwidth;  // of a fence, bytes per nanosecond
    double tick, phase, slice;  // sim_clock_t
} sim_cost_t;

// ---------------------------------------------------------------- recorded steps (record.c)
typedef enum sim_op {
    SIM_OP_BEGIN,     // the library is loaded; a server's thread does the rest
    SIM_OP_LOAD,      // that or all of it
    SIM_OP_LISTEN,    // node server's endpoint
    SIM_OP_PUT,       // a key: count bytes
    SIM_OP_POST,      // the fence is started
    SIM_OP_AWAIT,     // its end is needed
    SIM_OP_OPEN,      // client
    SIM_OP_CONNECT,   // to nodes arg .. arg + count - 1
    SIM_OP_SERVER,    // start of the node server
    SIM_OP_INIT_END,  // shmem_init returns
    SIM_OP_BARRIER,   // of the job
    SIM_OP_SERVE,     // the server accepts from here on
} sim_op_t;

typedef struct sim_step {
    uint8_t op;
    uint32_t arg, count;
} sim_step_t;

typedef struct sim_script {
    sim_step_t *steps;
    int n, room;
} sim_script_t;

typedef struct sim_record {
    sim_script_t *pe;      // [npes]; PEs of one kind may share steps
    sim_script_t *server;  // [nnodes]
    int recorded;          // PEs whose code ran
    double place_ns;       // the real code's time for the table of PEs, for one PE
    double tables_ns;      // and for its peer words
    double first_ns;       // for both, for the first PE of a node: it fills in what all share
    size_t table_nbytes;   // memory that both take in a PE
    size_t node_nbytes;    // and in the node object
    uint64_t published;    // bytes of all keys
} sim_record_t;

void sim_record(const sim_config_t *config, sim_record_t *record);
void sim_script_add(sim_script_t *script, sim_op_t op, uint32_t arg, uint32_t count);

// ---------------------------------------------------------------- events and cores (engine.c)
typedef struct sim_thread sim_thread_t;
struct sim_thread {
    void (*go)(sim_thread_t *self);  // runs when its work on a core is over, or when it is
                                     // scheduled
    int host;
    double work;         // left
    int core;            // that it has, waits for or had last
    sim_thread_t *next;  // in the queue for a core
    bool known;          // has had work before
    double ran;          // virtual time: what it had of its core, beside the other threads
    double deadline;     // in virtual time
    double lag;          // while it has no work: what it lacked when its work was over
};

/** In ns: from one tick of the scheduler's clock to the next, to the first (less than that), and
 *  what it wants a thread to have at once. */
typedef struct sim_clock {
    double tick, phase, slice;
} sim_clock_t;

void sim_engine_begin(int nhosts, int cores, sim_clock_t clock);
void sim_engine_end(void);
double sim_now(void);
/** Calls self->go(self) after this time. */
void sim_after(sim_thread_t *self, double ns);
/** Calls self->go(self) after the thread has had a core of its host for this time. */
void sim_work(sim_thread_t *self, double ns);
/** Runs until the queue is empty. Returns the number of events. */
uint64_t sim_engine_run(void);

// ---------------------------------------------------------------- the result (model.c)
typedef struct sim_result {
    double wall_ms, launched_ms, fence_ms, cpu_ms;
    double init_median_ms, init_mean_ms, init_max_ms;  // of the PEs
    uint64_t connections, endpoints, events;
    int most_connections;  // of one PE
    int most_accepts;      // of one server
} sim_result_t;

void sim_play(const sim_config_t *config, const sim_cost_t *cost, const sim_record_t *record,
              sim_result_t *result_p);

#endif
