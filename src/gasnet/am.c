// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet-1: active messages: the client's handler table, and the calls, which lead to core's
// request layer. Numbers of nodes and handlers and lengths are always checked: wrong ones would do
// harm in another process.
#include <stdarg.h>

#include "base/compiler.h"
#include "gasnet/gas1.h"

enum { FIRST_CLIENT_HANDLER = 128, HANDLERS = 256 };

static const cw_am_names_t names = {
    .send = {{"gasnet_AMRequestShort", "gasnet_AMRequestMedium", "gasnet_AMRequestLong"},
             {"gasnet_AMReplyShort", "gasnet_AMReplyMedium", "gasnet_AMReplyLong"}},
    .poll = "gasnet_AMPoll",
};

static gas_interface_t interface;

// ---------------------------------------------------------------- the table
int gas1_check_table(const gasnet_handlerentry_t *table, int numentries)
{
    bool used[HANDLERS] = {false};
    if (numentries < 0 || numentries > HANDLERS - FIRST_CLIENT_HANDLER ||
        (numentries > 0 && !table)) {
        cwu_error("gasnet_attach: numentries is %d with table %p; give 0 to %d entries", numentries,
                  (const void *)table, HANDLERS - FIRST_CLIENT_HANDLER);
        return GASNET_ERR_BAD_ARG;
    }
    for (int i = 0; i < numentries; i++) {
        int index = table[i].index;
        if (!table[i].fnptr) {
            cwu_error("gasnet_attach: entry %d of the handler table has no function", i);
            return GASNET_ERR_BAD_ARG;
        }
        if (index == 0)
            continue;
        if (index < FIRST_CLIENT_HANDLER || used[index]) {
            cwu_error("gasnet_attach: handler index %d of entry %d is %s; clients have %d to %d",
                      index, i, used[index] ? "taken by an entry before" : "reserved",
                      FIRST_CLIENT_HANDLER, HANDLERS - 1);
            return GASNET_ERR_BAD_ARG;
        }
        used[index] = true;
    }
    return GASNET_OK;
}

/** Handlers without a number get the lowest free ones, in the order of the table: the same on every
 *  node. */
static void number(gasnet_handlerentry_t *table, int numentries)
{
    bool used[HANDLERS] = {false};
    int next = FIRST_CLIENT_HANDLER;
    for (int i = 0; i < numentries; i++)
        used[table[i].index] = true;
    for (int i = 0; i < numentries; i++) {
        if (table[i].index != 0)
            continue;
        while (used[next])
            next++;
        table[i].index = (gasnet_handler_t)next++;
    }
}

void gas1_register_handlers(gasnet_handlerentry_t *table, int numentries)
{
    number(table, numentries);
    for (int i = 0; i < numentries; i++) {
        cw_am_register(GAS1_AM_CLIENT, table[i].index, (cw_am_handler_t)table[i].fnptr);
        gas_share_handler(&interface, table[i].index, table[i].fnptr);
    }
}

// ---------------------------------------------------------------- what the job calls
static void adopt_handler(int index, gasnet_causeway_fnptr_t fn)
{
    cw_am_register(GAS1_AM_CLIENT, index, (cw_am_handler_t)fn);
}

static void open_messages(void)
{
    cw_am_open(GAS1_AM_CLIENT, &names);
}

static void close_messages(void)
{
    cw_am_close(GAS1_AM_CLIENT);
}

static void open_interface(void)
{
    gas1_barrier_open();
    cw_am_take_raw(GAS1_AM_CLIENT, gas_takes);
}

static gas_interface_t interface = {.open = open_interface,
                                    .open_messages = open_messages,
                                    .close_messages = close_messages,
                                    .adopt_handler = adopt_handler};

static GAS_CONSTRUCTOR void add_interface(void)
{
    gas_interface_add(&interface);
}

// ---------------------------------------------------------------- requests
static CW_NOINLINE CW_COLD void refuse(const char *call, gasnet_node_t node, int handler,
                                       size_t nbytes, size_t most)
{
    gas_check_life(call);
    gas_check_node(call, node);
    if (handler < FIRST_CLIENT_HANDLER || !cw_am_registered(GAS1_AM_CLIENT, handler))
        gas_fail(call,
                 "there is no handler %d (message to node %u); gasnet_attach was given none with "
                 "that index",
                 handler, node);
    if (nbytes > most)
        gas_fail(call, "the payload has %zu bytes (message to node %u); at most %zu are possible",
                 nbytes, node, most);
}

