// SPDX-License-Identifier: BSD-3-Clause
//
// Every function that has no family of types, by itself: set-up and queries, memory, teams,
// contexts, sessions, order, barriers, locks. start_pes and shmem_global_exit have programs of
// their own. See every.h.
#include "every.h"

static long word, lock;

// ---------------------------------------------------------------- set-up and queries
#define QUERY(FN, RESULT) \
    static bool check_##FN(void) { return RESULT; }

QUERY(shmem_my_pe, shmem_my_pe() == me)
QUERY(_my_pe, _my_pe() == me)
QUERY(shmem_n_pes, shmem_n_pes() == npes)
QUERY(_num_pes, _num_pes() == npes)
QUERY(shmem_pe_accessible, shmem_pe_accessible(next) == 1 && !shmem_pe_accessible(npes))

static bool check_shmem_addr_accessible(void)
{
    int private = 0;
    return shmem_addr_accessible(D, next) == 1 && !shmem_addr_accessible(&private, next);
}

static bool check_shmem_ptr(void)
{
    word = turn;
    long *p = shmem_ptr(&word, me);
    return p && *p == turn;
}

static bool check_shmem_team_ptr(void)
{
    word = turn;
    long *p = shmem_team_ptr(SHMEM_TEAM_WORLD, &word, me);
    return p && *p == turn;
}

static bool check_shmem_info_get_version(void)
{
    int major = -1, minor = -1;
    shmem_info_get_version(&major, &minor);
    return major == SHMEM_MAJOR_VERSION && minor == SHMEM_MINOR_VERSION;
}

static bool check_shmem_info_get_name(void)
{
    char name[SHMEM_MAX_NAME_LEN] = "";
    shmem_info_get_name(name);
    return !strcmp(name, SHMEM_VENDOR_STRING);
}

static bool check_shmem_query_initialized(void)
{
    int initialized = 0;
    shmem_query_initialized(&initialized);
    return initialized != 0;
}

static bool check_shmem_query_thread(void)
{
    int provided = -1;
    shmem_query_thread(&provided);
    return provided >= SHMEM_THREAD_SINGLE && provided <= SHMEM_THREAD_MULTIPLE;
}

static bool still_alive(void)
{
    int initialized = 0;
    pshmem_query_initialized(&initialized);
    pshmem_barrier_all();
    return initialized != 0;
}

static bool check_shmem_init(void)
{
    shmem_init();
    pshmem_finalize();
    return still_alive();
}

static bool check_shmem_init_thread(void)
{
    int provided = -1;
    bool right =
        shmem_init_thread(SHMEM_THREAD_SINGLE, &provided) == 0 && provided >= SHMEM_THREAD_SINGLE;
    pshmem_finalize();
    return right && still_alive();
}

static bool check_shmem_finalize(void)
{
    pshmem_init();
    shmem_finalize();
    return still_alive();
}

static bool check_shmem_pcontrol(void)
{
    shmem_pcontrol(0);
    shmem_pcontrol(2, "more", 3);
    return true;
}

// ---------------------------------------------------------------- memory
/** Checks that the block is the same on every PE, and frees it. */
static bool symmetric(int *block)
{
    if (!block)
        return false;
    pshmem_barrier_all();  // all PEs have checked its contents
    pshmem_int_p(block, me + (int)turn, next);
    pshmem_barrier_all();
    bool right = *block == prev + (int)turn;
    pshmem_free(block);
    return right;
}

#define ALLOCATES(FN, ...)                                          \
    static bool check_##FN(void)                                    \
    {                                                               \
        int *block = FN(__VA_ARGS__);                               \
        return (uintptr_t)block % ALIGN_##FN == 0 && symmetric(block); \
    }
#define ALIGN_shmem_malloc 16
#define ALIGN_shmalloc 16
#define ALIGN_shmem_malloc_with_hints 16
#define ALIGN_shmem_align 512
#define ALIGN_shmemalign 1024
ALLOCATES(shmem_malloc, 1000)
ALLOCATES(shmalloc, 1000)
ALLOCATES(shmem_malloc_with_hints, 1000, SHMEM_MALLOC_ATOMICS_REMOTE)
ALLOCATES(shmem_align, 512, 1000)
ALLOCATES(shmemalign, 1024, 1000)

