// SPDX-License-Identifier: BSD-3-Clause
//
// What collected operations leave behind for other threads while one sends them. The transport is a
// stand-in that takes no request until the test lets it: meanwhile the mark that something is due
// stays, so that a thread whose operations are among those being sent does not overtake them.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/path/bundle.h"
#include "core/port/ctx.h"
#include "frame/check.h"

static _Alignas(256) cw_path_t path;
static _Atomic int inside, gate;  // threads in the stand-in; is it open?
static _Atomic int passed;        // the second thread is behind what it has collected
static int passed_before;         // requests that were sent with that

static int request(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes, cwt_reply_t *reply)
{
    (void)conn, (void)msg, (void)nbytes, (void)reply;
    atomic_fetch_add(&inside, 1);
    while (!atomic_load(&gate))
        usleep(100);
    passed_before += atomic_load(&passed);
    return 0;
}

static int done(cwt_client_t *client)
{
    (void)client;
    return 0;
}

static bool no(void)
{
    return false;
}

static bool yes(void)
{
    return true;
}

static size_t most(const cwt_conn_t *conn)
{
    (void)conn;
    return CWT_REQUEST_MAX;
}

static void open_bundles(void)
{
    static const cwt_ops_t stand_in = {.one_client = no,
                                       .software = yes,
                                       .request_most = most,
                                       .request = request,
                                       .last_request = request,
                                       .quiet = done,
                                       .fence = done};
    static char client;
    size_t slice = CW_BUNDLES * sizeof(cw_bundle_t);
    cw_transport = &stand_in;
    setenv("CAUSEWAY_AGGREGATE", "on", 1);
    cwu_env_load();
    cw_world.nnodes = 2;
    cw_segment.base = aligned_alloc(64, 4096 + slice);
    REQUIRE(cw_segment.base);
    static cw_slot_t slot;
    cw_segment.slots = &slot;
    cw_segment.layout = (cwt_layout_t){.slice_offset = 4096, .slice_stride = slice, .nslots = 1};
    atomic_store(&cw_flusher()->state, CW_FLUSHER_AWAKE);
    cw_port_default.locked = true;
    cw_port_default.client = (cwt_client_t *)(void *)&client;
    path.way = &path.first;
    path.first.node = 1;
    cw_port_enter(&cw_port_default);
    path.first.queue.most = CW_BUNDLE_MAX;
    cw_bundles_open();
    cw_port_leave(&cw_port_default);
}

/** The first ones, and such as come late, are not collected. */
static void collect_one(void)
{
    uint64_t value = 1;
    while (!cw_bundle_collect(&path, (void *)64, CW_BATCH_PUT, &value, sizeof value))
        ;
}

static void *send_all(void *arg)
{
    cw_bundles_send(*(const cw_bundle_reason_t *)arg);
    return NULL;
}

/** What an operation of a thread does first that is in order behind what it has collected. */
static void *pass(void *arg)
{
    if (arg)
        cw_bundles_pass();
    else
        cw_bundles_get();
    atomic_store(&passed, 1);
    return NULL;
}

static void during(cw_bundle_reason_t reason, const char *name)
{
    pthread_t sender, other[2];
    atomic_store(&inside, 0);
    atomic_store(&gate, 0);
    atomic_store(&passed, 0);
    collect_one();
    pthread_create(&sender, NULL, send_all, &reason);
    while (!atomic_load(&inside))
        usleep(100);
    CHECK(cw_bundles_due() & CW_BUNDLES_BUSY, "%s: nothing seems to be due while it is sent", name);
    pthread_create(&other[0], NULL, pass, &passed);
    pthread_create(&other[1], NULL, pass, NULL);
    usleep(5000);  // time to overtake, for one that would
    atomic_store(&gate, 1);
    pthread_join(sender, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(other[i], NULL);
    CHECK(passed_before == 0, "%s: another thread has overtaken its own operation", name);
    CHECK(!(cw_bundles_due() & CW_BUNDLES_BUSY), "%s: it is due behind it", name);
}

int main(void)
{
    alarm(60);
    open_bundles();
    during(CW_BUNDLE_FENCE, "a fence");
    during(CW_BUNDLE_QUIET, "a quiet");
    during(CW_BUNDLE_ORDER, "an operation of another kind");
    return check_result();
}
