// SPDX-License-Identifier: BSD-3-Clause
//
// Connecting with RDM endpoints: the client inserts the server's address, sends a first message
// with its own address and proof, and waits for the reply, which has the keys.
#include "calls.h"

#include <stdlib.h>
#include <string.h>

/** An endpoint that is bound to no address is known to the node by the one that its messages come
 *  from. */
static void name_source(const cwt_conn_t *conn, void *name, size_t nbytes)
{
    ofi_ip_t own, to, from;
    struct sockaddr_storage source;
    if (ofi_choice.ips.count == 0 || !ofi_ip_of(name, nbytes, &own) || !ofi_ip_is_any(&own) ||
        !ofi_ip_of(conn->blob.addr, conn->blob.addr_nbytes, &to) || !ofi_ip_route(&to, &from))
        return;
    int family = ((const struct sockaddr *)name)->sa_family;
    if (ofi_ip_name(&from, ofi_port_of(name), family, &source) == nbytes)
        memcpy(name, &source, nbytes);
}

static int send_hello(cwt_conn_t *conn, const ofi_hello_t *hello)
{
    enum { ADDR_MAX = 128 };
    struct {
        cwt_header_t header;
        union {
            ofi_first_t first;
            uint8_t room[sizeof(ofi_first_t) + ADDR_MAX];
        };
    } msg;
    memset(&msg, 0, sizeof msg);
    size_t addr_nbytes = ADDR_MAX;
    int rc = fi_getname(&conn->ep->fid, msg.room + sizeof msg.first, &addr_nbytes);
    if (rc != 0)
        return ofi_connect_failed(conn, CW_ESYS, ofi_reason(rc));
    name_source(conn, msg.room + sizeof msg.first, addr_nbytes);
    msg.first.hello = *hello;
    msg.first.addr_nbytes = (uint32_t)addr_nbytes;
    size_t nbytes = sizeof msg.header + sizeof msg.first + addr_nbytes;
    msg.header.op = OFI_OWN_HELLO;
    msg.header.nbytes = (uint32_t)nbytes;
    msg.header.reply_id = OFI_ID_OWN | (uint64_t)OFI_ID_PEER_MASK << OFI_ID_PEER_SHIFT;
    return ofi_send_message(conn, &msg, nbytes);
}

/** With a number of its own: replies to earlier ones are refused from now on. */
static int greet(cwt_conn_t *conn, ofi_hello_t *hello)
{
    ofi_conn_hello(conn, hello);
    conn->nonce = hello->nonce;
    return send_hello(conn, hello);
}

/** Sends the first message and waits for its reply. A server with few descriptors left shuts a
 *  connection whose first message is late (unauth.c), and the provider may lose it without a word:
 *  so another one follows after a second, and each time twice as late, so that a slow server can
 *  answer between two. start: also of the wait for a turn to connect. */
static int exchange(cwt_conn_t *conn, uint64_t start, ofi_hello_t *hello, ofi_welcome_t *welcome)
{
    cwt_client_t *client = conn->client;
    const uint64_t first_ns = cwu_now_ns();
    conn->welcome = welcome;
    int rc = greet(conn, hello);
    ofi_waiter_t w = OFI_WAITER("the reply to a first message");
    uint64_t check_ns = start + CWU_WAIT_NS(SECOND), again_ns = first_ns + CWU_WAIT_NS(SECOND);
    while (rc == 0 && !conn->welcomed) {
        rc = ofi_connect_round(client, conn, &w);
        uint64_t now = cwu_now_ns();
        if (rc == 0 && !conn->welcomed && now > check_ns) {
            check_ns = now + CWU_WAIT_NS(SECOND);
            // the provider says nothing, and would go on trying; the caller evicts another one
            rc = ofi_no_files() ? CW_EFILES : 0;
        }
        if (rc == 0 && !conn->welcomed && now > again_ns) {
            again_ns = now + (now - first_ns);
            rc = greet(conn, hello);
        }
        if (rc == 0 && !conn->welcomed && now - start > ofi_timeout_ns())
            rc = CW_ETIMEOUT;
    }
    conn->welcome = NULL;
    return rc;
}

int ofi_connect_rdm(cwt_conn_t *conn, const ofi_blob_t *blob, ofi_hello_t *hello,
                    ofi_welcome_t *welcome)
{
    uint64_t start = cwu_now_ns();
    int n = fi_av_insert(conn->client->device.av, blob->addr, 1, &conn->fi_addr, 0, NULL);
    if (n != 1)
        return ofi_connect_failed(conn, CW_EINVAL,
                                  n < 0 ? ofi_reason(n) : "the provider does not take its address");
    ofi_turn_t turn;
    uint32_t pause_us = 0;
    int rc = 0;
    while (rc == 0 && !ofi_turn_begin(&turn))
        rc = ofi_connect_pause(conn, start, &pause_us);
    if (rc == 0) {
        rc = exchange(conn, start, hello, welcome);
        ofi_turn_end(&turn);
    }
    if (rc == CW_EREFUSED)
        return ofi_connect_failed(conn, rc, "refused: the job's secret was not right");
    if (rc != 0)
        return ofi_connect_failed(conn, rc,
                                  rc == CW_ETIMEOUT ? "no reply" : "the provider cannot reach it");
    return 0;
}
