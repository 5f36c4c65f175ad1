// SPDX-License-Identifier: BSD-3-Clause
//
// libfabric-mock: a library between a program and the real libfabric. Data moves through the real
// providers; the mock imposes the demands of fabrics that are not available (README.md lists them).
//
// How objects are wrapped: fabrics and domains are objects of the mock, since providers open things
// on theirs behind the caller's back. For all other objects the caller gets the provider's own fid,
// but each ops table that it points to is replaced by a copy with the mock's functions in it. The
// copy of fid.ops is the first member of the mock's state, so `fid->ops` *is* the state's address:
// no lookup, and fids go to the provider unchanged.
//
// Threads: whatever the provider allows. mock_domain.lock guards the lists of a domain (endpoints,
// memory regions, operations held back, simulated completions); counters are relaxed atomics.
#ifndef MOCK_H
#define MOCK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>
#include <rdma/fabric.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

enum {
    MOCK_IOV = 8,           // most iov entries one operation may have
    MOCK_INJECT = 8,        // inject_size under small_inject
    MOCK_CM_DATA = 55,      // private data under cm55
    MOCK_CM_FEW = 32,       // and under cm32
    MOCK_RECEIVES = 12,     // posted at a time under few_receives
    MOCK_COMPLETIONS = 512, // entries of a completion queue under few_completions
    MOCK_ATOMIC_COUNT = 1,  // elements an atomic call may have
    MOCK_KEY = 2,           // bytes of a key under key2
    MOCK_HELD_MAX = 32,     // operations held back per endpoint
    MOCK_GREETED = 1024,    // peers whose first message is lost under first_lost
};

// ---------------------------------------------------------------- demands (mock_main.c)

struct mock_demands {
    bool virt_addr, prov_key, mr_local, mr_allocated, cm55, cm32, mr_writable, order_asked,
        few_receives, unordered, unordered_sends, atomics, no_wait_fd, small_inject, eagain,
        mr_endpoint, context, mr_locked, foreign, delivery_refused, delivery_ignored, card,
        card_broken, few_completions, no_connect, no_accept, no_saw, only_sas, mr_fault,
        mr_accepted, no_events, key2, mr_raw, first_lost;
};
extern struct mock_demands mock_want;

// Without a promise of FI_DELIVERY_COMPLETE: no offer to hints that ask for it.
static inline bool mock_no_delivery(void)
{
    return mock_want.delivery_refused || mock_want.delivery_ignored;
}

// Under these, keys are the mock's own and name their process.
static inline bool mock_own_keys(void)
{
    return mock_want.prov_key || mock_want.atomics || mock_want.no_events;
}

// The entry points of the real library.
struct mock_real {
    int (*getinfo)(uint32_t, const char *, const char *, uint64_t, const struct fi_info *,
                   struct fi_info **);
    void (*freeinfo)(struct fi_info *);
    struct fi_info *(*dupinfo)(const struct fi_info *);
    int (*fabric)(struct fi_fabric_attr *, struct fid_fabric **, void *);
    const char *(*strerror)(int);
    uint32_t (*version)(void);
    char *(*tostr)(const void *, enum fi_type);
};
const struct mock_real *mock_real(void);

uint32_t mock_random(void);
static inline bool mock_chance(uint32_t one_in)
{
    return mock_random() % one_in == 0;
}

// ---------------------------------------------------------------- counters (mock_main.c)