static bool check_shmem_calloc(void)
{
    unsigned char *block = pshmem_malloc(3000);
    memset(block, 0xAA, 3000);
    pshmem_free(block);
    block = shmem_calloc(1000, 3);
    bool zero = block != NULL;
    for (int i = 0; zero && i < 3000; i++)
        zero = block[i] == 0;
    return symmetric((int *)(void *)block) && zero;
}

#define REALLOCATES(FN)                                              \
    static bool check_##FN(void)                                     \
    {                                                                \
        long *old = pshmem_malloc(100 * sizeof(long)), *block;       \
        for (long i = 0; i < 100; i++)                               \
            old[i] = turn + i;                                       \
        block = FN(old, 100000);                                     \
        bool kept = block != NULL;                                   \
        for (long i = 0; kept && i < 100; i++)                       \
            kept = block[i] == turn + i;                             \
        if (!block)                                                  \
            pshmem_free(old);                                        \
        return symmetric((int *)(void *)block) && kept;              \
    }
REALLOCATES(shmem_realloc)
REALLOCATES(shrealloc)

/** A block so large that there is no room for two. */
static size_t more_than_half(void)
{
    static size_t nbytes;
    for (size_t n = (size_t)1 << 38; !nbytes; n /= 2) {
        void *block = pshmem_malloc(n);
        if (block)
            nbytes = n;
        pshmem_free(block);
    }
    return nbytes;
}

#define FREES(FN)                                    \
    static bool check_##FN(void)                     \
    {                                                \
        size_t nbytes = more_than_half();            \
        void *first = pshmem_malloc(nbytes), *again; \
        FN(first);                                   \
        again = pshmem_malloc(nbytes);               \
        pshmem_free(again ? again : first);          \
        return again != NULL;                        \
    }
FREES(shmem_free)
FREES(shfree)

// ---------------------------------------------------------------- teams
static bool check_shmem_team_my_pe(void)
{
    return shmem_team_my_pe(SHMEM_TEAM_WORLD) == me && shmem_team_my_pe(SHMEM_TEAM_INVALID) == -1;
}

static bool check_shmem_team_n_pes(void)
{
    return shmem_team_n_pes(SHMEM_TEAM_WORLD) == npes && shmem_team_n_pes(SHMEM_TEAM_INVALID) == -1;
}

/** All PEs, in reverse order. */
static shmem_team_t reversed(void)
{
    shmem_team_t team = SHMEM_TEAM_INVALID;
    pshmem_team_split_strided(SHMEM_TEAM_WORLD, npes - 1, -1, npes, NULL, 0, &team);
    return team;
}

static bool check_shmem_team_split_strided(void)
{
    shmem_team_t team = SHMEM_TEAM_INVALID;
    int rc = shmem_team_split_strided(SHMEM_TEAM_WORLD, npes - 1, -1, npes, NULL, 0, &team);
    bool right =
        rc == 0 && pshmem_team_my_pe(team) == npes - 1 - me && pshmem_team_n_pes(team) == npes;
    pshmem_team_destroy(team);
    return right;
}

static bool check_shmem_team_split_2d(void)
{
    shmem_team_t x = SHMEM_TEAM_INVALID, y = SHMEM_TEAM_INVALID;
    int rc = shmem_team_split_2d(SHMEM_TEAM_WORLD, 2, NULL, 0, &x, NULL, 0, &y);
    int width = npes < 2 ? npes : 2, in_row = me / width == npes / width ? npes % width : width;
    bool right = rc == 0 && pshmem_team_my_pe(x) == me % width && pshmem_team_n_pes(x) == in_row &&
                 pshmem_team_my_pe(y) == me / width;
    pshmem_team_destroy(x);
    pshmem_team_destroy(y);
    return right;
}

static bool check_shmem_team_get_config(void)
{
    shmem_team_config_t wanted = {.num_contexts = 3}, config = {.num_contexts = -1};
    shmem_team_t team = SHMEM_TEAM_INVALID;
    pshmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes, &wanted, SHMEM_TEAM_NUM_CONTEXTS,
                              &team);
    bool right = shmem_team_get_config(team, SHMEM_TEAM_NUM_CONTEXTS, &config) == 0 &&
                 config.num_contexts >= 0;
    pshmem_team_destroy(team);
    return right && shmem_team_get_config(SHMEM_TEAM_INVALID, 0, NULL) != 0;
}

