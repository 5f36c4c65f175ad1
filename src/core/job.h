// SPDX-License-Identifier: BSD-3-Clause
//
// The job as the bootstrap knows it, shared by the PE's main thread and its server thread: the fence that makes
// node records readable, and the job's secret. Both calls are idempotent and thread-safe; the second may wait.
#ifndef CW_CORE_JOB_H
#define CW_CORE_JOB_H

#include "bootstrap/bootstrap.h"
#include "core/server.h"

extern cwb_t cw_boot;

/** A new life begins: its fence is still to come. */
void cw_job_begin(void);
/** The key of a node's record in this life. */
void cw_job_node_key(int node, char key[CWB_KEY_MAX + 1]);
/** PE 0 puts a fresh secret unless the launcher did. Before the fence is started. */
int cw_job_offer_secret(void);
/** Starts the fence for a PE that hosts no server. */
int cw_job_fence_start(void);
/** Completes the fence (once a life) and reads the secret. */
int cw_job_fence_and_secret(uint8_t secret[CWT_SECRET_BYTES]);
/** Reads and checks the record of another node (after the fence). Messages are printed. */
int cw_job_node_record(int node, cw_node_record_t *record_p);
/** For messages: "node 3 (host abc)". */
const char *cw_job_node_name(int node);

#endif
