// SPDX-License-Identifier: BSD-3-Clause
//
// Sessions change when data travels, never what arrives: every kind of operation within one, on
// every kind of context, with announced numbers of operations that are right, too small and too
// large; fence and quiet within it; and a wait within it for a word that changes only when others
// have seen what this PE still held back.
#include "check.h"

#define N 512

static long words[N], counts[N];
static unsigned char bytes[N * 8];
static float reals[N];
static short halves[N];
static uint64_t bits[N], signals[4];
static long flag, token;

static void fill(shmem_ctx_t ctx, long lap)
{
    for (int i = 0; i < N; i++) {
        shmem_ctx_long_p(ctx, &words[i], lap * 100000 + me * 1000 + i, next);
        shmem_ctx_float_p(ctx, &reals[i], (float)(lap + me) + (float)i / 1024, next);
        shmem_ctx_short_p(ctx, &halves[i], (short)(lap * 7 + i), next);
        shmem_ctx_long_atomic_add(ctx, &counts[i], i + 1, next);
        shmem_ctx_uint64_atomic_xor(ctx, &bits[(i * 7 + me) % N], UINT64_C(1) << (i % 64),
                                    (me + i) % npes);
    }
    static unsigned char out[N * 8];
    for (int i = 0; i < N * 8; i++)
        out[i] = (unsigned char)(lap * 31 + me * 7 + i);
    // Sizes below and above the limit of batching.
    for (int at = 0, n = 1; at + n <= N * 8; at += n, n = n * 3 % 509)
        shmem_ctx_putmem_nbi(ctx, bytes + at, out + at, (size_t)n, next);
    shmem_ctx_quiet(ctx);
}

static void check(const char *how, long lap)
{
    for (int i = 0; i < N; i++) {
        CHECK(words[i] == lap * 100000 + prev * 1000 + i, "%s: word %d is %ld", how, i, words[i]);
        CHECK(reals[i] == (float)(lap + prev) + (float)i / 1024, "%s: float %d is %g", how, i,
              (double)reals[i]);
        CHECK(halves[i] == (short)(lap * 7 + i), "%s: short %d is %d", how, i, halves[i]);
        CHECK(counts[i] == lap * (i + 1), "%s: counter %d is %ld", how, i, counts[i]);
    }
    for (int at = 0, n = 1; at + n <= N * 8; at += n, n = n * 3 % 509)
        for (int i = at; i < at + n; i++)
            CHECK(bytes[i] == (unsigned char)(lap * 31 + prev * 7 + i), "%s: byte %d is %d", how, i,
                  bytes[i]);
}

/** Data, fence, flag, all of them held back as long as possible. */
static void order(shmem_ctx_t ctx, const char *how)
{
    flag = 0;
    shmem_barrier_all();
    for (long lap = 1; lap <= 40; lap++) {
        for (int i = 0; i < 20; i++)
            shmem_ctx_long_p(ctx, &words[i], lap * 10 + i, next);
        shmem_ctx_fence(ctx);
        switch (lap % 3) {
        case 0:
            shmem_ctx_long_p(ctx, &flag, lap, next);
            break;
        case 1:
            shmem_ctx_long_atomic_set(ctx, &flag, lap, next);
            break;
        default:
            (void)shmem_ctx_long_atomic_swap(ctx, &flag, lap, next);
        }
        // The wait sends what this PE holds back; otherwise the ring would stand still.
        shmem_long_wait_until(&flag, SHMEM_CMP_EQ, lap);
        for (int i = 0; i < 20; i++)
            CHECK(words[i] == lap * 10 + i, "%s lap %ld: word %d is %ld", how, lap, i, words[i]);
        shmem_barrier_all();
    }
}

/** A token travels in the ring, its data and signal batched; no quiet anywhere. */
static void round_trip(shmem_ctx_t ctx, const char *how)
{
    static long mine;
    signals[0] = 0;
    token = 0;
    shmem_barrier_all();
    for (uint64_t lap = 1; lap <= 20; lap++) {
        if (me == 0) {
            mine = (long)lap * 1000;
            shmem_ctx_long_put_signal(ctx, &token, &mine, 1, &signals[0], 1, SHMEM_SIGNAL_ADD,
                                      next);
        }
        shmem_signal_wait_until(&signals[0], SHMEM_CMP_GE, lap);
        CHECK(token == (long)lap * 1000 + (me == 0 ? npes - 1 : me - 1), "%s lap %lu: token %ld",
              how, (unsigned long)lap, token);
        if (me != 0) {
            mine = token + 1;
            shmem_ctx_long_put_signal(ctx, &token, &mine, 1, &signals[0], 1, SHMEM_SIGNAL_ADD,
                                      next);
        }
    }
    shmem_ctx_quiet(ctx);
    shmem_barrier_all();
}

/** A get or fetch in a session sees what the session put before it. The specification asks for a
 *  fence between them; this implementation needs none. */
