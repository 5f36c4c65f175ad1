// SPDX-License-Identifier: BSD-3-Clause
//
// A front end of its own on core/owner: every PE puts to, gets from and sets memory of all others,
// which it names by the owner's addresses: areas, and private memory that only the owner can copy.
// All kinds of completion, and vectors over both kinds of memory.
#include "am_test.h"
#include "core/mem/area.h"
#include "core/owner/copy.h"
#include "core/owner/transfer.h"
#include "core/owner/vector.h"

enum { BLOCK = 9000, WORDS = 64, PIECE = 40, PIECES = 12, MANY = 150 };

/** At the beginning of a PE's area; the rest of it is written by others. */
typedef struct area {
    char *private_memory;  // of the PE, in its own addresses
    uint64_t word[WORDS];
    char block[];  // [npes][BLOCK]
} area_t;

static char *private_memory;  // [npes][BLOCK]: in no slice
static area_t *mine;
static cw_owner_t owner;

static size_t private_nbytes(void)
{
    return (size_t)cw_world.npes * BLOCK;
}

static bool shares(const void *addr, size_t nbytes)
{
    uintptr_t at = (uintptr_t)addr - (uintptr_t)private_memory;
    return at < private_nbytes() && nbytes <= private_nbytes() - at;
}

static void wait_begin(cw_wait_t *w)
{
    (void)w;
}

/** The area of a PE in its own addresses. */
static area_t *area_of(int pe)
{
    return (area_t *)((uintptr_t)mine - cw_area_origin() + cw_owner_origin(&owner, (uint32_t)pe));
}

/** No size of its own: a share of the machine's memory. */
static bool no_size(uint64_t machine_nbytes, uint64_t *nbytes_p)
{
    (void)machine_nbytes;
    (void)nbytes_p;
    return false;
}

static const cw_area_request_t area_request = {
    .nbytes = no_size, .setting = "none", .what = "the areas of the test"};

static void join(void)
{
    static const char call[] = "owner";
    const cw_owner_config_t config = {.call = call,
                                      .wakes = true,
                                      .wait_begin = wait_begin,
                                      .wait_round = cw_wait_round,
                                      .shares = shares};
    size_t nbytes;
    cw_area_reserve(&area_request);
    cw_am_expect();
    cw_init(CW_THREAD_SINGLE, "test_init");
    check_as("PE", cw_world.pe, cw_world.npes);
    mine = cw_area(&area_request, &nbytes);
    REQUIRE(mine && nbytes >= sizeof *mine + private_nbytes());
    REQUIRE((private_memory = calloc(1, private_nbytes())));
    mine->private_memory = private_memory;
    cw_owner_open(&owner, &config);
    cw_owner_copy_register(&owner);
    cw_owner_publish(&owner);
    cw_barrier(cw_group_world);
    cw_owner_copy_open();
}

// ---------------------------------------------------------------- transfers to areas
static cw_handle_t put_nb(int pe, void *dest, const void *src, size_t nbytes)
{
    bool in_flight;
    if (!cw_owner_put_fast(&owner, (uint32_t)pe, dest, src, nbytes, true, &in_flight))
        in_flight = cw_owner_put_general(&owner, "put", (uint32_t)pe, dest, src, nbytes,
                                         CW_OWNER_BULK, NULL);
    return cw_handle_make(in_flight, NULL);
}

static cw_handle_t get_nb(void *dest, int pe, const void *src, size_t nbytes)
{
    bool in_flight;
    if (!cw_owner_get_fast(&owner, dest, (uint32_t)pe, src, nbytes, true, &in_flight))
        in_flight = cw_owner_get_general(&owner, "get", dest, (uint32_t)pe, src, nbytes,
                                         CW_OWNER_BULK, NULL);
    return cw_handle_make(in_flight, NULL);
}

static void put_blocks(void)
{
    static char from[BLOCK];
    cw_handle_t handles[64];
    fill_pattern(from, BLOCK, (uint32_t)cw_world.pe);
    for (int pe = 0; pe < cw_world.npes; pe++)
        handles[pe] = put_nb(pe, area_of(pe)->block + (size_t)cw_world.pe * BLOCK, from, BLOCK);
    cw_handle_wait_all("put", handles, (size_t)cw_world.npes);
    CHECK(cw_handle_test_all(handles, (size_t)cw_world.npes));
    cw_barrier(cw_group_world);
    for (int pe = 0; pe < cw_world.npes; pe++)
        CHECK(is_pattern(mine->block + (size_t)pe * BLOCK, BLOCK, (uint32_t)pe), "from PE %d", pe);
}

