// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet-EX: active messages with negotiated payloads. Prepare gives a descriptor with room for the
// payload (the client's buffer, or without one the library's), Commit sends it as the fixed calls
// do: core's buffers are not lent out, as any time may pass between the two. So these calls are as
// fast as the fixed ones, not faster.
//
// A descriptor belongs to a thread from Prepare to Commit or Cancel; then it goes, with its room,
// to a list of spare ones that all threads share.
#include <stdarg.h>
#include <stdlib.h>

#include "gex/gex.h"

#define MOST_LENT ((size_t)64 << 10)  // bytes of the library's room for a long message

struct gex_causeway_srcdesc {
    int kind;  // GEX_CAUSEWAY_REQUEST_MEDIUM ...
    bool open;
    void *addr;
    size_t nbytes;  // that may be sent
    void *dest;     // given at Prepare, or NULL
    gex_Event_t *lc;
    unsigned nargs;
    gex_TM_t tm;  // of requests
    gex_Rank_t rank;
    gex_Token_t token;  // of replies
    void *room;
    size_t room_nbytes;
    struct gex_causeway_srcdesc *next;
};

static _Thread_local gex_AM_SrcDesc_t this_thread;  // open, or NULL
static struct {
    pthread_mutex_t lock;
    gex_AM_SrcDesc_t first;
} spare = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool is_reply(int kind)
{
    return kind == GEX_CAUSEWAY_REPLY_MEDIUM || kind == GEX_CAUSEWAY_REPLY_LONG;
}

static bool is_long(int kind)
{
    return kind == GEX_CAUSEWAY_REQUEST_LONG || kind == GEX_CAUSEWAY_REPLY_LONG;
}

static gex_AM_SrcDesc_t take(void)
{
    pthread_mutex_lock(&spare.lock);
    gex_AM_SrcDesc_t sd = spare.first;
    if (sd)
        spare.first = sd->next;
    pthread_mutex_unlock(&spare.lock);
    if (!sd && !(sd = calloc(1, sizeof *sd)))
        cwu_fatal("gex_AM_Prepare: out of memory");
    return sd;
}

static void give_back(gex_AM_SrcDesc_t sd)
{
    sd->open = false;
    pthread_mutex_lock(&spare.lock);
    sd->next = spare.first;
    spare.first = sd;
    pthread_mutex_unlock(&spare.lock);
}

size_t gex_am_most(bool is_a_long, bool lent)
{
    // what the target copies to memory of its client travels in the message
    size_t most = is_a_long && !gex_has_far_primary() ? gas_max_long() : gas.max_medium;
    return lent && most > MOST_LENT ? MOST_LENT : most;
}

/** The descriptor that this thread has open, and may not communicate while it has. */
static void set_open(gex_AM_SrcDesc_t sd)
{
    this_thread = sd;
    if (CW_UNLIKELY(gas.check))
        gas_thread()->prepared = sd != NULL;
}

// ---------------------------------------------------------------- prepare
static gex_AM_SrcDesc_t prepare(const char *call, const gex_AM_SrcDesc_t what,
                                const void *client_buf, size_t least, size_t most)
{
    size_t limit = gex_am_most(is_long(what->kind), !client_buf);
    if (this_thread)
        gas_fail(call, "this thread has a descriptor already; commit or cancel it first");
    if (least > most || least > limit)
        gas_fail(call,
                 "the payload is to have %zu to %zu bytes; at most %zu are possible, and "
                 "least_payload is not more than most_payload",
                 least, most, limit);
    if (what->nargs > CW_AM_MAX_ARGS)
        gas_fail(call, "numargs is %u; at most %d are possible", what->nargs, CW_AM_MAX_ARGS);
    if (!client_buf && what->lc)
        gas_fail(call, "lc_opt must be NULL when client_buf is");
    gex_AM_SrcDesc_t sd = take();
    void *room = sd->room;
    size_t room_nbytes = sd->room_nbytes;
    *sd = *what;
    sd->room = room;
    sd->room_nbytes = room_nbytes;
    sd->nbytes = most < limit ? most : limit;
    sd->addr = (void *)(uintptr_t)client_buf;
    if (!client_buf) {
        if (sd->room_nbytes < sd->nbytes || !sd->room) {
            free(sd->room);
            sd->room_nbytes = sd->nbytes < gas.max_medium ? gas.max_medium : sd->nbytes;
            if (!(sd->room = malloc(sd->room_nbytes)))
                cwu_fatal("%s: out of memory for %zu bytes", call, sd->room_nbytes);
        }
        sd->addr = sd->room;
    }
    sd->open = true;
    set_open(sd);
    return sd;
}