static bool check_shmem_team_translate_pe(void)
{
    shmem_team_t team = reversed();
    bool right = shmem_team_translate_pe(SHMEM_TEAM_WORLD, next, team) == npes - 1 - next &&
                 shmem_team_translate_pe(team, npes, SHMEM_TEAM_WORLD) == -1;
    pshmem_team_destroy(team);
    return right;
}

static bool check_shmem_team_destroy(void)
{
    shmem_team_destroy(reversed());
    shmem_team_destroy(SHMEM_TEAM_INVALID);
    shmem_team_t team = reversed();
    bool right = pshmem_team_my_pe(team) == npes - 1 - me;
    shmem_team_destroy(team);
    return right;
}

#define TEAMS                                                                     \
    ENTRY_IN_TABLE(shmem_team_split_strided) ENTRY_IN_TABLE(shmem_team_split_2d)  \
    ENTRY_IN_TABLE(shmem_team_get_config) ENTRY_IN_TABLE(shmem_team_translate_pe) \
    ENTRY_UNSEEN(shmem_team_destroy)

// ---------------------------------------------------------------- contexts, sessions, order
static bool check_shmem_ctx_create(void)
{
    shmem_ctx_t own = SHMEM_CTX_INVALID;
    word = -1;
    pshmem_barrier_all();
    int rc = shmem_ctx_create(SHMEM_CTX_SERIALIZED, &own);
    if (own != SHMEM_CTX_INVALID) {
        pshmem_ctx_long_p(own, &word, turn * 100 + me, next);
        pshmem_ctx_quiet(own);
        pshmem_ctx_destroy(own);
    }
    pshmem_barrier_all();
    return (rc == 0) == (own != SHMEM_CTX_INVALID) && (rc != 0 || word == turn * 100 + prev);
}

static bool check_shmem_ctx_destroy(void)
{
    shmem_ctx_t own = SHMEM_CTX_INVALID;
    word = -1;
    pshmem_barrier_all();
    int rc = pshmem_ctx_create(0, &own);
    if (rc == 0)
        pshmem_ctx_long_p(own, &word, turn * 100 + me, next);
    shmem_ctx_destroy(own);  // completes what was sent on it
    shmem_ctx_destroy(SHMEM_CTX_INVALID);
    pshmem_barrier_all();
    return rc != 0 || word == turn * 100 + prev;
}

static bool check_shmem_ctx_get_team(void)
{
    shmem_team_t team = SHMEM_TEAM_INVALID;
    return shmem_ctx_get_team(ctx, &team) == 0 && team == SHMEM_TEAM_WORLD;
}

// Data of a nonblocking get has arrived, data of a put has arrived at its target.
#define COMPLETES(FN, CTX, ...)                                                     \
    static bool check_##FN(void)                                                    \
    {                                                                               \
        const int others[] = {next};                                                \
        (void)others;                                                               \
        prepare();                                                                  \
        pshmem_ctx_getmem_nbi(CTX, D, S, 3000, next);                               \
        FN(__VA_ARGS__);                                                            \
        return shows(next, 3000);                                                   \
    }
COMPLETES(shmem_quiet, SHMEM_CTX_DEFAULT)
COMPLETES(shmem_ctx_quiet, ctx, ctx)
COMPLETES(shmem_pe_quiet, SHMEM_CTX_DEFAULT, others, 1)
COMPLETES(shmem_ctx_pe_quiet, ctx, ctx, others, 1)

// The word that follows must not be observed before the data.
#define ORDERS(FN, CTX, ...)                                                        \
    static bool check_##FN(void)                                                    \
    {                                                                               \
        word = 0;                                                                   \
        prepare();                                                                  \
        pshmem_ctx_putmem_nbi(CTX, D, S, 3000, next);                               \
        FN(__VA_ARGS__);                                                            \
        pshmem_ctx_long_p(CTX, &word, turn, next);                                  \
        pshmem_long_wait_until(&word, SHMEM_CMP_EQ, turn);                          \
        bool right = shows(prev, 3000);                                             \
        settle();                                                                   \
        return right;                                                               \
    }