static void get_blocks(void)
{
    cw_handle_t handles[64];
    char *to = calloc((size_t)cw_world.npes, BLOCK);
    for (int pe = 0; pe < cw_world.npes; pe++)
        handles[pe] = get_nb(to + (size_t)pe * BLOCK, pe,
                             area_of(pe)->block + (size_t)cw_world.pe * BLOCK, BLOCK);
    for (int left = cw_world.npes; left > 0;) {
        cw_handle_wait_some("get", handles, (size_t)cw_world.npes);
        left = 0;
        for (int pe = 0; pe < cw_world.npes; pe++)
            left += handles[pe] != CW_HANDLE_DONE;
    }
    for (int pe = 0; pe < cw_world.npes; pe++)
        CHECK(is_pattern(to + (size_t)pe * BLOCK, BLOCK, (uint32_t)cw_world.pe), "from PE %d", pe);
    free(to);
}

/** Eight bytes at a time: within the node by a store, to others by the inject of a record. */
static void put_word(int pe, int i, uint64_t value)
{
    uintptr_t word = 0;
    void *dest = &area_of(pe)->word[i];
    if (cw_owner_put8_near(&owner, (uint32_t)pe, dest, &value, &word))
        return;
    if (word & 1) {
        cw_owner_put8_far(word, dest, &value);
        return;
    }
    cw_owner_put_general(&owner, "put", (uint32_t)pe, dest, &value, 8, CW_OWNER_COPIED, NULL);
    cw_implicit_issued();
}

static void put_words(void)
{
    int next = (cw_world.pe + 1) % cw_world.npes,
        before = (cw_world.pe + cw_world.npes - 1) % cw_world.npes;
    for (int i = 0; i < WORDS; i++)
        put_word(next, i, (uint64_t)cw_world.pe << 32 | (uint32_t)i);
    cw_implicit_wait("puts", false, true);
    CHECK(cw_implicit_test(false, true));
    cw_barrier(cw_group_world);
    for (int i = 0; i < WORDS; i++)
        CHECK(mine->word[i] == ((uint64_t)before << 32 | (uint32_t)i), "word %d", i);
}

// ---------------------------------------------------------------- memory that its owner copies
static void copy_private(int pe)
{
    static char from[BLOCK], to[BLOCK];
    char *theirs, *place;
    cw_owner_get_general(&owner, "get", &theirs, (uint32_t)pe, &area_of(pe)->private_memory,
                         sizeof theirs, CW_OWNER_BLOCKING, NULL);
    place = theirs + (size_t)cw_world.pe * BLOCK;
    fill_pattern(from, BLOCK, (uint32_t)(100 + cw_world.pe));
    cw_handle_op_t *put = cw_handle_op_create(), *get = cw_handle_op_create();
    cw_owner_copy_put((uint32_t)pe, place, from, BLOCK, put);
    cw_handle_t handle = cw_handle_make(false, put);
    CHECK(cw_handle_is_known(handle));
    cw_handle_wait("copied put", handle);
    cw_owner_copy_get(to, (uint32_t)pe, place, BLOCK, get);
    handle = cw_handle_make(false, get);
    cw_wait_t w = CW_WAIT_INIT("copied get");
    while (!cw_handle_test(handle))
        cw_wait_round(&w);
    cw_wait_done(&w);
    CHECK(is_pattern(to, BLOCK, (uint32_t)(100 + cw_world.pe)), "copied by PE %d", pe);
    cw_handle_op_t set = {0};
    cw_owner_copy_set((uint32_t)pe, place, 'x', 100, &set);
    cw_handle_op_wait("copied set", &set);
    cw_owner_copy_get(to, (uint32_t)pe, place, 101, &set);
    cw_handle_op_wait("copied get", &set);
    CHECK(to[0] == 'x' && to[99] == 'x' && to[100] == from[100], "set by PE %d", pe);
}