/** Handlers prepare replies only. */
static void check_request(const char *call, gex_TM_t tm, gex_Rank_t rank)
{
    if (CW_UNLIKELY(gas.check))
        gas_check_life(call);
    gex_am_peer(call, tm, rank);
}

GAS_API gex_AM_SrcDesc_t gex_AM_PrepareRequestMedium(gex_TM_t tm, gex_Rank_t rank,
                                                     const void *client_buf, size_t least_payload,
                                                     size_t most_payload, gex_Event_t *lc_opt,
                                                     gex_Flags_t flags, unsigned int numargs)
{
    (void)flags;  // it never waits; Commit may
    check_request(__func__, tm, rank);
    struct gex_causeway_srcdesc what = {.kind = GEX_CAUSEWAY_REQUEST_MEDIUM,
                                        .tm = tm,
                                        .rank = rank,
                                        .lc = lc_opt,
                                        .nargs = numargs};
    return prepare(__func__, &what, client_buf, least_payload, most_payload);
}

GAS_API gex_AM_SrcDesc_t gex_AM_PrepareReplyMedium(gex_Token_t token, const void *client_buf,
                                                   size_t least_payload, size_t most_payload,
                                                   gex_Event_t *lc_opt, gex_Flags_t flags,
                                                   unsigned int numargs)
{
    (void)flags;
    gex_am_token(__func__, token);
    struct gex_causeway_srcdesc what = {
        .kind = GEX_CAUSEWAY_REPLY_MEDIUM, .token = token, .lc = lc_opt, .nargs = numargs};
    return prepare(__func__, &what, client_buf, least_payload, most_payload);
}

GAS_API gex_AM_SrcDesc_t gex_AM_PrepareRequestLong(gex_TM_t tm, gex_Rank_t rank,
                                                   const void *client_buf, size_t least_payload,
                                                   size_t most_payload, void *dest_addr,
                                                   gex_Event_t *lc_opt, gex_Flags_t flags,
                                                   unsigned int numargs)
{
    (void)flags;
    check_request(__func__, tm, rank);
    struct gex_causeway_srcdesc what = {.kind = GEX_CAUSEWAY_REQUEST_LONG,
                                        .tm = tm,
                                        .rank = rank,
                                        .dest = dest_addr,
                                        .lc = lc_opt,
                                        .nargs = numargs};
    return prepare(__func__, &what, client_buf, least_payload, most_payload);
}

GAS_API gex_AM_SrcDesc_t gex_AM_PrepareReplyLong(gex_Token_t token, const void *client_buf,
                                                 size_t least_payload, size_t most_payload,
                                                 void *dest_addr, gex_Event_t *lc_opt,
                                                 gex_Flags_t flags, unsigned int numargs)
{
    (void)flags;
    gex_am_token(__func__, token);
    struct gex_causeway_srcdesc what = {.kind = GEX_CAUSEWAY_REPLY_LONG,
                                        .token = token,
                                        .dest = dest_addr,
                                        .lc = lc_opt,
                                        .nargs = numargs};
    return prepare(__func__, &what, client_buf, least_payload, most_payload);
}

// ---------------------------------------------------------------- the descriptor
static gex_AM_SrcDesc_t check(const char *call, gex_AM_SrcDesc_t sd)
{
    if (!sd || sd != this_thread || !sd->open)
        gas_fail(call, "the descriptor %p is none that this thread has prepared", (void *)sd);
    return sd;
}

GAS_API void *gex_AM_SrcDescAddr(gex_AM_SrcDesc_t sd)
{
    return check(__func__, sd)->addr;
}

GAS_API size_t gex_AM_SrcDescSize(gex_AM_SrcDesc_t sd)
{
    return check(__func__, sd)->nbytes;
}

static int cancel(const char *call, int kind, gex_AM_SrcDesc_t sd)
{
    if (check(call, sd)->kind != kind)
        gas_fail(call, "the descriptor was prepared for another kind of message");
    set_open(NULL);
    give_back(sd);
    return 0;
}

#define CANCEL(name, kind)                                   \
    GAS_API int name(gex_AM_SrcDesc_t sd, gex_Flags_t flags) \
    {                                                        \
        (void)flags;                                         \
        return cancel(__func__, kind, sd);                   \
    }
