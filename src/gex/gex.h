// SPDX-License-Identifier: BSD-3-Clause
//
// What the files of GASNet-EX share. Job, segments and transfers are those of src/gasnet_job.
// Messages have a table of handlers of their own (GEX_AM_CLIENT), collectives an engine of their
// own (coll.c).
//
//   gex_Event_t   0: done | bit 1 set, bit 0 not: a gex_coll_t + 2 | else a cw_handle_t
//                 (core/owner/handle.h)
#ifndef GEX_GEX_H
#define GEX_GEX_H

#include <pthread.h>

#include "base/compiler.h"
#include "base/symbol.h"
#include "core/am/am.h"
#include "core/rma/amo.h"
#include "gasnet_job/gas.h"
#include "gasnet_mk.h"
#include "gasnetex.h"

enum { GEX_AM_CLIENT = 1 };  // number of this client of messages (core/am/am.h)
_Static_assert(GEX_AM_CLIENT < CW_AM_CLIENTS, "a table of handlers");

/** Handlers of this room's own; clients' have numbers from GEX_AM_INDEX_BASE on. */
enum { GEX_HANDLER_ATOMIC = 1, GEX_HANDLER_ATOMIC_DONE };

enum {
    GEX_TEAMS = 32,  // that a process may be in at a time
    GEX_ENTRIES = 4  // pieces of a team's collectives in flight
};

/** Memory of a device; that of the host has no object. */
struct gex_causeway_mk {
    gex_MK_Class_t class;
    int device;
    uint32_t segments;  // of it, that exist
    void *cdata;
};

struct gex_causeway_segment {
    void *addr, *cdata;
    uintptr_t nbytes;
    enum { GEX_ATTACHED, GEX_CARVED, GEX_MAPPED, GEX_CLIENTS, GEX_ON_DEVICE } from;  // segment.c
    gex_MK_t kind;  // GEX_ON_DEVICE
    uint32_t part;  // and the name of its memory (core/device/part.h); of others 0
    struct gex_causeway_segment *next;  // carved, by falling address
};

struct gex_causeway_ep {
    gex_Segment_t segment;  // bound, or NULL
    void *cdata;
    gex_EP_Index_t index;
};

struct gex_causeway_client {
    char *name;
    gex_Flags_t flags;
    void *cdata;
};

/**
 * What a team keeps in symmetric memory of each member. Only the cells of rank 0 and of the lowest
 * rank of each node are used.
 *
 *   rank 0:        arrived[entry]: members that came to the piece | contribution[entry][rank]
 *   lowest rank:   released[entry]: number of the last piece that is over, + 1 | result[entry]
 */
typedef struct gex_cell {
    uint64_t arrived[GEX_ENTRIES], released[GEX_ENTRIES];
    char bytes[];  // results, then contributions
} gex_cell_t;

typedef struct gex_coll gex_coll_t;

/** A team; or a pair of endpoints, which has nothing but size (the job's) and the two endpoints. */
struct gex_causeway_tm {
    gasnet_causeway_team_t begin;  // pe and size, where clients may inline transfers
    uint32_t rank, size;
    uint32_t *pe;  // [size]; NULL: rank r is PE r
    bool is_pair;
    bool is_special;  // one of the two is none of the first endpoints
    gex_EP_t ep;
    gex_EP_Index_t remote;  // endpoint of the others
    gex_Memvec_t scratch;   // the client's, for gex_TM_Destroy
    int id;                 // which cell
    uint32_t *leaders;      // lowest rank of each node, [nleaders]
    uint32_t nleaders;
    const gex_cell_t *near;  // cell of this node's lowest rank, mapped here
    gex_Flags_t flags;
    void *cdata;
    gex_TM_t next_split;
    uint32_t unwaited;  // collectives whose events threads have yet to see over; atomic
    // Below: under lock.
    pthread_mutex_t lock;
    uint64_t begun, consumed;  // numbers of collectives (in pieces, see coll.c)
    uint64_t careful;          // up to that number members read contributions
    gex_coll_t *first, *last;  // in flight, in order
    gex_coll_t *arriving;      // the one that the next piece to arrive at belongs to, or NULL
};

typedef struct gex_state {
    struct gex_causeway_client client;
    struct gex_causeway_ep ep[GASNET_MAXEPS];  // [0]: receives messages
    struct gex_causeway_tm world;
    struct gex_causeway_segment segment;
    bool begun, quiet;  // gex_System_SetVerboseErrors(0)
    // In checking mode collectives are compared, in all processes up to the end of the job: also in
    // threads of one that ends it, and checks nothing else any more.
    bool agrees;
    bool far_primary;   // see gex_has_far_primary
    bool devices;       // a segment of memory of a device is known, of this process or another
    bool deferred;      // there are collectives that have yet to arrive at pieces
    gex_TM_t split;     // teams of gasnet_coll_team_split, which stay; those below next_split
    // Below: under lock.
    pthread_mutex_t lock;
    unsigned neps;
    gex_TM_t pair[GASNET_MAXEPS];  // of local endpoints: an array by remote one, made when used
} gex_state_t;
extern gex_state_t gex CW_HIDDEN;