// Data operations first: their order is that of the names in mock_main.c.
enum mock_kind {
    OP_SEND,
    OP_SENDV,
    OP_SENDMSG,
    OP_SENDDATA,
    OP_INJECT,
    OP_INJECTDATA,
    OP_RECV,
    OP_RECVV,
    OP_RECVMSG,
    OP_WRITE,
    OP_WRITEV,
    OP_WRITEMSG,
    OP_WRITEDATA,
    OP_INJECT_WRITE,
    OP_INJECT_WRITEDATA,
    OP_READ,
    OP_READV,
    OP_READMSG,
    OP_ATOMIC,
    OP_FETCH_ATOMIC,
    OP_COMPARE_ATOMIC,
    OP_INJECT_ATOMIC,
    OP_CQ_READ,
    OP_CONNECT,
    OP_ACCEPT,
    OP_REJECT,
    OP_EP_OPEN,
    OP_MR_REG,
    N_MR_BYTES,            // sum of the registered lengths
    N_MR_UNTOUCHED_BYTES,  // refused, in pages that had no memory behind them (mr_allocated only)
    N_MR_REFUSED,          // registrations of memory that may not be written
    N_KEYS_TAKEN,          // registrations whose key was taken (key2)
    N_MR_PINNED,           // most bytes, in whole pages, that were registered at a time
    N_MR_UNLOCKED,         // registrations refused by mr_locked
    N_QUEUE_FULL,          // receives refused by few_receives
    N_CQ_REFUSED,          // completion queues refused by few_completions
    N_OVERRUN,             // operations beyond the entries of a queue
    N_STRANGE,             // receives taken by messages that no PE sent
    N_FIRST_LOST,          // messages lost by first_lost
    N_DELIVERY_REFUSED,    // operations with FI_DELIVERY_COMPLETE, where it is refused
    N_DELIVERY_IGNORED,    // and where it is ignored
    N_HELD,                // operations held back
    N_REORDERED,           // of these, overtaken by a later one to the same peer
    N_DIRECT,              // RMA executed without the target (no_events)
    N_DROPPED,             // of these, still held when their endpoint was closed
    N_EAGAIN,              // calls refused with -FI_EAGAIN by the mock
    N_CM_REFUSED,          // connect/accept/reject with too much private data
    N_VIOLATIONS,
    N_COUNTERS
};
void mock_add(enum mock_kind counter, uint64_t by);
void mock_raise(enum mock_kind counter, uint64_t to);  // to the most that it ever was
static inline void mock_count(enum mock_kind counter)
{
    mock_add(counter, 1);
}

// Reports a broken demand: message, summary, abort. The tests wait for the abort.
_Noreturn void mock_violation(const char *format, ...) __attribute__((format(printf, 1, 2)));

// ---------------------------------------------------------------- wrapped objects

// Room for a table of this or a newer libfabric, where tables may have grown at their ends.
#define MOCK_TABLE(type)   \
    union {                \
        struct type table; \
        char room[512];    \
    }

struct mock_fid {
    MOCK_TABLE(fi_ops) ops;  // must be first, see above
    struct fi_ops *real;
};

// Copies a table so that its copy can be edited; `room` is the size of the destination.
void mock_copy_table(void *copy, const void *table, size_t room);
#define MOCK_COPY(copy_union, table_p) mock_copy_table(&(copy_union), (table_p), sizeof(copy_union))

struct mock_fabric {
    struct fid_fabric fid;  // the caller's; must be first
    struct fid_fabric *real;
};

struct mock_mr {
    struct mock_fid base;
    struct mock_domain *domain;
    struct mock_mr *next;
    struct fid_mr *fid;
    uint64_t access;
    uint64_t key;  // the key to come; mr_endpoint shows it when the region is enabled
    bool bound, enabled;
    uint64_t pinned;  // bytes, in whole pages
    size_t niov;
    struct iovec iov[MOCK_IOV];
};

struct mock_domain {
    struct fid_domain fid;  // the caller's; must be first
    struct fid_domain *real;
    pthread_mutex_t lock;
    struct mock_domain *next;  // in the list of the process's domains
    struct mock_ep *eps;
    struct mock_mr *mrs;
    bool rdm;  // opened for endpoints other than MSG
};

struct mock_done {  // a simulated completion; err != 0: an error entry
    struct mock_done *next;
    struct fi_cq_err_entry entry;
    bool has_error;
};

struct mock_cq {
    struct mock_fid base;
    MOCK_TABLE(fi_ops_cq) ops;
    struct fi_ops_cq *real;
    struct fid_cq *fid;
    struct mock_domain *domain;
    enum fi_cq_format format;
    bool has_wait, overrun;
    struct mock_use *uses;  // operations that may complete to it; the rest of the array is free
    size_t nuses, room, entries;
    struct mock_done *first, **last_p;
};

