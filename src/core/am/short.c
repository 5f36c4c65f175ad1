// SPDX-License-Identifier: BSD-3-Clause
//
// Fast paths of short requests, under the conditions of loaded.c. Arguments come in registers (up
// to four) or in memory.
#include "core/am/fast.h"
#include "core/am/wire.h"

/** In memory, as many as head says, or n; known when its user is compiled. */
typedef struct some {
    bool in_memory, many;  // many: perhaps more than 7
    const uint32_t *at;
    uint32_t n, a[4];
} some_t;

static CW_ALWAYS_INLINE void store_args(uint32_t *to, const some_t *args, uint32_t head)
{
    if (args->in_memory)
        cw_am_copy_args(to, args->at, head, args->many);
    else
        for (uint32_t i = 0; i < args->n; i++)
            *(volatile uint32_t *)&to[i] = args->a[i];  // shorter than building a vector
}

// ---------------------------------------------------------------- within the node

static CW_ALWAYS_INLINE int hand_over(cw_am_cell_t *cell, int pe, uint32_t head, cw_am_from_t from,
                                      const some_t *args)
{
    cell->head = head;
    cell->from = from;
    cell->flags = CW_AM_SHORT;
    store_args(cell->args, args, head);
    cw_am_hand_over_free(cell);
    cw_local_notify(pe);
    return CW_OK;
}

// ---------------------------------------------------------------- to other nodes

typedef union brief {
    cw_req_am_short_t req;
    unsigned char bytes[sizeof(cw_req_am_short_t) + CW_AM_MAX_ARGS * sizeof(uint32_t)];
} brief_t;

static CW_ALWAYS_INLINE uint32_t nbytes_of(uint32_t head, const some_t *args)
{
    uint32_t n = args->in_memory ? CW_AM_HEAD_NARGS(head) : args->n;
    return (uint32_t)sizeof(cw_req_am_short_t) + n * (uint32_t)sizeof(uint32_t);
}

static CW_ALWAYS_INLINE void fill_brief(brief_t *brief, int pe, uint32_t head, uint32_t token,
                                        const some_t *args)
{
    brief->req.head = head;
    *(volatile int32_t *)&brief->req.source = cw_am.pe;  // shorter than building a vector
    brief->req.target = pe;
    brief->req.token = token;
    store_args(brief->req.args, args, head);
}

static CW_NOINLINE CW_COLD int send_brief(cwt_conn_t *conn, brief_t *brief)
{
    if (cw_am_may_flood())
        cw_am_credit_flood();  // the next ones may be collected
    int rc = cw_transport->message(conn, &brief->req.header, brief->req.header.nbytes, NULL, 0);
    if (CW_UNLIKELY(rc))
        cw_am_lost(rc, cw_am_name(brief->req.head, false, CW_AM_SHORT), brief->req.target);
    return CW_OK;
}

/** False: the node is not connected. */
static CW_ALWAYS_INLINE bool to_node(int pe, uint32_t head, const some_t *args)
{
    cwt_conn_t *conn = ((const cwt_target_t *)(cw_am_word_of(pe) - 1))->conn;
    if (CW_UNLIKELY(!conn))
        return false;
    cwt_channel_t *channel = (cwt_channel_t *)(void *)conn;
    brief_t brief;
    uint32_t nbytes = nbytes_of(head, args);
    brief.req.header = (cwt_header_t){
        .token = channel->token, .reply_id = channel->id, .op = CW_REQ_AM_SHORT, .nbytes = nbytes};
    fill_brief(&brief, pe, head, CW_AM_FROM_TOKEN(cw_am_credit_take_plain(pe)), args);
    if (CW_UNLIKELY((int32_t)(channel->stop - channel->sent) <= 0) ||
        CW_UNLIKELY(nbytes > channel->most) || CW_UNLIKELY(channel->down) ||
        CW_UNLIKELY(channel->inject(channel->ep, &brief, nbytes, channel->fabric_addr))) {
        send_brief(conn, &brief);
        return true;
    }
    channel->sent++;
    channel->token++;
    return true;
}

// ---------------------------------------------------------------- several threads

/** For the general path. */
static CW_ALWAYS_INLINE const uint32_t *in_memory(const some_t *args, uint32_t head,
                                                  uint32_t room[4])
{
    if (!args->in_memory)
        store_args(room, args, head);
    return args->in_memory ? args->at : room;
}

static CW_ALWAYS_INLINE int shared_far(int pe, uint32_t head, const some_t *args)
{
    uint32_t room[4];
    cwt_conn_t *conn = ((const cwt_target_t *)(cw_am_word_of(pe) - 1))->conn;
    cw_am_from_t from;
    if (CW_UNLIKELY(!conn) || CW_UNLIKELY(!cw_am_take_token_locked(pe, &from)))
        return cw_am_short_general(pe, head, in_memory(args, head, room), CW_AM_NO_POLL);
    brief_t brief;
    brief.req.header.op = CW_REQ_AM_SHORT;
    brief.req.header.slot = 0;
    fill_brief(&brief, pe, head, CW_AM_FROM_TOKEN(from), args);
    int rc = cw_transport->message(conn, &brief.req.header, nbytes_of(head, args), NULL, 0);
    if (CW_UNLIKELY(rc))
        cw_am_lost(rc, cw_am_name(head, false, CW_AM_SHORT), pe);
    return CW_OK;
}

