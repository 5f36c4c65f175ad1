// SPDX-License-Identifier: BSD-3-Clause
//
// A simulated libfabric provider whose network is the scheduler. All objects lie in memory that the
// PEs share; an operation is a record in the queue of its channel, and each step of its way is an
// action that the scheduler may choose: at the target (forth), then at the initiator (back). Both
// queues of a channel are in order; nothing orders channels. Objects belong to the process that
// opened them, in which actions on them are carried out.
#ifndef SIM_NET_H
#define SIM_NET_H

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include "world.h"

enum {
    NET_PRIVATE = 128,  // bytes of private data that a connection carries
    NET_INJECT = 128,
    NET_QUEUE = 1024,     // completions or events of a queue
    NET_RECEIVES = 1024,  // posted on an endpoint
    NET_CHANNELS = 256,
    NET_REGIONS = 64,
    NET_DEPTH = 24,  // operations of a channel before it takes no more
};

typedef struct net_done {
    struct fi_cq_data_entry entry;
    int err;
} net_done_t;

/** Where calls come one at a time, but with FI_THREAD_SAFE. */
typedef struct net_domain {
    struct fid_domain fid;
    bool is_safe;
    int inside;  // 1 + the thread that is in a call
} net_domain_t;

typedef struct net_cq {
    struct fid_cq fid;
    net_domain_t *domain;
    int pe, fd;  // fd: an eventfd, or -1
    bool moved;  // bytes have come or gone since it was read last: there is to be no sleep
    uint32_t first, count;
    net_done_t queue[NET_QUEUE];
} net_cq_t;

typedef struct net_event {
    uint32_t kind;
    struct fid *fid;
    struct net_ep *from;  // of a connection request
    int err;              // not 0: an error event
    uint32_t nbytes;
    uint8_t data[NET_PRIVATE];
} net_event_t;

typedef struct net_eq {
    struct fid_eq fid;
    int pe, fd;
    uint32_t first, count;
    net_event_t queue[64];
    uint8_t err_data[NET_PRIVATE];
} net_eq_t;

typedef struct net_receive {
    uint8_t *buf;
    size_t nbytes, used;
    uint64_t flags;
    void *context;
} net_receive_t;

typedef enum net_state { NET_NEW, NET_ASKED, NET_UP, NET_DOWN, NET_CLOSED } net_state_t;

/** An endpoint, or a listener. */
typedef struct net_ep {
    struct fid_ep fid;
    struct fid_pep pep;
    int pe;
    bool listens, msg;
    bool cut;      // the network carries nothing any more
    bool passive;  // nothing happens to it but in calls of its process (sim_net_serve)
    net_state_t state;
    uint16_t port;
    net_domain_t *domain;
    struct net_eq *eq;
    struct net_cq *cq;
    struct net_av *av;
    struct net_ep *peer;  // MSG
    size_t least_room;    // of a buffer for many messages
    uint32_t first, count;
    net_receive_t receives[NET_RECEIVES];
} net_ep_t;

typedef struct net_av {
    struct fid_av fid;
    uint32_t count;
    uint16_t ports[1024];
} net_av_t;

typedef enum net_kind {
    NET_SEND,
    NET_WRITE,
    NET_READ,
    NET_DONE,  // only back: a completion that did not wait for delivery
    NET_ROOM,  // only back: calls that were refused may be tried again
    NET_ASK,
    NET_ACCEPT,
    NET_REFUSE,
    NET_CONFIRM,
    NET_END,
    NET_MESSAGE  // of MPI: its key is the tag
} net_kind_t;

typedef struct net_op {
    struct net_op *next;
    net_kind_t kind;
    bool signals;  // there will be a completion
    int err;
    void *context;
    uint64_t flags, remote, key;
    uint64_t not_before;  // of virtual time
    size_t moved;         // bytes of a write or read that were the first part
    void *local;
    size_t nbytes;
    uint8_t *data;
} net_op_t;

typedef struct net_queue {
    net_op_t *first, **last;
    uint32_t count;
    int64_t priority;
} net_queue_t;

typedef struct net_channel {
    net_ep_t *from, *to;
    bool answers;  // the other side sent first
    bool begun;    // a message was sent
    net_queue_t forth, back;
    uint32_t refuses;  // calls that get FI_EAGAIN from now on
    bool wants_room;   // one was refused since too many are on their way
    bool room_is_due;  // an event will say that there is room
    bool has_room;     // it has, and no call has been tried since
    uint32_t looks;    // that have seen it
} net_channel_t;

typedef struct net_region {
    struct fid_mr fid;
    int pe;
    uint8_t *base;
    size_t nbytes;
    uint64_t key;
    bool open;
} net_region_t;

