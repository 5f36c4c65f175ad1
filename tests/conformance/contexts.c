// SPDX-License-Identifier: BSD-3-Clause
//
// Creation and destruction of contexts and the state that each has for itself: options, teams,
// completion, order; more contexts than endpoints; contexts that exist when the job ends. The tests
// of the families (contexts_... in tests.toml) check that every operation works on every kind of
// context.
#include "check.h"

#define MANY 40
#define LENGTH 3000

static long words[64], data[LENGTH], flag;

static shmem_ctx_t make(long options)
{
    shmem_ctx_t ctx = SHMEM_CTX_INVALID;
    CHECK(shmem_ctx_create(options, &ctx) == 0 && ctx != SHMEM_CTX_INVALID &&
              ctx != SHMEM_CTX_DEFAULT,
          "shmem_ctx_create(%ld)", options);
    return ctx;
}

static const long all_options[] = {0,
                                   SHMEM_CTX_SERIALIZED,
                                   SHMEM_CTX_PRIVATE,
                                   SHMEM_CTX_NOSTORE,
                                   SHMEM_CTX_SERIALIZED | SHMEM_CTX_NOSTORE,
                                   SHMEM_CTX_PRIVATE | SHMEM_CTX_NOSTORE,
                                   SHMEM_CTX_PRIVATE | SHMEM_CTX_SERIALIZED | SHMEM_CTX_NOSTORE};
#define NOPTIONS (sizeof(all_options) / sizeof(all_options[0]))

/** Every option; destroy completes operations in flight. */
static void destroy_is_a_quiet(void)
{
    for (size_t i = 0; i < NOPTIONS; i++) {
        shmem_ctx_t ctx = make(all_options[i]);
        shmem_team_t team = SHMEM_TEAM_INVALID;
        CHECK(shmem_ctx_get_team(ctx, &team) == 0 && team == SHMEM_TEAM_WORLD,
              "the team of a context");
        static long out[LENGTH];
        for (int k = 0; k < LENGTH; k++)
            out[k] = me * 1000000 + (long)i * 10000 + k;
        shmem_ctx_long_put_nbi(ctx, data, out, LENGTH, next);
        shmem_ctx_long_p(ctx, &words[i], me + 100, next);
        shmem_ctx_long_atomic_add(ctx, &words[32 + i], 7, next);
        shmem_ctx_destroy(ctx);
        shmem_sync_all();  // completes nothing
        int wrong = 0;
        for (int k = 0; k < LENGTH; k++)
            wrong += data[k] != prev * 1000000 + (long)i * 10000 + k;
        CHECK(wrong == 0, "options %ld: %d of %d elements wrong after destroy", all_options[i],
              wrong, LENGTH);
        CHECK(words[i] == prev + 100 && words[32 + i] == 7, "options %ld: %ld, %ld", all_options[i],
              words[i], words[32 + i]);
        shmem_barrier_all();
    }
}

/** Data, then a flag, ordered by the context itself; then completion as a third PE observes it. */
static void order_and_completion(void)
{
    for (size_t i = 0; i < NOPTIONS; i++) {
        shmem_ctx_t ctx = make(all_options[i]);
        flag = 0;
        shmem_barrier_all();
        for (long lap = 1; lap <= 30; lap++) {
            static long out[LENGTH];
            for (int k = 0; k < LENGTH; k++)
                out[k] = lap * 10000 + k;
            shmem_ctx_long_put_nbi(ctx, data, out, LENGTH, next);
            switch (lap % 3) {
            case 0:
                shmem_ctx_fence(ctx);
                break;
            case 1:
                shmem_ctx_quiet(ctx);
                break;
            default:
                shmem_ctx_pe_quiet(ctx, &next, 1);
            }
            if (lap % 2)
                shmem_ctx_long_p(ctx, &flag, lap, next);
            else
                shmem_ctx_long_atomic_set(ctx, &flag, lap, next);
            shmem_ctx_quiet(ctx);  // the source may be changed again
            shmem_long_wait_until(&flag, SHMEM_CMP_EQ, lap);
            int wrong = 0;
            for (int k = 0; k < LENGTH; k++)
                wrong += data[k] != lap * 10000 + k;
            CHECK(wrong == 0, "options %ld lap %ld: %d elements older than the flag",
                  all_options[i], lap, wrong);
            shmem_sync_all();
        }
        shmem_ctx_destroy(ctx);
    }
}

/** More contexts than any limit on endpoints; each completes by itself, in any order, and is
 *  created again. */
static void many(void)
{
    shmem_ctx_t ctx[MANY];
    long *slots = shmem_calloc(MANY, sizeof *slots);
    for (int round = 1; round <= 3; round++) {
        for (int i = 0; i < MANY; i++)
            ctx[i] = make(all_options[(size_t)i % NOPTIONS]);
        for (int i = 0; i < MANY; i++)
            for (int k = 0; k < i; k++)
                CHECK(ctx[i] != ctx[k], "contexts %d and %d are one", i, k);
        for (int i = 0; i < MANY; i++)
            shmem_ctx_long_p(ctx[i], &slots[i], round * 1000 + me * 100 + i, next);
        for (int i = MANY; i-- > 0;)
            CHECK(shmem_ctx_long_g(ctx[i], &words[63], next) == next + 1,
                  "shmem_ctx_long_g on context %d", i);
        for (int i = 0; i < MANY; i += 2)
            shmem_ctx_quiet(ctx[i]);
        for (int i = 0; i < MANY; i++)
            shmem_ctx_destroy(ctx[MANY - 1 - i]);
        shmem_sync_all();
        for (int i = 0; i < MANY; i++)
            CHECK(slots[i] == round * 1000 + prev * 100 + i, "context %d: %ld", i, slots[i]);
        shmem_sync_all();
    }
    shmem_free(slots);
}

static void no_context(void)
{
    shmem_team_t team = SHMEM_TEAM_WORLD;
    shmem_ctx_destroy(SHMEM_CTX_INVALID);
    shmem_ctx_quiet(SHMEM_CTX_INVALID);
    shmem_ctx_fence(SHMEM_CTX_INVALID);
    shmem_ctx_pe_quiet(SHMEM_CTX_INVALID, &next, 1);
    shmem_ctx_session_start(SHMEM_CTX_INVALID, SHMEM_CTX_SESSION_BATCH, NULL, 0);
    shmem_ctx_session_stop(SHMEM_CTX_INVALID);
    CHECK(shmem_ctx_get_team(SHMEM_CTX_INVALID, &team) != 0 && team == SHMEM_TEAM_INVALID,
          "team of no context");
    shmem_ctx_t ctx = SHMEM_CTX_DEFAULT;
    CHECK(shmem_ctx_create(~0L, &ctx) != 0 && ctx == SHMEM_CTX_INVALID,
          "options that do not exist");
    CHECK(shmem_team_create_ctx(SHMEM_TEAM_INVALID, 0, &ctx) != 0 && ctx == SHMEM_CTX_INVALID,
          "a context of no team");
}

int main(void)
{
    check_begin();
    words[63] = me + 1;
    shmem_barrier_all();
    no_context();
    destroy_is_a_quiet();
    order_and_completion();
    many();
    shmem_ctx_t left = make(0), used = make(SHMEM_CTX_SERIALIZED);  // finalize destroys them
    shmem_ctx_long_p(used, &flag, -1, next);
    (void)left;
    return check_end();
}
