// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives. Buffers are any memory of the unit. A small value travels with one synchronisation;
// a larger one goes in pieces through the team's stage, which has one symmetric address: copied in,
// moved by core, copied out. Members may be in different pieces, so each piece begins with a
// synchronisation: behind it each member has copied out what came before.
//
// Reductions combine in any order if the operation allows it; one that does not commute gets the
// operands of all members and combines them by rank.
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "core/rma/rma.h"
#include "dart/op.h"
#include "dart/transfer.h"
#include "dart/type.h"

/** What all collectives have in common. */
typedef struct coll {
    const char *call;
    const cw_group_t *group;
    size_t nbytes, each;  // of nelem elements, of one
    int root;
} coll_t;

/** DART_OK, or why not, with its message; *c_p is then not set. root < 0: there is none. */
static dart_ret_t prepare(const char *call, dart_team_t teamid, size_t nelem, dart_datatype_t type,
                          const dart_team_unit_t *root, coll_t *c_p)
{
    size_t nbytes, each;
    const drt_team_t *team = drt_team_find(teamid);
    if (!team)
        return drt_refuse_team(call, teamid);
    if (!drt_nbytes(nelem, type, &nbytes) || !drt_nbytes(1, type, &each))
        return drt_refuse_size(call, nelem, type);
    if (root && !drt_is_member(team, root->id))
        return drt_refuse_unit(call, root->id, team);
    *c_p = (coll_t){call, team->group, nbytes, each, root ? root->id : -1};
    return DART_OK;
}

/** In checking mode: all members make this call, with the same arguments. */
static CW_COLD void agree(const coll_t *c, uint64_t nelem, dart_datatype_t type, uint64_t op)
{
    const uint64_t root = c->root < 0 ? CW_CLAIM_NONE : (uint64_t)c->root;
    cw_coll_agree_on(c->group, c->call, nelem, root,
                     drt_is_basic(type) ? (uint64_t)type : CW_CLAIM_NONE, op, NULL);
}

#define AGREE(nelem, type, op) \
    if (CW_CHECKING())         \
        agree(&c, nelem, type, op)

#define PREPARE(team, nelem, type, root)                                  \
    coll_t c;                                                             \
    dart_ret_t rc_ = prepare(__func__, team, nelem, type, root, &c);      \
    if (rc_ != DART_OK)                                                   \
        return rc_;                                                       \
    CW_WATCH(cw_watch_call(__func__));                                    \
    drt_gets_finish()

