// SPDX-License-Identifier: BSD-3-Clause
//
// The delaying transport over one that only logs calls: nothing is lost or invented, the order that
// the contract promises is kept, and the freedom that it leaves is used.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "base/error.h"
#include "frame/check.h"
#include "transport/delay/delay.h"

enum { EVENTS = 4000 };
typedef enum kind { PUT, NBI_PUT, GET, REQUEST, FENCE, QUIET } kind_t;
typedef struct event {
    kind_t kind;
    uint64_t number;  // of the call that made it
} event_t;

static event_t log_[EVENTS];
static _Atomic int logged;  // by the thread that delivers
static char real_client, real_conn;
static const cwt_ops_t *delaying;
static cwt_conn_t *inside;  // tried while another connects, as by a server meanwhile

static void note(kind_t kind, uint64_t number)
{
    if (logged < EVENTS)
        log_[logged++] = (event_t){kind, number};
}

static int real_open(const cwt_client_config_t *config, cwt_client_t **client_p)
{
    (void)config;
    *client_p = (cwt_client_t *)(void *)&real_client;
    return 0;
}
static int real_connect(cwt_client_t *c, int node, const void *blob, size_t nbytes,
                        cwt_conn_t **conn_p)
{
    (void)c, (void)node, (void)blob, (void)nbytes;
    cwt_header_t msg = {.nbytes = sizeof msg};
    if (inside)
        CHECK(delaying->try_message(inside, &msg, sizeof msg, NULL, 0) == CW_EAGAIN);
    *conn_p = (cwt_conn_t *)(void *)&real_conn;
    return 0;
}
static int real_target(cwt_conn_t *conn, uint32_t slot, uint64_t delta, cwt_target_t *target)
{
    (void)slot, (void)delta;
    target->conn = conn;
    return 0;
}
static int real_put(cwt_conn_t *conn, uint64_t offset, const void *src, size_t nbytes, bool nbi)
{
    uint64_t number;
    memcpy(&number, src, sizeof number);
    CHECK(conn == (cwt_conn_t *)(void *)&real_conn && nbytes == 8 && offset == number * 8);
    note(nbi ? NBI_PUT : PUT, number);
    return 0;
}
static int real_get(cwt_conn_t *conn, uint64_t offset, void *dst, size_t nbytes, bool nbi)
{
    (void)conn, (void)nbytes, (void)nbi;
    *(uint64_t *)dst = offset / 8;
    note(GET, offset / 8);
    return 0;
}
static int real_request(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes, cwt_reply_t *reply)
{
    (void)conn;
    CHECK(nbytes == sizeof *msg);
    if (reply)
        reply->done = 1;
    note(REQUEST, msg->token);
    return 0;
}
/** As a provider that is never busy. */
static int real_try_message(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes, const void *payload,
                            size_t payload_nbytes)
{
    (void)payload, (void)payload_nbytes;
    return real_request(conn, msg, nbytes, NULL);
}
static int real_wait(cwt_client_t *c, cwt_reply_t *reply)
{
    (void)c;
    CHECK(reply->done == 1);
    return 0;
}
static int real_quiet(cwt_client_t *c)
{
    (void)c;
    note(QUIET, 0);
    return 0;
}
static int real_fence(cwt_client_t *c)
{
    (void)c;
    note(FENCE, 0);
    return 0;
}
static int real_progress(cwt_client_t *c)
{
    (void)c;
    return 0;
}
static void real_close(cwt_client_t *c)
{
    (void)c;
}
static const cwt_ops_t real = {.name = "real",
                               .open = real_open,
                               .connect = real_connect,
                               .target = real_target,
                               .put = real_put,
                               .get = real_get,
                               .request = real_request,
                               .try_message = real_try_message,
                               .wait = real_wait,
                               .quiet = real_quiet,
                               .fence = real_fence,
                               .progress = real_progress,
                               .close = real_close};

static cwt_client_t *client;
static cwt_conn_t *conn;
static cwt_target_t target;

/** The log, in the order of the calls. */
static event_t called[EVENTS];
static int ncalled;
static uint64_t sources[EVENTS];

static void call(kind_t kind)
{
    uint64_t n = (uint64_t)ncalled;
    called[ncalled++] = (event_t){kind, n};
    cwt_header_t msg = {.token = n, .nbytes = sizeof msg};
    cwt_reply_t reply = {0};
    sources[n] = n;
    switch (kind) {
    case PUT:
        if (n % 2) {
            CHECK(delaying->put(conn, n * 8, &n, sizeof n, false) == 0);
            n = UINT64_MAX;  // free at once
        } else {
            CHECK(target.inject(target.ep, &n, sizeof n, 0, target.base + n * 8, 0) == 0);
        }
        break;
    case NBI_PUT:
        CHECK(delaying->put(conn, n * 8, &sources[n], sizeof n, true) == 0);
        break;
    case GET:
        CHECK(delaying->get(conn, n * 8, &sources[n], sizeof n, true) == 0);
        break;
    case REQUEST:
        CHECK(delaying->request(conn, &msg, sizeof msg, n % 3 ? NULL : &reply) == 0);
        if (n % 3 == 0)
            CHECK(delaying->wait(client, &reply) == 0 && reply.done == 1);
        break;
    case FENCE:
        CHECK(delaying->fence(client) == 0);
        break;
    default:
        CHECK(delaying->quiet(client) == 0);
    }
}

