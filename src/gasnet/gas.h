// SPDX-License-Identifier: BSD-3-Clause
//
// What the files of the GASNet front end share.
//
// Addresses: GASNet names remote memory by the owner's own addresses. Segments lie in the areas of
// the slices (core/mem/area.h), so the owner's address and my symmetric address differ by one
// number per peer, and all of core's transfers on the default context serve. What is not in a
// segment (GASNET_SEGMENT_EVERYTHING) the owner copies itself, asked by messages (everything.c).
//
//   gas.word[node]   bit 0 clear: add it to the owner's address to have the memory here; bit 1 besides: and look for
//                    sleepers afterwards (mixed programs); bit 0 set: leads to a record of the transport's which takes the
//                    owner's addresses, of nodes not reached before (mapped ones too) to one whose inject does everything.
//                    Fast paths look at [0, gas.limit) only: at none before attach,
//                    while somebody looks on (checks!), and with EVERYTHING.
//
// Completion: everything that goes off the node is complete after a quiet, so quiets are numbered,
// and a handle is the number of those begun when it was made (sync.c). What messages do is counted
// in operations (gas_op_t).
// Threads: GASNET_PAR takes calls from any; the tables are written at attach and at first contact.
#ifndef GAS_GAS_H
#define GAS_GAS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/am/am.h"
#include "core/rma/amo.h"
#include "core/mem/area.h"
#include "core/coll/coll.h"
#include "core/core.h"
#include "core/rma/rma.h"
#include "core/progress/wait.h"
#include "core/observe/watch.h"

#ifndef GASNET_PAR
#define GASNET_PAR 1  // for the header only: the library serves all configurations
#endif
#define GASNET_CAUSEWAY_LIBRARY 1
#include "gasnet.h"

#define GAS_API __attribute__((visibility("default")))

enum { GAS_SEQ = 1, GAS_PARSYNC, GAS_PAR };
enum { GAS_MAX_LEVELS = 32 };  // of strided transfers
enum { GAS_FAST = 1, GAS_LARGE, GAS_EVERYTHING };

typedef struct gas_segment {
    uintptr_t origin;      // where the peer's slice begins in its own view; 0: not asked for yet
    uintptr_t addr, size;  // as the client knows it, once
    uint32_t known;        // they have been asked for
} gas_segment_t;

typedef struct gas_state {
    uintptr_t *word;          // [nodes]
    uint32_t limit;           // nodes, or 0: what fast paths may look at
    uint32_t inject;          // bytes that a record's inject takes; 0: no node was reached yet
    gas_segment_t *segment;   // [nodes]: sizes differ, and placement is random in every process;
                              // see gas_segment
    cwt_target_t *strangers;  // [nodes]: records of those that are still to be reached
    uintptr_t heap_offset, heap_nbytes;  // what of a slice others can reach, from its origin on
    uint32_t nodes, me;
    int threads, segments;  // GAS_…, 0: no gasnet_init yet
    bool attached, check;
    bool sized;        // this process has said how large its segment is, so all will
    bool used_memory;  // what should be fresh comes from the heap: start needs a barrier
    bool slow_sync;    // waits for implicit operations have more to do than to look at the context
    bool mixed;        // the program uses OpenSHMEM too
    bool endpoints;    // or segments of further endpoints of GASNet-EX
    _Atomic uint64_t quiets_begun, quiets_done;
    _Atomic uint64_t implicit_until;  // implicit operations are done when so many quiets are; but
                                      // see somebody_injected
} gas_state_t;
extern gas_state_t gas __attribute__((visibility("hidden")));

/** An operation that messages carry out. */
typedef struct gas_op {
    _Atomic uint32_t pending;  // messages that are under way; their handlers count down
    uint64_t epoch;            // quiets begun after its last transfer; 0: none
    struct gas_op *next;       // free
} gas_op_t;

/** What a thread has under way. Never freed: answers may come when the thread is gone. */
typedef struct gas_thread {
    gas_op_t puts, gets;  // implicit operations
    gas_op_t *region;     // of an access region that is open, else NULL
    gas_op_t *free_ops;
    struct gasnet_causeway_valget *free_values;
    gasnet_hsl_t *locks;  // held, the last one first
    bool in_region, no_interrupts;
    cw_wait_t wait;           // of GASNET_BLOCKUNTIL
    uint32_t spun;            // rounds that GASNET_WAIT_SPIN has taken back in this wait
    struct gas_thread *next;  // all
} gas_thread_t;
/** Of the calling thread. */
gas_thread_t *gas_thread(void);

