// SPDX-License-Identifier: BSD-3-Clause
//
// wrong WHAT: one wrong use; tests.toml checks the message.
#include "am_test.h"

static const char *what;
static uint8_t *segment;
static _Atomic uint64_t got;

static void nothing(cw_am_msg_t *msg)
{
    (void)msg;
    atomic_fetch_add(&got, 1);
}

static void misbehave(cw_am_msg_t *msg)
{
    if (!strcmp(what, "request-in-handler"))
        cw_am_request_short(0, HEAD(1, 0), NULL, 0);
    cw_am_reply_short(msg, HEAD(3, 0), NULL);
    if (!strcmp(what, "two-replies"))
        cw_am_reply_short(msg, HEAD(3, 0), NULL);
}

static void misbehave_again(cw_am_msg_t *msg)
{
    if (!strcmp(what, "reply-in-reply"))
        cw_am_reply_short(msg, HEAD(1, 0), NULL);
    if (!strcmp(what, "request-in-reply"))
        cw_am_request_short(0, HEAD(1, 0), NULL, 0);
    atomic_fetch_add(&got, 1);
}

int main(int argc, char **argv)
{
    static uint8_t bytes[8192];
    what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "not-open")) {
        cw_init(CW_THREAD_SINGLE, "test_init");
        cw_am_request_short(0, HEAD(1, 0), NULL, 0);
    }
    test_begin(CW_THREAD_SINGLE);
    static const cw_am_names_t other_names = {.poll = "other_poll"};
    if (!strcmp(what, "client-taken"))
        cw_am_open(TEST_AM_CLIENT, &other_names);
    if (!strcmp(what, "client-too-high"))
        cw_am_open(CW_AM_CLIENTS, &other_names);
    cw_am_register(TEST_AM_CLIENT, 1, (cw_am_handler_t)nothing);
    cw_am_register(TEST_AM_CLIENT, 2, (cw_am_handler_t)misbehave);
    cw_am_register(TEST_AM_CLIENT, 3, (cw_am_handler_t)misbehave_again);
    segment = cw_heap_malloc(64, 4096);
    cw_barrier(cw_group_world);
    int last = cw_world.npes - 1;
    if (cw_world.pe == 0) {
        if (!strcmp(what, "no-such-pe"))
            cw_am_request_short(cw_world.npes, HEAD(1, 0), NULL, 0);
        else if (!strcmp(what, "unknown-handler"))
            cw_am_request_short(last, HEAD(77, 0), NULL, 0);
        else if (!strcmp(what, "medium-too-long"))
            cw_am_request_medium(last, HEAD(1, 0), NULL, bytes, CW_AM_PACKET + 1, 0);
        else if (!strcmp(what, "long-not-symmetric"))
            cw_am_request_long(last, HEAD(1, 0), NULL, bytes, 16, (void *)(uintptr_t)4096, 0);
        else if (!strcmp(what, "raw-not-taken"))
            cw_am_request_long(last, HEAD(1, 0), NULL, bytes, 16, bytes, CW_AM_RAW);
        else if (!strcmp(what, "too-many-args"))
            cw_am_request_short(last, HEAD(1, 17), (uint32_t[17]){0}, 0);
        else if (!strcmp(what, "kept-token"))
            cw_am_reply_short(&(cw_am_msg_t){.source = 0}, HEAD(1, 0), NULL);
        else
            cw_am_request_short(last, HEAD(2, 0), NULL, 0);
        await(&got, 1);
    }
    return test_finish();
}
