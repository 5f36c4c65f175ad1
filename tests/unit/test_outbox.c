// SPDX-License-Identifier: BSD-3-Clause
//
// Outboxes: a thread leaves requests of random sizes and takes some back, another one takes them
// and lets them go in another order. Each arrives once, in order and whole, or was taken back; the
// ring never gives away what is in use.
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "core/route/outbox.h"
#include "frame/check.h"
#include "frame/random.h"

enum { REQUESTS = 100000, HELD = 8, LARGEST = CW_FORWARD_NBYTES };

static cw_outbox_t *box;
static unsigned char was_taken_back[REQUESTS];

static size_t nbytes_of(uint32_t number)
{
    uint32_t x = number * 2654435761u;
    return 8 + (x >> 28 == 0 ? x % (LARGEST - 7) : x % 200);
}

static void fill(char *request, uint32_t number)
{
    memset(request, (int)number, nbytes_of(number));
    memcpy(request, &number, sizeof number);
}

static void *leave_all(void *arg)
{
    static char request[LARGEST];
    (void)arg;
    for (uint32_t i = 0; i < REQUESTS; i++) {
        size_t nbytes = nbytes_of(i), head = i % nbytes;
        cw_outbox_record_t *record;
        fill(request, i);
        while (!(record = cw_outbox_put(box, request, head, request + head, nbytes - head)))
            sched_yield();
        if (i % 7 == 0)
            was_taken_back[i] = cw_outbox_take_back(record);
    }
    return NULL;
}

static cw_forward_own_t *held[HELD];
static unsigned nheld;

static void let_one_go(unsigned i)
{
    __atomic_store_n(&held[i]->is_gone, true, __ATOMIC_RELEASE);
    held[i] = held[--nheld];
    cw_outbox_reclaim(box);
}

/** Returns the request's number. */
static uint32_t check(const cw_forward_own_t *own)
{
    static char expected[LARGEST];
    uint32_t number;
    memcpy(&number, own->request, sizeof number);
    REQUIRE(number < REQUESTS, "%u", number);
    fill(expected, number);
    CHECK(own->slot == 3 && !own->is_gone && own->nbytes == nbytes_of(number) &&
              memcmp(own->request, expected, own->nbytes) == 0,
          "request %u", number);
    return number;
}

int main(void)
{
    static unsigned char came[REQUESTS];
    uint32_t before = 0, n = 0, back = 0;
    pthread_t thread;
    box = aligned_alloc(64, sizeof *box);
    REQUIRE(box);
    memset(box, 0, sizeof *box);
    REQUIRE(pthread_create(&thread, NULL, leave_all, NULL) == 0);
    while (before < REQUESTS - 1) {
        cw_forward_own_t *own = cw_outbox_take(box, 3);
        if (nheld == HELD || (nheld > 0 && (!own || draw(3) == 0)))
            let_one_go((unsigned)draw(nheld));
        if (!own)
            continue;
        uint32_t number = check(own);
        CHECK(n == 0 || number > before, "request %u behind %u", number, before);
        came[number] = 1;
        before = number;
        n++;
        held[nheld++] = own;
    }
    REQUIRE(pthread_join(thread, NULL) == 0);
    while (nheld > 0)
        let_one_go(0);
    for (uint32_t i = 0; i < REQUESTS; i++) {
        CHECK(came[i] + was_taken_back[i] == 1, "request %u", i);
        back += was_taken_back[i];
    }
    CHECK(!cw_outbox_holds(box) && box->put == box->freed);
    CHECK(back > 0 && n + back == REQUESTS);
    printf("%u taken back\n", back);
    free(box);
    return check_result();
}