// ---------------------------------------------------------------- checks (check.c)
/** Ends the job: "<call>: <text>". */
#define gas_fail(call, ...) cw_check_failed(call, __VA_ARGS__)
/** Before attach, after exit, or in a place where communication is not allowed: fatal. */
void gas_check_life(const char *call);
void gas_check_node(const char *call, gasnet_node_t node);
/** Is [addr, +nbytes) in the segment of `node` (or where else that configuration lets others go)?
 *  Fatal if not. */
void gas_check_remote(const char *call, const char *what, gasnet_node_t node, const void *addr,
                      size_t nbytes);
void gas_check_local(const char *call, const char *what, const void *addr, size_t nbytes);
/** All of these for a transfer: always life and node; in checking mode the addresses too. */
void gas_check_transfer(const char *call, gasnet_node_t node, const void *remote, const void *local,
                        size_t nbytes);
/** For those who look on: the call's frame; NULL where checks will end the job. */
cw_frame_t *gas_watch(const char *call);
/** Every other call that communicates: life, and in checking mode the place. */
static inline void gas_enter(const char *call)
{
    if (CW_UNLIKELY(!gas.attached || gas.check))
        gas_check_life(call);
}

// ---------------------------------------------------------------- transfers (rma.c)
typedef enum gas_mode {
    GAS_BLOCKING,  // done when it returns
    GAS_COPIED,    // the source may change when it returns
    GAS_BULK       // the source stays in use until it is done
} gas_mode_t;
/** Whatever is not the fast case. op: counts what messages do (EVERYTHING), else untouched; NULL
 *  when blocking. Returns true when something is under way. */
bool gas_put(const char *call, gasnet_node_t node, void *dest, const void *src, size_t nbytes,
             gas_mode_t mode, gas_op_t *op);
bool gas_get(const char *call, void *dest, gasnet_node_t node, const void *src, size_t nbytes,
             gas_mode_t mode, gas_op_t *op);
bool gas_memset(const char *call, gasnet_node_t node, void *dest, int value, size_t nbytes,
                gas_op_t *op);

static inline __attribute__((always_inline)) uintptr_t gas_word(gasnet_node_t node)
{
    return __atomic_load_n(&gas.word[node], CW_DEPENDED_ON);
}

/** Is this the path that is counted in instructions? Its word then. */
static inline __attribute__((always_inline)) bool gas_is_plain(gasnet_node_t node,
                                                               uintptr_t *word_p)
{
    if (CW_UNLIKELY(node >= gas.limit))
        return false;
    *word_p = gas_word(node);
    return true;
}

/** The word of a node that was not reached before. */
static inline uintptr_t gas_stranger(gasnet_node_t node)
{
    return (uintptr_t)&gas.strangers[node] + 1;
}

/** The word, which is a stranger's only if the node is not mapped here. Waits for it to attach. */
uintptr_t gas_find_word(gasnet_node_t node);

/** gas.strangers[i].inject. */
ssize_t gas_meet(void *ep, const void *buf, size_t nbytes, uint64_t fabric_addr, uint64_t addr,
                 uint64_t key);

// ---------------------------------------------------------------- who has what where (segments.c)
/** Memory of the library's own, at one symmetric address: zero before anybody came. The same calls
 *  in all processes. NULL: no room. */
void *gas_own(size_t nbytes);
/** My tables, before others can know of me. */
void gas_segments_open(void);
/** I have attached: others may use all of my slice, and my address of it. */
void gas_tell_origin(void);
/** And have a segment, maybe of 0 bytes. */
void gas_tell_size(uintptr_t size);
void gas_set_segment(gasnet_node_t node, uintptr_t addr, uintptr_t size);
uintptr_t gas_ask_origin(gasnet_node_t node) __attribute__((noinline, cold));
void gas_ask_segment(gasnet_node_t node) __attribute__((noinline, cold));