static void reads(shmem_ctx_t ctx, const char *how)
{
    shmem_barrier_all();
    for (long i = 0; i < 50; i++) {
        shmem_ctx_long_p(ctx, &words[0], i, next);
        shmem_ctx_quiet(ctx);
        CHECK(shmem_ctx_long_g(ctx, &words[0], next) == i, "%s: get after put and quiet, %ld", how,
              i);
        shmem_ctx_long_atomic_set(ctx, &words[1], i, next);
        shmem_ctx_quiet(ctx);
        long old = -1;
        shmem_ctx_long_atomic_fetch_add_nbi(ctx, &old, &words[1], 5, next);
        shmem_ctx_quiet(ctx);
        CHECK(old == i, "%s: fetch_add_nbi after set, %ld", how, old);
    }
    shmem_barrier_all();
}

/** Puts of no elements, which a batch has no record for, do not cost the operations beside them. */
static void without_elements(shmem_ctx_t ctx, const char *how)
{
    static long none;
    memset(words, 0, sizeof words);
    signals[1] = 0;
    shmem_barrier_all();
    shmem_ctx_long_p(ctx, &words[0], 1, next);
    shmem_ctx_putmem(ctx, &words[1], &none, 0, next);
    shmem_ctx_long_p(ctx, &words[1], 2, next);
    shmem_ctx_long_put_nbi(ctx, &words[2], &none, 0, next);
    shmem_ctx_long_p(ctx, &words[2], 3, next);
    shmem_ctx_long_put_signal(ctx, &words[3], &none, 0, &signals[1], 4, SHMEM_SIGNAL_ADD, next);
    shmem_ctx_long_p(ctx, &words[3], 5, next);
    shmem_ctx_putmem_signal_nbi(ctx, &words[4], &none, 0, &signals[1], 6, SHMEM_SIGNAL_ADD, next);
    shmem_ctx_long_iput(ctx, &words[4], &none, 1, 1, 0, next);
    shmem_ctx_long_p(ctx, &words[4], 7, next);
    shmem_ctx_quiet(ctx);
    shmem_barrier_all();
    CHECK(words[0] == 1 && words[1] == 2 && words[2] == 3 && words[3] == 5 && words[4] == 7,
          "%s: beside puts of no elements: %ld %ld %ld %ld %ld", how, words[0], words[1], words[2],
          words[3], words[4]);
    CHECK(signals[1] == 10, "%s: signals of puts of no elements: %lu", how,
          (unsigned long)signals[1]);
    shmem_barrier_all();
}

static void within(shmem_ctx_t ctx, const char *how, size_t total_ops)
{
    shmem_ctx_session_config_t config = {.total_ops = total_ops};
    memset(counts, 0, sizeof counts);
    memset(bits, 0, sizeof bits);
    shmem_barrier_all();
    for (long lap = 1; lap <= 3; lap++) {
        if (total_ops)
            shmem_ctx_session_start(ctx, SHMEM_CTX_SESSION_BATCH, &config,
                                    SHMEM_CTX_SESSION_TOTAL_OPS);
        else
            shmem_ctx_session_start(ctx, SHMEM_CTX_SESSION_BATCH, NULL, 0);
        shmem_ctx_session_start(ctx, 0, NULL, 0);  // a second start has no effect
        fill(ctx, lap);
        shmem_barrier_all();
        check(how, lap);
        shmem_barrier_all();
        if (lap == 2) {
            order(ctx, how);
            round_trip(ctx, how);
            reads(ctx, how);
            without_elements(ctx, how);
        }
        shmem_ctx_session_stop(ctx);
        shmem_ctx_session_stop(ctx);
    }
    uint64_t left = 0;
    for (int i = 0; i < N; i++)
        left |= bits[i] != 0;
    CHECK(left == 1, "%s: the xors left nothing", how);
    // stop sends, but completes nothing: quiet does.
    shmem_ctx_session_start(ctx, SHMEM_CTX_SESSION_BATCH, NULL, 0);
    shmem_ctx_long_p(ctx, &flag, 4711, next);
    shmem_ctx_session_stop(ctx);
    shmem_ctx_quiet(ctx);
    shmem_barrier_all();
    CHECK(flag == 4711, "%s: a put before stop: %ld", how, flag);
    shmem_barrier_all();
}

int main(void)
{
    check_begin();
    within(SHMEM_CTX_DEFAULT, "default context", 0);
    within(SHMEM_CTX_DEFAULT, "default context, 10 announced", 10);
    const long options[] = {0, SHMEM_CTX_PRIVATE, SHMEM_CTX_SERIALIZED | SHMEM_CTX_NOSTORE};
    for (int i = 0; i < 3; i++) {
        char how[64];
        snprintf(how, sizeof how, "context of options %ld", options[i]);
        shmem_ctx_t ctx;
        CHECK(shmem_ctx_create(options[i], &ctx) == 0, "shmem_ctx_create");
        within(ctx, how, i == 0 ? 0 : i == 1 ? (size_t)N * 5 : (size_t)1 << 40);
        // The session is still open when the context is destroyed.
        shmem_ctx_session_start(ctx, SHMEM_CTX_SESSION_BATCH, NULL, 0);
        shmem_ctx_long_p(ctx, &token, 1000 + i, next);
        shmem_ctx_destroy(ctx);
        shmem_sync_all();
        CHECK(token == 1000 + i, "a put in a session that destroy ended: %ld", token);
        shmem_sync_all();
    }
    shmem_ctx_session_start(SHMEM_CTX_DEFAULT, SHMEM_CTX_SESSION_BATCH, NULL, 0);
    shmem_long_p(&flag, 1, next);
    return check_end();
}
