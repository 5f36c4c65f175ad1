// SPDX-License-Identifier: BSD-3-Clause
//
//     am_threads THREADS MESSAGES
//
// Several threads of each PE send and poll at the same time; each message must be counted once, and
// the replies to a thread's requests must all have arrived at the end.
#include <pthread.h>

#include "am_test.h"

enum { REQUEST = 1, REPLY, MEDIUM, MOST = 16 };

static _Atomic uint64_t got[MOST], requests, sum;
static int nthreads, messages;

static void request(cw_am_msg_t *msg, uint32_t thread, uint32_t number)
{
    atomic_fetch_add(&requests, 1);
    atomic_fetch_add(&sum, number);
    CHECK(cw_am_running() == msg);
    if (number % 4)
        cw_am_reply_short(msg, HEAD(REPLY, 1), &thread);
}

static void medium(cw_am_msg_t *msg, void *payload, size_t nbytes, uint32_t thread, uint32_t number)
{
    CHECK(is_pattern(payload, nbytes, number));
    request(msg, thread, number);
}

static void reply(cw_am_msg_t *msg, uint32_t thread)
{
    (void)msg;
    atomic_fetch_add(&got[thread], 1);
}

static void *sender(void *arg)
{
    uint32_t thread = (uint32_t)(uintptr_t)arg;
    uint64_t expected = 0;
    for (int i = 0; i < messages; i++) {
        uint32_t args[2] = {thread, (uint32_t)i};
        int pe = (cw_world.pe + i) % cw_world.npes;
        uint8_t bytes[512];
        size_t nbytes = (size_t)i * 7 % sizeof bytes;
        if (i % 3) {
            cw_am_request_short(pe, HEAD(REQUEST, 2), args, 0);
        } else {
            fill_pattern(bytes, nbytes, args[1]);
            cw_am_request_medium(pe, HEAD(MEDIUM, 2), args, bytes, nbytes, 0);
        }
        expected += i % 4 != 0;
    }
    await(&got[thread], expected);
    CHECK(atomic_load(&got[thread]) == expected);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[MOST];
    nthreads = argc > 1 ? atoi(argv[1]) : 4;
    messages = argc > 2 ? atoi(argv[2]) : 2000;
    test_begin(CW_THREAD_MULTIPLE);
    cw_am_register(TEST_AM_CLIENT, REQUEST, (cw_am_handler_t)request);
    cw_am_register(TEST_AM_CLIENT, MEDIUM, (cw_am_handler_t)medium);
    cw_am_register(TEST_AM_CLIENT, REPLY, (cw_am_handler_t)reply);
    cw_barrier(cw_group_world);
    for (int i = 0; i < nthreads; i++)
        pthread_create(&thread[i], NULL, sender, (void *)(uintptr_t)i);
    for (int i = 0; i < nthreads; i++)
        pthread_join(thread[i], NULL);
    uint64_t each = (uint64_t)nthreads * (uint64_t)messages;
    // The messages of each thread go to all PEs in turn: as many arrive as leave, if npes divides
    // their number.
    await(&requests, each);
    cw_barrier(cw_group_world);
    CHECK(atomic_load(&requests) == each);
    CHECK(atomic_load(&sum) ==
              (uint64_t)nthreads * ((uint64_t)messages * ((uint64_t)messages - 1) / 2) ||
          cw_world.npes > 1);
    return test_finish();
}
