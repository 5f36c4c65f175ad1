// SPDX-License-Identifier: BSD-3-Clause
//
// The server half: one per node. A peer is its end of a client's connection; in MSG mode each has
// an endpoint of its own, in RDM mode they share the device's and differ by address.
//
// Threads: one at a time (the core serialises), but ofi_server_block and ofi_server_wake.
// Blocking: ofi_server_block only.
#ifndef CWT_OFI_SERVER_H
#define CWT_OFI_SERVER_H

#include "transport/ofi/lib/device.h"
#include "transport/ofi/lib/sockets.h"
#include "transport/ofi/wire/receives.h"

// ---------------------------------------------------------------- the node object (region.c)
/** The node object as registered by its server. */
typedef struct ofi_region {
    struct fid_mr **mr;  // [nkeys], NULL: not used yet
    uint32_t *holders;   // [nkeys] clients that have the key of a piece; none count for piece 0
    uint32_t nkeys;
    uint64_t key, base;  // of piece 0
} ofi_region_t;
/** Which keys a client has: a bit a piece; NULL: none. */
typedef uint8_t *ofi_held_t;
int ofi_region_open(ofi_region_t *region, ofi_device_t *device, const cwt_server_config_t *config);
/** The key of a piece below nkeys; registers it if it is not. 0 or CW_E…, reported. */
int ofi_region_key(ofi_region_t *region, ofi_device_t *device, const cwt_server_config_t *config,
                   uint32_t piece, uint64_t *key_p);
/** A client is about to get the key of that piece. 0, or CW_ENOMEM. */
int ofi_region_hold(ofi_region_t *region, ofi_held_t *held, uint32_t piece);
/** A client has dropped the keys of pieces, whose memory is free: those whose keys no other one has
 *  are given up, with their memory. */
void ofi_region_release(ofi_region_t *region, const cwt_server_config_t *config, ofi_held_t *held,
                        uint32_t first, uint32_t count);
/** A client has gone. What it used stays registered. */
void ofi_region_forget(ofi_region_t *region, ofi_held_t *held);
void ofi_region_close(ofi_region_t *region);

// ---------------------------------------------------------------- objects
typedef struct ofi_reply {
    struct ofi_reply *next;
    size_t nbytes;
    uint8_t bytes[];
} ofi_reply_t;

typedef struct ofi_peer {
    cwt_server_t *server;
    struct ofi_peer *next;
    struct fid_ep *ep;
    fi_addr_t fi_addr;
    uint32_t index, pe;
    uint32_t birth;                   // of the connection: no two of a server have the same
    uint32_t notified;                // notifications sent
    uint32_t notify_until;            // of the last request: 15 allowed | 0..14 until which
    uint32_t executed, acked;         // requests executed; of these, how many the client knows of
    ofi_receives_t receives;          // MSG
    ofi_reply_t *queue, **queue_end;  // replies that the wire did not take yet, in order
    uint64_t failing_ns;              // since when the wire refuses them; 0: it does not
    bool deferred;                    // an acknowledgement, when there is nothing else to do
    bool connected;
    bool dying;                                 // its client is gone; RDM: free for another
    bool leaving;                               // RDM: dying when its last replies are sent
    bool refused;                               // RDM: exists only to carry a refusal
    bool proved;                                // has tokens
    ofi_expected_t token_in;                    // of its requests
    uint64_t token_first;                       // the first of these
    uint64_t hole, hole_ns;                     // one that had not come when the client asked last
    uint64_t token_out;                         // of the next message to it
    uint8_t host[sizeof(struct sockaddr_in6)];  // its address and some port; zeros: not known, or
                                                // no socket's
    uint64_t addr_digest;                       // RDM: of the client's address
    uint32_t attempt;                           // RDM: the client's last to connect
    ofi_held_t keys;                            // that its client has
} ofi_peer_t;

/** A client whose progress the server makes, and on whose device it sleeps too: ops->server_attach.
 *  The functions are the client half's, which this one does not know. */
typedef struct ofi_attached {
    cwt_client_t *client;  // NULL: none
    ofi_device_t *device;
    int (*progress)(cwt_client_t *client, bool events);
    bool (*may_block)(cwt_client_t *client, bool *naps_p, bool *quiet_p);
    bool (*begin_apart)(cwt_client_t *client);
    void (*end_apart)(cwt_client_t *client, bool was_woken);
} ofi_attached_t;

struct cwt_from {
    ofi_peer_t *peer;
    uint64_t reply_id;
    bool replied;
};