static CW_ALWAYS_INLINE int shared_here(int pe, uint32_t head, const some_t *args)
{
    uint32_t room[4];
    cw_am_cell_t *cell;
    cw_am_from_t from;
    if (CW_UNLIKELY(!cw_am_take_token_locked(pe, &from)))
        return cw_am_short_general(pe, head, in_memory(args, head, room), CW_AM_NO_POLL);
    if (CW_UNLIKELY(!cw_am_take_at_once(cw_am_inbox_at(cw_am_word_of(pe)), &cell)))
        return cw_am_short_resume(pe, head, in_memory(args, head, room), CW_AM_FROM_TOKEN(from));
    return hand_over(cell, pe, head, from, args);
}

// ---------------------------------------------------------------- the choice

/** False: no room, or another producer was faster. */
static CW_ALWAYS_INLINE bool to_inbox(int pe, uint32_t head, const some_t *args)
{
    cw_am_cell_t *cell;
    if (CW_UNLIKELY(!cw_am_take_at_once(cw_am_inbox_at(cw_am_word_of(pe)), &cell)))
        return false;
    hand_over(cell, pe, head, cw_am_credit_take_plain(pe), args);
    return true;
}

// A family for each number of arguments, which stay in their registers, and two for arguments in
// memory. `entry` relies on pe and head. Functions of one step: those that only test need no stack.
#define FAMILY(entry, name, parameters, list, ...)                                             \
    static CW_NOINLINE int general_##name(int pe, uint32_t head parameters)                    \
    {                                                                                          \
        uint32_t room[4];                                                                      \
        __asm__("" : "=m"(room)); /* its readers test head first */                            \
        return cw_am_short_general(pe, head, in_memory(&(some_t)__VA_ARGS__, head, room), 0);  \
    }                                                                                          \
    static CW_NOINLINE int shared_far_##name(int pe, uint32_t head parameters)                 \
    {                                                                                          \
        return shared_far(pe, head, &(some_t)__VA_ARGS__);                                     \
    }                                                                                          \
    static CW_NOINLINE int shared_here_##name(int pe, uint32_t head parameters)                \
    {                                                                                          \
        return shared_here(pe, head, &(some_t)__VA_ARGS__);                                    \
    }                                                                                          \
    static CW_NOINLINE int others_##name(int pe, uint32_t head parameters)                     \
    {                                                                                          \
        if (CW_UNLIKELY(!cw_am_is_clear_shared()))                                             \
            return general_##name(pe, head list);                                              \
        return cw_am_word_of(pe) & 1 ? shared_far_##name(pe, head list)                        \
                                     : shared_here_##name(pe, head list);                      \
    }                                                                                          \
    static CW_NOINLINE int far_##name(int pe, uint32_t head parameters)                        \
    {                                                                                          \
        some_t some = __VA_ARGS__;                                                             \
        return CW_LIKELY(to_node(pe, head, &some)) ? CW_OK : others_##name(pe, head list);     \
    }                                                                                          \
    static CW_NOINLINE int here_##name(int pe, uint32_t head parameters)                       \
    {                                                                                          \
        some_t some = __VA_ARGS__;                                                             \
        return CW_LIKELY(to_inbox(pe, head, &some)) ? CW_OK : others_##name(pe, head list);    \
    }                                                                                          \
    entry(int pe, uint32_t head parameters)                                                    \
    {                                                                                          \
        if (CW_UNLIKELY(!cw_am_is_clear()))                                                    \
            return others_##name(pe, head list);                                               \
        return cw_am_word_of(pe) & 1 ? far_##name(pe, head list) : here_##name(pe, head list); \
    }
#define COMMA ,
#define ARG(i) , uint32_t a##i
#define ARGS , const uint32_t *args
FAMILY(int cw_am_short0, 0, , , {.n = 0})
FAMILY(int cw_am_short1, 1, ARG(0), COMMA a0, {.n = 1, .a = {a0}})
FAMILY(int cw_am_short2, 2, ARG(0) ARG(1), COMMA a0 COMMA a1, {.n = 2, .a = {a0, a1}})
FAMILY(int cw_am_short3, 3, ARG(0) ARG(1) ARG(2), COMMA a0 COMMA a1 COMMA a2,
       {.n = 3, .a = {a0, a1, a2}})
FAMILY(int cw_am_short4, 4, ARG(0) ARG(1) ARG(2) ARG(3), COMMA a0 COMMA a1 COMMA a2 COMMA a3,
       {.n = 4, .a = {a0, a1, a2, a3}})
FAMILY(static CW_ALWAYS_INLINE int short_some, some, ARGS, COMMA args,
       {.in_memory = true, .at = args})
FAMILY(static CW_NOINLINE int short_many, many, ARGS, COMMA args,
       {.in_memory = true, .many = true, .at = args})

int cw_am_request_short(int pe, uint32_t head, const uint32_t *args, unsigned flags)
{
    if (CW_UNLIKELY((unsigned)pe >= (unsigned)cw_am.npes) || CW_UNLIKELY(flags))
        return cw_am_short_general(pe, head, args, flags);
    if (CW_LIKELY(!(head & CW_AM_MANY_ARGS)))
        return short_some(pe, head, args);
    return CW_UNLIKELY(CW_AM_HEAD_NARGS(head) > CW_AM_MAX_ARGS)
               ? cw_am_short_general(pe, head, args, 0)
               : short_many(pe, head, args);
}
