// SPDX-License-Identifier: BSD-3-Clause
//
// Puts and gets: MPI_Put, MPI_Get and flushes of the window, or messages (move.c) where these are
// faster.
#include "transport/mpi/client.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"

void mpw_count(const cwt_conn_t *conn, _Atomic uint64_t *n)
{
    if (conn->client->config.thread_multiple)
        atomic_fetch_add_explicit(n, 1, memory_order_release);
    else
        atomic_store_explicit(n, atomic_load_explicit(n, memory_order_relaxed) + 1,
                              memory_order_relaxed);
}

static void raise_to(_Atomic uint64_t *n, uint64_t value)
{
    uint64_t old = atomic_load_explicit(n, memory_order_relaxed);
    while (old < value && !atomic_compare_exchange_weak_explicit(
                              n, &old, value, memory_order_release, memory_order_relaxed))
        continue;
}

int mpw_conn_failed(const cwt_conn_t *conn, const char *what, int code)
{
    if (!conn->client->error)
        conn->client->error = mpw_failed(what, mpw_node_name(conn->client, conn->node), code);
    return conn->client->error;
}

/** A target whose processor moves the data, and whose server naps or waits for a core, lets a
 *  transfer wait: then the next one begins with a hint, and the next flushes with a message. */
static void judge(cwt_conn_t *conn, uint64_t start_ns)
{
    uint32_t slow = atomic_load_explicit(&conn->slow, memory_order_relaxed);
    uint64_t due_ns = MPW_SLOW_NS + atomic_load_explicit(&conn->nbytes, memory_order_relaxed);
    atomic_store_explicit(&conn->nbytes, 0, memory_order_relaxed);
    if (CW_UNLIKELY(cwu_now_ns() - start_ns > due_ns)) {
        atomic_store_explicit(&conn->traffic, MPW_LOOK_EVERY, memory_order_relaxed);
        atomic_store_explicit(&conn->looked_ns, 0, memory_order_relaxed);
        atomic_store_explicit(&conn->slow, MPW_SLOW_FLUSHES, memory_order_relaxed);
    } else if (CW_UNLIKELY(slow)) {
        atomic_store_explicit(&conn->slow, slow - 1, memory_order_relaxed);
    }
}

int mpw_flush_now(cwt_conn_t *conn)
{
    uint64_t issued = atomic_load_explicit(&conn->issued, memory_order_acquire);
    uint64_t copied = atomic_load_explicit(&conn->copied, memory_order_acquire);
    if (issued == atomic_load_explicit(&conn->flushed, memory_order_acquire))
        return 0;
    uint64_t start = cwu_now_ns();
    int rc = mpw_window_flush(conn->rank);
    if (rc)
        return mpw_conn_failed(conn, "MPI_Win_flush", rc);
    judge(conn, start);
    raise_to(&conn->flushed, issued);
    raise_to(&conn->reusable, copied);
    return 0;
}

int mpw_flush(cwt_conn_t *conn)
{
    int rc = 0;
    if (CW_UNLIKELY(atomic_load_explicit(&conn->slow, memory_order_relaxed)) &&
        atomic_load_explicit(&conn->issued, memory_order_acquire) !=
            atomic_load_explicit(&conn->flushed, memory_order_acquire))
        rc = mpw_await_server(conn);
    return rc ? rc : mpw_flush_now(conn);
}

// ---------------------------------------------------------------- small puts, from the ring

/** MPI has read all copies: the ring starts over. Locked. */
static int empty_ring(cwt_client_t *client)
{
    for (cwt_conn_t *conn = client->conns; conn; conn = conn->next)
        if (atomic_load_explicit(&conn->copied, memory_order_relaxed) !=
            atomic_load_explicit(&conn->reusable, memory_order_relaxed)) {
            int rc = mpw_flush_now(conn);
            if (rc)
                return rc;
        }
    client->ring_used = 0;
    return 0;
}

static int put_copy(cwt_conn_t *conn, uint64_t offset, const void *src, size_t nbytes)
{
    cwt_client_t *client = conn->client;
    int rc = 0;
    mpw_lock(client);
    if (CW_UNLIKELY(client->ring_used + nbytes > MPW_RING))
        rc = empty_ring(client);
    if (rc == 0) {
        void *copy = client->ring + client->ring_used;
        memcpy(copy, src, nbytes);
        client->ring_used += (nbytes + 7) & ~(size_t)7;
        rc = mpw_window_put(conn->rank, offset, copy, nbytes);
        rc = rc ? mpw_conn_failed(conn, "MPI_Put", rc) : 0;
        mpw_count(conn, &conn->copied);
        mpw_count(conn, &conn->issued);
        mpw_count(conn, &conn->puts);
    }
    mpw_unlock(client);
    return rc;
}

// ---------------------------------------------------------------- puts and gets

bool mpw_is_watched(cwt_conn_t *conn)
{
    uint64_t now = cwu_now_ns(),
             looked = atomic_load_explicit(&conn->looked_ns, memory_order_relaxed);
    if (looked && now - looked < MPW_LOOK_NS)
        return true;
    atomic_store_explicit(&conn->looked_ns, now, memory_order_relaxed);
    return false;
}

