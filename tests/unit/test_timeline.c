// SPDX-License-Identifier: BSD-3-Clause
//
// The timeline of statistics: what is counted while slices double in length lies where it would lie
// if they had had that length from the beginning; with several threads no nanosecond is lost.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/report/record.h"
#include "frame/check.h"

enum { SPANS = 2000, THREADS = 3, LONGEST_NS = 1 << 20 };

static cw_timeline_t timeline, direct;

static uint64_t total(const cw_timeline_t *t, cw_span_t span)
{
    uint64_t sum = 0;
    for (int i = 0; i < CW_SLICES; i++)
        sum += t->slices[span][i];
    return sum;
}

static void as_if_known_before(void)
{
    uint64_t from[SPANS], to[SPANS], at = 0;
    srand(1);
    cw_timeline_open(&timeline);
    for (int i = 0; i < SPANS; i++) {
        from[i] = at + (uint64_t)rand() % LONGEST_NS;
        at = to[i] = from[i] + (uint64_t)rand() % LONGEST_NS;
        cw_timeline_add(&timeline, CW_SPAN_LIBRARY, from[i], to[i]);
        cw_timeline_bytes(&timeline, to[i], 7);
    }
    CHECK(at < CW_SLICES * timeline.slice_ns && at >= CW_SLICES / 2 * timeline.slice_ns,
          "half of the slices are in use");
    memset(&direct, 0, sizeof direct);
    direct.slice_ns = timeline.slice_ns;
    for (int i = 0; i < SPANS; i++) {
        cw_timeline_add(&direct, CW_SPAN_LIBRARY, from[i], to[i]);
        cw_timeline_bytes(&direct, to[i], 7);
    }
    for (int span = 0; span < CW_SPANS; span++)
        for (int i = 0; i < CW_SLICES; i++)
            CHECK(timeline.slices[span][i] == direct.slices[span][i], "span %d, slice %d: %llu",
                  span, i, (unsigned long long)timeline.slices[span][i]);
}

static void *add_many(void *arg)
{
    (void)arg;
    for (uint64_t i = 0; i < SPANS; i++) {
        cw_timeline_add(&timeline, CW_SPAN_WAITING, i * 1000, i * 1000 + 900);
        cw_timeline_bytes(&timeline, i * 1000, 3);
    }
    return NULL;
}

static void with_threads(void)
{
    pthread_t threads[THREADS];
    memset(&timeline, 0, sizeof timeline);
    cw_timeline_open(&timeline);
    for (int i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, add_many, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    CHECK(total(&timeline, CW_SPAN_WAITING) == UINT64_C(900) * SPANS * THREADS);
    CHECK(total(&timeline, CW_SPAN_NBYTES) == UINT64_C(3) * SPANS * THREADS);
}

int main(void)
{
    as_if_known_before();
    with_threads();
    return check_result();
}
