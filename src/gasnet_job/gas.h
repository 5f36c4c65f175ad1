// SPDX-License-Identifier: BSD-3-Clause
//
// What both interfaces of GASNet share: the job (joining, attaching, its end), segments, checks and
// waits.
// The interfaces, GASNet-1 (src/gasnet) and GASNet-EX (src/gex), do not know each other: what one
// does and the other must know goes through gas_interface_t.
//
// Remote memory is owner-addressed (core/owner/owner.h). Segments lie in the areas of the slices;
// with GASNET_SEGMENT_EVERYTHING the owner copies what lies elsewhere.
//
// A node of GASNet is a process, a PE of this library; node and rank of the job are PE numbers.
// Threads: GASNET_PAR takes calls from any; the tables are written at attach and at first contact.
#ifndef GAS_GAS_H
#define GAS_GAS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdnoreturn.h>

#include "base/compiler.h"
#include "core/am/am.h"
#include "core/coll/coll.h"
#include "core/core.h"
#include "core/mem/area.h"
#include "core/observe/watch.h"
#include "core/owner/handle.h"
#include "core/owner/owner.h"
#include "core/owner/transfer.h"
#include "core/progress/wait.h"

#ifndef GASNET_PAR
#define GASNET_PAR 1  // for the header only: the library serves all configurations
#endif
#define GASNET_CAUSEWAY_LIBRARY 1
#include "gasnet.h"

#define GAS_API CW_EXPORTED

enum { GAS_SEQ = 1, GAS_PARSYNC, GAS_PAR };
enum { GAS_FAST = 1, GAS_LARGE, GAS_EVERYTHING };

typedef struct gas_segment {
    uintptr_t addr, size;  // as the client knows it
    uint32_t known;        // both are there
} gas_segment_t;

typedef struct gas_state {
    gas_segment_t *segment;  // [nodes]: sizes differ, and addresses do; see gas_segment
    uint32_t nodes, me;
    uint32_t fast_nodes;     // nodes; 0 with slow_sync
    int threads, segments;  // GAS_…, 0: no gasnet_init yet
    bool attached, check;
    bool sized;        // this process has published the size of its segment, so all will
    bool used_memory;  // what should be zero comes from the heap: start needs a barrier
    bool slow_sync;    // checks, observers or messages: no short paths in messages and syncs
    bool mixed;        // the program uses OpenSHMEM too
    bool endpoints;    // or segments of further endpoints of GASNet-EX
    uint32_t images;    // of this process, as gasnet_coll_init has it; 0: one
    size_t max_medium;  // bytes of payload of a medium message
} gas_state_t;
extern gas_state_t gas CW_HIDDEN;
extern cw_owner_t gas_owner CW_HIDDEN;
/** What the interfaces want behind the heap. */
extern const cw_area_request_t gas_area_request CW_HIDDEN;

/** What a thread holds. Never freed: a lock names its holder by it. */
typedef struct gas_thread {
    struct gasnet_causeway_valget *free_values;  // of GASNet-1 (value.c)
    gasnet_hsl_t *locks;                         // held, the last one first
    bool no_interrupts;
    bool prepared;            // checking mode: between gex_AM_Prepare... and its commit
    cw_wait_t wait;           // of GASNET_BLOCKUNTIL
    uint32_t spun;            // rounds that GASNET_WAIT_SPIN has taken back in this wait
    struct gas_thread *next;  // all
} gas_thread_t;
/** Of the calling thread. */
gas_thread_t *gas_thread(void);

// ---------------------------------------------------------------- interfaces (job.c)
/** What an interface does when the other one, or both, are used. Functions may be NULL. */
typedef struct gas_interface {
    void (*open)(void);           // while attaching, before other processes can know of this one
    void (*open_messages)(void);  // messages that came before are handled from here on
    void (*close_messages)(void);
    /** A handler that the other interface registered: each may send what the other handles. */
    void (*adopt_handler)(int index, gasnet_causeway_fnptr_t fn);
    /** The process has attached this segment. */
    void (*attached)(void *addr, uintptr_t size);
    /** May other processes have that memory by messages? */
    bool (*shares)(const void *addr, size_t nbytes);
    struct gas_interface *next;
} gas_interface_t;
/** From a constructor: a program linked with the archive has the interfaces that it calls. */
void gas_interface_add(gas_interface_t *interface);
#define GAS_CONSTRUCTOR CW_CONSTRUCTOR(101)

