// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet-EX: active messages. Limits are those of core's request layer, as for GASNet-1.
// Handlers of one interface are registered with the other too, so each may send what the other
// handles. Payloads are copied or sent before a call returns, so local completion comes with it.
#include <stdarg.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "gex/gex.h"

static const cw_am_names_t names = {
    .send = {{"gex_AM_RequestShort", "gex_AM_RequestMedium", "gex_AM_RequestLong"},
             {"gex_AM_ReplyShort", "gex_AM_ReplyMedium", "gex_AM_ReplyLong"}},
    .poll = "gasnet_AMPoll",
};

static gex_AM_Entry_t entries[CW_AM_HANDLERS] CW_LARGE;  // what clients registered

void gex_am_open(void)
{
    cw_am_open(GEX_AM_CLIENT, &names);
}

void gex_am_close(void)
{
    cw_am_close(GEX_AM_CLIENT);
}

// ---------------------------------------------------------------- the table
/** Of table[i]. */
static const char *entry_wrong(const gex_AM_Entry_t *table, size_t i)
{
    const gex_AM_Entry_t *entry = &table[i];
    if (!entry->gex_fnptr)
        return "it has no function";
    if (entry->gex_nargs > CW_AM_MAX_ARGS)
        return "it has more than 16 arguments";
    if (entry->gex_index == 0)
        return NULL;
    if (entry->gex_index < GEX_AM_INDEX_BASE)
        return "indices below GEX_AM_INDEX_BASE (128) are reserved";
    for (size_t before = 0; before < i; before++)
        if (table[before].gex_index == entry->gex_index)
            return "an entry before it has its index";
    return cw_am_registered(GEX_AM_CLIENT, entry->gex_index) ? "its index is taken" : NULL;
}

static int free_index(const gex_AM_Entry_t *table, size_t numentries)
{
    for (int index = CW_AM_HANDLERS - 1; index >= GEX_AM_INDEX_BASE; index--) {
        bool taken = cw_am_registered(GEX_AM_CLIENT, index) != NULL;
        for (size_t i = 0; i < numentries && !taken; i++)
            taken = table[i].gex_index == index;
        if (!taken)
            return index;
    }
    return 0;
}

/** Handlers without an index get the highest free ones, in the order of the table: the same on
 *  every rank. */
GAS_API int gex_EP_RegisterHandlers(gex_EP_t ep, gex_AM_Entry_t *table, size_t numentries)
{
    if (!gex.begun || ep != &gex.ep[0] || (numentries && !table)) {
        gex_error("gex_EP_RegisterHandlers: wants the endpoint of gex_Client_Init and a table");
        return GASNET_ERR_BAD_ARG;
    }
    for (size_t i = 0; i < numentries; i++) {
        const char *wrong = entry_wrong(table, i);
        if (wrong) {
            gex_error("gex_EP_RegisterHandlers: entry %zu (index %d, %s): %s", i,
                      table[i].gex_index, table[i].gex_name ? table[i].gex_name : "no name", wrong);
            return GASNET_ERR_BAD_ARG;
        }
    }
    for (size_t i = 0; i < numentries; i++) {
        if (table[i].gex_index == 0)
            table[i].gex_index = (gex_AM_Index_t)free_index(table, numentries);
        if (table[i].gex_index == 0) {
            gex_error("gex_EP_RegisterHandlers: no index is left for entry %zu", i);
            return GASNET_ERR_RESOURCE;
        }
        entries[table[i].gex_index] = table[i];
        cw_am_register(GEX_AM_CLIENT, table[i].gex_index, (cw_am_handler_t)table[i].gex_fnptr);
        gas_share_handler(&gex_interface, table[i].gex_index, table[i].gex_fnptr);
    }
    return GASNET_OK;
}

/** Flags 0: it is not known how the handler will be called. */
void gex_adopt_handler(int index, gasnet_causeway_fnptr_t fn)
{
    entries[index] = (gex_AM_Entry_t){
        .gex_index = (gex_AM_Index_t)index, .gex_fnptr = fn, .gex_name = "gasnet_attach"};
    cw_am_register(GEX_AM_CLIENT, index, (cw_am_handler_t)fn);
}

