// SPDX-License-Identifier: BSD-3-Clause
//
// The contract of every bootstrap back end: rank and size, the PEs of this node, and a small
// key-value store.
//
// A key put before a PE's fence is readable by every PE after that fence. fence_nb starts a fence
// and returns at once; fence_wait completes it. One fence is outstanding at a time. Keys are short
// ASCII names without blanks (<= 31 characters), values are bytes (<= 240 bytes: what the smallest
// launcher can carry); back ends whose wire is text encode them. After the first fence the key
// "secret" holds the job's 16 random bytes.
// Threads: every slot but open/close may be called by any thread; back ends lock where their wire
// needs it.
// A process may join, leave and join again (close, then open): the place in the job, the launcher's
// connection and the keys put before stay. Keys are put once, so a later epoch uses other names.
// Blocking: fence_wait, and get until the launcher replies; never longer than CAUSEWAY_TIMEOUT
// without a message.
#ifndef CW_BOOTSTRAP_BOOTSTRAP_H
#define CW_BOOTSTRAP_BOOTSTRAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mpi/facts.h"
#include "bootstrap/state.h"

#define CWB_KEY_MAX 31
#define CWB_VALUE_MAX 240

typedef struct cwb cwb_t;

/** What the death of a PE by a signal ends: the job; the PE alone, which the program has asked for;
 *  or the job, because the PE hosts the server of its node, which the others cannot do without. */
typedef enum cwb_death { CWB_DEATH_ENDS_JOB, CWB_DEATH_ENDS_PE, CWB_DEATH_ENDS_NODE } cwb_death_t;

#define CWB_RECORD_NBYTES (UINT64_C(1) << 36)

/** Nodes whose PEs have consecutive numbers, in order: nnodes[i] nodes of ppn[i] PEs each, and so
 *  on, until all PEs have a node. */
#define CWB_RUNS_MOST 16
typedef struct cwb_runs {
    int n;
    int nnodes[CWB_RUNS_MOST], ppn[CWB_RUNS_MOST];
} cwb_runs_t;

typedef struct cwb_ops {
    const char *name;  // "launch", "pmix", "pmi1", "pmi2", "mpi", "single"
    bool sees_ends;    // the launcher ends the job when a PE ends without leaving it
    /** Fills pe, npes, job_id, node_fd, one_machine. CW_ENOENT: this launcher did not start the
     *  process (no message). */
    int (*open)(cwb_t *b);
    /**
     * Writes the node number (0..nnodes-1, dense, in order of their lowest PE) of every PE. Called
     * by all PEs, with no fence outstanding: it may run fences of its own.
     */
    int (*nodes)(cwb_t *b, int *node_of_pe);
    /** The same where the launcher knows it as a few runs, so that no PE needs a table for it; asks
     *  no other PE. False: `nodes` says. NULL: always. */
    bool (*runs)(cwb_t *b, cwb_runs_t *runs_p);
    int (*put)(cwb_t *b, const char *key, const void *value, size_t nbytes);
    /** CW_ENOENT (no message): another library of this process has closed the connection to the
     *  launcher (pmi1), or MPI_Finalize has been called (mpi). */
    int (*fence_nb)(cwb_t *b);
    int (*fence_wait)(cwb_t *b);
    /** True when the fence is complete, so that fence_wait returns at once. Never waits. */
    bool (*fence_test)(cwb_t *b);
    /** Reads a key that PE `owner` published before the last completed fence. *nbytes_p: in
     *  capacity, out size. CW_ENOENT if absent. */
    int (*get)(cwb_t *b, int owner, const char *key, void *value, size_t *nbytes_p);
    /** Ends every PE of the job with `status`; does not return. failed: because of an error, which
     *  has been reported and may follow from the end of another PE; else because the program asked
     *  for it. */
    void (*abort)(cwb_t *b, int status, bool failed);
    /** init, finalize: the routines by which the program has joined last, and that it must call
     *  before it ends, for the launcher's messages. NULL: the launcher does not ask. */
    void (*tell)(cwb_t *b, const char *init, const char *finalize);
    /** From here on that is what the death of this PE by a signal ends. Where it ends the PE alone,
     *  it is counted in cwb.deaths, and no fence waits for it. NULL: the launcher ends the job
     *  whatever the program asks for. */
    void (*survive)(cwb_t *b, cwb_death_t what);
    /** 0, or the signal that has killed that PE, which is one of those that cwb.deaths counts. NULL
     *  with `survive`. */
    int (*killed_by)(cwb_t *b, int pe);
    /** Leaves: from here on a clean exit of this PE is no failure. It may open again. */
    void (*close)(cwb_t *b);
    /** NULL, or what has ended: the launcher's process that this one is connected with, in the
     *  middle of the job. Asked now and then, by any thread; never waits. */
    const char *(*lost)(cwb_t *b);
    /** The last call in a process that ends by _exit, after close: reports to the launcher what
     *  exit handlers would. */
    void (*goodbye)(void);
} cwb_ops_t;