/** What every request needs; most: bytes of its payload. */
static CW_ALWAYS_INLINE void check(const char *call, gasnet_node_t node, int handler, size_t nbytes,
                                   size_t most)
{
    if (CW_UNLIKELY(gas.slow_sync) || CW_UNLIKELY(node >= gas.nodes) ||
        CW_UNLIKELY(handler < FIRST_CLIENT_HANDLER) || CW_UNLIKELY(nbytes > most))
        refuse(call, node, handler, nbytes, most);
}

static inline uint32_t head_of(int handler, int nargs)
{
    return CW_AM_HEAD(GAS1_AM_CLIENT, handler, nargs);
}

/** The destination of a long message in core's terms: a symmetric address, or the owner's with
 *  CW_AM_RAW. */
static void *long_dest(const char *call, gasnet_node_t node, void *dest, const void *src,
                       size_t nbytes, unsigned *flags_p)
{
    if (gas.check) {
        gas_check_remote(call, "dest_addr", node, dest, nbytes);
        cw_check_buffer(call, "source_addr", src, nbytes);
    }
    if (nbytes > 0 && gas_reaches(node, dest, nbytes))
        return cw_owner_symmetric(&gas_owner, node, dest);
    if (nbytes > 0 && gas.segments != GAS_EVERYTHING)
        gas_fail(call, "dest_addr %s, %zu bytes, is not in the segment of node %u",
                 cw_at_of((int)node, dest, nbytes), nbytes, node);
    *flags_p |= CW_AM_RAW;
    return dest;
}

GAS_API int gasnet_causeway_request_short(gasnet_node_t dest, gasnet_handler_t handler, int nargs,
                                          const gasnet_handlerarg_t *args)
{
    check("gasnet_AMRequestShort", dest, handler, 0, 0);
    cw_am_request_short((int)dest, head_of(handler, nargs), (const uint32_t *)args, 0);
    gas_run_own(dest);
    return GASNET_OK;
}

// Short requests with few arguments: these stay in their registers, and the call ends in a jump to
// core's function.
static CW_NOINLINE int short_checked(gasnet_node_t dest, gasnet_handler_t handler, int nargs,
                                     const gasnet_handlerarg_t *args)
{
    return gasnet_causeway_request_short(dest, handler, nargs, args);
}

/** What check() would pass, but for messages to this node. */
static CW_ALWAYS_INLINE bool is_sound(gasnet_node_t node, unsigned handler)
{
    return CW_LIKELY(node != gas.me) && CW_LIKELY(node < gas.fast_nodes) &&
           CW_LIKELY(handler & FIRST_CLIENT_HANDLER);
}
_Static_assert(FIRST_CLIENT_HANDLER == 128 && HANDLERS == 256,
               "one bit says that a handler is a client's");

#define SHORT(nargs, parameters, list, values)                                                   \
    static CW_NOINLINE CW_COLD int checked_##nargs(gasnet_node_t dest,                           \
                                                               unsigned handler parameters)      \
    {                                                                                            \
        return short_checked(dest, (gasnet_handler_t)handler, nargs,                             \
                             (const gasnet_handlerarg_t[4]){values});                            \
    }                                                                                            \
    GAS_API int gasnet_causeway_request_short##nargs(gasnet_node_t dest,                         \
                                                     unsigned handler parameters)                \
    {                                                                                            \
        if (CW_UNLIKELY(!is_sound(dest, handler)))                                               \
            return checked_##nargs(dest, handler list);                                          \
        uint32_t head = CW_AM_HEAD(GAS1_AM_CLIENT, 0, nargs) | handler;                          \
        return cw_am_short##nargs((int)dest, head list);                                         \
    }
#define COMMA ,
#define ARG(i) , gasnet_handlerarg_t a##i
SHORT(0, , , 0)
SHORT(1, ARG(0), COMMA(uint32_t) a0, a0)
SHORT(2, ARG(0) ARG(1), COMMA(uint32_t) a0 COMMA(uint32_t) a1, a0 COMMA a1)
SHORT(3, ARG(0) ARG(1) ARG(2), COMMA(uint32_t) a0 COMMA(uint32_t) a1 COMMA(uint32_t) a2,
      a0 COMMA a1 COMMA a2)
SHORT(4, ARG(0) ARG(1) ARG(2) ARG(3),
      COMMA(uint32_t) a0 COMMA(uint32_t) a1 COMMA(uint32_t) a2 COMMA(uint32_t) a3,
      a0 COMMA a1 COMMA a2 COMMA a3)