struct mock_use {  // under few_receives and few_completions
    void *context;
    struct mock_ep *ep;
    bool receive, many;  // of these, a buffer for many messages
};

struct mock_cntr {
    struct mock_fid base;
    MOCK_TABLE(fi_ops_cntr) ops;
    struct fi_ops_cntr *real;
    struct fid_cntr *fid;
    struct mock_domain *domain;
};

struct mock_op {
    struct mock_op *next;  // in the list of those held back
    enum mock_kind kind;
    uint64_t flags;  // of the *msg calls
    size_t niov, nrma;
    struct iovec iov[MOCK_IOV];
    void *desc[MOCK_IOV];
    bool has_desc;
    struct fi_rma_iov rma[MOCK_IOV];
    fi_addr_t peer;
    uint64_t data;
    void *context;
    // While held back:
    uint64_t seq;
    unsigned countdown;  // steps until it is issued
    uint64_t due_ns;     // or this time of CLOCK_MONOTONIC, steps or not
    bool overtaken;
    void *copy;  // of injected data
};

struct mock_ep {  // also shared receive contexts
    struct mock_fid base;
    MOCK_TABLE(fi_ops_ep) ops;
    MOCK_TABLE(fi_ops_cm) cm_ops;
    MOCK_TABLE(fi_ops_msg) msg_ops;
    MOCK_TABLE(fi_ops_rma) rma_ops;
    struct fi_ops_ep *real_ops;
    struct fi_ops_cm *real_cm;
    struct fi_ops_msg *real_msg;
    struct fi_ops_rma *real_rma;
    struct fid_ep *fid;
    struct mock_domain *domain;
    struct mock_ep *next;
    struct mock_cq *tx_cq, *rx_cq;
    struct mock_cntr *read_cntr, *write_cntr;
    bool selective;  // completions only where FI_COMPLETION is given
    uint64_t tx_flags;
    uint64_t seq;
    struct mock_op *held;
    unsigned nheld;
    uint64_t greeted[MOCK_GREETED / 64];  // under first_lost
};

struct mock_pep {
    struct mock_fid base;
    MOCK_TABLE(fi_ops_ep) ops;
    MOCK_TABLE(fi_ops_cm) cm_ops;
    struct fi_ops_ep *real_ops;
    struct fi_ops_cm *real_cm;
    bool atomics;  // the caller asked for FI_ATOMIC
};

struct mock_eq {
    struct mock_fid base;
    MOCK_TABLE(fi_ops_eq) ops;
    struct fi_ops_eq *real;
};

// Replaces fid->ops by the copy in `state` (a wrapped object), with `close` as given.
void mock_wrap(struct fid *fid, struct mock_fid *state, int (*close)(struct fid *));
static inline struct mock_domain *mock_domain(struct fid *fid)
{
    return (struct mock_domain *)fid;
}
static inline void *mock_state(const struct fid *fid)
{
    return (void *)fid->ops;
}
// Closes the provider's object; on success also frees the state.
int mock_close(struct fid *fid);
void *mock_new(size_t nbytes);

// Replaces the provider's fabric by the mock's.
int mock_wrap_fabric(struct fid_fabric **fabric_p);

// mock_info.c: hints as the real provider gets them, results as the caller sees them, and back
// again.
int mock_getinfo(uint32_t version, const char *node, const char *service, uint64_t flags,
                 const struct fi_info *hints, struct fi_info **info);
void mock_decorate(struct fi_info *info, bool atomics);
struct fi_info *mock_undecorate(const struct fi_info *info);

// mock_card.c: a provider named "card".
int mock_card_getinfo(uint32_t version, const char *node, const char *service, uint64_t flags,
                      struct fi_info *hints, struct fi_info **info);
