// SPDX-License-Identifier: BSD-3-Clause
//
// The job as the bootstrap knows it: the fence that makes node records readable (the exchange), and
// the job's secret. Threads: any; calls are idempotent.
#ifndef CW_CORE_JOB_H
#define CW_CORE_JOB_H

#include "bootstrap/bootstrap.h"
#include "core/world/agreement.h"
#include "core/world/startup.h"
#include "core/world/world.h"

extern cwb_t cw_boot;

/** Does the launcher end all PEs? Then it has named the cause. */
static inline bool cw_job_is_ended(void)
{
    return cw_boot.ending && atomic_load_explicit(cw_boot.ending, memory_order_relaxed);
}

/** Published under cw_job_node_key, for PEs that connect to the node. */
typedef struct cw_node_record {
    cw_agreement_t agreement;
    uint32_t address_nbytes, origin_page;  // core/world/one_address.h
    char host[48];
    uint8_t address[CWT_ADDRESS_MAX];
} cw_node_record_t;
_Static_assert(sizeof(cw_node_record_t) <= CWB_VALUE_MAX, "must fit every launcher's value");

/** A new epoch, whose fence is to come. */
void cw_job_begin(void);
/** Sets cw_world.turn; the bootstrap is open. */
void cw_job_number(void);
void cw_job_node_key(int node, char key[CWB_KEY_MAX + 1]);
/** PE 0 puts a fresh secret unless the launcher did; before the fence. */
int cw_job_offer_secret(void);
/** For a PE that hosts no server. */
int cw_job_fence_start(void);
/** The server's thread has published the record and started the fence. */
void cw_job_published(void);
/** At once in processes without a server. [waits] */
void cw_job_await_published(void);
/** Completes the fence (once an epoch) and reads the secret. [waits] */
int cw_job_end_exchange(void);
/** For the program, which needs it now: notes whether, and how long, it waited. [waits] */
int cw_job_need_exchange(void);
/** CWT_SECRET_BYTES, once the exchange has ended. */
const uint8_t *cw_job_secret(void);
/** In the program's thread, before one of the library loads the transport. */
void cw_job_begin_load(void);
/** Loads the transport's libraries; notes the time, and who was first. */
int cw_job_load_transport(cw_fabric_t who);
/** Of all nodes, where MPI may close the way to the launcher. */
int cw_job_keep_records(void);
/** Reads and checks another node's, after the fence; reports. */
int cw_job_node_record(int node, cw_node_record_t *record_p);
/** For messages: "node 3 (host abc)". */
const char *cw_job_node_name(int node);

#endif
