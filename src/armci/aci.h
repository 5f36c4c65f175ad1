// SPDX-License-Identifier: BSD-3-Clause
//
// Shared by the files of the ARMCI front end. Processes are PEs, with the same numbers. Remote
// memory is owner-addressed (core/owner/owner.h): each PE allocates from an area of its own
// (memory.c).
//
// A call with a profiling name has its body under that name, PARMCI_...; the other one is a weak
// alias. Bodies call aci_ functions and core, never an entry point.
// Checks: process numbers, kinds and counts always, addresses of other PEs where they leave the
// node; the rest in checking mode.
#ifndef ACI_H
#define ACI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "armci/order.h"
#include "base/compiler.h"
#include "base/numbers.h"
#include "base/symbol.h"
#include "core/coll/coll.h"
#include "core/core.h"
#include "core/observe/watch.h"
#include "core/owner/owner.h"
#include "core/owner/transfer.h"
#include "core/p2p/p2p.h"

#define MPI_VERSION 3
typedef void *MPI_Comm;  // in a register, the handle of any MPI
#include "armci.h"
#undef MPI_VERSION

#define ACI_API CW_EXPORTED
/** ARMCI_x as the weak alias of PARMCI_x. */
#define ACI_WEAK(name) ACI_API extern __typeof__(P##name) name CW_WEAK_ALIAS("P" #name)
/** armci_x of parmci_x. */
#define ACI_WEAK_LOWER(name) ACI_API extern __typeof__(p##name) name CW_WEAK_ALIAS("p" #name)

typedef struct aci_state {
    int joined;     // calls of ARMCI_Init and armci_msg_init without their end
    int messages;   // of these, armci_msg_init
    int most;       // of joined - messages, since the first of them
    bool rejoined;  // by an ARMCI_Init that is not counted (init.c)
    bool check;     // checking mode
    bool pairs;     // in it, and no devices: pairs of buffers that were right are remembered
    bool devices;   // there are, or were, blocks on devices (device.h)
    bool looks;     // one of these: transfers are looked at
    // There, and in jobs for one thread: the last put that no fence has completed. NULL: none
    const void *put_place;
    int put_proc;
} aci_state_t;
extern aci_state_t aci CW_HIDDEN;
extern cw_owner_t aci_owner CW_HIDDEN;
/** The area of this front end. */
extern const cw_area_request_t aci_area_request CW_HIDDEN;

/** Spaces of messages between two processes: one is the program's. */
enum { ACI_P2P = 0 };
enum { ACI_SPACE_USER = ACI_P2P * CW_P2P_SPACES, ACI_SPACE_GROUPS, ACI_SPACE_TREES };

/** Joins the job, or counts once more. 0, or 1 (reported). [waits] */
int aci_join(const char *call, int level);
/** 0, or 1 (reported): the number is no level of threads. */
int aci_check_level(const char *call, int level);
/** Is the job over a communicator that the program gave? */
bool aci_mpi_gave_world(void);
/** Forgets the program's communicator: while leaving. */
void aci_mpi_close(void);
/** Completes all operations; the last one leaves the job. Collective. [waits] */
void aci_leave(const char *call);

/** The user's name of the call whose body is `func` (__func__ of a PARMCI_ function). */
static inline const char *aci_call(const char *func)
{
    return func + (func[0] == 'P' || (func[0] == 'p' && func[1] == 'a'));
}

// ---------------------------------------------------------------- checks (check.c)
/** Ends the job: "<call>: <text>". */
#define aci_fail(call, ...) cw_check_failed(call, __VA_ARGS__)
/** Fatal before ARMCI_Init and after ARMCI_Finalize. */
void aci_check_life(const char *call);
static CW_ALWAYS_INLINE void aci_check_joined(const char *call)
{
    if (CW_UNLIKELY(aci.joined == 0))
        aci_check_life(call);
}
void aci_check_proc(const char *call, int proc);
/** Of pairs of transfers that were right (core/observe/seen.h). */
enum { ACI_PAIRS = 1 };
_Static_assert((int)ACI_PAIRS < (int)CW_PAIR_CLIENTS, "a table of pairs");
/** In checking mode, in its frame: a transfer was right for which no pair was found. */
void aci_saw(int proc, const void *remote, const void *local, size_t nbytes) CW_COLD;
/** The local side of transfers that have checked it, or in which a value travels. */
#define ACI_NO_BUFFER ((const void *)UINTPTR_MAX)
/** Behind aci_check_joined: a transfer between [remote, +nbytes) of proc and `local`: number,
 *  and that the remote range lies in memory that ARMCI_Malloc or its _memdev forms give out. Any
 *  memory is good where proc is this PE. In checking mode that both reach beyond no block. */
