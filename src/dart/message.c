// SPDX-License-Identifier: BSD-3-Clause
//
// Messages between two units (core/p2p). Large ones travel in parts, in order; the first one that
// is not whole, or is empty, ends the message: the receiver's buffer may be larger.
#include "core/p2p/p2p.h"
#include "dart/drt.h"
#include "dart/transfer.h"
#include "dart/type.h"

enum { DRT_P2P = 1, SPACE = DRT_P2P * CW_P2P_SPACES };  // of messages
static const size_t both_ways = (size_t)1 << 30;  // bytes at most: one part, which is not whole
static const size_t part = ((size_t)1 << 30) + 64;

void drt_messages_open(const char *call)
{
    cw_p2p_open(call);
}

void drt_messages_close(void)
{
    cw_p2p_close(DRT_P2P);
}

/** One side of a call. */
typedef struct side {
    char *buf;
    size_t nbytes;
    cw_envelope_t envelope;
} side_t;

static dart_ret_t prepare(const char *call, const void *buf, size_t nelem, dart_datatype_t type,
                          int tag, dart_global_unit_t unit, side_t *side_p)
{
    size_t nbytes;
    const drt_team_t *all = drt_team_find(DART_TEAM_ALL);
    if (!all)
        return drt_refuse_team(call, DART_TEAM_ALL);
    if (!drt_is_member(all, unit.id))
        return drt_refuse_unit(call, unit.id, all);
    if (!drt_nbytes(nelem, type, &nbytes))
        return drt_refuse_size(call, nelem, type);
    if (nbytes && !buf)
        return drt_refuse_null(call, "the buffer");
    const dart_ret_t rc = drt_check_buffer(call, "the buffer", buf, nbytes);
    if (rc != DART_OK)
        return rc;
    *side_p = (side_t){(char *)(uintptr_t)buf,
                       nbytes,
                       {.call = call, .space = SPACE, .tag = tag, .peer = unit.id}};
    return DART_OK;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void send(const side_t *s)
{
    size_t at = 0, n;
    do {
        n = least(part, s->nbytes - at);
        cw_p2p_send(&s->envelope, s->buf + at, n);
        at += n;
    } while (n == part);
}

static void receive(const side_t *s)
{
    int source;
    size_t at = 0, came;
    do {
        came = cw_p2p_receive(&s->envelope, s->buf + at, least(part, s->nbytes - at), &source);
        at += came;
    } while (came == part);
}

DRT_API dart_ret_t dart_send(const void *sendbuf, size_t nelem, dart_datatype_t dtype, int tag,
                             dart_global_unit_t unit)
{
    side_t to;
    drt_gets_finish();
    dart_ret_t rc = prepare(__func__, sendbuf, nelem, dtype, tag, unit, &to);
    if (rc != DART_OK)
        return rc;
    CW_WATCH(cw_watch_call(__func__));
    send(&to);
    return DART_OK;
}

DRT_API dart_ret_t dart_recv(void *recvbuf, size_t nelem, dart_datatype_t dtype, int tag,
                             dart_global_unit_t unit)
{
    side_t from;
    drt_gets_finish();
    dart_ret_t rc = prepare(__func__, recvbuf, nelem, dtype, tag, unit, &from);
    if (rc != DART_OK)
        return rc;
    CW_WATCH(cw_watch_call(__func__));
    receive(&from);
    return DART_OK;
}

DRT_API dart_ret_t dart_sendrecv(const void *sendbuf, size_t send_nelem, dart_datatype_t send_dtype,
                                 int send_tag, dart_global_unit_t dest, void *recvbuf,
                                 size_t recv_nelem, dart_datatype_t recv_dtype, int recv_tag,
                                 dart_global_unit_t src)
{
    side_t to, from;
    int source;
    drt_gets_finish();
    dart_ret_t rc = prepare(__func__, sendbuf, send_nelem, send_dtype, send_tag, dest, &to);
    if (rc == DART_OK)
        rc = prepare(__func__, recvbuf, recv_nelem, recv_dtype, recv_tag, src, &from);
    if (rc != DART_OK)
        return rc;
    if (to.nbytes > both_ways || from.nbytes > both_ways)
        return drt_refuse(__func__, DART_ERR_INVAL, "%zu and %zu bytes; at most %zu go both ways",
                          to.nbytes, from.nbytes, both_ways);
    CW_WATCH(cw_watch_call(__func__));
    cw_p2p_send_receive(&to.envelope, to.buf, to.nbytes, &from.envelope, from.buf, from.nbytes,
                        &source);
    return DART_OK;
}