// Medium and long requests. Those with up to four arguments, whose number is in the head, come by
// calls whose parameters core's functions take as they are.
_Static_assert(CW_AM_HEAD(GAS1_AM_CLIENT, 255, 4) == (4 << 8 | 255), "a client's head is core's");

/** The same for a message that core tests for one to this node. */
static CW_ALWAYS_INLINE bool is_sound_near(gasnet_node_t node, unsigned handler)
{
    return CW_LIKELY(node < gas.fast_nodes) && CW_LIKELY(handler & FIRST_CLIENT_HANDLER);
}

static CW_NOINLINE int medium_checked(gasnet_node_t dest, unsigned head, void *source_addr,
                                      size_t nbytes, const gasnet_handlerarg_t *args)
{
    check("gasnet_AMRequestMedium", dest, CW_AM_HEAD_HANDLER(head), nbytes, gas.max_medium);
    if (gas.check)
        cw_check_buffer("gasnet_AMRequestMedium", "source_addr", source_addr, nbytes);
    cw_am_request_medium((int)dest, head, (const uint32_t *)args, source_addr, nbytes, 0);
    gas_run_own(dest);
    return GASNET_OK;
}

static CW_NOINLINE int medium_any(gasnet_node_t dest, unsigned head, void *source_addr,
                                  size_t nbytes, const gasnet_handlerarg_t *args)
{
    if (CW_UNLIKELY(!is_sound(dest, head)) || CW_UNLIKELY(nbytes > gas.max_medium))
        return medium_checked(dest, head, source_addr, nbytes, args);
    return cw_am_medium((int)dest, head, source_addr, nbytes, (const uint32_t *)args);
}

static CW_NOINLINE int medium4_any(gasnet_node_t dest, unsigned head, void *source_addr,
                                   size_t nbytes, cw_am_args4_t args)
{
    gasnet_handlerarg_t room[4];
    memcpy(room, &args, sizeof room);
    return medium_any(dest, head, source_addr, nbytes, room);
}

GAS_API int gasnet_causeway_request_medium4(gasnet_node_t dest, unsigned head, void *source_addr,
                                            size_t nbytes, gasnet_causeway_args4_t args)
{
    if (CW_UNLIKELY(!is_sound_near(dest, head)) || CW_UNLIKELY(nbytes > CW_AM_SMALL))
        return medium4_any(dest, head, source_addr, nbytes, (cw_am_args4_t)args);
    return cw_am_medium4((int)dest, head, source_addr, nbytes, (cw_am_args4_t)args);
}

GAS_API int gasnet_causeway_request_medium(gasnet_node_t dest, gasnet_handler_t handler,
                                           void *source_addr, size_t nbytes, int nargs,
                                           const gasnet_handlerarg_t *args)
{
    return medium_any(dest, head_of(handler, nargs), source_addr, nbytes, args);
}

static CW_NOINLINE int request_long(const char *call, gasnet_node_t node, gasnet_handler_t handler,
                                    void *src, size_t nbytes, void *dest, int nargs,
                                    const gasnet_handlerarg_t *args, unsigned flags)
{
    check(call, node, handler, nbytes, gas_max_long());
    void *to = long_dest(call, node, dest, src, nbytes, &flags);
    cw_am_request_long((int)node, head_of(handler, nargs), (const uint32_t *)args, src, nbytes, to,
                       flags);
    gas_run_own(node);
    return GASNET_OK;
}

static CW_NOINLINE int long_any(gasnet_node_t dest, unsigned head, void *source_addr, size_t nbytes,
                                void *dest_addr, const gasnet_handlerarg_t *args)
{
    uint64_t offset;
    if (CW_LIKELY(is_sound(dest, head)) && CW_LIKELY(nbytes <= CW_AM_MAX_LONG) &&
        cw_owner_find_offset(&gas_owner, dest, dest_addr, nbytes, false, &offset))
        return cw_am_long((int)dest, head, source_addr, nbytes, offset, (const uint32_t *)args);
    return request_long("gasnet_AMRequestLong", dest, CW_AM_HEAD_HANDLER(head), source_addr, nbytes,
                        dest_addr, (int)CW_AM_HEAD_NARGS(head), args, 0);
}

static CW_NOINLINE int long4_any(gasnet_node_t dest, unsigned head, void *source_addr,
                                 size_t nbytes, void *dest_addr, cw_am_args4_t args)
{
    gasnet_handlerarg_t room[4];
    memcpy(room, &args, sizeof room);
    return long_any(dest, head, source_addr, nbytes, dest_addr, room);
}