void aci_check_transfer(const char *call, int proc, const void *remote, const void *local,
                        intptr_t nbytes);
/** In checking mode, of the memory here alone. */
void aci_check_local(const char *call, const void *local, size_t nbytes) CW_COLD;

/** For observers: the call's frame. In checking mode fatal in a handler of an active message of
 *  another front end. */
cw_frame_t *aci_watch(const char *func);
/** Where in the program the call of an interface's function stands. */
#define ACI_CALLER CWU_CALLER
/** First statement of a body that communicates. */
#define ACI_ENTER() ACI_ENTER_WITH(aci_watch(__func__))
#define ACI_ENTER_WITH(watch)             \
    aci_check_joined(aci_call(__func__)); \
    CW_WATCH(watch)
/** aci_watch for a call that begins an operation of a handle (NULL: it has none), and for one that
 *  waits for it (NULL: for all operations). In checking mode handles that were neither waited for
 *  nor tested are named at the end of the job: a fence or a barrier completes puts, but a program
 *  that relies on it reads what its gets have not brought. */
cw_frame_t *aci_watch_begins(const char *func, const armci_hdl_t *hdl);
cw_frame_t *aci_watch_ends(const char *func, const armci_hdl_t *hdl);
/** The same for a fence, of one process or of all (-1): all sources are free, but no handle was
 *  waited for. */
cw_frame_t *aci_watch_fence(const char *func, int proc);
/** In checking mode: a put or an accumulate to that process was made there (ACI_CALLER). */
static inline void aci_keep_put(int proc, const void *caller);
/** In checking mode, of a barrier that completes no puts: warns if one was not fenced. */
void aci_check_fenced(const char *call);

/** In checking mode: all members make this call, whose arguments may differ. [waits] */
static inline void aci_agree(const cw_group_t *group, const char *call)
{
    if (CW_UNLIKELY(aci.check))
        cw_coll_agree_call(group, call);
}

static inline void aci_keep_put(int proc, const void *caller)
{
    if (CW_UNLIKELY(aci.check) && !cw_world.thread_multiple) {
        aci.put_place = caller;
        aci.put_proc = proc;
    }
}

// ---------------------------------------------------------------- known blocks (check.c)
// Only where aci.check is set.
/** All members have been given a block, or NULL, of this process `nbytes`; place: where in the
 *  program. `call` stays valid. Collective. [waits] */
void aci_known_add(const char *call, const void *place, const cw_group_t *group,
                   void *const bases[], size_t nbytes);
/** All members give up a block; NULL: none. Collective. [waits] */
void aci_known_free(const char *call, const cw_group_t *group, const void *ptr);

// ---------------------------------------------------------------- memory (memory.c)
/** The area of this PE, ready for blocks: while joining. */
void aci_memory_open(void);
void aci_memory_close(void);
/** A block of this PE's area, 64-byte aligned; NULL: there is none left. */
void *aci_alloc(size_t nbytes);
/** False: ptr is no block. */
bool aci_release(void *ptr);
/** Parts of the front end's own memory: at one symmetric address, zero from the start. */
typedef enum aci_own {
    ACI_OWN_USED,      // of a node's lowest PE: what its PEs have allocated
    ACI_OWN_EXCHANGE,  // a word a PE, and one more, for aci_exchange
    ACI_OWN_NOTIFY,    // 1 word a PE
    ACI_OWN_MUTEXES,   // places in queues (mutex.c)
    ACI_OWN_UPDATES,   // the lock of updates of this PE's blocks on devices
    ACI_OWN_MESSAGES   // the rest
} aci_own_t;
enum { ACI_PLACES = 1024, ACI_PLACE_NBYTES = 64 };
void *aci_own(aci_own_t part, size_t *nbytes_p);
/** Gives each member of the group the words of all, by rank. Collective. [waits] */
void aci_exchange(const cw_group_t *group, uintptr_t mine, uintptr_t *all);
/** The same in a list that the caller frees. */
uintptr_t *aci_exchanged(const char *call, const cw_group_t *group, uintptr_t mine);
/** What aci_alloc_all begins with: fatal where the arguments are wrong. */
void aci_check_alloc(const char *call, const cw_group_t *group, void *const ptr_arr[],
                     intptr_t nbytes);
