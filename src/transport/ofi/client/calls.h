// SPDX-License-Identifier: BSD-3-Clause
//
// What the files of the client half offer each other and the vtable. "Lock held" means the client's
// lock, where several threads use it; calls that wait give it up meanwhile.
#ifndef CWT_OFI_CALLS_H
#define CWT_OFI_CALLS_H

#include <rdma/fi_cm.h>
#include <rdma/fi_rma.h>

#include "client.h"

// ---------------------------------------------------------------- entry points of the vtable
int ofi_client_open(const cwt_client_config_t *config, cwt_client_t **client_p);
void ofi_client_stats(const cwt_client_t *client, cwt_stats_t *stats_p);
void ofi_client_close(cwt_client_t *client);
int ofi_connect(cwt_client_t *client, int node, const void *blob, size_t nbytes,
                cwt_conn_t **conn_p);
int ofi_target(cwt_conn_t *conn, uint32_t slot, uint64_t slice_delta, cwt_target_t *target);
int ofi_put(cwt_conn_t *conn, uint64_t offset, const void *src, size_t nbytes, bool nbi);
int ofi_put_complete(cwt_conn_t *conn, uint64_t offset, const void *src, size_t nbytes);
int ofi_get(cwt_conn_t *conn, uint64_t offset, void *dst, size_t nbytes, bool nbi);
int ofi_get_begin(cwt_conn_t *conn, uint64_t offset, void *dst, size_t nbytes, cwt_reply_t *landed);
int ofi_release(cwt_conn_t *conn, uint64_t offset, uint64_t nbytes);  // keys.c
size_t ofi_request_most(const cwt_conn_t *conn);
int ofi_request(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes, cwt_reply_t *reply);
int ofi_last_request(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes, cwt_reply_t *reply);
int ofi_message(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes, const void *payload,
                size_t payload_nbytes);
int ofi_try_message(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes, const void *payload,
                    size_t payload_nbytes);
int ofi_put_message(cwt_conn_t *conn, uint64_t offset, const void *src, size_t nbytes, bool nbi,
                    cwt_header_t *msg, size_t msg_nbytes);
int ofi_wait(cwt_client_t *client, cwt_reply_t *reply);
int ofi_amo(cwt_conn_t *conn, uint64_t offset, int op, int nbytes, uint64_t operand,
            uint64_t compare, uint64_t *old_p);
int ofi_quiet(cwt_client_t *client);
int ofi_quiet_begin(cwt_client_t *client);
int ofi_quiet_test(cwt_client_t *client);
int ofi_fence(cwt_client_t *client);
int ofi_progress(cwt_client_t *client);
int ofi_poll(cwt_client_t *client);

// ---------------------------------------------------- attached.c: a client that a server minds
/** Progress, with connection events where `events`, or none while nothing comes: how many things
 *  happened, or the error of the client. Under the server's lock. */
int ofi_attached_progress(cwt_client_t *client, bool events);
/** After it returned 0: false, if a sleep on the client's device could miss something. *naps_p: it
 *  has receives that the provider did not take yet, so the sleep must be short. *quiet_p: the sleep
 *  may leave the device out. */
bool ofi_attached_may_block(cwt_client_t *client, bool *naps_p, bool *quiet_p);
/** Around a sleep that leaves the device out; false: it must not, a message has been sent. */
bool ofi_attached_begin_apart(cwt_client_t *client);
void ofi_attached_end_apart(cwt_client_t *client, bool was_woken);
/** A message was tried, by any thread: wakes the server if it sleeps without the device. */
void ofi_attached_tried(cwt_client_t *client);
/** The server's eventfd. */
void ofi_attached_wakes(cwt_client_t *client, int wake_fd);

// ---------------------------------------------------------------- client.c
/** Receives for what the node will send on a connection to be opened. MSG: none is posted yet. */
int ofi_client_receive(cwt_conn_t *conn);

// ------------------------------------- connect.c, connect_msg.c, connect_rdm.c: to conn->welcomed
/** One hello and the reply to it. */
int ofi_conn_introduce(cwt_conn_t *conn);
/** Draws and signs the hello of one attempt, and sets the connection's tokens. */
void ofi_conn_hello(cwt_conn_t *conn, ofi_hello_t *hello);
int ofi_connect_msg(cwt_conn_t *conn, const ofi_blob_t *blob, ofi_hello_t *hello,
                    ofi_welcome_t *welcome);
int ofi_connect_rdm(cwt_conn_t *conn, const ofi_blob_t *blob, ofi_hello_t *hello,
                    ofi_welcome_t *welcome);
/** An RDM server takes numbers of a PE that are less than 64 behind the newest one, and does not
 *  reply to others. So no thread may draw a number far ahead of one whose hello is still under way:
 *  begin returns false while that would be so. end: a reply has come, or none is waited for. */