typedef struct sim_net {
    size_t used;  // of the pool
    int nchannels, neps;
    net_channel_t *channels[NET_CHANNELS];
    net_ep_t *eps[NET_CHANNELS];
    net_region_t *regions[NET_REGIONS];
    int nregions;
    uint32_t refusals;  // one of so many calls gets FI_EAGAIN; 0: none
    bool early;         // completions may come before delivery
    bool silent;        // no event says that there is room again
    bool in_order;      // all, whatever is promised
    bool whole;         // transfers do not come in parts
    bool card;          // writes and reads of others wake no thread of the target
    uint32_t unproved;  // one of so many messages to an RDM endpoint comes behind a broken one
    uint32_t failures;  // one of so many replies of RDM endpoints fails, when called or later
    bool firsts;        // first messages between two RDM endpoints may be lost, or come late,
                        // also in another order, where none is promised
    uint64_t order;     // promised: FI_ORDER_...
    uint64_t late_ns;   // that some operations are late, at most
    net_op_t *spare;
    struct sim_mpi *mpi;  // mpi.c
} sim_net_t;

#define NET sim->net

// ---------------------------------------------------------------- net.c
net_ep_t *net_ep_at(uint16_t port);
net_channel_t *net_channel(net_ep_t *from, net_ep_t *to);
net_op_t *net_op(net_kind_t kind, const void *data, size_t nbytes);
void net_push(net_queue_t *queue, net_op_t *op);
/** Does the network take no operation now? */
bool net_is_full(net_channel_t *channel);
/** May a call on one of the queue's endpoints be tried again that was refused before? Many looks in
 *  a row see that; then it is known. */
bool net_has_room(const net_cq_t *cq);
/** An event will say when calls may be tried again. */
void net_announce_room(net_channel_t *channel);
void net_complete(net_cq_t *cq, const struct fi_cq_data_entry *entry, int err);
void net_event(net_eq_t *eq, const net_event_t *event);
void net_close_ep(net_ep_t *ep);
uint16_t net_port(const void *addr);
void net_name(uint16_t port, void *addr);

/** The scheduling point of a call. */
void net_call(net_domain_t *domain, bool posts);
net_op_t *net_pop(net_queue_t *queue);

// ---------------------------------------------------------------- net_pick.c
uint64_t net_promised(void);
void net_draw_order(uint64_t draw);
void net_make_late(net_op_t *op);
bool net_may_act(const net_channel_t *c);
net_op_t *net_pick(const net_channel_t *c);
void net_take_out(net_queue_t *queue, net_op_t *op);

// ---------------------------------------------------------------- net_act.c: what happens
void net_act_forth(net_channel_t *c);
void net_act_back(net_channel_t *c);
/** The operation is over: it comes back if it is to complete. */
void net_settle(net_channel_t *c, net_op_t *op);
/** The operation comes back with an error. */
void net_fail(net_channel_t *c, net_op_t *op, int err);
/** All posted receives end with an error. */
void net_cancel_receives(net_ep_t *ep);
void net_signal(int fd);
void net_drop(net_op_t *op);

// ---------------------------------------------------------------- for mpi.c
net_ep_t *net_new_ep(void *context);
void net_add_region(net_region_t *region);
/** Some of what waits for a call of this PE's process takes place. */
void sim_net_serve(int pe);
void sim_mpi_arrived(const net_ep_t *from, const net_ep_t *to, const net_op_t *op);

// ---------------------------------------------------------------- net_fault.c
/** 0, or the error that this call is to return. */
int net_fails(const char *name);
int net_look_fails(const char *name);  // of those that are made again and again
#define NET_MAY_FAIL(name)             \
    do {                               \
        int failure = net_fails(name); \
        if (failure)                   \
            return failure;            \
    } while (0)
#define NET_MAY_FAIL_LOOK(name)             \
    do {                                    \
        int failure = net_look_fails(name); \
        if (failure)                        \
            return failure;                 \
    } while (0)

// ---------------------------------------------------------------- net_ep.c, net_queue.c
int net_open_ep(struct fid_domain *domain, struct fi_info *info, struct fid_ep **ep_p,
                void *context);
int net_open_pep(struct fid_fabric *fabric, struct fi_info *info, struct fid_pep **pep_p,
                 void *context);
int net_open_cq(struct fid_domain *domain, struct fi_cq_attr *attr, struct fid_cq **cq_p,
                void *context);
int net_open_eq(struct fid_fabric *fabric, struct fi_eq_attr *attr, struct fid_eq **eq_p,
                void *context);
int net_open_av(struct fid_domain *domain, struct fi_av_attr *attr, struct fid_av **av_p,
                void *context);
int net_trywait(struct fid_fabric *fabric, struct fid **fids, int count);
struct fi_info *net_info(const struct fi_info *hints, bool msg);

#endif
