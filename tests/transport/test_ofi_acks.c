// SPDX-License-Identifier: BSD-3-Clause
//
// Waits for requests while another thread is in the middle of one. What covers all that was sent
// when the wait began (an acknowledgement that is due, or was asked for then) does not cover the
// request of the other thread, which leaves behind it and asks for none. No luck is needed: the
// provider's inject is behind a gate, and the server makes no progress until the test lets it.
#include "pair.h"

#include "frame/check.h"
#include "transport/ofi/client/calls.h"

#define PATIENCE_S 20

static node_t n;
static cwt_conn_t *to_self;  // a second connection
static _Atomic int gate;     // while it is 1 the provider takes no message of `gated`
static void *_Atomic gated;  // an endpoint
static struct fi_ops_msg ops;
static ssize_t (*real_inject)(struct fid_ep *ep, const void *buf, size_t len, fi_addr_t addr);

static ssize_t gated_inject(struct fid_ep *ep, const void *buf, size_t len, fi_addr_t addr)
{
    return atomic_load(&gate) && atomic_load(&gated) == ep ? -FI_EAGAIN
                                                           : real_inject(ep, buf, len, addr);
}

/** Before another thread uses the connection. */
static void put_gate(cwt_conn_t *conn)
{
    ops = *conn->ep->msg;
    real_inject = ops.inject;
    ops.inject = gated_inject;
    conn->ep->msg = &ops;
    conn->inject = (ssize_t(*)(void *, const void *, size_t, uint64_t))gated_inject;
}

static void close_gate(cwt_conn_t *conn)
{
    atomic_store(&gated, (void *)conn->ep);
    atomic_store(&gate, 1);
}

/** A request without a reply; asks: for its acknowledgement, as the last one before a quiet. */
static int add(cwt_conn_t *conn, bool asks)
{
    request_t r = {.header.op = OP_ADD, .offset = n.heap, .value = 1};
    return asks ? n.ops->last_request(conn, &r.header, REQUEST_SMALL, NULL)
                : n.ops->request(conn, &r.header, REQUEST_SMALL, NULL);
}

typedef struct task {
    pthread_t thread;
    int (*run)(void);
    int rc;
} task_t;

static void *run(void *arg)
{
    task_t *t = arg;
    t->rc = t->run();
    return NULL;
}

static void start(task_t *t, int (*what)(void))
{
    t->run = what;
    t->rc = 1;
    pthread_create(&t->thread, NULL, run, t);
}

static bool ends(task_t *t)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_S;
    return pthread_timedjoin_np(t->thread, NULL, &until) == 0;
}

static int add_one(void)
{
    return add(n.conn, false);
}

static int fence(void)
{
    return n.ops->fence(n.client);
}

static int quiet(void)
{
    return n.ops->quiet(n.client);
}

static int drain_puts(void)
{
    ofi_enter(n.client);
    int rc = ofi_drain_puts(n.conn);
    ofi_unlock(n.client);
    return rc;
}

/** Waits until that many threads wait in the middle of an operation on the connection. */
static void await_waiting(const cwt_conn_t *conn, uint32_t threads)
{
    for (bool over = false; !over; usleep(200)) {
        ofi_lock(n.client);
        over = conn->waiting >= threads;
        ofi_unlock(n.client);
    }
}

/** The target's server makes progress, or none. */
static void let_target(bool go)
{
    atomic_store(&n.shared->words[0], go);
    while (atomic_load(&n.shared->words[1]) != (uint64_t)go)
        usleep(200);
}

static void scene(const char *what, int (*wait)(void))
{
    task_t request, waiter;
    const uint64_t value = 1;
    CHECK(quiet() == 0);
    let_target(false);
    CHECK(n.ops->put(n.conn, n.heap + sizeof value, &value, sizeof value, false) == 0);
    CHECK(add(n.conn, true) == 0);  // its acknowledgement is due, and covers what was sent
    close_gate(n.conn);
    start(&request, add_one);
    await_waiting(n.conn, 1);
    start(&waiter, wait);
    await_waiting(n.conn, 2);
    atomic_store(&gate, 0);
    REQUIRE(ends(&request) && request.rc == 0, "%s: the request was not sent", what);
    let_target(true);
    REQUIRE(ends(&waiter), "%s waits for ever for a request that was sent behind the question",
            what);
    CHECK(waiter.rc == 0, "%s failed: %d", what, waiter.rc);
}

static _Atomic int begun;

static int begin_quiet(void)
{
    int rc;
    while ((rc = n.ops->quiet_begin(n.client)) == 0)
        usleep(200);
    atomic_store(&begun, 1);
    return rc == 1 ? 0 : rc;
}

static int test_quiet(void)
{
    int rc;
    while ((rc = n.ops->quiet_test(n.client)) == 0)
        usleep(200);
    return rc == 1 ? 0 : rc;
}

/** A quiet in two steps has asked on one connection, and finds no room to ask on the next one; then
 *  another thread sends a request on the first. */
static void two_steps(void)
{
    task_t begin, test;
    CHECK(quiet() == 0);
    let_target(false);
    CHECK(add(n.conn, false) == 0 && add(to_self, false) == 0);
    CHECK(add(n.conn, false) == 0 && add(to_self, false) == 0);
    close_gate(to_self);
    start(&begin, begin_quiet);
    await_waiting(to_self, 1);
    CHECK(add(n.conn, false) == 0);
    CHECK(!atomic_load(&begun));
    atomic_store(&gate, 0);
    REQUIRE(ends(&begin) && begin.rc == 0, "no quiet in two steps has begun");
    let_target(true);
    start(&test, test_quiet);
    REQUIRE(ends(&test), "a quiet in two steps waits for ever for a request behind its question");
    CHECK(test.rc == 0);
}

static void initiator(void)
{
    CHECK(n.ops->connect(n.client, n.me, n.shared->blob[n.me], n.shared->blob_nbytes[n.me],
                         &to_self) == 0);
    put_gate(n.conn);
    if (ofi_choice.msg)  // else one endpoint is that of all
        put_gate(to_self);
    scene("a fence", fence);
    scene("a quiet", quiet);
    scene("a drain of puts", drain_puts);
    if (ofi_choice.msg)
        two_steps();
    CHECK(quiet() == 0);
    atomic_store(&n.shared->words[0], 2);
}

static void target(void)
{
    uint64_t go = 1, wanted;
    while ((wanted = atomic_load(&n.shared->words[0])) != 2) {
        if (wanted != go && wanted)
            pthread_mutex_unlock(&n.lock);
        else if (wanted != go)
            pthread_mutex_lock(&n.lock);
        go = wanted;
        atomic_store(&n.shared->words[1], go);
        usleep(200);
    }
}

int main(void)
{
    cwu_env_load();
    pair_map(&n, &cwt_ofi, 1u << 20, NULL);
    atomic_store(&n.shared->words[0], 1);
    atomic_store(&n.shared->words[1], 1);
    pid_t child = fork();
    int me = child == 0;
    cwu_error_identity(me, 2);
    alarm(100);
    int rc = pair_server(&n, me);
    pair_barrier(&n);
    if (rc == 0)
        rc = pair_client(&n, n.secret, true);
    if (rc == 0)
        rc = pair_connect(&n);
    CHECK(rc == 0, "no connection: %d", rc);
    pair_barrier(&n);
    if (rc == 0)
        me ? target() : initiator();
    pair_barrier(&n);
    pair_close(&n);
    if (me)
        return checks_failed > 0;
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return check_result();
}
