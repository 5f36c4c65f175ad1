// SPDX-License-Identifier: BSD-3-Clause
//
// Where the time of starting goes: always recorded, printed by CAUSEWAY_STATS and by
// causeway-info --startup.
//
// Phases of the main thread and of the helper that hosts the node server overlap, so the sum may
// exceed `init`. What a PE never needed stays 0. Threads: any; relaxed atomics, read when the job
// ends. Blocking: never.
#ifndef CW_CORE_STARTUP_H
#define CW_CORE_STARTUP_H

#include <stdbool.h>
#include <stdint.h>

typedef enum cw_phase {
    CW_PHASE_LAUNCH,            // launcher (or process) start -> the call that joins
    CW_PHASE_BOOTSTRAP,         // joining the launcher's job, learning who shares the node
    CW_PHASE_NODE_OBJECT,       // the node's memory: obtained, mapped, laid out
    CW_PHASE_NODE_WAIT,         // the program waited so long until all PEs of the node had it
    CW_PHASE_FABRIC_LOAD,       // loading libfabric and choosing the provider
    CW_PHASE_ENDPOINT,          // opening the node server's and this PE's endpoints
    CW_PHASE_EXCHANGE_POST,     // publishing the node's record, starting the fence
    CW_PHASE_EXCHANGE_WAIT,     // the program waited so long for the fence to end
    CW_PHASE_FIRST_CONNECTION,  // looking up the first node, connecting to it
    CW_PHASE_STATIC_CONNECT,    // CAUSEWAY_CONNECT=static: all connections
    CW_PHASE_INIT,              // all of the call that joins
    CW_PHASES
} cw_phase_t;

/** How the exchange stood when its result was first needed. */
typedef enum cw_exchange {
    CW_EXCHANGE_UNUSED,    // it never was
    CW_EXCHANGE_READY,     // over: no wait
    CW_EXCHANGE_WAITED,    // still under way
    CW_EXCHANGE_BLOCKING,  // init waited for it: CAUSEWAY_EXCHANGE=blocking, or an MPI shares the
                           // launcher's wire
} cw_exchange_t;

/** Who loaded libfabric. */
typedef enum cw_fabric { CW_FABRIC_NONE, CW_FABRIC_HELPER, CW_FABRIC_ON_DEMAND } cw_fabric_t;

/** shmem_init begins: everything is zero again. */
void cw_startup_begin(void);
/** The launcher started at this time (CLOCK_MONOTONIC); 0: not known. */
void cw_startup_launched(uint64_t launcher_ns);
/** From start_ns until now belongs to the phase. Returns now, where the next one starts. */
uint64_t cw_startup_add(cw_phase_t phase, uint64_t start_ns);
void cw_startup_exchange(cw_exchange_t state);
/** False: another was noted before. */
bool cw_startup_fabric(cw_fabric_t state);

uint64_t cw_startup_begin_ns(void);
uint64_t cw_startup_ns(cw_phase_t phase);
/** Of the phase in files and tables, without a unit. */
const char *cw_startup_name(cw_phase_t phase);
const char *cw_startup_exchange_name(void);
const char *cw_startup_fabric_name(void);

#endif