GAS_API gex_TI_t gex_Token_Info(gex_Token_t token, gex_Token_Info_t *info, gex_TI_t mask)
{
    const cw_am_msg_t *msg = token;
    (void)mask;
    if (CW_UNLIKELY(!msg || !info))
        gas_fail(__func__, "the token is %p, the place for the information %p", token,
                 (void *)info);
    info->gex_srcrank = (gex_Rank_t)msg->source;
    info->gex_ep = &gex.ep[0];
    info->gex_entry = &entries[CW_AM_HEAD_HANDLER(msg->head)];
    // Peer completion (vis.c) is a request to a handler that was registered for replies.
    info->gex_is_req =
        !msg->is_reply && (info->gex_entry->gex_flags & GEX_FLAG_AM_REQREP) != GEX_FLAG_AM_REPLY;
    info->gex_is_long = msg->kind == CW_AM_LONG;
    return GEX_TI_ALL;
}

// ---------------------------------------------------------------- what a message needs
static CW_NOINLINE CW_COLD void check_entry(const char *call, int handler, unsigned nargs,
                                            gex_Flags_t kind, bool reply)
{
    const gex_AM_Entry_t *entry = &entries[handler];
    const char *name = entry->gex_name ? entry->gex_name : "no name";
    if (!entry->gex_flags)
        return;
    if (entry->gex_flags & (GEX_FLAG_AM_SHORT | GEX_FLAG_AM_MEDLONG) && !(entry->gex_flags & kind))
        gas_fail(call,
                 "handler %d (%s) was not registered for messages of this kind (its flags are %#x)",
                 handler, name, entry->gex_flags);
    if (entry->gex_nargs != nargs)
        gas_fail(call, "handler %d (%s) was registered with %u arguments, and this call has %u",
                 handler, name, entry->gex_nargs, nargs);
    if (entry->gex_flags & GEX_FLAG_AM_REQREP &&
        !(entry->gex_flags & (reply ? GEX_FLAG_AM_REPLY : GEX_FLAG_AM_REQUEST)))
        gas_fail(call, "handler %d (%s) was registered for %s only", handler, name,
                 reply ? "requests" : "replies");
}

/** Of a client's handler. The flags of its table are checked in checking mode. */
uint32_t gex_am_head(const char *call, int handler, unsigned nargs, gex_Flags_t kind, bool reply)
{
    if (CW_UNLIKELY(nargs > CW_AM_MAX_ARGS || handler < GEX_AM_INDEX_BASE ||
                    !cw_am_registered(GEX_AM_CLIENT, handler)))
        gas_fail(
            call,
            "there is no handler %d with %u arguments; register it first (gex_EP_RegisterHandlers)",
            handler, nargs);
    if (CW_UNLIKELY(gas.check)) {
        if (!reply)
            gas_check_life(call);
        check_entry(call, handler, nargs, kind, reply);
    }
    return CW_AM_HEAD(GEX_AM_CLIENT, handler, nargs);
}

/** Messages go to first endpoints. */
uint32_t gex_am_peer(const char *call, gex_TM_t tm, gex_Rank_t rank)
{
    uint32_t pe = gex_peer(call, tm, rank);
    if (CW_UNLIKELY(tm->remote != 0 || tm->ep != &gex.ep[0]))
        gas_fail(call,
                 "endpoints %u here and %u at rank %u are for transfers; messages go from endpoint "
                 "0 to endpoint 0",
                 tm->ep->index, tm->remote, rank);
    return pe;
}

static void check_payload(const char *call, const void *source_addr, size_t nbytes, size_t most)
{
    if (CW_UNLIKELY(nbytes > most))
        gas_fail(call, "the payload has %zu bytes; at most %zu are possible", nbytes, most);
    if (CW_UNLIKELY(gas.check))
        cw_check_buffer(call, "source_addr", source_addr, nbytes);
}

static void take_args(uint32_t *args, unsigned nargs, va_list ap)
{
    for (unsigned i = 0; i < nargs && i < CW_AM_MAX_ARGS; i++)
        args[i] = (uint32_t)va_arg(ap, gex_AM_Arg_t);
}

static unsigned flags_of(gex_Flags_t flags)
{
    return flags & GEX_FLAG_IMMEDIATE ? CW_AM_IMMEDIATE : 0;
}