_Static_assert(CW_AM_SMALL <= CW_OWNER_SMALL, "one comparison tells where a small one goes");

GAS_API int gasnet_causeway_request_long4(gasnet_node_t dest, unsigned head, void *source_addr,
                                          size_t nbytes, void *dest_addr,
                                          gasnet_causeway_args4_t args)
{
    uint64_t offset;
    if (CW_UNLIKELY(!is_sound_near(dest, head)) || CW_UNLIKELY(nbytes > CW_AM_SMALL) ||
        CW_UNLIKELY(!cw_owner_find_offset(&gas_owner, dest, dest_addr, nbytes, true, &offset)))
        return long4_any(dest, head, source_addr, nbytes, dest_addr, (cw_am_args4_t)args);
    return cw_am_long4((int)dest, head, source_addr, nbytes, offset, (cw_am_args4_t)args);
}

GAS_API int gasnet_causeway_request_long(gasnet_node_t dest, gasnet_handler_t handler,
                                         void *source_addr, size_t nbytes, void *dest_addr,
                                         int nargs, const gasnet_handlerarg_t *args)
{
    return long_any(dest, head_of(handler, nargs), source_addr, nbytes, dest_addr, args);
}

GAS_API int gasnet_causeway_request_longasync(gasnet_node_t dest, gasnet_handler_t handler,
                                              void *source_addr, size_t nbytes, void *dest_addr,
                                              int nargs, const gasnet_handlerarg_t *args)
{
    return request_long("gasnet_AMRequestLongAsync", dest, handler, source_addr, nbytes, dest_addr,
                        nargs, args, CW_AM_ASYNC);
}

// ---------------------------------------------------------------- replies
static CW_NOINLINE CW_COLD void refuse_reply(const char *call, const cw_am_msg_t *msg, int handler,
                                             size_t nbytes, size_t most)
{
    if (handler < FIRST_CLIENT_HANDLER || !cw_am_registered(GAS1_AM_CLIENT, handler))
        gas_fail(call,
                 "there is no handler %d (reply to node %d); gasnet_attach was given none with "
                 "that index",
                 handler, msg->source);
    if (nbytes > most)
        gas_fail(call, "the payload has %zu bytes (reply to node %d); at most %zu are possible",
                 nbytes, msg->source, most);
}

/** The message that a token stands for; core checks the rest. */
static cw_am_msg_t *message(const char *call, gasnet_token_t token, int handler, size_t nbytes,
                            size_t most)
{
    cw_am_msg_t *msg = token;
    if (CW_UNLIKELY(!msg || (gas.check && msg != cw_am_running())))
        gas_fail(call, "the token %p is not that of a message being handled by this thread", token);
    if (CW_UNLIKELY(gas.check && gas_thread()->locks))
        gas_fail(call, "the handler still holds the HSL at %s; unlock it before the reply",
                 cw_at(gas_thread()->locks, 1));
    if (CW_UNLIKELY(handler < FIRST_CLIENT_HANDLER || nbytes > most || gas.check))
        refuse_reply(call, msg, handler, nbytes, most);
    return msg;
}

GAS_API int gasnet_causeway_reply_short(gasnet_token_t token, gasnet_handler_t handler, int nargs,
                                        const gasnet_handlerarg_t *args)
{
    cw_am_msg_t *msg = message("gasnet_AMReplyShort", token, handler, 0, 0);
    cw_am_reply_short(msg, head_of(handler, nargs), (const uint32_t *)args);
    return GASNET_OK;
}

GAS_API int gasnet_causeway_reply_medium(gasnet_token_t token, gasnet_handler_t handler,
                                         void *source_addr, size_t nbytes, int nargs,
                                         const gasnet_handlerarg_t *args)
{
    cw_am_msg_t *msg = message("gasnet_AMReplyMedium", token, handler, nbytes, gas.max_medium);
    if (CW_UNLIKELY(gas.check))
        cw_check_buffer("gasnet_AMReplyMedium", "source_addr", source_addr, nbytes);
    cw_am_reply_medium(msg, head_of(handler, nargs), (const uint32_t *)args, source_addr, nbytes);
    return GASNET_OK;
}

GAS_API int gasnet_causeway_reply_long(gasnet_token_t token, gasnet_handler_t handler,
                                       void *source_addr, size_t nbytes, void *dest_addr, int nargs,
                                       const gasnet_handlerarg_t *args)
{
    unsigned flags = 0;
    cw_am_msg_t *msg = message("gasnet_AMReplyLong", token, handler, nbytes, gas_max_long());
    void *to = long_dest("gasnet_AMReplyLong", (gasnet_node_t)msg->source, dest_addr, source_addr,
                         nbytes, &flags);
    cw_am_reply_long(msg, head_of(handler, nargs), (const uint32_t *)args, source_addr, nbytes, to,
                     flags);
    return GASNET_OK;
}