/** Waits for the node to attach, if this process never asked before. */
static inline uintptr_t gas_origin(gasnet_node_t node)
{
    uintptr_t origin = __atomic_load_n(&gas.segment[node].origin, __ATOMIC_ACQUIRE);
    return CW_LIKELY(origin) ? origin : gas_ask_origin(node);
}

/** The same, until its size is known too. */
static inline const gas_segment_t *gas_segment(gasnet_node_t node)
{
    if (CW_UNLIKELY(!__atomic_load_n(&gas.segment[node].known, __ATOMIC_ACQUIRE)))
        gas_ask_segment(node);
    return &gas.segment[node];
}

/** My symmetric address of what lies at `addr` in that node. */
static inline char *gas_symmetric(gasnet_node_t node, const void *addr)
{
    return (char *)((uintptr_t)addr - gas_origin(node) + cw_area_origin());
}

/** Can others reach [addr, +nbytes) of that node directly? */
static inline bool gas_is_reachable(gasnet_node_t node, const void *addr, size_t nbytes)
{
    uintptr_t at = (uintptr_t)addr - gas_origin(node) - gas.heap_offset;
    return at < gas.heap_nbytes && nbytes <= gas.heap_nbytes - at;
}

// ---------------------------------------------------- messages instead of transfers (everything.c)
void gas_far_put(gasnet_node_t node, void *dest, const void *src, size_t nbytes, gas_op_t *op);
void gas_far_get(void *dest, gasnet_node_t node, const void *src, size_t nbytes, gas_op_t *op);
void gas_far_memset(gasnet_node_t node, void *dest, int value, size_t nbytes, gas_op_t *op);
void gas_register_everything(void);
/** Is that in what an endpoint of this process has for a segment, beside the attached one?
 *  (ex_segment.c) */
bool gex_is_bound(const void *addr, size_t nbytes);

// ---------------------------------------------------------------- completion (sync.c)
/** Everything that this process put or got until now is done. */
void gas_quiet(void);
void gas_op_wait(const char *call, gas_op_t *op);
gas_op_t *gas_op_create(void);
/** An implicit operation was begun, otherwise than by a record's inject. */
void gas_implicit_issued(void);
/** The handle of one operation that was begun: op may be NULL. */
gasnet_handle_t gas_handle(bool under_way, gas_op_t *op);
// The calls of both interfaces; `call`: how the client calls it.
void gas_wait_handle(const char *call, gasnet_handle_t handle);
int gas_try_handle(const char *call, gasnet_handle_t handle);
void gas_wait_implicit(const char *call, bool gets, bool puts);
int gas_try_implicit(const char *call, bool gets, bool puts);
void gas_begin_region(const char *call);
gasnet_handle_t gas_end_region(const char *call);
/** Where an implicit operation counts: the open access region, or the thread's puts or gets. NULL:
 *  nobody counts. */
gas_op_t *gas_implicit(bool put);

// ---------------------------------------------------------------- the rest
/** gasnet_attach without a segment, and without its end: a barrier, open messages. */
int gas_attach(gasnet_handlerentry_t *table, int numentries);
/** Nobody goes on before all have come: what the specification wants of gasnet_attach, and nothing
 *  here needs. Who waits does so more cheaply before his inbox is open (gas_am_open): he need not
 *  look into it, and sleeps on the barrier's word. */
void gas_start_barrier(void);
/** Where a segment may lie: the area from its first GASNET_PAGESIZE on, which may be more than a
 *  page of this machine. It is as large in every process, wherever their areas begin. */
void *gas_area(uintptr_t *nbytes_p);

void gas_am_register(gasnet_handlerentry_t *table, int numentries);
/** Messages that came before are handled from here on. */
void gas_am_open(void);
int gas_check_table(const gasnet_handlerentry_t *table, int numentries);
void gas_barrier_open(void);
void gas_exit_open(void);
/** Another node ends the job: SIGQUIT to myself. One load while it does not. */
void gas_exit_look(void);
/** One round of a wait of this front end: also looks whether the job is to end. */
void gas_wait_round(cw_wait_t *w);
/** What gasnet_set_waitmode says about a wait that begins. */
void gas_wait_begin(cw_wait_t *w);
/** Does the main program itself call functions of OpenSHMEM? */
bool gas_program_uses_shmem(void);

#endif