// ---------------------------------------------------------------- the job (job.c)
/** gasnet_init, whatever the interface calls it. */
int gas_init(const char *call, int mode, const char *config);
/** Attaching without a segment, in two steps: local tables; and what other processes see. Handlers
 *  are registered in between. */
void gas_attach(void);
void gas_attach_publish(void);
/** Handlers of both interfaces run from here on. */
void gas_open_messages(void);
void gas_close_messages(void);
/** Returns when all processes have come: what the specifications want of attaching, and nothing
 *  here needs. Cheaper before messages are open: a PE without them sleeps on the barrier's word. */
void gas_start_barrier(void);
/** The process has attached a segment: for all interfaces. */
void gas_share_segment(void *addr, uintptr_t size);
/** Names a handler to the interfaces other than `from`. */
void gas_share_handler(const gas_interface_t *from, int index, gasnet_causeway_fnptr_t fn);
/** May others copy to and from that memory by messages? (cw_am_take_raw) */
bool gas_takes(const cw_am_msg_t *msg, const void *addr, size_t nbytes);

/** The most bytes of a long message. */
static inline size_t gas_max_long(void)
{
    return gas.segments == GAS_EVERYTHING ? gas.max_medium : CW_AM_MAX_LONG;
}

/** Does that memory of the process need no help of its owner: the heap, segments and, beside
 *  OpenSHMEM, static data? */
static inline bool gas_reaches(uint32_t pe, const void *addr, size_t nbytes)
{
    return cw_owner_reaches(&gas_owner, pe, addr, nbytes) ||
           (gas.mixed && cw_is_symmetric(cw_owner_symmetric(&gas_owner, pe, addr), nbytes));
}

// ---------------------------------------------------------------- polls (wait.c)
/** A request of a node to itself is run in the call that sends it, and so is its reply, unless
 *  another thread takes it: as GASNet does, and clients that never poll expect. */
static inline void gas_run_own(gasnet_node_t node)
{
    if (CW_UNLIKELY(node == gas.me)) {
        cw_am_poll();
        cw_am_poll();
    }
}

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
/** Fatal: the segment is `size` bytes from `base` on. whose: "node 3". */
noreturn void gas_refuse_outside(const char *call, const char *what, const char *whose,
                                 uintptr_t base, size_t size, const void *addr,
                                 size_t nbytes) CW_COLD;
/** All of these for a transfer: always life and node; in checking mode the addresses too. */
void gas_check_transfer(const char *call, gasnet_node_t node, const void *remote, const void *local,
                        size_t nbytes);
/** The same for what has no memory here. */
void gas_check_set(const char *call, gasnet_node_t node, const void *remote, size_t nbytes);
/** Of pairs of transfers that were right, of both interfaces (core/observe/seen.h). */
enum { GAS_PAIRS = 2 };
_Static_assert((int)GAS_PAIRS < (int)CW_PAIR_CLIENTS, "a table of pairs");
/** In checking mode, in its frame: a transfer was right for which no pair was found. */
void gas_saw(gasnet_node_t node, const void *remote, const void *local, size_t nbytes) CW_COLD;
/** For observers: the call's frame; NULL where checks will end the job. */
cw_frame_t *gas_watch(const char *call);
/** Every other call that communicates: life, and in checking mode the place. */
static inline void gas_enter(const char *call)
{
    if (CW_UNLIKELY(!gas.attached || gas.check))
        gas_check_life(call);
}

// ---------------------------------------------------------------- segments (segments.c)
/** Parts of the library's own memory, at one symmetric address, zero from the start: where they
 *  begin. */