/** Is the segment of any first endpoint, as far as this process knows, memory of the client? */
static inline bool gex_has_far_primary(void)
{
    return __atomic_load_n(&gex.far_primary, __ATOMIC_RELAXED);
}

/** Of calls that return an error instead of ending the job. */
#define gex_error(...) (gex.quiet ? (void)0 : cwu_error(__VA_ARGS__))

static inline uint32_t gex_pe(gex_TM_t tm, gex_Rank_t rank)
{
    return CW_LIKELY(!tm->pe) ? rank : tm->pe[rank];
}

// ------------------------------------------------- handles of objects (objects.c)
typedef enum gex_kind {
    GEX_CLIENT,
    GEX_ENDPOINT,
    GEX_TEAM,
    GEX_SEGMENT,
    GEX_DOMAIN,
    GEX_MEMORY
} gex_kind_t;
/** Handles below that are looked at: all before gex_Client_Init and in checking mode, else those
 *  that are none. */
extern uintptr_t gex_doubtful CW_HIDDEN;
/** Fatal if the handle is none; in checking mode, too, if no call gave it, or it was destroyed. */
void gex_check_object(const char *call, gex_kind_t kind, const void *object) CW_COLD;
static inline void gex_want(const char *call, gex_kind_t kind, const void *object)
{
    if (CW_UNLIKELY((uintptr_t)object < gex_doubtful))
        gex_check_object(call, kind, object);
}
/** In checking mode: a call gives the client an object, or ends it. place: of the call. */
void gex_object_add(gex_kind_t kind, const void *object, const char *call, const void *place);
void gex_object_free(gex_kind_t kind, const void *object);
#define GEX_CALLER CWU_CALLER

/** Fatal if the team or the rank is none. */
void gex_check_rank(const char *call, gex_TM_t tm, gex_Rank_t rank);
/** Fatal if it is no team that can do collectives. */
void gex_check_team(const char *call, gex_TM_t tm);
/** With the conversion to a PE. */
static inline uint32_t gex_peer(const char *call, gex_TM_t tm, gex_Rank_t rank)
{
    // the team of all is none that checking mode would have to look for
    if (CW_UNLIKELY((uintptr_t)tm < gex_doubtful && tm != &gex.world) ||
        CW_UNLIKELY(rank >= tm->size))
        gex_check_rank(call, tm, rank);
    return gex_pe(tm, rank);
}

/** Local completion comes with the call. */
static inline void gex_set_lc(gex_Event_t *lc_opt)
{
    if (lc_opt && lc_opt != GEX_EVENT_NOW && lc_opt != GEX_EVENT_DEFER && lc_opt != GEX_EVENT_GROUP)
        *lc_opt = GEX_EVENT_INVALID;
}

/** What the job calls (gas_interface_t). */
extern gas_interface_t gex_interface CW_HIDDEN;
void gex_am_open(void);
void gex_am_close(void);
void gex_adopt_handler(int index, gasnet_causeway_fnptr_t fn);
/** Is that in the segment of an endpoint of this process? */
bool gex_shares(const void *addr, size_t nbytes);
/** Parts of a message, for npam.c too. Fatal if something is wrong. kind: GEX_FLAG_AM_... */
uint32_t gex_am_head(const char *call, int handler, unsigned nargs, gex_Flags_t kind, bool reply);
void *gex_am_dest(const char *call, uint32_t pe, void *dest, size_t nbytes, unsigned *flags_p);
cw_am_msg_t *gex_am_token(const char *call, gex_Token_t token);
uint32_t gex_am_peer(const char *call, gex_TM_t tm, gex_Rank_t rank);
/** The most bytes of a payload; lent: in room of the library (npam.c). */
size_t gex_am_most(bool is_long, bool lent);
/** Cells of all teams. */
void gex_coll_open(void);
/** Fills in everything but pe, rank, size and id. first: number of its first collective. */
void gex_tm_begin(gex_TM_t tm, uint64_t first);
/** The segment of an endpoint; false: this process knows of none. Each pointer may be NULL. */
bool gex_find_segment(uint32_t pe, gex_EP_Index_t index, uintptr_t *addr_p, uintptr_t *nbytes_p);
/** In checking mode, is that in the segment of the endpoint? */
void gex_check_remote(const char *call, gex_TM_t tm, gex_Rank_t rank, uint32_t pe,
                      const void *remote, size_t nbytes);
/** How a transfer goes. */
typedef enum gex_way {
    GEX_PLAIN,     // by what mapping and network reach
    GEX_BY_OWNER,  // they do not reach memory in a segment of another process: the owner copies
    GEX_BY_DEVICE  // memory of a device takes part (device.c)
} gex_way_t;
gex_way_t gex_find_way(gex_TM_t tm, uint32_t pe, const void *remote, const void *local,
                       size_t nbytes) CW_COLD;