/** Bytes of a piece of which `parts` fit into the stage; *stage_p: where. */
static size_t piece_of(const coll_t *c, size_t parts, char **stage_p)
{
    size_t nbytes;
    *stage_p = drt_stage(c->group, &nbytes);
    size_t piece = nbytes / parts & ~(size_t)15;
    if (piece == 0)
        cwu_fatal("%s: a team of %d units has a number that is for smaller ones", c->call,
                  c->group->size);
    return piece;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/** Of `parts` times what a unit gives or gets; 0: the call does not use the buffer. */
static dart_ret_t want_buffer(const coll_t *c, const char *name, const void *buf, int parts)
{
    return parts == 0 ? DART_OK
           : !buf     ? drt_refuse_null(c->call, name)
                      : drt_check_buffer(c->call, name, buf, (size_t)parts * c->nbytes);
}

static dart_ret_t want_buffers(const coll_t *c, const void *sendbuf, int send_parts,
                               const void *recvbuf, int recv_parts)
{
    const dart_ret_t rc = want_buffer(c, "sendbuf", sendbuf, send_parts);
    return rc != DART_OK ? rc : want_buffer(c, "recvbuf", recvbuf, recv_parts);
}

// ---------------------------------------------------------------- movements
static void broadcast(const coll_t *c, char *buf)
{
    const bool root = c->group->rank == c->root;
    if (cw_small_fits(c->group, c->nbytes)) {
        cw_small_broadcast(c->group, buf, c->nbytes, c->root);
        return;
    }
    char *in;
    const size_t piece = piece_of(c, 2, &in);
    for (size_t at = 0, n; at < c->nbytes; at += n) {
        n = least(piece, c->nbytes - at);
        if (root)
            memcpy(in, buf + at, n);
        cw_sync(c->group);
        cw_broadcast(c->group, in + piece, in, n, c->root, false);
        if (!root)
            memcpy(buf + at, in + piece, n);
    }
}

/** Bytes that unit u gives, and where they go. */
typedef struct spread {
    const size_t *nelem, *displs;  // NULL: nbytes of the collective, in order
    size_t most;                   // bytes of any unit
} spread_t;

static size_t given_by(const coll_t *c, const spread_t *s, int unit)
{
    return s->nelem ? s->nelem[unit] * c->each : c->nbytes;
}

static size_t goes_to(const coll_t *c, const spread_t *s, int unit)
{
    return s->displs ? s->displs[unit] * c->each : (size_t)unit * c->nbytes;
}

static void all_gather(const coll_t *c, const char *send, char *recv, const spread_t *s)
{
    const size_t units = (size_t)c->group->size, mine = given_by(c, s, c->group->rank);
    char *in;
    const size_t piece = piece_of(c, units + 1, &in);
    for (size_t at = 0; at < s->most; at += piece) {
        const size_t n = least(piece, s->most - at);
        if (at < mine)
            memcpy(in, send + at, least(n, mine - at));
        cw_sync(c->group);
        cw_fcollect(c->group, in + piece, in, n);
        for (int unit = 0; unit < (int)units; unit++) {
            size_t given = given_by(c, s, unit);
            if (at < given)
                memcpy(recv + goes_to(c, s, unit) + at, in + piece + (size_t)unit * n,
                       least(n, given - at));
        }
    }
}

/** Puts to the stage of the root, or from it to all. */
static void gather(const coll_t *c, const char *send, char *recv)
{
    const size_t units = (size_t)c->group->size;
    char *in;
    const size_t piece = piece_of(c, units, &in);
    for (size_t at = 0; at < c->nbytes; at += piece) {
        const size_t n = least(piece, c->nbytes - at);
        cw_sync(c->group);
        cw_put(&cw_ctx_default, in + (size_t)c->group->rank * piece, send + at, n,
               cw_group_pe(c->group, c->root));
        cw_barrier(c->group);
        for (size_t unit = 0; c->group->rank == c->root && unit < units; unit++)
            memcpy(recv + unit * c->nbytes + at, in + unit * piece, n);
    }
}

static void scatter(const coll_t *c, const char *send, char *recv)
{
    char *in;
    const size_t piece = piece_of(c, 1, &in);
    for (size_t at = 0; at < c->nbytes; at += piece) {
        const size_t n = least(piece, c->nbytes - at);
        cw_sync(c->group);
        for (int unit = 0; c->group->rank == c->root && unit < c->group->size; unit++)
            cw_put(&cw_ctx_default, in, send + (size_t)unit * c->nbytes + at, n,
                   cw_group_pe(c->group, unit));
        cw_barrier(c->group);
        memcpy(recv + at, in, n);
    }
}

static void all_to_all(const coll_t *c, const char *send, char *recv)
{
    const size_t units = (size_t)c->group->size;
    char *in;
    const size_t piece = piece_of(c, 2 * units, &in);
    for (size_t at = 0; at < c->nbytes; at += piece) {
        const size_t n = least(piece, c->nbytes - at);
        char *out = in + units * piece;
        for (size_t unit = 0; unit < units; unit++)
            memcpy(in + unit * n, send + unit * c->nbytes + at, n);
        cw_sync(c->group);
        cw_alltoall(c->group, out, in, n);
        for (size_t unit = 0; unit < units; unit++)
            memcpy(recv + unit * c->nbytes + at, out + unit * n, n);
    }
}

// ---------------------------------------------------------------- reductions
static _Thread_local const drt_user_op_t *running;  // that user_fn calls

static void user_fn(void *acc, const void *in, size_t n)
{
    running->fn(in, acc, n, running->userdata);
}

/** each: bytes of what fn combines, n of them. */
static void reduce(const coll_t *c, const char *send, char *recv, cw_reduce_fn fn, size_t each,
                   bool keep)
{
    if (cw_small_fits(c->group, c->nbytes)) {
        cw_small_reduce(c->group, keep ? recv : NULL, send, c->nbytes / each, each, fn);
        return;
    }
    char *in;
    const size_t half = piece_of(c, 2, &in), piece = half / each * each;
    for (size_t at = 0; at < c->nbytes; at += piece) {
        const size_t n = least(piece, c->nbytes - at);
        memcpy(in, send + at, n);
        cw_sync(c->group);
        cw_reduce(c->group, in + half, in, n / each, each, fn);
        if (keep)
            memcpy(recv + at, in + half, n);
    }
}

/** By rank: for operations that do not commute, and for elements that no stage holds. */
static dart_ret_t fold(const coll_t *c, const char *send, char *recv, const drt_user_op_t *user,
                       bool keep)
{
    const spread_t s = {.most = c->nbytes};
    const size_t units = (size_t)c->group->size;
    char *all = malloc(units * c->nbytes);
    if (!all)
        cwu_fatal("%s: out of memory for the operands of %zu units", c->call, units);
    all_gather(c, send, all, &s);
    for (size_t unit = 1; keep && unit < units; unit++)
        user->fn(all + (unit - 1) * c->nbytes, all + unit * c->nbytes, c->nbytes / c->each,
                 user->userdata);
    if (keep)
        memcpy(recv, all + (units - 1) * c->nbytes, c->nbytes);
    free(all);
    return DART_OK;
}

static dart_ret_t combine(const coll_t *c, const void *send, void *recv, dart_datatype_t type,
                          dart_operation_t op, bool keep)
{
    const drt_user_op_t *user = drt_user_op(op);
    cw_reduce_fn fn = user ? user_fn : drt_op_fn(type, op);
    const size_t pair = op == DART_OP_MINMAX ? 2 * c->each : c->each;
    size_t stage;
    if ((user && user->type != type) || !fn || op == DART_OP_REPLACE || op == DART_OP_NO_OP)
        return drt_refuse_op(c->call, type, op);
    if (c->nbytes % pair)
        return drt_refuse(c->call, DART_ERR_INVAL, "%zu elements are no pairs",
                          c->nbytes / c->each);
    if (c->nbytes == 0)
        return DART_OK;
    const dart_ret_t rc = want_buffers(c, send, 1, recv, keep);
    if (rc != DART_OK)
        return rc;
    drt_stage(c->group, &stage);
    if (user && (!user->commutes || pair > stage / 2 - 16))
        return fold(c, send, recv, user, keep);
    running = user;
    reduce(c, send, recv, fn, pair, keep);
    return DART_OK;
}

// ---------------------------------------------------------------- calls
/** In terms of what a unit gives or gets. */
#define WANT_BUFFERS(send_parts, recv_parts)                                                \
    if (c.nbytes == 0)                                                                      \
        return DART_OK;                                                                     \
    const dart_ret_t wrong_ = want_buffers(&c, sendbuf, send_parts, recvbuf, recv_parts);   \
    if (wrong_ != DART_OK)                                                                  \
        return wrong_

/** What this unit gives lies in its place of recvbuf, if sendbuf is that or NULL, as in DART over
 *  MPI. */
static bool is_in_place(const void *sendbuf, const void *recvbuf)
{
    return !sendbuf || sendbuf == recvbuf;
}

static const void *given(const void *sendbuf, const void *recvbuf, size_t place)
{
    return is_in_place(sendbuf, recvbuf) ? (const char *)recvbuf + place : sendbuf;
}

DRT_API dart_ret_t dart_bcast(void *buf, size_t nelem, dart_datatype_t dtype, dart_team_unit_t root,
                              dart_team_t team)
{
    PREPARE(team, nelem, dtype, &root);
    AGREE(nelem, dtype, CW_CLAIM_NONE);
    if (c.nbytes == 0)
        return DART_OK;
    DRT_WANT(buf);
    rc_ = drt_check_buffer(__func__, "buf", buf, c.nbytes);
    if (rc_ != DART_OK)
        return rc_;
    broadcast(&c, buf);
    return DART_OK;
}

DRT_API dart_ret_t dart_scatter(const void *sendbuf, void *recvbuf, size_t nelem,
                                dart_datatype_t dtype, dart_team_unit_t root, dart_team_t team)
{
    PREPARE(team, nelem, dtype, &root);
    AGREE(nelem, dtype, CW_CLAIM_NONE);
    WANT_BUFFERS(c.group->rank == c.root ? c.group->size : 0, 1);
    scatter(&c, sendbuf, recvbuf);
    return DART_OK;
}

DRT_API dart_ret_t dart_gather(const void *sendbuf, void *recvbuf, size_t nelem,
                               dart_datatype_t dtype, dart_team_unit_t root, dart_team_t team)
{
    PREPARE(team, nelem, dtype, &root);
    AGREE(nelem, dtype, CW_CLAIM_NONE);
    WANT_BUFFERS(1, c.group->rank == c.root ? c.group->size : 0);
    gather(&c, sendbuf, recvbuf);
    return DART_OK;
}

DRT_API dart_ret_t dart_allgather(const void *sendbuf, void *recvbuf, size_t nelem,
                                  dart_datatype_t dtype, dart_team_t team)
{
    PREPARE(team, nelem, dtype, NULL);
    AGREE(nelem, dtype, CW_CLAIM_NONE);
    WANT_BUFFERS(is_in_place(sendbuf, recvbuf) ? 0 : 1, c.group->size);
    const spread_t s = {.most = c.nbytes};
    const size_t units = (size_t)c.group->size;
    sendbuf = given(sendbuf, recvbuf, (size_t)c.group->rank * c.nbytes);
    if (c.nbytes <= SIZE_MAX / units && cw_small_fits(c.group, c.nbytes * units))
        cw_small_collect(c.group, recvbuf, sendbuf, c.nbytes);
    else
        all_gather(&c, sendbuf, recvbuf, &s);
    return DART_OK;
}

DRT_API dart_ret_t dart_allgatherv(const void *sendbuf, size_t nsendelem, dart_datatype_t dtype,
                                   void *recvbuf, const size_t *nrecvelem, const size_t *recvdispls,
                                   dart_team_t teamid)
{
    PREPARE(teamid, nsendelem, dtype, NULL);
    AGREE(CW_CLAIM_NONE, dtype, CW_CLAIM_NONE);
    DRT_WANT(nrecvelem);
    DRT_WANT(recvdispls);
    spread_t s = {nrecvelem, recvdispls, 0};
    size_t end = 0;  // of what is received
    if (!is_in_place(sendbuf, recvbuf) && nrecvelem[c.group->rank] != nsendelem)
        return drt_refuse(__func__, DART_ERR_INVAL,
                          "%zu elements are sent, and %zu are expected of this unit", nsendelem,
                          nrecvelem[c.group->rank]);
    for (int unit = 0; unit < c.group->size; unit++) {
        size_t nbytes;
        if (!drt_nbytes(nrecvelem[unit], dtype, &nbytes))
            return drt_refuse_size(__func__, nrecvelem[unit], dtype);
        s.most = nbytes > s.most ? nbytes : s.most;
        if (nbytes && goes_to(&c, &s, unit) + nbytes > end)
            end = goes_to(&c, &s, unit) + nbytes;
    }
    if (s.most == 0)
        return DART_OK;
    DRT_WANT(recvbuf);
    sendbuf = given(sendbuf, recvbuf, recvdispls[c.group->rank] * c.each);
    rc_ = drt_check_buffer(__func__, "sendbuf", sendbuf, given_by(&c, &s, c.group->rank));
    if (rc_ == DART_OK)
        rc_ = drt_check_buffer(__func__, "recvbuf", recvbuf, end);
    if (rc_ != DART_OK)
        return rc_;
    all_gather(&c, sendbuf, recvbuf, &s);
    return DART_OK;
}

DRT_API dart_ret_t dart_alltoall(const void *sendbuf, void *recvbuf, size_t nelem,
                                 dart_datatype_t dtype, dart_team_t team)
{
    PREPARE(team, nelem, dtype, NULL);
    AGREE(nelem, dtype, CW_CLAIM_NONE);
    WANT_BUFFERS(is_in_place(sendbuf, recvbuf) ? 0 : c.group->size, c.group->size);
    all_to_all(&c, given(sendbuf, recvbuf, 0), recvbuf);
    return DART_OK;
}

DRT_API dart_ret_t dart_allreduce(const void *sendbuf, void *recvbuf, size_t nelem,
                                  dart_datatype_t dtype, dart_operation_t op, dart_team_t team)
{
    PREPARE(team, nelem, dtype, NULL);
    AGREE(nelem, dtype, drt_user_op(op) ? CW_CLAIM_NONE : (uint64_t)op);
    return combine(&c, sendbuf, recvbuf, dtype, op, true);
}

DRT_API dart_ret_t dart_reduce(const void *sendbuf, void *recvbuf, size_t nelem,
                               dart_datatype_t dtype, dart_operation_t op, dart_team_unit_t root,
                               dart_team_t team)
{
    PREPARE(team, nelem, dtype, &root);
    AGREE(nelem, dtype, drt_user_op(op) ? CW_CLAIM_NONE : (uint64_t)op);
    return combine(&c, sendbuf, recvbuf, dtype, op, c.group->rank == c.root);
}