static int at_of(uint64_t number, kind_t kind)
{
    for (int i = 0; i < logged; i++)
        if (log_[i].number == number && log_[i].kind == kind)
            return i;
    return -1;
}

static bool is_store(kind_t kind)
{
    return kind == PUT || kind == NBI_PUT;
}

/** Counts pairs of calls whose order is promised, and other pairs that changed places. */
static int judge(void)
{
    int swapped = 0, *at = malloc((size_t)ncalled * sizeof *at),
        *fences = calloc((size_t)ncalled + 1, sizeof *fences);
    for (int i = 0; i < ncalled; i++) {
        fences[i + 1] = fences[i] + (called[i].kind == FENCE || called[i].kind == QUIET);
        at[i] = called[i].kind == FENCE || called[i].kind == QUIET
                    ? -1
                    : at_of(called[i].number, called[i].kind);
        CHECK(at[i] >= 0 || called[i].kind == FENCE || called[i].kind == QUIET);
    }
    for (int i = 0; i < ncalled; i++)
        for (int j = i + 1; j < ncalled; j++) {
            if (at[i] < 0 || at[j] < 0 || at[i] < at[j])
                continue;
            swapped++;
            // a request follows
            CHECK(called[j].kind == GET || called[i].kind == GET || is_store(called[j].kind));
            // all follow a fence
            CHECK(called[j].kind == GET || called[i].kind == GET || fences[i] == fences[j]);
        }
    free(at);
    free(fences);
    return swapped;
}

static int play(unsigned seed)
{
    srand(seed);
    ncalled = 0;
    logged = 0;
    for (int i = 0; i < 200; i++) {
        call((kind_t)(rand() % 5));
        if (rand() % 40 == 0)
            usleep(300);  // operations that are due are delivered
    }
    call(QUIET);
    for (int i = 0; i < ncalled; i++)
        if (called[i].kind == GET)
            CHECK(sources[i] == (uint64_t)i);
    return judge();
}

/** Messages that must not wait: refused at times, and while the client is in use or holds
 *  operations back; otherwise passed on, in the order of the calls. */
static void tries(void)
{
    uint64_t sent = 0;
    uint32_t refused = 0;
    logged = 0;
    while (sent < 200) {
        cwt_header_t msg = {.token = sent, .nbytes = sizeof msg};
        int rc = delaying->try_message(conn, &msg, sizeof msg, NULL, 0);
        CHECK(rc == 0 || rc == CW_EAGAIN);
        sent += rc == 0;
        refused += rc == CW_EAGAIN;
        CHECK(logged == (int)sent && (sent == 0 || log_[sent - 1].number == sent - 1));
    }
    CHECK(refused > 50);
    inside = conn;
    cwt_conn_t *other;
    CHECK(delaying->connect(client, 2, "", 0, &other) == 0);
    ncalled = 0;
    logged = 0;
    for (int i = 0; i < 50; i++)
        call(PUT);
    cwt_header_t last = {.nbytes = sizeof last};
    while (delaying->try_message(conn, &last, sizeof last, NULL, 0) == CW_EAGAIN)
        ;
    CHECK(logged == 51 && log_[50].kind == REQUEST);  // behind all puts
}

static void wrong_specs(void)
{
    const char *const wrong[] = {"",     "5",         "5:",   ":5",   "5:0",  "5:x", "x:5",
                                 "5:5x", "5:2000000", "-5:5", " 5:5", "5:+5", "5: 5"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        cwt_delay_config_t config = {.spec = wrong[i], .job = "j", .pe = 1};
        const cwt_ops_t *ops = NULL;
        CHECK(cwt_delay_wrap(&real, &config, &ops) == CW_EINVAL && ops == NULL);
    }
}

int main(void)
{
    cwt_delay_config_t config = {.spec = "0:100", .job = "some job", .pe = 1};
    cwt_client_config_t client_config = {.pe = 1, .npes = 2};
    int swapped = 0;
    wrong_specs();
    CHECK(cwt_delay_wrap(&real, &config, &delaying) == 0);
    CHECK(delaying->open(&client_config, &client) == 0);
    CHECK(delaying->connect(client, 1, "", 0, &conn) == 0);
    CHECK(delaying->target(conn, 0, 4096, &target) == 0 && target.conn == conn);
    target.base = target.offset = 0;  // so that addresses are offsets here
    for (unsigned seed = 1; seed <= 60; seed++)
        swapped += play(seed);
    CHECK(swapped > 1000);
    // Operations that no call asks for are delivered all the same.
    ncalled = 0;
    logged = 0;
    for (int i = 0; i < 50; i++)
        call(PUT);
    for (int i = 0; i < 2000 && logged < 50; i++)
        usleep(1000);
    CHECK(logged == 50);
    tries();
    delaying->close(client);
    return check_result();
}
