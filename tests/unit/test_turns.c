// SPDX-License-Identifier: BSD-3-Clause
//
// Attempts to connect of one process have numbers, and an RDM server takes no number that is 64
// or more behind the newest one (wire/proof.c). However long one hello is under way, the numbers of
// other threads stay within that, so its number is taken when it arrives.
#include <pthread.h>
#include <unistd.h>

#include "frame/check.h"
#include "transport/ofi/client/calls.h"

enum { THREADS = 4, ROUNDS = 500, LATE_US = 20000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;  // guards taken, refused
static ofi_taken_t taken;
static int refused;

/** One hello, which the server gets after a while. */
static void connect_once(cwt_conn_t *conn, unsigned late_us)
{
    ofi_turn_t turn;
    ofi_hello_t hello;
    while (!ofi_turn_begin(&turn))
        usleep(50);
    ofi_conn_hello(conn, &hello);
    if (late_us)
        usleep(late_us);
    pthread_mutex_lock(&lock);
    refused += !ofi_take_once(&taken, hello.number);
    pthread_mutex_unlock(&lock);
    ofi_turn_end(&turn);
}

static void *connect_often(void *arg)
{
    cwt_client_t client = {.config = {.pe = 3}};
    cwt_conn_t conn = {.client = &client};
    bool is_late = arg != NULL;
    for (int i = 0; i < (is_late ? 20 : ROUNDS); i++)
        connect_once(&conn, is_late ? LATE_US : 0);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, connect_often, i == 0 ? &lock : NULL) == 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    CHECK(refused == 0, "%d numbers came too late", refused);
    CHECK(taken.top == 20 + (THREADS - 1) * ROUNDS - 1, "newest number %u", taken.top);
    return check_result();
}
