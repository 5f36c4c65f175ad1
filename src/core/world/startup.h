// SPDX-License-Identifier: BSD-3-Clause
//
// The time of starting, printed by CAUSEWAY_STATS and causeway-info --startup. Phases of the main
// thread and of the server's overlap. What a PE never needed stays 0. Threads: any; relaxed
// atomics, read when the job ends. Blocking: never.
#ifndef CW_CORE_STARTUP_H
#define CW_CORE_STARTUP_H

#include <stdbool.h>
#include <stdint.h>

typedef enum cw_phase {
    CW_PHASE_LAUNCH,            // launcher (or process) start -> the call that joins
    CW_PHASE_BOOTSTRAP,         // joining the launcher's job
    CW_PHASE_NODE_OBJECT,       // obtained, mapped, laid out
    CW_PHASE_NODE_WAIT,         // until all PEs of the node had it
    CW_PHASE_FABRIC_LOAD,       // and the choice of the provider
    CW_PHASE_ENDPOINT,          // the node server's and this PE's
    CW_PHASE_EXCHANGE_POST,     // the record is published, the fence started
    CW_PHASE_EXCHANGE_WAIT,     // for the end of the fence
    CW_PHASE_FIRST_CONNECTION,  // looking up the first node, connecting
    CW_PHASE_STATIC_CONNECT,    // CAUSEWAY_CONNECT=static
    CW_PHASE_INIT,              // all of the call that joins
    CW_PHASES
} cw_phase_t;

/** When its result was first needed. */
typedef enum cw_exchange {
    CW_EXCHANGE_UNUSED,    // never
    CW_EXCHANGE_READY,     // over: no wait
    CW_EXCHANGE_WAITED,    // still under way
    CW_EXCHANGE_BLOCKING,  // init waited: CAUSEWAY_EXCHANGE=blocking, or an MPI shares the wire
} cw_exchange_t;

/** Who loaded libfabric. */
typedef enum cw_fabric { CW_FABRIC_NONE, CW_FABRIC_HELPER, CW_FABRIC_ON_DEMAND } cw_fabric_t;

/** Everything is zero again. */
void cw_startup_begin(void);
/** CLOCK_MONOTONIC; 0: not known. */
void cw_startup_launched(uint64_t launcher_ns);
/** From start_ns until now. Returns now, where the next one starts. */
uint64_t cw_startup_add(cw_phase_t phase, uint64_t start_ns);
void cw_startup_exchange(cw_exchange_t state);
/** False: another was noted before. */
bool cw_startup_fabric(cw_fabric_t state);

uint64_t cw_startup_begin_ns(void);
uint64_t cw_startup_ns(cw_phase_t phase);
/** In files and tables, without a unit. */
const char *cw_startup_name(cw_phase_t phase);
const char *cw_startup_exchange_name(void);
const char *cw_startup_fabric_name(void);

#endif
