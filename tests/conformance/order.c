// SPDX-License-Identifier: BSD-3-Clause
//
// Fence orders operations to one PE; quiet completes them at all PEs, also as a third PE observes
// it; forms for some PEs and for contexts; on the invalid context they do nothing.
#include "check.h"

#define LENGTH 2000

static int data[LENGTH], flag, relay;
static long words[4];

typedef void order_fn(void);

static void fence(void)
{
    shmem_fence();
}
static void ctx_fence(void)
{
    shmem_ctx_fence(SHMEM_CTX_DEFAULT);
}
static void quiet(void)
{
    shmem_quiet();
}
static void ctx_quiet(void)
{
    shmem_ctx_quiet(SHMEM_CTX_DEFAULT);
}
static void pe_quiet(void)
{
    shmem_pe_quiet((int[]){next, me}, 2);
}
static void ctx_pe_quiet(void)
{
    shmem_ctx_pe_quiet(SHMEM_CTX_DEFAULT, &next, 1);
}

/** Data, then a flag by another path (put, atomic, signal): a PE that sees the flag sees the
 *  data. */
static void data_before_flag(const char *call, order_fn *order, int how)
{
    static int out[LENGTH];
    flag = 0;
    shmem_barrier_all();
    for (int lap = 1; lap <= 20; lap++) {
        for (int i = 0; i < LENGTH; i++)
            out[i] = lap * 10000 + i;
        if (how == 0)
            shmem_int_put(data, out, LENGTH, next);
        else if (how == 1)
            shmem_int_put_nbi(data, out, LENGTH, next);
        else
            shmem_int_iput(data, out, 1, 1, LENGTH, next);
        order();
        if (lap % 2)
            shmem_int_p(&flag, lap, next);
        else
            shmem_int_atomic_set(&flag, lap, next);
        shmem_int_wait_until(&flag, SHMEM_CMP_EQ, lap);
        int wrong = 0;
        for (int i = 0; i < LENGTH; i++)
            wrong += data[i] != lap * 10000 + i;
        CHECK(wrong == 0, "%s after %s: %d of %d words are late", call,
              how == 0   ? "put"
              : how == 1 ? "put_nbi"
                         : "iput",
              wrong, LENGTH);
        shmem_barrier_all();
    }
}

/** PE 0 puts to the last PE and, after quiet, sets a flag on PE 1; PE 1 must find the data at the
 *  last PE. */
static void seen_by_third(const char *call, order_fn *order)
{
    int last = npes - 1;
    relay = 0;
    words[0] = 0;
    shmem_barrier_all();
    for (int lap = 1; npes >= 3 && lap <= 50; lap++) {
        if (me == 0) {
            shmem_long_p(&words[0], lap, last);
            order();
            shmem_int_p(&relay, lap, 1);
        } else if (me == 1) {
            shmem_int_wait_until(&relay, SHMEM_CMP_EQ, lap);
            long seen = shmem_long_g(&words[0], last);
            CHECK(seen == lap, "%s: a third PE sees %ld in lap %d", call, seen, lap);
        }
        shmem_barrier_all();
    }
}

static void quiet_all_targets(const int *to_all)
{
    seen_by_third("shmem_quiet", quiet);
    seen_by_third("shmem_ctx_quiet", ctx_quiet);
    words[1] = 0;
    shmem_barrier_all();
    for (int pe = 0; pe < npes; pe++)
        shmem_long_atomic_add(&words[1], 1, pe);
    shmem_pe_quiet(to_all, (size_t)npes);
    for (int pe = 0; pe < npes; pe++) {
        long seen = shmem_long_atomic_fetch(&words[1], pe);
        CHECK(seen >= 1 && seen <= npes, "after shmem_pe_quiet PE %d has %ld", pe, seen);
    }
    shmem_barrier_all();
    CHECK(words[1] == npes, "%ld adds", words[1]);
}

int main(void)
{
    check_begin();
    int *to_all = malloc((size_t)npes * sizeof(int));
    for (int pe = 0; pe < npes; pe++)
        to_all[pe] = pe;
    for (int how = 0; how < 3; how++) {
        data_before_flag("shmem_fence", fence, how);
        data_before_flag("shmem_ctx_fence", ctx_fence, how);
        data_before_flag("shmem_quiet", quiet, how);
        data_before_flag("shmem_ctx_quiet", ctx_quiet, how);
        data_before_flag("shmem_pe_quiet", pe_quiet, how);
        data_before_flag("shmem_ctx_pe_quiet", ctx_pe_quiet, how);
    }
    quiet_all_targets(to_all);
    shmem_ctx_quiet(SHMEM_CTX_INVALID);
    shmem_ctx_fence(SHMEM_CTX_INVALID);
    shmem_ctx_pe_quiet(SHMEM_CTX_INVALID, to_all, 1);
    shmem_pe_quiet(NULL, 0);
    free(to_all);
    return check_end();
}