// ---------------------------------------------------------------- vectors
/** Pieces of the area and of private memory alternate. */
static void vectors(int pe)
{
    static char from[PIECE * PIECES], to[PIECE * PIECES];
    cw_region_t remote[PIECES], local = {from, sizeof from};
    char *theirs;
    cw_owner_get_general(&owner, "get", &theirs, (uint32_t)pe, &area_of(pe)->private_memory,
                         sizeof theirs, CW_OWNER_BLOCKING, NULL);
    for (int i = 0; i < PIECES; i++) {
        char *base = i % 2 ? theirs : area_of(pe)->block;
        remote[i] = (cw_region_t){base + (size_t)cw_world.pe * BLOCK + 3 * PIECE * i, PIECE};
    }
    fill_pattern(from, sizeof from, (uint32_t)(200 + pe));
    cw_vector_t v = {
        .owner = &owner, .call = "vector", .pe = (uint32_t)pe, .put = true, .by_owner = true};
    cw_vector_regions(&v.remote, PIECES, remote);
    cw_vector_regions(&v.local, 1, &local);
    cw_vector_t back = v;
    cw_handle_wait("vector", cw_vector_explicit(&v));
    local.addr = to;
    back.put = false;
    cw_vector_blocking(&back);
    CHECK(is_pattern(to, sizeof to, (uint32_t)(200 + pe)), "vector of PE %d", pe);
}

static size_t piece_nbytes(int i)
{
    return i == MANY / 2 ? 1500 : i == MANY / 3 ? 1023 : (size_t)(i % 41) + 1;
}

/** Messages in flight. */
static uint32_t messages_of(cw_handle_t handle)
{
    bool counts = handle != CW_HANDLE_DONE && !((uintptr_t)handle & 1);
    return counts ? ((cw_handle_op_t *)handle)->pending : 0;
}

/** Many pieces of private memory, of all sizes, in a few messages. */
static void many_pieces(int pe)
{
    static char from[BLOCK], to[BLOCK];
    cw_region_t remote[MANY], local = {from, 0};
    char *theirs;
    cw_owner_get_general(&owner, "get", &theirs, (uint32_t)pe, &area_of(pe)->private_memory,
                         sizeof theirs, CW_OWNER_BLOCKING, NULL);
    theirs += (size_t)cw_world.pe * BLOCK;
    for (int i = 0; i < MANY; i++) {
        remote[i] = (cw_region_t){theirs, piece_nbytes(i)};
        theirs += piece_nbytes(i) + 1;
        local.len += piece_nbytes(i);
    }
    fill_pattern(from, local.len, (uint32_t)(300 + pe));
    cw_vector_t v = {
        .owner = &owner, .call = "vector", .pe = (uint32_t)pe, .put = true, .by_owner = true};
    cw_vector_regions(&v.remote, MANY, remote);
    cw_vector_regions(&v.local, 1, &local);
    cw_vector_t back = v;
    cw_handle_t handle = cw_vector_explicit(&v);
    CHECK(messages_of(handle) <= 6, "%u messages", messages_of(handle));
    fill_pattern(from, local.len, 0);  // the source is free
    cw_handle_wait("vector", handle);
    local.addr = to;
    back.put = false;
    handle = cw_vector_explicit(&back);
    CHECK(messages_of(handle) <= 6, "%u messages", messages_of(handle));
    cw_handle_wait("vector", handle);
    CHECK(is_pattern(to, local.len, (uint32_t)(300 + pe)), "many pieces of PE %d", pe);
}

int main(void)
{
    join();
    put_blocks();
    get_blocks();
    put_words();
    for (int pe = 0; pe < cw_world.npes; pe++)
        if (pe != cw_world.pe)
            copy_private(pe);
    cw_barrier(cw_group_world);
    for (int pe = 0; pe < cw_world.npes; pe++)
        if (pe != cw_world.pe)
            vectors(pe);
    cw_barrier(cw_group_world);
    for (int pe = 0; pe < cw_world.npes; pe++)
        if (pe != cw_world.pe)
            many_pieces(pe);
    cw_barrier(cw_group_world);
    int status = cw_world.pe == 0 || checks_failed ? check_result() : 0;
    fflush(stdout);
    cw_finalize("test_finalize");
    return status;
}