struct cwt_server {
    cwt_server_config_t config;
    ofi_device_t device;
    struct fid_pep *pep;  // MSG
    ofi_region_t region;
    bool ready;             // the secret is known and the region registered
    uint64_t birth;         // see ofi_blob_t
    ofi_taken_t *taken;     // [npes]: hellos
    ofi_peer_t *peers;      // all
    ofi_peer_t **by_index;  // RDM: peer named in requests; all: for origins
    uint32_t by_index_count;
    uint32_t births;
    ofi_receives_t receives;  // RDM
    uint32_t late;            // receives that the provider did not take yet
    ofi_pool_t sends;
    _Atomic uint32_t queued;  // peers with a queue; written under the caller's lock, and
                              // ofi_server_block has none
    uint32_t deferred;        // peers with a deferred acknowledgement
    uint32_t refusals;        // RDM: sent to unauthenticated clients
    uint32_t rounds;
    _Atomic uint32_t false_alarms;  // times in a row that a sleep ended and nothing was there
    ofi_unauth_t unauth;
    _Atomic uint64_t starved_ns;  // since when connections lack a file descriptor; 0: they do not
    uint64_t starved_at;          // connections when that was checked last
    uint32_t gated[2];            // connections of other users that were counted: alive, ended
    ofi_attached_t attached;
    uint64_t check_ns;              // when to check for silent hosts again
    uint32_t silent;                // checks in a row that found one while PEs waited
    int lost;                       // 0, or the error that ends the job for it
    int wake_fd;
    int life_fd;                     // listens as long as the process lives; -1: it does not
    int reach_fd;                    // the same, for clients that look for an address
    uint16_t life_port, reach_port;  // network byte order
    _Atomic bool naps;               // there are late receives
    _Atomic bool alone;              // the attached client may be left out of the sleep
    _Atomic bool slept;              // since connection events were read last
    bool warned;
    uint8_t addr[128];
    size_t addr_nbytes;
    cwt_stats_t stats;
    // not on the stack: a program's thread that waits makes the progress, and may have a small one
    _Alignas(8) uint8_t request[OFI_REQUEST_NBYTES];  // that is being executed, if it was moved
    _Alignas(8) uint8_t message[OFI_BUFFER_NBYTES];   // that is being sent
};

// ---------------------------------------------------------------- server.c: what the vtable calls
int ofi_server_open(const cwt_server_config_t *config, cwt_server_t **server_p);
int ofi_server_address(cwt_server_t *server, void *blob, size_t *nbytes_p);
int ofi_server_secret(cwt_server_t *server, const uint8_t secret[CWT_SECRET_BYTES]);
void ofi_server_stats(const cwt_server_t *server, cwt_stats_t *stats_p);
void ofi_server_close(cwt_server_t *server);
/** Counts a message or connection that carries no proof, and reports the first. */
void ofi_server_drop(cwt_server_t *server, const char *why);

// ---------------------------------------------------------------- progress.c
int ofi_server_progress(cwt_server_t *server);
bool ofi_server_may_block(cwt_server_t *server);
int ofi_server_block(cwt_server_t *server, uint64_t timeout_ns);
void ofi_server_wake(cwt_server_t *server);

// ---------------------------------------------------------------- peers.c
ofi_peer_t *ofi_peer_create(cwt_server_t *server, uint32_t pe);
/** Gives it the lowest free number. */
int ofi_peer_number(ofi_peer_t *peer);
/** A client gets connected by it: nothing of one before counts. */
void ofi_peer_begin(ofi_peer_t *peer);
/** No completion may name the peer's buffers any more. */
void ofi_peer_destroy(ofi_peer_t *peer);
/** From here on the peer is the client that sent this hello. */
void ofi_peer_welcome(ofi_peer_t *peer, const ofi_hello_t *hello, ofi_welcome_t *welcome);
ofi_whom_t ofi_server_whom(const cwt_server_t *server);
/** Is the hello, whose proof is right, one that was not taken before? */
bool ofi_server_takes(cwt_server_t *server, const ofi_hello_t *hello);

// ---------------------------------------------------------------- replies.c
int ofi_server_reply(cwt_from_t *from, const void *payload, size_t nbytes);
uint64_t ofi_server_origin(const cwt_from_t *from);
uint32_t ofi_server_pe(const cwt_from_t *from);
int ofi_server_notify(cwt_server_t *server, uint64_t origin, const void *head, size_t head_nbytes,
                      const void *payload, size_t payload_nbytes);
/** Sends header + payload to a peer, or queues it; never blocks. */
int ofi_server_send(ofi_peer_t *peer, ofi_reply_header_t *header, const void *payload,
                    size_t nbytes);
// longer than a provider takes for a message behind which others have come already
#define OFI_LATE_NS 500000000u
/** Sends a count of executed requests alone. */
void ofi_peer_acknowledge(ofi_peer_t *peer);
/** The peer owes no acknowledgement any more. */
void ofi_peer_forget_deferred(ofi_peer_t *peer);
/** Replies that the wire did not take yet are not sent any more. */
void ofi_peer_drop_queue(ofi_peer_t *peer);
int ofi_server_flush_queues(cwt_server_t *server);
/** A send is complete, or failed after the provider had taken it. RDM: then no event follows, and
 *  the message is sent again, for CAUSEWAY_TIMEOUT at most. */
void ofi_server_send_ended(ofi_op_t *op, bool failed);

// ---------------------------------------------------------------- requests.c
/** One message as it came: nothing in it is trusted before it passed. */
void ofi_server_request(cwt_server_t *server, ofi_peer_t *peer, void *bytes, size_t nbytes);

// ---------------------------------------------------------------- msg.c, rdm.c: endpoint modes
int ofi_server_msg_open(cwt_server_t *server);
int ofi_server_msg_progress(cwt_server_t *server);  // connection events; number handled
int ofi_server_rdm_open(cwt_server_t *server);
/** A first or last message of an RDM client. */
void ofi_server_rdm_own(cwt_server_t *server, ofi_peer_t *peer, const cwt_header_t *msg,
                        size_t nbytes);

// ---------------------------------------------------------------- life.c
void ofi_life_open(cwt_server_t *server);
int ofi_life_names(const void *blob, size_t nbytes, int which, struct sockaddr_storage *names);

// ---------------------------------------------------------------- silence.c
/** Sets server->lost when the host of a client has gone silent while PEs of the node wait. */
void ofi_server_silence_check(cwt_server_t *server);

#endif