/** The destination in core's terms; into memory that others cannot reach, the target copies. */
void *gex_am_dest(const char *call, uint32_t pe, void *dest, size_t nbytes, unsigned *flags_p)
{
    if (CW_UNLIKELY(gas.check))
        gex_check_remote(call, &gex.world, pe, pe, dest, nbytes);
    if (nbytes > 0 && gas_reaches(pe, dest, nbytes))
        return cw_owner_symmetric(&gas_owner, pe, dest);
    if (nbytes > 0 && gas.segments != GAS_EVERYTHING && !gex_has_far_primary())
        gas_fail(call, "dest_addr %s, %zu bytes, is not in the segment of rank %u of the job",
                 cw_at_of((int)pe, dest, nbytes), nbytes, pe);
    if (nbytes > gas.max_medium)
        gas_fail(call,
                 "dest_addr %s of rank %u is not memory of the library, and the payload has %zu "
                 "bytes; at most %zu go there (gex_AM_MaxRequestLong)",
                 cw_at_of((int)pe, dest, nbytes), pe, nbytes, gas.max_medium);
    *flags_p |= CW_AM_RAW;
    return dest;
}

cw_am_msg_t *gex_am_token(const char *call, gex_Token_t token)
{
    if (CW_UNLIKELY(!token || (gas.check && token != cw_am_running())))
        gas_fail(call, "the token %p is not that of a message being handled by this thread", token);
    return token;
}

// ---------------------------------------------------------------- requests
GAS_API int gex_causeway_request_short(gex_TM_t tm, gex_Rank_t rank, gex_AM_Index_t handler,
                                       gex_Flags_t flags, unsigned int nargs, ...)
{
    static const char call[] = "gex_AM_RequestShort";
    uint32_t pe = gex_am_peer(call, tm, rank),
             head = gex_am_head(call, handler, nargs, GEX_FLAG_AM_SHORT, false);
    uint32_t args[CW_AM_MAX_ARGS];
    va_list ap;
    va_start(ap, nargs);
    take_args(args, nargs, ap);
    va_end(ap);
    int left = cw_am_request_short((int)pe, head, args, flags_of(flags)) != 0;
    gas_run_own(pe);
    return left;
}

GAS_API int gex_causeway_request_medium(gex_TM_t tm, gex_Rank_t rank, gex_AM_Index_t handler,
                                        const void *source_addr, size_t nbytes, gex_Event_t *lc_opt,
                                        gex_Flags_t flags, unsigned int nargs, ...)
{
    static const char call[] = "gex_AM_RequestMedium";
    uint32_t pe = gex_am_peer(call, tm, rank),
             head = gex_am_head(call, handler, nargs, GEX_FLAG_AM_MEDIUM, false);
    uint32_t args[CW_AM_MAX_ARGS];
    va_list ap;
    va_start(ap, nargs);
    take_args(args, nargs, ap);
    va_end(ap);
    check_payload(call, source_addr, nbytes, gas.max_medium);
    int left = cw_am_request_medium((int)pe, head, args, source_addr, nbytes, flags_of(flags)) != 0;
    gas_run_own(pe);
    gex_set_lc(lc_opt);
    return left;
}

GAS_API int gex_causeway_request_long(gex_TM_t tm, gex_Rank_t rank, gex_AM_Index_t handler,
                                      const void *source_addr, size_t nbytes, void *dest_addr,
                                      gex_Event_t *lc_opt, gex_Flags_t flags, unsigned int nargs,
                                      ...)
{
    static const char call[] = "gex_AM_RequestLong";
    uint32_t pe = gex_am_peer(call, tm, rank),
             head = gex_am_head(call, handler, nargs, GEX_FLAG_AM_LONG, false);
    uint32_t args[CW_AM_MAX_ARGS];
    unsigned how = flags_of(flags);
    va_list ap;
    va_start(ap, nargs);
    take_args(args, nargs, ap);
    va_end(ap);
    check_payload(call, source_addr, nbytes, gas_max_long());
    void *dest = gex_am_dest(call, pe, dest_addr, nbytes, &how);
    int left = cw_am_request_long((int)pe, head, args, source_addr, nbytes, dest, how) != 0;
    gas_run_own(pe);
    gex_set_lc(lc_opt);
    return left;
}

// ---------------------------------------------------------------- replies
GAS_API int gex_causeway_reply_short(gex_Token_t token, gex_AM_Index_t handler, gex_Flags_t flags,
                                     unsigned int nargs, ...)
{
    static const char call[] = "gex_AM_ReplyShort";
    uint32_t head = gex_am_head(call, handler, nargs, GEX_FLAG_AM_SHORT, true),
             args[CW_AM_MAX_ARGS];
    (void)flags;  // a reply never waits for room
    va_list ap;
    va_start(ap, nargs);
    take_args(args, nargs, ap);
    va_end(ap);
    cw_am_reply_short(gex_am_token(call, token), head, args);
    return 0;
}