// ------------------------------------------------- calls that are given the number of arguments
/** Arguments of a call, as its last parameters; numargs of them. */
#define WITH_ARGS(name, parameters, call)                                                     \
    GAS_API int name parameters                                                               \
    {                                                                                         \
        gasnet_handlerarg_t args[CW_AM_MAX_ARGS];                                             \
        va_list ap;                                                                           \
        va_start(ap, numargs);                                                                \
        take_args(#name, args, numargs, ap);                                                  \
        va_end(ap);                                                                           \
        return call;                                                                          \
    }

static void take_args(const char *call, gasnet_handlerarg_t *args, int numargs, va_list ap)
{
    if (numargs < 0 || numargs > CW_AM_MAX_ARGS)
        gas_fail(call, "numargs is %d; a message has 0 to %d arguments", numargs, CW_AM_MAX_ARGS);
    for (int i = 0; i < numargs; i++)
        args[i] = va_arg(ap, gasnet_handlerarg_t);
}

WITH_ARGS(gasnet_AMRequestShort, (gasnet_node_t dest, gasnet_handler_t handler, int numargs, ...),
          gasnet_causeway_request_short(dest, handler, numargs, args))
WITH_ARGS(gasnet_AMRequestMedium,
          (gasnet_node_t dest, gasnet_handler_t handler, void *source_addr, size_t nbytes,
           int numargs, ...),
          gasnet_causeway_request_medium(dest, handler, source_addr, nbytes, numargs, args))
WITH_ARGS(gasnet_AMRequestLong,
          (gasnet_node_t dest, gasnet_handler_t handler, void *source_addr, size_t nbytes,
           void *dest_addr, int numargs, ...),
          gasnet_causeway_request_long(dest, handler, source_addr, nbytes, dest_addr, numargs,
                                       args))
WITH_ARGS(gasnet_AMRequestLongAsync,
          (gasnet_node_t dest, gasnet_handler_t handler, void *source_addr, size_t nbytes,
           void *dest_addr, int numargs, ...),
          gasnet_causeway_request_longasync(dest, handler, source_addr, nbytes, dest_addr, numargs,
                                            args))
WITH_ARGS(gasnet_AMReplyShort, (gasnet_token_t token, gasnet_handler_t handler, int numargs, ...),
          gasnet_causeway_reply_short(token, handler, numargs, args))
WITH_ARGS(gasnet_AMReplyMedium,
          (gasnet_token_t token, gasnet_handler_t handler, void *source_addr, size_t nbytes,
           int numargs, ...),
          gasnet_causeway_reply_medium(token, handler, source_addr, nbytes, numargs, args))
WITH_ARGS(gasnet_AMReplyLong,
          (gasnet_token_t token, gasnet_handler_t handler, void *source_addr, size_t nbytes,
           void *dest_addr, int numargs, ...),
          gasnet_causeway_reply_long(token, handler, source_addr, nbytes, dest_addr, numargs, args))

// ---------------------------------------------------------------- the rest
GAS_API size_t gasnet_AMMaxArgs(void)
{
    return CW_AM_MAX_ARGS;
}

GAS_API size_t gasnet_AMMaxMedium(void)
{
    return gas.max_medium;
}

GAS_API size_t gasnet_AMMaxLongRequest(void)
{
    return gas_max_long();
}

GAS_API size_t gasnet_AMMaxLongReply(void)
{
    return gas_max_long();
}

GAS_API int gasnet_AMGetMsgSource(gasnet_token_t token, gasnet_node_t *srcindex)
{
    if (!token || !srcindex)
        return GASNET_ERR_BAD_ARG;
    *srcindex = (gasnet_node_t)((const cw_am_msg_t *)token)->source;
    return GASNET_OK;
}

static CW_NOINLINE CW_COLD int poll_checked(void)
{
    gas_check_life("gasnet_AMPoll");
    CW_WATCH(gas_watch("gasnet_AMPoll"));
    cw_am_poll();
    return GASNET_OK;
}

/** The idle poll is counted in instructions: it must not need a stack frame. */
GAS_API int gasnet_AMPoll(void)
{
    if (CW_UNLIKELY(gas.slow_sync))
        return poll_checked();
    cw_am_poll();
    return GASNET_OK;
}