ORDERS(shmem_fence, SHMEM_CTX_DEFAULT)
ORDERS(shmem_ctx_fence, ctx, ctx)

/** The context uses the team's PE numbers. */
static bool check_shmem_team_create_ctx(void)
{
    shmem_team_t team = reversed();
    shmem_ctx_t own = SHMEM_CTX_INVALID;
    word = -1;
    pshmem_barrier_all();
    int rc = shmem_team_create_ctx(team, 0, &own);
    if (own != SHMEM_CTX_INVALID) {
        pshmem_ctx_long_p(own, &word, turn * 100 + me, npes - 1 - next);
        pshmem_ctx_quiet(own);
        pshmem_ctx_destroy(own);
    }
    pshmem_barrier_all();
    pshmem_team_destroy(team);
    return (rc == 0) == (own != SHMEM_CTX_INVALID) && (rc != 0 || word == turn * 100 + prev);
}

#define IN_SESSION(FN, START, STOP)                                                 \
    static bool check_##FN(void)                                                    \
    {                                                                               \
        static long words[COUNT];                                                   \
        const shmem_ctx_session_config_t config = {.total_ops = COUNT};             \
        memset(words, 0, sizeof(words));                                            \
        pshmem_barrier_all();                                                       \
        START(ctx, SHMEM_CTX_SESSION_BATCH, &config, SHMEM_CTX_SESSION_TOTAL_OPS);  \
        for (int i = 0; i < COUNT; i++)                                             \
            pshmem_ctx_long_atomic_add(ctx, &words[i], turn + i, next);             \
        STOP(ctx);                                                                  \
        settle();                                                                   \
        bool right = true;                                                          \
        for (int i = 0; i < COUNT; i++)                                             \
            right = right && words[i] == turn + i;                                  \
        return right;                                                               \
    }
IN_SESSION(shmem_ctx_session_start, shmem_ctx_session_start, pshmem_ctx_session_stop)
IN_SESSION(shmem_ctx_session_stop, pshmem_ctx_session_start, shmem_ctx_session_stop)
#define SESSIONS                                                                \
    ENTRY_IN_TABLE(shmem_team_create_ctx) ENTRY_UNSEEN(shmem_ctx_session_start) \
    ENTRY_UNSEEN(shmem_ctx_session_stop)

// ---------------------------------------------------------------- meeting
static long sync_room[SHMEM_SYNC_SIZE];

/** One PE arrives late and first notifies all others. No PE may pass before it. */
static void tell_all(void)
{
    word = 0;
    pshmem_barrier_all();
    if (me != turn % npes)
        return;
    nap();
    for (int pe = 0; pe < npes; pe++)
        pshmem_long_p(&word, turn, pe);
}

#define MEETS(FN, COMPLETION, RIGHT, ...)                                           \
    static bool check_##FN(void)                                                    \
    {                                                                               \
        tell_all();                                                                 \
        COMPLETION;                                                                 \
        RIGHT(FN(__VA_ARGS__));                                                     \
        return *(volatile long *)&word == turn;                                     \
    }
#define IS_ZERO(CALL)     \
    if ((CALL) != 0)      \
        return false
#define IS_VOID(CALL) CALL
MEETS(shmem_barrier_all, (void)0, IS_VOID)
MEETS(shmem_barrier, (void)0, IS_VOID, 0, 0, npes, sync_room)
MEETS(shmem_sync_all, pshmem_quiet(), IS_VOID)
MEETS(shmem_sync, pshmem_quiet(), IS_VOID, 0, 0, npes, sync_room)
MEETS(shmem_team_sync, pshmem_quiet(), IS_ZERO, SHMEM_TEAM_WORLD)

// ---------------------------------------------------------------- locks
static int first(void)
{
    return (int)(turn % npes);
}

static int second(void)
{
    return (int)((turn + 1) % npes);
}

