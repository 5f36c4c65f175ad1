// SPDX-License-Identifier: BSD-3-Clause
//
// The flusher: a thread of the node server's process that looks every few microseconds for
// unchanged bundles of the node's PEs, and sends them by its own client. Without any it rests, then
// sleeps; a PE that opens one may wake it (ADR 124).
#include <stdlib.h>
#include <stdnoreturn.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/clock.h"
#include "base/futex.h"
#include "base/thread.h"
#include "base/wait.h"
#include "core/path/bundle.h"
#include "core/world/job.h"

#define LINGER 5u  // looks without a bundle before sleep

static struct {
    pthread_t thread;
    bool running;
    _Atomic bool stop;
    cw_bundle_seen_t *seen;  // [nslots][CW_BUNDLES]
    cwt_client_t *client;
    cwt_conn_t **conn;  // [nnodes]
} flusher;

static int open_client(void)
{
    cwt_client_config_t config = {.pe = cw_world.pe,
                                  .npes = cw_world.npes,
                                  .node = cw_world.node,
                                  .layout = cw_segment.layout,
                                  .of_server = true,
                                  .one_machine = cw_boot.one_machine,
                                  .make_room = cw_port_close_spare,
                                  .node_name = cw_job_node_name};
    int rc = cw_job_end_exchange();
    if (rc == CW_OK) {
        memcpy(config.secret, cw_job_secret(), sizeof config.secret);
        rc = cw_transport->open(&config, &flusher.client);
    }
    return rc;
}

static noreturn void failed(int rc)
{
    cw_lost_grace(rc);
    cwu_fatal("sending collected operations of a PE of this node failed (%s)", cwu_error_name(rc));
}

/** All nodes are there until this thread ends. */
static cwt_conn_t *connection(uint32_t node)
{
    cw_node_record_t record;
    if (node >= (uint32_t)cw_world.nnodes)
        failed(CW_EINVAL);
    if (flusher.conn[node])
        return flusher.conn[node];
    int rc = flusher.client ? CW_OK : open_client();
    if (rc == CW_OK)
        rc = cw_job_node_record((int)node, &record);
    if (rc == CW_OK)
        rc = cw_transport->connect(flusher.client, (int)node, record.address, record.address_nbytes,
                                   &flusher.conn[node]);
    if (rc)
        failed(rc);
    return flusher.conn[node];
}

/** Sends a taken bundle and waits until it is executed: what its PE sends next goes another way. */
static void deliver(cw_bundle_t *b)
{
    cwt_conn_t *conn = connection(atomic_load_explicit(&b->node, memory_order_relaxed));
    uint32_t nbytes = b->nbytes;
    if (nbytes < CW_BUNDLE_HEADER || nbytes > CW_BUNDLE_MAX)
        failed(CW_EINVAL);
    cw_req_batch_t *req = (cw_req_batch_t *)(void *)b->word;
    req->header = (cwt_header_t){.op = CW_REQ_BATCH};
    // the transport copies the records before it writes values there
    cwt_reply_t reply = {.buf = req + 1, .capacity = CW_BUNDLE_ANSWERS}, *awaited = &reply;
    if (b->answers == 0)
        awaited = NULL;
    int rc = cw_transport->request(conn, &req->header, nbytes, awaited);
    if (rc == CW_OK && awaited)
        rc = cw_transport->wait(flusher.client, awaited);
    if (rc == CW_OK)
        rc = cw_transport->quiet(flusher.client);
    if (rc)
        failed(rc);
    cw_bundle_executed(b, (uint32_t)reply.nbytes);
}

static unsigned look(cw_bundle_t *b, cw_bundle_seen_t *seen)
{
    unsigned found = cw_bundle_tick(b, seen);
    if (found & CW_TICK_OPEN)
        connection(atomic_load_explicit(&b->node, memory_order_relaxed));  // before it is needed
    if (found & CW_TICK_TAKEN)
        deliver(b);
    return found & (CW_TICK_USED | CW_TICK_IN_USE);
}

static unsigned look_at(int slot)
{
    unsigned found = 0;
    // seq_cst: pairs with count_taken()
    uint32_t taken = atomic_load(&cw_segment.slots[slot].bundles);
    for (uint32_t i = 0; i < taken && i < CW_BUNDLES; i++)
        found |= look(&cw_bundles_of(slot)[i], &flusher.seen[(size_t)slot * CW_BUNDLES + i]);
    return found;
}

static unsigned look_at_all(void)
{
    unsigned found = 0;
    for (int slot = 0; slot < cw_world.nslots; slot++)
        found |= look_at(slot);
    return found;
}

static void *flusher_main(void *arg)
{
    (void)arg;
    _Atomic uint32_t *state = &cw_flusher()->state;
    prctl(PR_SET_TIMERSLACK, 1000ul);
    for (uint32_t calm = LINGER, rest = CW_FLUSHER_ASLEEP; !atomic_load(&flusher.stop);) {
        atomic_store(state, rest);  // seq_cst: before the look; pairs with cw_collect_publish_new
        unsigned found = look_at_all();
        calm = found ? 0 : calm + 1;
        if (found & CW_TICK_IN_USE) {
            atomic_store(state, CW_FLUSHER_AWAKE);
            cwu_sleep_ns(CW_COLLECT_AGE_NS / 2);
        } else if ((calm >= LINGER) == (rest == CW_FLUSHER_ASLEEP) && !atomic_load(&flusher.stop)) {
            cwu_futex_wait((const uint32_t *)state, rest, calm < LINGER ? CWU_WAIT_NS(LISTEN) : 0);
        }
        rest = calm < LINGER ? CW_FLUSHER_RESTS : CW_FLUSHER_ASLEEP;
    }
    return NULL;
}

int cw_flusher_start(void)
{
    if (!cw_bundles_possible())
        return CW_OK;
    flusher.seen = calloc((size_t)cw_world.nslots * CW_BUNDLES, sizeof *flusher.seen);
    flusher.conn = calloc((size_t)cw_world.nnodes, sizeof(cwt_conn_t *));
    if (!flusher.seen || !flusher.conn) {
        cwu_error("out of memory for what PEs of this node collect for others");
        return CW_ENOMEM;
    }
    atomic_store(&flusher.stop, false);
    atomic_fetch_add(&cw_world.helpers, 1);
    int rc = cwu_thread_start(&flusher.thread, flusher_main, NULL, "causeway-flush");
    if (rc) {
        atomic_fetch_sub(&cw_world.helpers, 1);
        cwu_error("cannot start the thread that sends what PEs have collected: %s", strerror(rc));
        return CW_ESYS;
    }
    flusher.running = true;
    return CW_OK;
}

void cw_flusher_wake(void)
{
    _Atomic uint32_t *state = &cw_flusher()->state;
    if (atomic_exchange(state, CW_FLUSHER_AWAKE) != CW_FLUSHER_AWAKE)
        cwu_futex_wake((uint32_t *)state, 1);
}

void cw_flusher_stop(void)
{
    if (!flusher.running)
        return;
    atomic_store(&flusher.stop, true);
    atomic_store(&cw_flusher()->state, CW_FLUSHER_AWAKE);
    cwu_futex_wake((uint32_t *)&cw_flusher()->state, 1);
    pthread_join(flusher.thread, NULL);
    atomic_fetch_sub(&cw_world.helpers, 1);
    if (flusher.client)
        cw_transport->close(flusher.client);
    free(flusher.seen);
    free(flusher.conn);
    memset(&flusher, 0, sizeof flusher);
}