/** Tells all members of this one's block, or that it was refused. False: a member has none. */
bool aci_tell_all(const cw_group_t *group, bool refused, void *mine, void *ptr_arr[]);
/** Blocks for all members; ptr_arr [members]; place: of the program, for messages. 0, or 1 where a
 *  member has got none. Collective. [waits] */
int aci_alloc_all(const char *call, const void *place, const cw_group_t *group, void *ptr_arr[],
                  intptr_t nbytes);
/** Are the blocks of this node's PEs mapped here at their owners' addresses? */
bool aci_uses_shm(void);
int aci_release_all(const char *call, const cw_group_t *group, void *ptr);

/** In checking mode, while leaving: names the mutexes that this process still holds. */
void aci_mutexes_left(void) CW_COLD;
/** Forgets what is left of mutexes: while leaving. */
void aci_mutexes_close(void);

// ---------------------------------------------------------------- transfers
/** What all forms of a transfer have in common. */
typedef struct aci_op {
    const char *call;
    int proc;
    bool put;
    bool nb;           // local memory may be in use when the call returns
    armci_hdl_t *hdl;  // of a call that is nb; NULL: it has none
} aci_op_t;

/** The general path of puts and gets, which also checks (contiguous.c). */
int aci_put(const char *call, const void *src, void *dst, intptr_t nbytes, int proc);
int aci_get(const char *call, const void *src, void *dst, intptr_t nbytes, int proc);
/** A small get without waiting that is one of many. False: nothing was done. */
bool aci_get_of_many(const void *src, void *dst, intptr_t nbytes, int proc);
/** The record of a process of another node that was reached before, or NULL. */
static CW_ALWAYS_INLINE cwt_target_t *aci_record_of(uintptr_t word, int proc, const void *remote,
                                                    size_t nbytes)
{
    return !cw_owner_is_mapped(word) && cw_owner_reaches(&aci_owner, (uint32_t)proc, remote, nbytes)
               ? cw_owner_record(word)
               : NULL;
}

/** The same, if nothing is to be reported or observed. */
static CW_ALWAYS_INLINE cwt_target_t *aci_reached(int proc, const void *remote, intptr_t nbytes)
{
    uintptr_t word;
    if (!cw_owner_is_fast(&aci_owner, (uint32_t)proc, &word) || nbytes <= 0)
        return NULL;
    return aci_record_of(word, proc, remote, (size_t)nbytes);
}

/** Is the memory of that process mapped here, and is there nothing else to do but copy? */
static CW_ALWAYS_INLINE bool aci_is_near(int proc, uintptr_t *word_p)
{
    return cw_owner_is_fast(&aci_owner, (uint32_t)proc, word_p) &&
           CW_LIKELY(cw_owner_is_plain(*word_p));
}

int aci_strided(const aci_op_t *op, void *src, int *src_stride, void *dst, int *dst_stride,
                int *count, int levels);  // strided.c
struct cwu_section;
/** All rows of a section, whose addresses were checked, of memory of the host (strided.c). */
int aci_move_section(const aci_op_t *op, const struct cwu_section *s);
void aci_accumulate_section(const aci_op_t *op, cwu_number_t type, const void *scale,
                            const struct cwu_section *s);            // accumulate.c
int aci_vector(const aci_op_t *op, armci_giov_t *iov, int iov_len);  // vector.c
/** Process and descriptors; returns the number of segments in all. Fatal (vector.c). */
size_t aci_check_vector(const aci_op_t *op, const armci_giov_t *iov, int iov_len);
/** Before an atomic on that word of a PE of another node (rmw.c). */
void aci_before_atomic(int proc, const void *addr, size_t nbytes);

// ---------------------------------------------------------------- handles (handle.c)
/** An operation has begun; in_use: its local memory is. */
void aci_begun(const aci_op_t *op, bool in_use);
/** Does the operation's handle collect it? The caller then hands over its pieces, and does not call
 *  aci_begun. What the handle had collected for another process or of the other kind is sent. */
bool aci_collects(const aci_op_t *op);
bool aci_is_aggregate(const armci_hdl_t *hdl);
void aci_collect(const aci_op_t *op, void *remote, void *local, size_t nbytes);
/** Sends what aggregate handles of this thread have collected. */
void aci_lists_send(const char *call) CW_COLD;
static inline void aci_send_collected(const char *call)
{
    if (CW_UNLIKELY(__atomic_load_n(&aci_lists, __ATOMIC_RELAXED) != NULL))
        aci_lists_send(call);
}
void aci_collect_section(const aci_op_t *op, const struct cwu_section *s);

// ---------------------------------------------------------------- notifications (notify.c)
void aci_notify_open(void);
void aci_notify_close(void);

#endif