/** The first PE holds the lock for a while and notifies the second before releasing it. */
static bool check_shmem_set_lock(void)
{
    bool right = true;
    word = 0;
    if (me == first() && npes > 1)
        pshmem_set_lock(&lock);
    pshmem_barrier_all();
    if (me == first() && npes > 1) {
        nap();
        pshmem_long_p(&word, turn, second());
        pshmem_clear_lock(&lock);
    }
    if (me == second()) {
        shmem_set_lock(&lock);
        right = *(volatile long *)&word == (npes > 1 ? turn : 0);
        if (!sabotage)
            pshmem_clear_lock(&lock);
    }
    return right;
}

static bool check_shmem_test_lock(void)
{
    bool right = true;
    if (me == first())
        right = shmem_test_lock(&lock) == 0;
    pshmem_barrier_all();
    if (me == second() && npes > 1)
        right = shmem_test_lock(&lock) == 1;
    pshmem_barrier_all();
    if (me == first())
        pshmem_clear_lock(&lock);
    return right;
}

static bool check_shmem_clear_lock(void)
{
    bool right = true;
    if (me == first()) {
        pshmem_set_lock(&lock);
        shmem_clear_lock(&lock);
    }
    pshmem_barrier_all();
    if (me == second()) {
        right = pshmem_test_lock(&lock) == 0;
        if (right)
            pshmem_clear_lock(&lock);
    }
    pshmem_barrier_all();
    if (me == first() && sabotage)
        pshmem_clear_lock(&lock);
    return right;
}

// clang-format off
static const check_t checks[] = {
    ENTRY_IN_TABLE(shmem_my_pe) ENTRY_IN_TABLE(_my_pe) ENTRY_IN_TABLE(shmem_n_pes)
    ENTRY_IN_TABLE(_num_pes)
    ENTRY_IN_TABLE(shmem_pe_accessible) ENTRY_IN_TABLE(shmem_addr_accessible)
    ENTRY_IN_TABLE(shmem_ptr)
    ENTRY_IN_TABLE(shmem_team_ptr) ENTRY_IN_TABLE(shmem_info_get_version)
    ENTRY_IN_TABLE(shmem_info_get_name)
    ENTRY_IN_TABLE(shmem_query_initialized) ENTRY_IN_TABLE(shmem_query_thread)
    ENTRY_UNSEEN(shmem_init)
    ENTRY_IN_TABLE(shmem_init_thread) ENTRY_UNSEEN(shmem_finalize) ENTRY_UNSEEN(shmem_pcontrol)
    ENTRY_IN_TABLE(shmem_malloc) ENTRY_IN_TABLE(shmalloc) ENTRY_IN_TABLE(shmem_malloc_with_hints)
    ENTRY_IN_TABLE(shmem_align) ENTRY_IN_TABLE(shmemalign) ENTRY_IN_TABLE(shmem_calloc)
    ENTRY_IN_TABLE(shmem_realloc)
    ENTRY_IN_TABLE(shrealloc) ENTRY_IN_TABLE(shmem_free) ENTRY_IN_TABLE(shfree)
    ENTRY_IN_TABLE(shmem_team_my_pe) ENTRY_IN_TABLE(shmem_team_n_pes) TEAMS
    ENTRY_IN_TABLE(shmem_ctx_create) ENTRY_UNSEEN(shmem_ctx_destroy)
    ENTRY_IN_TABLE(shmem_ctx_get_team) SESSIONS
    ENTRY_UNSEEN(shmem_quiet) ENTRY_UNSEEN(shmem_ctx_quiet) ENTRY_UNSEEN(shmem_pe_quiet)
    ENTRY_UNSEEN(shmem_ctx_pe_quiet) ENTRY_UNSEEN(shmem_fence) ENTRY_UNSEEN(shmem_ctx_fence)
    ENTRY_IN_TABLE(shmem_barrier_all) ENTRY_IN_TABLE(shmem_barrier) ENTRY_IN_TABLE(shmem_sync_all)
    ENTRY_IN_TABLE(shmem_sync) ENTRY_IN_TABLE(shmem_team_sync)
    ENTRY_IN_TABLE(shmem_set_lock) ENTRY_IN_TABLE(shmem_test_lock) ENTRY_IN_TABLE(shmem_clear_lock)
};
// clang-format on

int main(int argc, char **argv)
{
    return every_main(argc, argv, checks, sizeof(checks) / sizeof(checks[0]));
}