typedef struct ofi_turn {
    uint32_t from;  // the number drawn in this turn is not below it
    struct ofi_turn *next;
} ofi_turn_t;
bool ofi_turn_begin(ofi_turn_t *turn);
void ofi_turn_end(ofi_turn_t *turn);
/** Waits a moment between attempts, with progress; CW_ETIMEOUT when CAUSEWAY_TIMEOUT is over. */
int ofi_connect_pause(cwt_conn_t *conn, uint64_t start_ns, uint32_t *pause_us);
/** Reports a connection that did not come about; returns code. */
int ofi_connect_failed(cwt_conn_t *conn, int code, const char *reason);
void ofi_conn_free(cwt_conn_t *conn);

// ---------------------------------------------------------------- reach.c
/** Of the addresses that a node has published, leaves the one by which this process reaches it, in
 *  the form of its sockets; what no socket reaches stays as it is. May wait. 0 or CW_E…,
 *  reported. */
int ofi_reach(cwt_client_t *client, int node, ofi_blob_t *blob);

// ---------------------------------------------------------------- evict.c
/** conn->down is set: waits for the thread that changes it, opens an evicted connection again,
 *  reports a lost one. 0: it is up. */
int ofi_conn_down(cwt_conn_t *conn, const char *what);
/** Opens a new or evicted connection, at the cost of another if descriptors or
 *  CAUSEWAY_MAX_CONNECTIONS demand it. */
int ofi_conn_open(cwt_conn_t *conn);
static inline int ofi_conn_up(cwt_conn_t *conn, const char *what)
{
    conn->used = true;
    return CW_UNLIKELY(conn->down) ? ofi_conn_down(conn, what) : conn->error;
}

// ---------------------------------------------------------------- target.c
/** Makes the record fit the connection as it is now. */
void ofi_target_fill(cwt_target_t *record, cwt_conn_t *conn, uint64_t slice_delta);
void ofi_targets_refill(cwt_conn_t *conn);
size_t ofi_inject_most(void);

// ---------------------------------------------------------------- silence.c
/** Fails connections to hosts that have acknowledged nothing for CAUSEWAY_TIMEOUT. */
void ofi_silence_check(cwt_client_t *client);

// ---------------------------------------------------------------- completion.c
/** One poll of the completion queue; number of events. */
int ofi_client_poll(cwt_client_t *client);
/** Reads one connection event (MSG). */
int ofi_client_events(cwt_client_t *client);
/** Marks a connection lost, reports it once, fails all that waits on it. */
void ofi_conn_fail(cwt_conn_t *conn, int code, const char *what, const char *reason);
/** Are puts under way on the connection, or due at quiet? */
bool ofi_puts_outstanding(const cwt_conn_t *conn);
/** Is anything? */
bool ofi_outstanding(const cwt_conn_t *conn);
/** Is the end of the connection a loss? */
bool ofi_is_needed(const cwt_conn_t *conn);
const char *ofi_node_name(const cwt_client_t *client, int node);
void ofi_completion_done(ofi_completion_t *completion);
/** No operation in flight may touch it any more (its owner returns with an error). */
void ofi_completion_forget(cwt_client_t *client, ofi_completion_t *completion);

// ---------------------------------------------------------------- request.c
/** A message came in, or a buffer for many messages is full. */
void ofi_reply_arrived(cwt_client_t *client, const struct fi_cq_data_entry *entry);
/** RDM: a receive failed, which proves nothing of any connection: any process may have sent the
 *  message. `over`: it is not posted any more. */
void ofi_reply_refused(cwt_client_t *client, ofi_op_t *op, bool over);
/** Posts receives that the provider did not take before. */
void ofi_post_late(cwt_client_t *client);
/** A request of the transport's own, which asks for an acknowledgement, or for a reply (else NULL).
 *  Does not check whether the connection is up. */
int ofi_request_own(cwt_conn_t *conn, uint16_t op, const void *body, size_t nbytes,
                    cwt_reply_t *reply);
// until: a value that conn->sent has or had; counts wrap
/** Are all requests up to `until` known executed? */
static inline bool ofi_is_executed(const cwt_conn_t *conn, uint32_t until)
{
    return conn->sent - conn->acked <= conn->sent - until;
}
/** Was an acknowledgement asked for that covers them? */
static inline bool ofi_is_asked(const cwt_conn_t *conn, uint32_t until)
{
    return conn->sent - conn->asked <= conn->sent - until;
}
/** Waits until every request sent so far on the connection is known executed. */
int ofi_wait_acks(cwt_conn_t *conn);
/** Asks for the acknowledgement of requests up to `until`, a value of conn->sent, if none that is
 *  due covers them. May wait for its turn. */