struct cwb {
    const cwb_ops_t *ops;
    int pe, npes;
    /** Another library of this process uses the same connection to the launcher: no fence may stay
     *  outstanding. */
    bool shared_wire;
    /** Only the thread that called open may wait for the fence. It does so in init; other threads
     *  wait for that thread. */
    bool one_thread;
    /** The memfd for the node object, which all PEs of this node inherited from the launcher; or
     *  -1. */
    int node_fd;
    /** An object of the launcher in which PE i may use CWB_RECORD_NBYTES from i * CWB_RECORD_NBYTES
     *  on: what is there the launcher finds when the job has ended. 0: there is none. */
    int records_fd;
    /** Where PE i tells the launcher, when it asks, what it does; NULL: this launcher does not. */
    cwb_state_t *states;
    /** How many PEs have been killed while the others go on; NULL: this launcher does not count. */
    const _Atomic uint32_t *deaths;
    /** Not 0: the launcher ends all PEs, and has said why; NULL: this launcher does not tell. */
    const _Atomic uint32_t *ending;
    /** All PEs run on this machine and network: listeners bind to loopback only. */
    bool one_machine;
    /** A job over the communicator that cwb_mpi_choose has named: it has a store and a name of its
     *  own, and the next one may have other PEs. */
    bool is_part;
    /** When the launcher started (CLOCK_MONOTONIC), or 0 if unknown. */
    uint64_t started_ns;
    /** Memory of this machine if the launcher knows it, or 0: see base/machine.h. */
    uint64_t machine_nbytes;
    /** Processors that the PEs of this machine have together, however each is bound, or 0: not
     *  known. */
    int ncpus;
    /** The namespace of this process's number if the launcher knows it, or 0. */
    uint32_t pid_namespace;
    /** Unique per job on this host, the same on all PEs; at most 64 characters. */
    char job_id[72];
    void *priv;
};

/** Picks the back end: CAUSEWAY_BOOTSTRAP, or the first that shows signs of having started this
 *  process, of oshrun, PMIx, PMI-1, PMI-2 by its library, an MPI that is initialised, a single PE.
 *  Errors are reported. */
int cwb_open(cwb_t *b);
/** Of back ends that do not see the end of their launcher. */
const char *cwb_never_lost(cwb_t *b);

/** Has oshrun started this process? Before it joins, too. */
bool cwb_is_of_oshrun(void);

extern const cwb_ops_t cwb_launch, cwb_pmix, cwb_pmi1, cwb_pmi2, cwb_mpi, cwb_single;

// ---------------------------------------------------------------- before main
/** Is this a PE of another launcher than oshrun, whose program lies at a random address, and may it
 *  begin again? Programs at a fixed address need not. (restart.c) */
bool cwb_may_restart(void);
/** Executes the program again, before main has done anything, without address randomisation.
 *  Returns if that is not possible: the process is as it was. */
void cwb_restart(char *const *argv);
/** Does the program, without a loader (-static-pie), lie so near to the stack that its symmetric
 *  heap may have no place between them? */
bool cwb_lies_badly(void);
/** Executes it again, as cwb_restart, where the kernel places it next; up to four times. */
void cwb_restart_elsewhere(char *const *argv);

// ---------------------------------------------------------------- an MPI in the same process
// With any back end the process may use an MPI as well. Handles of communicators are passed by
// address, with their size for comparison; 0: it is not known, the handle came in a register, whose
// first bytes it is. between may be NULL. Returns 0, or an error that has been reported.

/** Initialises the MPI that the program is linked with, for call (base/mpi/find.h), with that
 *  thread level or the one that the transport needs. CW_ENOENT (not reported): there is none to
 *  initialise, or oshrun has started the process, which MPI would take for a job of its own. */
int cwb_mpi_start(int level, const char *call);
/** The next cwb_open joins a job of the processes of that communicator, in the order of their
 *  ranks, whatever has started them. comm lives until then. */
void cwb_mpi_choose(const void *comm);
bool cwb_mpi_is_chosen(void);
/** Gathers the PEs of a communicator's members in the order of their ranks; each member passes its
 *  own. *n_p is 0 for MPI_COMM_NULL. The caller frees *pes_p. Collective over the communicator. */
int cwb_mpi_members(const void *comm, size_t comm_nbytes, int pe, const cwu_mpi_between_t *between,
                    int **pes_p, int *n_p, int *rank_p);
/** Combines words of all members, by AND and by MAX. Collective over the communicator. */
int cwb_mpi_combine(const void *comm, uint64_t *and_words, int nand, uint64_t *max_words, int nmax,
                    const cwu_mpi_between_t *between);
/** This process in MPI_COMM_WORLD, or in what was chosen; *null_p (may be NULL) becomes
 *  MPI_COMM_NULL. */
int cwb_mpi_rank(size_t comm_nbytes, void *null_p, int *rank_p, int *size_p);
/** MPI_INFO_NULL, as it passes in a register. */
int cwb_mpi_no_info(void **info_p);
/** A communicator of these ranks of it. Collective over them. tag: calls of several threads at a
 *  time have different ones. */
int cwb_mpi_create(const int *ranks, int n, int tag, const cwu_mpi_between_t *between,
                   void *comm_p);
/** Frees such a communicator, unless MPI is finalised. Collective over it. */
int cwb_mpi_free(void *comm_p, const cwu_mpi_between_t *between);

#endif
