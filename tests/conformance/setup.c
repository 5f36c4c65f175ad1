// SPDX-License-Identifier: BSD-3-Clause
//
// Setup and queries: nested and repeated initialization, thread levels, names and versions,
// accessibility, direct pointers, the predefined contexts and teams.
#include "check.h"

static int global;
static int zeroed[1000];
static long initial = 0x1234567890;

static void identity(void)
{
    CHECK(npes >= 1 && me >= 0 && me < npes, "PE %d of %d", me, npes);
    CHECK(_my_pe() == me && _num_pes() == npes, "the old names say %d of %d", _my_pe(), _num_pes());
    CHECK(shmem_team_my_pe(SHMEM_TEAM_WORLD) == me, "shmem_team_my_pe");
    CHECK(shmem_team_n_pes(SHMEM_TEAM_WORLD) == npes, "shmem_team_n_pes");
    CHECK(shmem_team_my_pe(SHMEM_TEAM_INVALID) == -1 && shmem_team_n_pes(SHMEM_TEAM_INVALID) == -1,
          "the invalid team");
    static int here[256];
    for (int pe = 0; pe < npes; pe++)
        shmem_int_atomic_inc(&here[me % 256], pe);
    shmem_barrier_all();
    for (int pe = 0; pe < npes; pe++)
        CHECK(here[pe] == 1, "%d PEs say they are %d", here[pe], pe);
}

static void names(void)
{
    int major = 0, minor = 0;
    char name[SHMEM_MAX_NAME_LEN];
    memset(name, 'x', sizeof(name));
    shmem_info_get_version(&major, &minor);
    CHECK(major == SHMEM_MAJOR_VERSION && minor == SHMEM_MINOR_VERSION, "version %d.%d", major,
          minor);
    CHECK(major == 1 && minor == 6, "the specification is 1.6");
    shmem_info_get_name(name);
    CHECK(!strcmp(name, SHMEM_VENDOR_STRING), "the name is '%.*s'", (int)sizeof(name), name);
    shmem_pcontrol(1);
    shmem_pcontrol(2, "whatever", 3.0);
}

static void access(void)
{
    int on_stack = 0, *heap = shmem_malloc(sizeof(int)), *own = malloc(sizeof(int));
    CHECK(initial == 0x1234567890 && zeroed[500] == 0, "static data changed in init");
    for (int pe = 0; pe < npes; pe++) {
        CHECK(shmem_pe_accessible(pe) == 1, "PE %d is not accessible", pe);
        CHECK(shmem_addr_accessible(&global, pe) == 1, "a global is not accessible");
        CHECK(shmem_addr_accessible(heap, pe) == 1, "the heap is not accessible");
        CHECK(shmem_addr_accessible(&on_stack, pe) == 0, "the stack is accessible");
        CHECK(shmem_addr_accessible(own, pe) == 0, "private memory is accessible");
    }
    CHECK(!shmem_pe_accessible(-1) && !shmem_pe_accessible(npes),
          "PEs that do not exist are accessible");
    CHECK(!shmem_addr_accessible(heap, npes), "a PE that does not exist has accessible memory");
    free(own);
    global = *heap = me;
    shmem_barrier_all();
    CHECK(shmem_ptr(&global, me) == &global && shmem_ptr(heap, me) == heap,
          "shmem_ptr of the PE itself");
    CHECK(shmem_ptr(&on_stack, me) == NULL, "shmem_ptr of the stack");
    for (int pe = 0; pe < npes; pe++) {
        int *p = shmem_ptr(&global, pe), *q = shmem_ptr(heap, pe);
        CHECK(!p == !q, "shmem_ptr reaches one kind of memory only");
        CHECK(!p || (*p == pe && *q == pe), "shmem_ptr shows the memory of another PE");
        CHECK(shmem_team_ptr(SHMEM_TEAM_WORLD, heap, pe) == q, "shmem_team_ptr");
    }
    CHECK(shmem_team_ptr(SHMEM_TEAM_INVALID, heap, 0) == NULL,
          "shmem_team_ptr of the invalid team");
    shmem_barrier_all();
    int *direct = shmem_ptr(heap, next);
    if (direct)
        *direct = me + 1000;  // a plain store
    else
        shmem_int_p(heap, me + 1000, next);
    shmem_int_wait_until(heap, SHMEM_CMP_EQ, prev + 1000);  // which a wait must notice
    shmem_free(heap);
}

static void contexts(void)
{
    shmem_ctx_t ctx = SHMEM_CTX_DEFAULT;
    shmem_team_t team = SHMEM_TEAM_INVALID;
    int rc = shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx);
    CHECK((rc == 0) == (ctx != SHMEM_CTX_INVALID),
          "shmem_ctx_create: %d, but the handle says otherwise", rc);
    shmem_ctx_destroy(ctx);
    shmem_ctx_destroy(SHMEM_CTX_INVALID);
    CHECK(shmem_ctx_get_team(SHMEM_CTX_DEFAULT, &team) == 0 && team == SHMEM_TEAM_WORLD,
          "team of the default context");
    CHECK(shmem_ctx_get_team(SHMEM_CTX_INVALID, &team) != 0 && team == SHMEM_TEAM_INVALID,
          "team of no context");
}

static int initialized(void)
{
    int yes = -1;
    shmem_query_initialized(&yes);
    return yes;
}

int main(void)
{
    CHECK(initialized() == 0, "initialized before init");
    shmem_init();
    check_ring();
    CHECK(initialized() != 0, "not initialized after init");
    int provided = -1, again = -1;
    shmem_query_thread(&provided);
    CHECK(provided >= SHMEM_THREAD_SINGLE && provided <= SHMEM_THREAD_MULTIPLE, "thread level %d",
          provided);
    CHECK(shmem_init_thread(SHMEM_THREAD_FUNNELED, &again) == 0 && again >= provided,
          "second init: level %d", again);
    identity();
    names();
    access();
    contexts();
    zeroed[0] = 0;
    shmem_barrier_all();
    shmem_int_p(&zeroed[0], me + 1, next);
    shmem_finalize();  // the first of two is a barrier
    CHECK(zeroed[0] == prev + 1, "the first of two finalizes completed nothing");
    CHECK(initialized() != 0, "the first of two finalizes ended the program's OpenSHMEM part");
    shmem_int_p(&global, me, next);
    shmem_barrier_all();
    CHECK(global == prev, "no communication after the first of two finalizes");
    shmem_finalize();
    CHECK(initialized() == 0, "initialized after the last finalize");
    return checks_failed != 0;
}
