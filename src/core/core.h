// SPDX-License-Identifier: BSD-3-Clause
//
// The one header front ends see: the shared PGAS machine.
//
// Blocking: calls marked [waits] may block; all blocking ends in a sleep, and every wait makes
// progress for others.
// Errors: calls that return int give 0 or CW_E…, already reported. RMA, atomics and ordering have
// no error return: a lost peer is fatal for the job (message names PE, node, host, call).
// Threads: as shmem_init_thread granted. With THREAD_MULTIPLE any thread may use any context but
// the private ones of others.
#ifndef CW_CORE_CORE_H
#define CW_CORE_CORE_H

#include <stdbool.h>
#include <stdnoreturn.h>

#include "base/env.h"
#include "base/error.h"
#include "core/rma/hot.h"

enum { CW_THREAD_SINGLE, CW_THREAD_FUNNELED, CW_THREAD_SERIALIZED, CW_THREAD_MULTIPLE };

// ---------------------------------------------------------------- world (core/life/world.c)
typedef struct cw_world {
    int pe, npes;
    int node, nnodes;        // this PE's node
    int slot, nslots;        // this PE's place in its node
    int machine_pes;         // PEs that share this machine's cores: all of a one-machine job, else
                          // this node's
    int max_slots;           // most PEs of any node: node objects have one shape
    int *node_of_pe;         // [npes] placement, as the launcher gave it
    int *slot_of_pe;         // [npes]
    int *pes_of_node;        // PEs of this node in slot order [nslots]
    int *leader_of_node;     // [nnodes] lowest PE of each node (hosts its server)
    int *slots_of_node;      // [nnodes] how many PEs each node has
    unsigned life;           // how often this process has joined: 1, and more after the last
                          // finalize and another init
    bool initialized, finalized;
    _Atomic bool gathered;   // all PEs of this node have come (core/mem/gather.h)
    bool plain;              // between init and finalize, and nobody looks on
                            // (core/observe/watch.h): entry points test only this
    bool observed;           // somebody looks on
    bool watched;            // and wants to see every transfer: all peer words are cold
    bool check;              // checking mode
    int thread_level;
    bool hosts_server;
    bool thread_multiple;
    bool nic_atomics;        // every atomic goes through the NIC
    bool messages;           // active messages have been opened in this life (core/am/am.h)
} cw_world_t;
extern cw_world_t cw_world;

/** In checking mode? The build option -Dchecking=false makes it a constant. */
#define CW_CHECKING() (CAUSEWAY_CHECKING && CW_UNLIKELY(cw_world.check))

/** Joins the job. Counted: every init needs its finalize. After the last one it may be joined
 *  again. [waits] */
int cw_init(int thread_level);
/** Barrier, then leaves the job when the count reaches zero: heap and connections go, static data
 *  stays. [waits] */
void cw_finalize(void);
/** Waits until all PEs of this node have come, so that the peer words are filled in: for whoever
 *  copies them. Else that comes by itself (core/mem/gather.h). [waits] */
void cw_gather_all(void) __attribute__((cold));
/** All PEs are about to leave, and some came out of the middle of a collective: cw_finalize waits
 *  for nobody in the job, for that would never end. Every PE, or none; they must have met by other
 *  means. */
void cw_disband(void);
/** Ends this process, after the last cw_finalize, without exit handlers. Launchers take it for a
 *  good end. */
noreturn void cw_exit(int status);
/** Ends every PE of the job with this status. */
noreturn void cw_global_exit(int status);
/** Checking mode: a message "<call>: <text>" and the end of the job. */
noreturn void cw_check_failed(const char *call, const char *fmt, ...)
    __attribute__((format(printf, 2, 3), cold));

// ---------------------------------------------------- memory (core/mem/segment.c, core/mem/heap.c)
/** Is [addr, addr+nbytes) symmetric memory of this PE (heap or static data)? */
bool cw_is_symmetric(const void *addr, size_t nbytes);
/** Fills in a record, kept by the caller as long as the job lasts, of a PE of another node: one
 *  that takes the PE's own addresses, of which `origin` is where its slice begins
 *  (core/mem/area.h). Connects if need be. */
void cw_target_of_owner(int pe, uintptr_t origin, cwt_target_t *record);
/** Where that object of `pe` is mapped here, or NULL when it is not load/store reachable or not
 *  symmetric. */
void *cw_ptr(const void *symmetric, int pe);
/** The process of a PE of this node; 0: not known (not of this node, or gone). */
int cw_pid_of(int pe);
/** Local allocator moves only; the collective barriers are the front end's. NULL when it does not
 *  fit. */
void *cw_heap_malloc(size_t alignment, size_t nbytes);
void *cw_heap_realloc(void *ptr, size_t nbytes);
/** Returns 0, or CW_EINVAL for a double free or a foreign pointer. */
int cw_heap_free(void *ptr);
/** Bytes asked for; 0 when ptr is not the start of an allocation. */
size_t cw_heap_size(const void *ptr);
/** Notes where the program allocated a block, for the report of leaks. */
void cw_heap_tag(const void *ptr, const void *where);
/** What a pointer that free or realloc refused is: the end of a sentence that starts with the
 *  pointer. */
void cw_heap_describe(const void *ptr, char *text, size_t text_nbytes);