GAS_API int gex_causeway_reply_medium(gex_Token_t token, gex_AM_Index_t handler,
                                      const void *source_addr, size_t nbytes, gex_Event_t *lc_opt,
                                      gex_Flags_t flags, unsigned int nargs, ...)
{
    static const char call[] = "gex_AM_ReplyMedium";
    uint32_t head = gex_am_head(call, handler, nargs, GEX_FLAG_AM_MEDIUM, true),
             args[CW_AM_MAX_ARGS];
    (void)flags;
    va_list ap;
    va_start(ap, nargs);
    take_args(args, nargs, ap);
    va_end(ap);
    check_payload(call, source_addr, nbytes, gas.max_medium);
    cw_am_reply_medium(gex_am_token(call, token), head, args, source_addr, nbytes);
    gex_set_lc(lc_opt);
    return 0;
}

GAS_API int gex_causeway_reply_long(gex_Token_t token, gex_AM_Index_t handler,
                                    const void *source_addr, size_t nbytes, void *dest_addr,
                                    gex_Event_t *lc_opt, gex_Flags_t flags, unsigned int nargs, ...)
{
    static const char call[] = "gex_AM_ReplyLong";
    uint32_t head = gex_am_head(call, handler, nargs, GEX_FLAG_AM_LONG, true), args[CW_AM_MAX_ARGS];
    unsigned how = 0;
    (void)flags;
    va_list ap;
    va_start(ap, nargs);
    take_args(args, nargs, ap);
    va_end(ap);
    cw_am_msg_t *msg = gex_am_token(call, token);
    check_payload(call, source_addr, nbytes, gas_max_long());
    void *dest = gex_am_dest(call, (uint32_t)msg->source, dest_addr, nbytes, &how);
    cw_am_reply_long(msg, head, args, source_addr, nbytes, dest, how);
    gex_set_lc(lc_opt);
    return 0;
}

// ---------------------------------------------------------------- limits: the same for all peers
GAS_API unsigned int gex_AM_MaxArgs(void)
{
    return CW_AM_MAX_ARGS;
}

GAS_API size_t gex_AM_LUBRequestMedium(void)
{
    return gas.max_medium;
}

GAS_API size_t gex_AM_LUBReplyMedium(void)
{
    return gas.max_medium;
}

GAS_API size_t gex_AM_LUBRequestLong(void)
{
    return gex_am_most(true, false);
}

GAS_API size_t gex_AM_LUBReplyLong(void)
{
    return gex_am_most(true, false);
}

/** The library's room (gex_AM_Prepare... without a buffer) has a limit of its own. */
static size_t limit(const char *call, gex_Flags_t flags, bool is_long, unsigned nargs)
{
    if (CW_UNLIKELY(nargs > CW_AM_MAX_ARGS))
        gas_fail(call, "numargs is %u; at most %d are possible", nargs, CW_AM_MAX_ARGS);
    return gex_am_most(is_long, flags & GEX_FLAG_AM_PREPARE_LEAST_ALLOC);
}

#define LIMIT_OF_PEER(name, is_long)                                                 \
    GAS_API size_t name(gex_TM_t tm, gex_Rank_t rank, const gex_Event_t *lc_opt,     \
                        gex_Flags_t flags, unsigned n)                               \
    {                                                                                \
        (void)lc_opt;                                                                \
        gex_am_peer(#name, tm, rank == GEX_RANK_INVALID ? 0 : rank);                 \
        return limit(#name, flags, is_long, n);                                      \
    }
LIMIT_OF_PEER(gex_AM_MaxRequestMedium, false)
LIMIT_OF_PEER(gex_AM_MaxReplyMedium, false)
LIMIT_OF_PEER(gex_AM_MaxRequestLong, true)
LIMIT_OF_PEER(gex_AM_MaxReplyLong, true)

GAS_API size_t gex_Token_MaxReplyMedium(gex_Token_t token, const gex_Event_t *lc_opt,
                                        gex_Flags_t flags, unsigned int nargs)
{
    (void)lc_opt;
    gex_am_token(__func__, token);
    return limit(__func__, flags, false, nargs);
}

GAS_API size_t gex_Token_MaxReplyLong(gex_Token_t token, const gex_Event_t *lc_opt,
                                      gex_Flags_t flags, unsigned int nargs)
{
    (void)lc_opt;
    gex_am_token(__func__, token);
    return limit(__func__, flags, true, nargs);
}
