// SPDX-License-Identifier: BSD-3-Clause
//
// The job object: one memfd made by oshrun, inherited and mapped by all PEs. oshrun (tools/oshrun)
// and the back end `launch` are its only users. It holds the shape of the job, the fence, the
// key-value store and the word by which a PE ends the whole job.
//
//   0          header (cwb_job_t)
//   pes_off    cwb_job_pe_t[npes]            one entry a PE: life cycle, node, process
//   states_off cwb_state_t[npes]             what each PE does, when it is asked (state.h)
//   bkt_off    uint32_t[nbuckets]            heads of the chains of the store, in units of 16 bytes
//              (0: empty)
//   log_off    cwb_job_rec_t, key, value …   the store: append-only, padded to 16 bytes
//   nbytes     end (sparse: unused parts take no memory)
//
// Threads: all functions are lock-free and safe between threads and processes. A process that dies
// during a put leaves an unlinked record behind, nothing else.
#ifndef CW_BOOTSTRAP_JOB_H
#define CW_BOOTSTRAP_JOB_H

#include "base/compiler.h"

#include "bootstrap/bootstrap.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define CWB_JOB_MAGIC UINT64_C(0x38304a5741534143)  // "CASAWJ08"
#define CWB_JOB_ENV "CAUSEWAY_LAUNCH"

// Life cycle of a PE's entry. A PE moves it forward; back, from LEFT to JOINED, only when it
// initialises again. FAILED: it has reported an error and ends the job.
enum { CWB_PE_NEW, CWB_PE_JOINED, CWB_PE_LEFT, CWB_PE_FAILED };

// A PE ends the job: because of an error, which the death of another PE may explain, or because the
// program asked for it.
enum { CWB_ABORT_NONE, CWB_ABORT_CLAIMED, CWB_ABORT_FAILED, CWB_ABORT_ASKED };

enum { CWB_JOB_NODE_NAMES = 1 };  // flags: CAUSEWAY_NODE decides who shares a node

typedef struct cwb_job_pe {
    _Atomic uint32_t state;   // CWB_PE_…: written by the PE, read by oshrun after the process
                              // has ended
    _Atomic uint32_t fences;  // fences this PE has reached, for the message of a late one
    uint32_t node;
    _Atomic int32_t pid;  // process group of the PE, written by oshrun for its guard (0: none,
                          // or ended)
    // For messages: the routines that the program has joined by, and that it must call before it
    // ends. Written by the PE, read by oshrun after a process has ended.
    char init[32], finalize[80];
    _Atomic uint32_t death;  // cwb_death_t: written by the PE, read by oshrun
    // 0, or the signal that has killed it, while the others go on: written by oshrun before it
    // counts it in `deaths`
    _Atomic uint32_t killed;
} cwb_job_pe_t;
_Static_assert(sizeof(cwb_job_pe_t) == 136, "shared layout");

typedef struct cwb_job {
    uint64_t magic;
    uint64_t nbytes, pes_off, states_off, bkt_off, log_off;
    uint32_t npes, nnodes, nbuckets, flags;
    int32_t launcher_pid;
    uint32_t pid_namespace;  // of that number, 0 if not known
    char job_id[72];
    uint32_t ncpus;           // processors that the PEs have together, 0 if not known
    uint64_t started_ns;      // CLOCK_MONOTONIC when oshrun began
    uint64_t machine_nbytes;  // memory of the machine, 0 if not known
    cwb_runs_t runs;          // the nodes of the entries below, in few numbers
    // Written once by the PE that calls abort (claimed, status, the kind), read by oshrun.
    _Atomic uint32_t abort_state;
    _Atomic int32_t abort_status;
    _Atomic int32_t abort_pe;
    // Either all PEs join or none. oshrun counts PEs that ended without joining, then reads
    // `joined`; a PE counts itself as joined, then reads `left_unjoined`. Both are sequentially
    // consistent, so one of the two sees the other.
    _Atomic uint32_t left_unjoined, joined;
    _Atomic uint32_t ending;  // futex: set by oshrun when it begins to end the PEs
    // PEs that were killed while the others go on. oshrun moves `generation` on behind the count:
    // what sees that sees this, too.
    _Atomic uint32_t deaths;
    // Fence: the last of npes arrivals resets `arrived`, then moves `generation` on (release; pairs
    // with the acquire in fence_passed of launch.c). `sleepers` says whether a wake-up is due. From
    // the first death on `fences` of each PE that lives decides, and `generation` only wakes.
    CW_CACHE_ALIGNED _Atomic uint32_t arrived;
    CW_CACHE_ALIGNED _Atomic uint32_t generation;
    _Atomic uint32_t sleepers;
    CW_CACHE_ALIGNED _Atomic uint64_t log_next;  // next free byte of the log
} cwb_job_t;
_Static_assert(sizeof(cwb_job_t) == 576, "shared layout");

typedef struct cwb_job_rec {
    uint32_t next;  // next record of the chain, in units of 16 bytes
    uint32_t value_nbytes;
    uint32_t key_nbytes;
    uint32_t hash;
} cwb_job_rec_t;
_Static_assert(sizeof(cwb_job_rec_t) == 16, "shared layout");

static inline cwb_job_pe_t *cwb_job_pe(cwb_job_t *job, uint32_t pe)
{
    return (cwb_job_pe_t *)((char *)job + job->pes_off) + pe;
}

static inline cwb_state_t *cwb_job_states(cwb_job_t *job)
{
    return (cwb_state_t *)((char *)job + job->states_off);
}

/** Bytes a job object of npes PEs needs. */
size_t cwb_job_nbytes(uint32_t npes);

/** Lays out a zeroed mapping of cwb_job_nbytes(npes) bytes. The caller fills in nodes, flags and
 *  job_id. */
void cwb_job_format(cwb_job_t *job, uint32_t npes, uint32_t nnodes);

/** Adds a key. 0, CW_ENOMEM (store full) or CW_EINVAL (key or value too long). A later put of a key
 *  hides earlier ones. */
int cwb_job_put(cwb_job_t *job, const char *key, const void *value, size_t nbytes);

/** Looks a key up. 0, CW_ENOENT, or CW_EINVAL when the value does not fit; *nbytes_p is then its
 *  size. */
int cwb_job_get(cwb_job_t *job, const char *key, void *value, size_t *nbytes_p);

#endif