/** Of many transfers one, and each large one, is worth a message to a server that may nap. */
static void count_traffic(cwt_conn_t *conn, size_t nbytes)
{
    uint64_t n = atomic_load_explicit(&conn->traffic, memory_order_relaxed) + 1;
    uint64_t sum = atomic_load_explicit(&conn->nbytes, memory_order_relaxed) + nbytes;
    atomic_store_explicit(&conn->nbytes, sum, memory_order_relaxed);
    bool due = n >= MPW_LOOK_EVERY || nbytes >= MPW_LOOK_NBYTES;
    atomic_store_explicit(&conn->traffic, due ? 0 : n, memory_order_relaxed);
    if (CW_UNLIKELY(due) && !mpw_is_watched(conn))
        mpw_look(conn);
}

/** Each transfer begins here: the client is sound, and MPI's queues stay within bounds. */
static int begin(cwt_conn_t *conn, size_t nbytes)
{
    if (CW_UNLIKELY(conn->client->error))
        return conn->client->error;
    count_traffic(conn, nbytes);
    return atomic_load_explicit(&conn->issued, memory_order_relaxed) -
                       atomic_load_explicit(&conn->flushed, memory_order_relaxed) <
                   MPW_PUTS_MOST
               ? 0
               : mpw_flush(conn);
}

static int put_pieces(cwt_conn_t *conn, uint64_t offset, const char *src, size_t nbytes)
{
    for (size_t at = 0, n; at < nbytes; at += n) {
        n = mpw_piece_of(nbytes - at);
        int rc = mpw_window_put(conn->rank, offset + at, src + at, n);
        if (rc)
            return mpw_conn_failed(conn, "MPI_Put", rc);
        mpw_count(conn, &conn->issued);
        mpw_count(conn, &conn->puts);
    }
    return 0;
}

/** MPI's flush of what is complete here alone (MPI_Win_flush_local) is of no use: MPICH 4.0 does
 *  nothing in it where a small put is behind the transfer. */
int mpw_put(cwt_conn_t *conn, uint64_t offset, const void *src, size_t nbytes, bool nbi)
{
    if (nbytes > PTRDIFF_MAX)
        return CW_ECOUNT;
    if (mpw_is_by_messages(conn))
        return mpw_move_put(conn, offset, src, nbytes, nbi ? MPW_BEGUN : MPW_REUSABLE);
    if (nbytes > MPW_COPY_MOST && !nbi)
        return mpw_put_complete(conn, offset, src, nbytes);
    int rc = begin(conn, nbytes);
    if (rc || nbytes == 0)
        return rc;
    return nbi ? put_pieces(conn, offset, src, nbytes) : put_copy(conn, offset, src, nbytes);
}

ssize_t mpw_inject(void *ep, const void *buf, size_t nbytes, uint64_t fabric_addr, uint64_t addr,
                   uint64_t key)
{
    const cwt_target_t *target = ep;
    cwt_conn_t *conn = target->conn;
    (void)fabric_addr, (void)key;
    if (mpw_is_by_messages(conn))
        return mpw_move_put(conn, addr, buf, nbytes, MPW_REUSABLE) ? CW_EAGAIN : 0;
    return begin(conn, nbytes) || put_copy(conn, addr, buf, nbytes) ? CW_EAGAIN : 0;
}

int mpw_put_complete(cwt_conn_t *conn, uint64_t offset, const void *src, size_t nbytes)
{
    if (nbytes > PTRDIFF_MAX)
        return CW_ECOUNT;
    if (mpw_is_by_messages(conn))
        return mpw_move_put(conn, offset, src, nbytes, MPW_COMPLETE);
    int rc = begin(conn, nbytes);
    if (rc == 0)
        rc = put_pieces(conn, offset, src, nbytes);
    return rc ? rc : mpw_flush(conn);
}

static int get_pieces(cwt_conn_t *conn, uint64_t offset, char *dst, size_t nbytes)
{
    for (size_t at = 0, n; at < nbytes; at += n) {
        n = mpw_piece_of(nbytes - at);
        int rc = mpw_window_get(conn->rank, offset + at, dst + at, n);
        if (rc)
            return mpw_conn_failed(conn, "MPI_Get", rc);
        mpw_count(conn, &conn->issued);
        mpw_count(conn, &conn->gets);
    }
    return 0;
}

int mpw_get(cwt_conn_t *conn, uint64_t offset, void *dst, size_t nbytes, bool nbi)
{
    if (nbytes > PTRDIFF_MAX)
        return CW_ECOUNT;
    if (mpw_is_by_messages(conn))
        return nbi ? mpw_move_get_begin(conn, offset, dst, nbytes, NULL)
                   : mpw_move_get(conn, offset, dst, nbytes);
    int rc = begin(conn, nbytes);
    if (rc == 0)
        rc = get_pieces(conn, offset, dst, nbytes);
    return rc || nbi ? rc : mpw_flush(conn);
}

/** Through the window complete on return: MPI tells the end of a get by a flush, for all gets to
 *  that node at once. */
int mpw_get_begin(cwt_conn_t *conn, uint64_t offset, void *dst, size_t nbytes, cwt_reply_t *landed)
{
    landed->done = 0;
    if (nbytes > PTRDIFF_MAX)
        return CW_ECOUNT;
    if (mpw_is_by_messages(conn))
        return mpw_move_get_begin(conn, offset, dst, nbytes, landed);
    int rc = mpw_get(conn, offset, dst, nbytes, false);
    landed->done = rc ? rc : 1;
    return rc;
}

/** Atomics are the node server's: MPI's own would be a second domain of atomicity. */
int mpw_amo(cwt_conn_t *conn, uint64_t offset, int op, int nbytes, uint64_t operand,
            uint64_t compare, uint64_t *old_p)
{
    (void)conn, (void)offset, (void)op, (void)nbytes, (void)operand, (void)compare, (void)old_p;
    return CW_ENOTSUP;
}
