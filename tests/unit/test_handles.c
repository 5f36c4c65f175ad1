// SPDX-License-Identifier: BSD-3-Clause
//
// What a thread has for its implicit operations: its own while it runs, and another thread's after
// its end, outside of any access region.
#include <pthread.h>
#include <stdlib.h>

#include "core/owner/handle.h"
#include "frame/check.h"

static pthread_barrier_t both;

static void *alone(void *in_region)
{
    CHECK(!cw_implicit_in_region());
    if (in_region)
        cw_implicit_begin_region();
    return cw_handle_thread();
}

static void *beside_another(void *unused)
{
    void *mine = cw_handle_thread();
    pthread_barrier_wait(&both);
    CHECK(cw_handle_thread() == mine);
    (void)unused;
    return mine;
}

static void *result_of(pthread_t thread)
{
    void *result = NULL;
    REQUIRE(pthread_join(thread, &result) == 0);
    return result;
}

static pthread_t start(void *(*run)(void *), void *arg)
{
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, run, arg) == 0);
    return thread;
}

int main(void)
{
    static int yes;
    void *mine = cw_handle_thread(), *first = result_of(start(alone, &yes));
    CHECK(first != mine);
    for (int i = 0; i < 10; i++)
        CHECK(result_of(start(alone, NULL)) == first);
    pthread_barrier_init(&both, NULL, 2);
    const pthread_t one = start(beside_another, NULL), other = start(beside_another, NULL);
    void *a = result_of(one), *b = result_of(other);
    CHECK(a != b && a != mine && b != mine && (a == first || b == first));
    CHECK(cw_handle_thread() == mine);
    return check_result();
}