// ---------------------------------------------------------------- contexts (core/rma/ctx.c)
// Handles of front ends are pointers to cw_ctx_t (core/rma/hot.h); the default one has a fixed
// small handle.
enum {
    CW_CTX_SERIALIZED = 1,  // its user never comes with two threads at a time
    CW_CTX_PRIVATE = 2,     // only the creating thread uses it: nothing is locked, and it shares
                            // with nobody
    CW_CTX_NOSTORE = 4      // quiet and fence need not order the program's own stores
};
typedef struct cw_ctx_config {
    int start, stride, size;  // PE of rank r: start + r * stride,
    const int *pes;           // or pes[r] if not NULL; the table stays as long as the context
    unsigned options;         // CW_CTX_…
    void *team;               // kept for the front end
} cw_ctx_config_t;
/** A context for the PEs of a team. CW_ENOMEM, CW_EINVAL (unknown option): none was created, which
 *  is no error and is not reported. Any thread. */
int cw_ctx_create(const cw_ctx_config_t *config, cw_ctx_t **ctx_p);
/** Quiet, then the end of it. [waits] */
void cw_ctx_destroy(cw_ctx_t *ctx);
/** The same for all contexts of a team (config.team). [waits] */
void cw_ctx_destroy_of(const void *team);
/** For checking mode; walks a list. */
bool cw_ctx_is_alive(const cw_ctx_t *ctx);
/** Without the default one. */
int cw_ctx_count_alive(void);
/** Between start and stop small operations off the node may be kept until there are more of them;
 *  fence, quiet and every wait send them. total_ops: how many are expected, SIZE_MAX if unknown.
 *  Starting again changes total_ops. */
void cw_ctx_batch_start(cw_ctx_t *ctx, size_t total_ops);
void cw_ctx_batch_stop(cw_ctx_t *ctx);
/** The transport between nodes, or NULL in a job of one node. */
extern const cwt_ops_t *cw_transport __attribute__((visibility("hidden")));

// ----------------------------------------- RMA (core/rma/rma.h inlines, core/rma/rma.c cold paths)
// rank: within the context's team; the PE number on the default context.
/** Has the default context been connected to that PE, of another node? Any thread. */
bool cw_is_connected(int pe);
// Scalar put and get for 1, 2, 4, 8 (and 16: bytes) are inlined in core/rma/rma.h: cw_put_scalar,
// cw_get_scalar.
void cw_put(cw_ctx_t *ctx, void *dest, const void *src, size_t nbytes, int rank);
void cw_get(cw_ctx_t *ctx, void *dest, const void *src, size_t nbytes, int rank);
void cw_put_nbi(cw_ctx_t *ctx, void *dest, const void *src, size_t nbytes, int rank);
void cw_get_nbi(cw_ctx_t *ctx, void *dest, const void *src, size_t nbytes, int rank);
/** Strided blocks: block i of block_nbytes goes from src + i*src_stride to dest + i*dest_stride
 *  (strides in bytes). */
void cw_put_strided(cw_ctx_t *ctx, void *dest, const void *src, ptrdiff_t dest_stride,
                    ptrdiff_t src_stride, size_t block_nbytes, size_t nblocks, int rank);
void cw_get_strided(cw_ctx_t *ctx, void *dest, const void *src, ptrdiff_t dest_stride,
                    ptrdiff_t src_stride, size_t block_nbytes, size_t nblocks, int rank);

/** Sets nbytes bytes; complete at quiet (core/rma/fill.c). */
void cw_fill(cw_ctx_t *ctx, void *dest, uint8_t value, size_t nbytes, int rank);

// ---------------------------------------------------------------- atomics (core/rma/amo.h)
typedef enum cw_amo_op {
    CW_AMO_FETCH,
    CW_AMO_SET,
    CW_AMO_ADD,
    CW_AMO_AND,
    CW_AMO_OR,
    CW_AMO_XOR,
    CW_AMO_SWAP,
    CW_AMO_CSWAP,  // operand and compare value
    CW_AMO_OPS
} cw_amo_op_t;
// All on integers of 4 or 8 bytes (floating point goes by its bits: fetch, set, swap).
// core/rma/amo.h inlines the local path:
//   uint64_t cw_amo_fetching(ctx, addr, op, nbytes, operand, compare, rank)   returns the old value  [waits off-node]
//   void     cw_amo_posting(ctx, addr, op, nbytes, operand, rank)             no value, complete at
//            quiet
//   void     cw_amo_fetching_nbi(ctx, fetch, addr, op, nbytes, operand, compare, rank)  *fetch
//            valid after quiet

/** Put, then update the signal word so that whoever sees the signal sees the data. op: CW_AMO_SET
 *  or CW_AMO_ADD. */
void cw_put_signal(cw_ctx_t *ctx, void *dest, const void *src, size_t nbytes, uint64_t *sig,
                   uint64_t value, cw_amo_op_t op, int rank, bool nbi);

// ---------------------------------------------------- order (core/rma/rma.h inlines the idle case)
//   void cw_quiet(ctx)  [waits]        void cw_fence(ctx)

// ---------------------------------------------------------------- waiting (core/progress/wait.h)
//   cw_wait_t w = CW_WAIT_INIT; while (!condition) cw_wait_round(&w);  — spins, yields, then sleeps, with progress
//   cw_progress(): one round of progress for test loops.

#endif