// The name of the provider behind the card, or the name itself.
char *mock_card_behind(char *provider);
void mock_card_undecorate(struct fi_info *info);
bool mock_is_broken(const struct fi_info *info);

// The context of an operation belongs to the provider until its completion; the mock writes there
// under `context`.
void mock_use_context(void *context);

// mock_mr.c
extern struct fi_ops_mr mock_mr_ops;
void mock_check_local(struct mock_domain *domain, const struct mock_op *op, uint64_t access);

// mock_remote.c: memory regions of other processes, found by keys that name their process.
uint64_t mock_key_new(void);
void mock_key_publish(uint64_t key, uint64_t base, uint64_t nbytes);
void mock_key_withdraw(uint64_t key);
// Fails the program unless [addr, addr+nbytes) is inside the region; returns its address in the
// target process, whose pid goes to *pid_p.
uint64_t mock_key_resolve(uint64_t key, uint64_t addr, uint64_t nbytes, int *pid_p);
// The same memory mapped in this process; the target's mapping must be a shared one.
void *mock_remote_shared(int pid, uint64_t addr, uint64_t nbytes);  // NULL: it is not shared
void *mock_remote_map(int pid, uint64_t addr, uint64_t nbytes);

// mock_ep.c, mock_eq.c
int mock_endpoint(struct fid_domain *domain, struct fi_info *info, struct fid_ep **ep,
                  void *context);
int mock_srx(struct fid_domain *domain, struct fi_rx_attr *attr, struct fid_ep **ep, void *context);
int mock_passive_ep(struct fid_fabric *fabric, struct fi_info *info, struct fid_pep **pep,
                    void *context);
int mock_eq_open(struct fid_fabric *fabric, struct fi_eq_attr *attr, struct fid_eq **eq,
                 void *context);
size_t mock_cm_data(void);  // most bytes of private data, 0: as many as the provider takes
int mock_getopt(fid_t fid, struct fi_ops_ep *real, int level, int name, void *value, size_t *len_p);

// mock_data.c, mock_atomic.c
void mock_wrap_data(struct mock_ep *ep);
void mock_wrap_atomic(struct mock_ep *ep);
int mock_query_atomic(struct fid_domain *domain, enum fi_datatype type, enum fi_op op,
                      struct fi_atomic_attr *attr, uint64_t flags);

// mock_direct.c: RMA under no_events. With the domain's lock held.
bool mock_is_direct(const struct mock_op *op);
ssize_t mock_direct(struct mock_ep *ep, const struct mock_op *op);

// mock_hold.c: operations held back. All are called with the domain's lock held.
bool mock_hold(struct mock_ep *ep, const struct mock_op *op);
void mock_domain_opened(struct mock_domain *domain);  // the first two: without the lock
void mock_domain_closing(struct mock_domain *domain);
void mock_issued(struct mock_ep *ep, fi_addr_t peer);  // a later one was issued
void mock_step(struct mock_domain *domain);
bool mock_release_all(struct mock_domain *domain);  // false: some could not be issued yet
void mock_release_ep(struct mock_ep *ep);
void mock_drop(struct mock_ep *ep);
ssize_t mock_issue(struct mock_ep *ep, const struct mock_op *op);

// mock_cq.c
int mock_cq_open(struct fid_domain *domain, struct fi_cq_attr *attr, struct fid_cq **cq,
                 void *context);
int mock_cntr_open(struct fid_domain *domain, struct fi_cntr_attr *attr, struct fid_cntr **cntr,
                   void *context);
// An operation was posted that will complete to the queue.
void mock_cq_use(struct mock_cq *cq, struct mock_ep *ep, const struct mock_op *op);
size_t mock_cq_receives(const struct mock_cq *cq, const struct mock_ep *ep);
void mock_cq_forget(struct mock_cq *cq, const struct mock_ep *ep);  // it is closed
void mock_cq_post(struct mock_cq *cq, const struct fi_cq_err_entry *entry);  // lock held
bool mock_cq_pending(struct mock_cq *cq);
void mock_cq_wake(struct mock_cq *cq);

#endif