typedef enum gas_own {
    GAS_OWN_EXIT = 0,
    GAS_OWN_BARRIER = 2048,
    GAS_OWN_COLLECTIVES = 4096,  // the rest
} gas_own_t;
/** The same calls, with the same sizes, in all processes. NULL: no room. */
void *gas_own(gas_own_t part, size_t nbytes);
/** What GASNET_MAX_SEGSIZE asks for a process, of a machine with so much memory (0: not known).
 *  False: nothing. */
bool gas_segment_size(uint64_t machine_nbytes, uint64_t *nbytes_p);
/** The table, before others can know of this process. */
void gas_segments_open(void);
/** Publishes this process's segment, maybe of 0 bytes, and names it to the interfaces. place: of
 *  the call in the program, for checks. */
void gas_segment_attach(const char *call, const void *place, uintptr_t size);
void gas_set_segment(gasnet_node_t node, uintptr_t addr, uintptr_t size);
void gas_ask_segment(gasnet_node_t node) CW_NOINLINE CW_COLD;
/** Where a segment may lie: the area from its first GASNET_PAGESIZE on, which may be more than a
 *  page of this machine. It is as large in every process, wherever their areas begin. */
void *gas_area(uintptr_t *nbytes_p);
/** What gasnet_getMaxLocalSegmentSize returns. */
uintptr_t gas_max_segment(void);

/** The segment of a node. Waits for the node to attach, and until its size is known. */
static inline const gas_segment_t *gas_segment(gasnet_node_t node)
{
    if (CW_UNLIKELY(!__atomic_load_n(&gas.segment[node].known, __ATOMIC_ACQUIRE)))
        gas_ask_segment(node);
    return &gas.segment[node];
}

// ---------------------------------------------------------------- settings (settings.c)
/** After joining: reports all with GASNET_VERBOSEENV. */
void gas_settings_open(void);
/** Freezes, and prepares for errors, as GASNET_FREEZE, GASNET_BACKTRACE and their like say. */
void gas_debugger_open(void);
/** May the library handle that signal? (GASNET_NO_CATCH_SIGNAL) */
bool gas_catches(int signo);
/** Of the first `len` characters, such as "SIGTERM", "term" or "15"; 0: there is none. */
int gas_signal_of(const char *word, size_t len);
/** Slots of a neighborhood: those of a host, or what GASNET_SUPERNODE_MAXSIZE makes of them. With
 *  GASNET_SEGMENT_EVERYTHING one: what is shared then is only what has no name of its own. */
static inline uint32_t gas_neighborhood(void)
{
    if (gas.segments == GAS_EVERYTHING)
        return 1;
    return cwu_env.supernode_maxsize ? (uint32_t)cwu_env.supernode_maxsize : UINT32_MAX;
}
/** Is that process the first one of its neighborhood? */
static inline bool gas_leads_neighbors(uint32_t node)
{
    return (uint32_t)cw_world.slot_of_pe[node] % gas_neighborhood() == 0;
}
/** Seconds, of GASNET_EXITTIMEOUT and its like. */
double gas_exit_timeout(void);

// ---------------------------------------------------------------- end and waits (exit.c, wait.c)
/** Before main: the node server will mind the end of the job. */
void gas_exit_announce(void);
void gas_exit_open(void);
/** Another node ends the job: SIGQUIT to this process. One load while none does. */
void gas_exit_poll(void);
/** In a handler that cannot go on, since its thread holds the lock that it wants: goes on with the
 *  end of the job if the thread is there; else returns. */
void gas_exit_resume(void);
/** What a wait is `on` that ends when all processes, or all of a team, come. */
extern const cw_wait_on_t gas_wait_collective CW_HIDDEN;
/** One round of a wait: also tests whether the job is to end. */
void gas_wait_round(cw_wait_t *w);
/** Applies gasnet_set_waitmode to a wait that begins. */
void gas_wait_begin(cw_wait_t *w);

#endif
