// SPDX-License-Identifier: BSD-3-Clause
//
// Addresses and keys of remote memory. One key names a whole node object, or, where registering
// pins memory, each piece has its own: the server registers a piece when the first client asks for
// its key, and a connection keeps the keys that it has asked for (ADR 41). The table has the
// complement of each key: those not asked for are zero, and pages of them take no memory.
#include "calls.h"

#include <stdlib.h>

_Static_assert(~OFI_NO_KEY == 0, "what calloc leaves is no key");

/** OFI_NO_KEY: not asked for yet. */
static uint64_t key_of(const cwt_conn_t *conn, int64_t piece)
{
    return ~conn->keys[piece];
}

static void set_key(cwt_conn_t *conn, uint32_t piece, uint64_t key)
{
    conn->keys[piece] = ~key;
}

int ofi_keys_open(cwt_conn_t *conn)
{
    conn->keys = calloc(conn->nkeys, sizeof *conn->keys);
    if (!conn->keys) {
        cwu_error("no memory for the %u keys of %s", conn->nkeys,
                  ofi_node_name(conn->client, conn->node));
        return CW_ENOMEM;
    }
    set_key(conn, 0, conn->key);
    return 0;
}

/** As the provider takes it: a virtual address of the server, or an offset within the region. */
static uint64_t remote_address(const cwt_conn_t *conn, uint64_t offset, uint32_t piece)
{
    if (ofi_choice.virt_addr)
        return conn->base + offset;
    return offset - ofi_piece_span(&conn->client->config.layout, piece).offset;
}

static int64_t piece_of(const cwt_conn_t *conn, uint64_t offset, uint64_t *left_p)
{
    int64_t piece = ofi_piece_of(&conn->client->config.layout, offset, left_p);
    return piece < (int64_t)conn->nkeys ? piece : -1;
}

bool ofi_known(const cwt_conn_t *conn, uint64_t offset, size_t nbytes, uint64_t *addr_p,
               uint64_t *key_p)
{
    if (conn->nkeys == 1) {
        *addr_p = offset + conn->base;
        *key_p = conn->key;
        return true;
    }
    uint64_t left;
    int64_t piece = piece_of(conn, offset, &left);
    if (piece < 0 || nbytes > left || key_of(conn, piece) == OFI_NO_KEY)
        return false;
    *addr_p = remote_address(conn, offset, (uint32_t)piece);
    *key_p = key_of(conn, piece);
    return true;
}

/** The reply will not come, or nothing may be stored there any more. */
static void forget(cwt_conn_t *conn, const cwt_reply_t *reply)
{
    for (uint32_t i = 0; i < OFI_CREDITS; i++)
        if (conn->replies[i].reply == reply)
            conn->replies[i].reply = NULL;
}

/** One request of the transport's own and its answer. */
static int converse(cwt_conn_t *conn, uint16_t op, const ofi_ask_key_t *body, const char *what,
                    ofi_key_t *answer)
{
    ofi_waiter_t w = OFI_WAITER(what);
    *answer = (ofi_key_t){OFI_NO_KEY};
    cwt_reply_t reply = {.buf = answer, .capacity = sizeof *answer};
    int rc = ofi_request_own(conn, op, body, sizeof *body, &reply);
    while (rc == 0 && !reply.done)
        rc = ofi_wait_round(conn->client, conn, &w);
    if (rc == 0 && reply.done < 0)
        rc = reply.done;
    if (rc != 0)
        forget(conn, &reply);
    else if (reply.nbytes != sizeof *answer)
        answer->key = OFI_NO_KEY;
    return rc;
}

static int ask(cwt_conn_t *conn, uint32_t piece)
{
    ofi_ask_key_t body = {piece, 1};
    ofi_key_t fresh;
    int rc = converse(conn, OFI_OWN_KEY, &body, "the key of memory that is used for the first time",
                      &fresh);
    if (rc != 0)
        return rc;
    if (fresh.key == OFI_NO_KEY) {
        cwu_error("%s cannot give this PE access to its memory; see the message of its first PE",
                  ofi_node_name(conn->client, conn->node));
        return CW_ENOMEM;
    }
    set_key(conn, piece, fresh.key);
    return 0;
}

int ofi_remote(cwt_conn_t *conn, uint64_t offset, size_t *left_p, uint64_t *addr_p, uint64_t *key_p)
{
    uint64_t left = *left_p;
    if (CW_LIKELY(ofi_known(conn, offset, *left_p, addr_p, key_p)))
        return 0;
    int64_t piece = piece_of(conn, offset, &left);
    if (piece < 0) {
        cwu_error("%zu bytes at offset %llu are not symmetric memory of %s", *left_p,
                  (unsigned long long)offset, ofi_node_name(conn->client, conn->node));
        return CW_EINVAL;
    }
    int rc = key_of(conn, piece) == OFI_NO_KEY ? ask(conn, (uint32_t)piece) : 0;
    if (rc != 0)
        return rc;
    *left_p = *left_p < left ? *left_p : left;
    *addr_p = remote_address(conn, offset, (uint32_t)piece);
    *key_p = key_of(conn, piece);
    return 0;
}

/** The pieces that lie whole in [offset, +nbytes), from the first one on; their number. */
static uint32_t whole_pieces(const cwt_conn_t *conn, uint64_t offset, uint64_t nbytes,
                             uint32_t *first_p)
{
    const cwt_layout_t *layout = &conn->client->config.layout;
    uint64_t left, end = offset + nbytes;
    int64_t piece = piece_of(conn, offset, &left);
    if (piece >= 0 && ofi_piece_span(layout, (uint32_t)piece).offset < offset)
        piece = piece_of(conn, offset + left, &left);
    if (piece < 0)
        return 0;
    *first_p = (uint32_t)piece;
    uint32_t n = 0;
    for (; *first_p + n < conn->nkeys; n++) {
        ofi_span_t span = ofi_piece_span(layout, *first_p + n);
        if (span.offset < offset || span.offset + span.nbytes > end)
            break;
    }
    return n;
}

int ofi_release(cwt_conn_t *conn, uint64_t offset, uint64_t nbytes)
{
    cwt_client_t *client = conn->client;
    ofi_key_t answer;
    bool held = false;
    int rc = 0;
    ofi_lock(client);
    // a connection that was evicted has dropped its keys, and the server knows
    if (conn->nkeys > 1 && conn->keys && !conn->down) {
        ofi_ask_key_t body = {0, 0};
        body.count = whole_pieces(conn, offset, nbytes, &body.piece);
        for (uint32_t i = 0; i < body.count; i++) {
            held |= key_of(conn, body.piece + i) != OFI_NO_KEY;
            set_key(conn, body.piece + i, OFI_NO_KEY);
        }
        if (held)
            rc = converse(conn, OFI_OWN_RELEASE, &body, "a node to give up memory that was freed",
                          &answer);
    }
    ofi_unlock(client);
    return rc;
}