static inline gex_way_t gex_way(gex_TM_t tm, uint32_t pe, const void *remote, const void *local,
                                size_t nbytes)
{
    return CW_UNLIKELY(tm->is_special || gex_has_far_primary())
               ? gex_find_way(tm, pe, remote, local, nbytes)
               : GEX_PLAIN;
}
/** The name of the endpoint's segment, if it is memory of a device and this process knows of it,
 *  else 0. */
uint32_t gex_find_part(uint32_t pe, gex_EP_Index_t index);

/** The `nbytes` at `mine` of each member, in the order of ranks, into `all`. Blocks. nbytes up to
 *  gex_piece(). */
void gex_coll_gather(gex_TM_t tm, void *all, const void *mine, size_t nbytes);
void gex_coll_barrier(gex_TM_t tm);
size_t gex_piece(void);

#define GEX_FROM_ALL UINT32_MAX
/** What members do with the contributions of others. The functions run under the team's lock, in
 *  any thread that tests, waits or polls. */
typedef struct gex_spread {
    bool in_all, out_all;  // nothing is given before all members have come; over when all are
    uint32_t from;         // the only rank with a contribution, or GEX_FROM_ALL
    /** This member's contribution from `at` on: where it lies, or copied to room. *nbytes_p: in:
     *  wanted, out: how many there are. NULL: none. */
    const char *(*give)(void *data, size_t at, size_t *nbytes_p, char *room);
    /** The same bytes of all members, that of rank r at all + r * stride; with from, its alone. */
    void (*take)(void *data, size_t at, size_t nbytes, const char *all, size_t stride);
    /** After the last take, before the end of the event. */
    void (*finish)(void *data);
    void *data;
} gex_spread_t;
/** A collective that begins when all `users` threads of this process have come: its event. 0: it
 *  has no event, and frees itself. */
gex_coll_t *gex_coll_announce(gex_TM_t tm, unsigned users);
/** They have come. nbytes: of the longest contribution. Does not block. */
void gex_coll_spread(gex_coll_t *coll, const gex_spread_t *spread, size_t nbytes, bool wanted);
#define GEX_CLAIM_NONE UINT32_MAX
/** In checking mode, before a collective: all members make this call with these arguments. Does not
 *  block (agree.c). */
void gex_agree(const char *call, gex_TM_t tm, uint32_t root, size_t nbytes, uint32_t type,
               uint32_t operation) CW_COLD;
/** The same of a call whose arguments may differ. */
static inline void gex_agree_call(const char *call, gex_TM_t tm)
{
    if (CW_UNLIKELY(gex.agrees) && tm->size > 1)
        gex_agree(call, tm, GEX_CLAIM_NONE, GEX_CLAIM_NONE, GEX_CLAIM_NONE, GEX_CLAIM_NONE);
}
/** In checking mode: a collective has an event, or has it no more; and fatal for an event of a
 *  collective that no call gave, or that was waited for already. */
void gex_event_add(const char *call, const void *place, const gex_coll_t *coll) CW_COLD;
void gex_event_free(const gex_coll_t *coll) CW_COLD;
void gex_event_check(const char *call, gex_Event_t event) CW_COLD;
/** Carries on the collectives of the world, and of teams that GASNet-1 has split. */
void gex_coll_attend(void);
/** Sets arrived back, before a new team uses the cell. */
void gex_cell_clear(int id);
/** True: the collective is over and its event is dead. Else w, if given, waits for the next piece.
 *  */
bool gex_coll_test(gex_coll_t *coll, cw_wait_t *w);

_Static_assert(offsetof(struct gex_causeway_tm, begin) == 0, "where clients look for it");

#define GEX_IS_COLL(event) (((uintptr_t)(event)&3) == 2)
#define GEX_COLL(event) ((gex_coll_t *)((uintptr_t)(event)-2))
#define GEX_COLL_EVENT(coll) ((gex_Event_t)((uintptr_t)(coll) + 2))

/** Implicit vectors of this thread, out of regions, may still read sources whose local completion
 *  the client asked for. */
extern _Thread_local bool gex_vis_sources CW_HIDDEN;

// ------------------------------------------------- atomics that the owner executes (far_atomics.c)
void gex_far_atomics_open(void);
/** Returns the old value. addr: of the owner. [waits] */
uint64_t gex_far_atomic(const char *call, uint32_t pe, void *addr, cw_amo_op_t op, size_t nbytes,
                        uint64_t operand, uint64_t compare);

/** One element: out = in op out. Types of atomics domains and reductions. */
void gex_apply(gex_DT_t dt, gex_OP_t op, const void *in, void *out, size_t count);
size_t gex_dt_nbytes(gex_DT_t dt);

#endif