CANCEL(gex_AM_CancelRequestMedium, GEX_CAUSEWAY_REQUEST_MEDIUM)
CANCEL(gex_AM_CancelReplyMedium, GEX_CAUSEWAY_REPLY_MEDIUM)
CANCEL(gex_AM_CancelRequestLong, GEX_CAUSEWAY_REQUEST_LONG)
CANCEL(gex_AM_CancelReplyLong, GEX_CAUSEWAY_REPLY_LONG)

// ---------------------------------------------------------------- commit
static const char *const commits[] = {"gex_AM_CommitRequestMedium", "gex_AM_CommitReplyMedium",
                                      "gex_AM_CommitRequestLong", "gex_AM_CommitReplyLong"};

static void check_commit(int kind, gex_AM_SrcDesc_t sd, size_t nbytes, const void *dest,
                         unsigned nargs)
{
    const char *call = commits[kind];
    check(call, sd);
    if (sd->kind != kind || sd->nargs != nargs)
        gas_fail(call, "the descriptor was prepared for %s with %u arguments, not for this with %u",
                 commits[sd->kind], sd->nargs, nargs);
    if (nbytes > sd->nbytes)
        gas_fail(call,
                 "the payload has %zu bytes; the descriptor has room for %zu (gex_AM_SrcDescSize)",
                 nbytes, sd->nbytes);
    if (CW_UNLIKELY(gas.check) && sd->addr != sd->room)
        cw_check_buffer(call, "client_buf", sd->addr, nbytes);
    if (sd->dest && sd->dest != dest)
        gas_fail(call, "dest_addr is %p, but Prepare was given %p", dest, sd->dest);
}

/** 0, or CW_EAGAIN. While this runs, handlers of this thread may prepare replies of their own. */
static int send_prepared(gex_AM_SrcDesc_t sd, uint32_t head, const uint32_t *args, size_t nbytes,
                         void *dest, unsigned how)
{
    const char *call = commits[sd->kind];
    cw_am_msg_t *token = is_reply(sd->kind) ? gex_am_token(call, sd->token) : NULL;
    uint32_t pe = token ? (uint32_t)token->source : gex_am_peer(call, sd->tm, sd->rank);
    void *to = is_long(sd->kind) ? gex_am_dest(call, pe, dest, nbytes, &how) : NULL;
    switch (sd->kind) {
    case GEX_CAUSEWAY_REQUEST_MEDIUM:
        return cw_am_request_medium((int)pe, head, args, sd->addr, nbytes, how);
    case GEX_CAUSEWAY_REQUEST_LONG:
        return cw_am_request_long((int)pe, head, args, sd->addr, nbytes, to, how);
    case GEX_CAUSEWAY_REPLY_MEDIUM:
        cw_am_reply_medium(token, head, args, sd->addr, nbytes);
        return 0;
    default:
        cw_am_reply_long(token, head, args, sd->addr, nbytes, to, how & CW_AM_RAW);
        return 0;
    }
}

GAS_API int gex_causeway_commit(int kind, gex_AM_SrcDesc_t sd, gex_AM_Index_t handler,
                                size_t nbytes, void *dest_addr, gex_Flags_t flags,
                                unsigned int nargs, ...)
{
    uint32_t args[CW_AM_MAX_ARGS];
    check_commit(kind, sd, nbytes, dest_addr, nargs);
    set_open(NULL);
    uint32_t head =
        gex_am_head(commits[kind], handler, nargs,
                    is_long(kind) ? GEX_FLAG_AM_LONG : GEX_FLAG_AM_MEDIUM, is_reply(kind));
    va_list ap;
    va_start(ap, nargs);
    for (unsigned i = 0; i < nargs; i++)
        args[i] = (uint32_t)va_arg(ap, gex_AM_Arg_t);
    va_end(ap);
    uint32_t pe = is_reply(kind) ? GEX_RANK_INVALID : gex_pe(sd->tm, sd->rank);
    if (send_prepared(sd, head, args, nbytes, dest_addr,
                      flags & GEX_FLAG_IMMEDIATE ? CW_AM_IMMEDIATE : 0)) {
        set_open(sd);
        return 1;
    }
    gex_set_lc(sd->lc);
    give_back(sd);
    gas_run_own(pe);
    return 0;
}