int ofi_acks_ask(cwt_conn_t *conn, uint32_t until);
/** RDM: asks the server for all requests that are not acknowledged, if it can be done at once. A
 *  connection under the endpoint may have broken, and the provider have opened another one: neither
 *  side has an event then. If requests were lost, the connection fails. Once a second at most. */
void ofi_request_ask(cwt_conn_t *conn);
int ofi_send_message(cwt_conn_t *conn, const void *message, size_t nbytes);

// ---------------------------------------------------------------- fast.c: the fast paths
/** To be called when keys are known: what the fast paths may do on this connection. */
void ofi_fast_allow(cwt_conn_t *conn);
/** A request without a reply, of at most conn->shared.request bytes. */
int ofi_post_shared(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes);
// what the fast paths leave; lock held
int ofi_put_locked(cwt_conn_t *conn, uint64_t offset, const void *src, size_t nbytes, bool nbi);
int ofi_get_locked(cwt_conn_t *conn, uint64_t offset, void *dst, size_t nbytes, bool nbi);
int ofi_request_locked(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes, cwt_reply_t *reply);

// ---------------------------------------------------------------- rma.c
/** Waits until no operation is left but its owner's count. */
int ofi_completion_wait(cwt_conn_t *conn, ofi_completion_t *completion, const char *what);
int ofi_read_raw(cwt_conn_t *conn, ofi_op_t *op, void *dst, size_t nbytes, void *desc,
                 uint64_t addr, uint64_t key, ofi_kind_t kind);

// ---------------------------------------------------------------- keys.c: of remote memory
/** Where several keys name a node's memory: none is known but that of piece 0. */
int ofi_keys_open(cwt_conn_t *conn);
/** Remote address and key of memory all in one piece whose key is known; false: it is not. */
bool ofi_known(const cwt_conn_t *conn, uint64_t offset, size_t nbytes, uint64_t *addr_p,
               uint64_t *key_p);
/** The same for the first bytes of a transfer; *left_p, its length, becomes how many they are. Asks
 *  the server for a key that is not known. 0 or CW_E…, reported. Lock held. [waits] */
int ofi_remote(cwt_conn_t *conn, uint64_t offset, size_t *left_p, uint64_t *addr_p,
               uint64_t *key_p);

// ---------------------------------------------------------------- order.c
int ofi_drain_puts(cwt_conn_t *conn);
/** Waits until nothing is under way on the connection (but what other threads add meanwhile). */
int ofi_drain(cwt_conn_t *conn);
/** Collects the dirty marks of the target records into conn->dirty, and clears them. */
void ofi_collect_dirty(cwt_conn_t *conn);
/** Starts a small read behind everything; 0 or the provider's error. */
ssize_t ofi_start_probe(cwt_conn_t *conn);

// ---------------------------------------------------------------- wait.c
typedef struct ofi_waiter {
    const char *what;  // for the "still waiting" message
    uint32_t round;
    uint64_t sleep_ns;  // the last one, since the last event
    uint64_t since_ns;  // it polls on or sleeps without progress; 0: it does not
    bool gives_up;      // CW_ETIMEOUT after CAUSEWAY_TIMEOUT without progress
} ofi_waiter_t;
#define OFI_WAITER(what)       \
    {                          \
        (what), 0, 0, 0, false \
    }
#define OFI_WAITER_FOR_ROOM(what) \
    {                             \
        (what), 0, 0, 0, true     \
    }
/** One round of waiting: progress, idle(), then yield, then sleep. Returns the connection's (or
 *  client's) error. */
int ofi_wait_round(cwt_client_t *client, cwt_conn_t *conn, ofi_waiter_t *w);
/** The same in a wait for a connection. CW_ELOST: the job is over, and nothing needs it. */
int ofi_connect_round(cwt_client_t *client, cwt_conn_t *conn, ofi_waiter_t *w);
void ofi_wait_init(cwt_client_t *client);
/** The same for a wait for requests up to `until` (request.c). Each round looks whether they are
 *  asked for: what was asked before the wait began does not cover a request that another thread had
 *  begun then, and sent behind the question. */
int ofi_acks_round(cwt_conn_t *conn, uint32_t until, ofi_waiter_t *w);
/** The bytes of a connection without operations in flight have come. */
static inline void ofi_settle(cwt_conn_t *conn)
{
    if (!conn->reads && !conn->writes)
        conn->moving = 0;
}
/** For waits outside the transport, each round: checks for lost peers if it is time. */
void ofi_watch_peers(cwt_client_t *client);
/** Has this machine a core for every PE that shares it? */
bool ofi_roomy(const cwt_client_config_t *config);

#endif
