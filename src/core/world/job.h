// SPDX-License-Identifier: BSD-3-Clause
//
// The job as the bootstrap knows it, shared by the PE's main thread and its server thread: the
// fence that makes node records readable (the exchange), and the job's secret. Idempotent and
// thread-safe. Ending the exchange may wait.
#ifndef CW_CORE_JOB_H
#define CW_CORE_JOB_H

#include "bootstrap/bootstrap.h"
#include "core/world/agreement.h"
#include "core/world/startup.h"
#include "core/world/world.h"

extern cwb_t cw_boot;

/** Does the launcher end all PEs? Then it has named the cause, and what follows needs no line. */
static inline bool cw_job_is_ended(void)
{
    return cw_boot.ending && atomic_load_explicit(cw_boot.ending, memory_order_relaxed);
}

/** What a node publishes under a key of its own (cw_job_node_key) for PEs that connect to it. */
typedef struct cw_node_record {
    cw_agreement_t agreement;
    uint32_t address_nbytes, origin_page;  // core/world/one_address.h
    char host[48];
    uint8_t address[CWT_ADDRESS_MAX];
} cw_node_record_t;
_Static_assert(sizeof(cw_node_record_t) <= CWB_VALUE_MAX, "must fit every launcher's value");

/** A new epoch begins: its fence is still to come. */
void cw_job_begin(void);
/** Sets cw_world.turn: when the bootstrap is open. */
void cw_job_number(void);
/** The key of a node's record in this epoch. */
void cw_job_node_key(int node, char key[CWB_KEY_MAX + 1]);
/** PE 0 puts a fresh secret unless the launcher did. Before the fence is started. */
int cw_job_offer_secret(void);
/** Starts the fence for a PE that hosts no server. */
int cw_job_fence_start(void);
/** In a process that hosts the node server: its thread has published the record and started the
 *  fence. */
void cw_job_published(void);
/** Returns when it has; at once in other processes. [waits] */
void cw_job_await_published(void);
/** Completes the fence (once an epoch) and reads the secret. [waits] */
int cw_job_end_exchange(void);
/** The same for the program, which needs the result now: notes whether it had to wait, and how
 *  long. [waits] */
int cw_job_need_exchange(void);
/** CWT_SECRET_BYTES; known once the exchange has ended. */
const uint8_t *cw_job_secret(void);
/** Before a thread of the library loads the transport: what must be done in the program's. */
void cw_job_begin_load(void);
/** Loads the transport's libraries and notes the time, and who did it first. */
int cw_job_load_transport(cw_fabric_t who);
/** Reads the records of all nodes, for a job whose way to the launcher MPI may close at any time
 *  (MPI_Finalize). */
int cw_job_keep_records(void);
/** Reads and checks the record of another node (after the fence). Messages are printed. */
int cw_job_node_record(int node, cw_node_record_t *record_p);
/** For messages: "node 3 (host abc)". */
const char *cw_job_node_name(int node);

#endif
