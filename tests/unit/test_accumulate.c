// SPDX-License-Identifier: BSD-3-Clause
//
// Accumulates of one PE: every type of number with several scales, at both ends of blocks and
// across them, here and by requests as another node's PE would send them. Both must give what a
// plain loop gives, change nothing beside it and leave no lock behind.
#include <pthread.h>
#include <shmem.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/bulk/accumulate.h"
#include "core/mem/segment.h"
#include "core/port/ctx.h"
#include "core/progress/block_lock.h"
#include "core/server/server.h"
#include "frame/check.h"
#include "frame/random.h"

enum { ROOM = 5 * (int)CW_BLOCK_NBYTES, GUARD = 64 };

static char *dest;  // symmetric, ROOM bytes from the beginning of a block on
static char source[ROOM + 1], before[ROOM];
static int requests;

typedef union number {
    int32_t i32;
    int64_t i64;
    float f[2];
    double d[2];
} number_t;

/** dest += scale * src, number by number. */
static void plainly(cwu_number_t type, number_t a, char *to, const char *from, size_t nbytes)
{
    size_t size = cwu_number_size(type);
    for (size_t at = 0; at < nbytes; at += size) {
        number_t d, s;
        memcpy(&d, to + at, size);
        memcpy(&s, from + at, size);
        if (type == CW_INT32)
            d.i32 = (int32_t)((uint32_t)d.i32 + (uint32_t)a.i32 * (uint32_t)s.i32);
        else if (type == CW_INT64)
            d.i64 = (int64_t)((uint64_t)d.i64 + (uint64_t)a.i64 * (uint64_t)s.i64);
        else if (type == CW_FLOAT)
            d.f[0] += a.f[0] * s.f[0];
        else if (type == CW_DOUBLE)
            d.d[0] += a.d[0] * s.d[0];
        else if (type == CW_COMPLEX_FLOAT)
            d = (number_t){.f = {d.f[0] + (a.f[0] * s.f[0] - a.f[1] * s.f[1]),
                                 d.f[1] + (a.f[0] * s.f[1] + a.f[1] * s.f[0])}};
        else
            d = (number_t){.d = {d.d[0] + (a.d[0] * s.d[0] - a.d[1] * s.d[1]),
                                 d.d[1] + (a.d[0] * s.d[1] + a.d[1] * s.d[0])}};
        memcpy(to + at, &d, size);
    }
}

/** A number of that type: small whole parts, so that floating point is exact. */
static number_t number_of(cwu_number_t type, int re, int im)
{
    number_t n = {0};
    if (type == CW_INT32)
        n.i32 = re;
    else if (type == CW_INT64)
        n.i64 = re;
    else if (cwu_number_part(type) == CW_FLOAT)
        n = (number_t){.f = {(float)re, (float)im}};
    else
        n = (number_t){.d = {re, im}};
    return n;
}

static void fill(char *at, cwu_number_t type, size_t nbytes)
{
    size_t size = cwu_number_size(type);
    for (size_t i = 0; i + size <= nbytes; i += size) {
        number_t n = number_of(type, (int)draw(2000) - 1000, (int)draw(2000) - 1000);
        memcpy(at + i, &n, size);
    }
}

// ---------------------------------------------------------------- another node, without a network

/** The request is executed at once, from memory that ends with it. */
static int execute_now(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes, cwt_reply_t *reply)
{
    (void)conn;
    CHECK(nbytes <= CW_MESSAGE_MAX && !reply);
    msg->nbytes = (uint32_t)nbytes;
    void *copy = malloc(nbytes);
    memcpy(copy, msg, nbytes);
    cw_request_execute(NULL, NULL, copy, nbytes);
    free(copy);
    requests++;
    return 0;
}

static void accumulate(bool there, cwu_number_t type, const number_t *scale, char *to,
                       const char *from, size_t nbytes)
{
    static cwt_target_t another_node;
    cw_accumulate_t a;
    cw_accumulate_begin(&a, &cw_ctx_default, type, scale, 0, 0);
    if (there)
        a.target = &another_node;
    // in one, or in two pieces
    size_t first = nbytes % 3 ? nbytes : nbytes / 3 / cwu_number_size(type) * cwu_number_size(type);
    cw_accumulate_add(&a, to, from, first);
    if (first < nbytes)
        cw_accumulate_add(&a, to + first, from + first, nbytes - first);
    cw_accumulate_end(&a);
}

static void compare(bool there, cwu_number_t type, number_t scale, size_t at, size_t nbytes,
                    size_t odd)
{
    fill(dest, type, ROOM);
    fill(source + odd, type, nbytes);
    memcpy(before, dest, ROOM);
    plainly(type, scale, before + at, source + odd, nbytes);
    accumulate(there, type, &scale, dest + at, source + odd, nbytes);
    CHECK(memcmp(before, dest, ROOM) == 0, "type %d, %zu bytes at %zu, %s", type, nbytes, at,
          there ? "there" : "here");
}

static void compare_all(bool there)
{
    static const size_t counts[] = {1, 2, 3, 17, 600, 1025};
    static const int scales[][2] = {{1, 0}, {-1, 0}, {7, -3}, {0, 1}, {0, 0}};
    for (cwu_number_t type = 0; type < CW_NUMBERS; type++) {
        size_t size = cwu_number_size(type), part = cwu_number_size(cwu_number_part(type));
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (size_t s = 0; s < sizeof scales / sizeof *scales; s++) {
                number_t scale = number_of(type, scales[s][0], scales[s][1]);
                size_t nbytes = counts[c] * size;
                compare(there, type, scale, GUARD, nbytes, c % 2);
                // a number across the edge of two blocks, where it has two parts
                compare(there, type, scale, CW_BLOCK_NBYTES - part, nbytes, 0);
            }
    }
}

/** Random rows, upwards, downwards and onto each other, beside plain loops. */
static void rows(bool there)
{
    static cwt_target_t another_node;
    for (int round = 0; round < 2000; round++) {
        cwu_number_t type = (cwu_number_t)draw(CW_NUMBERS);
        size_t size = cwu_number_size(type), nbytes = size * (1 + draw(draw(3) ? 20 : 700));
        size_t n = 1 + draw(40), odd = draw(2);
        ptrdiff_t dest_stride = (ptrdiff_t)(size * draw(3) + draw(3) * nbytes);
        ptrdiff_t src_stride = (ptrdiff_t)(size * draw(nbytes / size));
        while (n * (size_t)dest_stride + nbytes > ROOM || n * (size_t)src_stride + nbytes > ROOM)
            n = n / 2 + 1 == n ? 1 : n / 2 + 1;
        size_t down = draw(3) ? 0 : (n - 1) * (size_t)dest_stride;
        size_t extent = (n - 1) * (size_t)dest_stride + nbytes;
        size_t at = down + draw((ROOM - extent) / size + 1) * size;
        number_t scale = number_of(type, draw(2) ? 1 : 3, 0);
        cw_accumulate_t a;
        if (down)
            dest_stride = -dest_stride;
        fill(dest, type, ROOM);
        fill(source + odd, type, ROOM);
        memcpy(before, dest, ROOM);
        for (size_t i = 0; i < n; i++)
            plainly(type, scale, before + (ptrdiff_t)at + (ptrdiff_t)i * dest_stride,
                    source + odd + (ptrdiff_t)i * src_stride, nbytes);
        cw_accumulate_begin(&a, &cw_ctx_default, type, &scale, 0, 0);
        if (there)
            a.target = &another_node;
        cw_accumulate_add_rows(&a, dest + at, dest_stride, source + odd, src_stride, nbytes, n);
        cw_accumulate_end(&a);
        CHECK(memcmp(before, dest, ROOM) == 0, "type %d, %zu rows of %zu bytes at %zu, %td apart",
              type, n, nbytes, at, dest_stride);
    }
}

static void *add_two_rows(void *arg)
{
    static const int64_t ones[16] = {1, [8] = 1};
    const int64_t one = 1;
    cw_accumulate_t a;
    cw_accumulate_begin(&a, &cw_ctx_default, CW_INT64, &one, 0, 0);
    cw_accumulate_add_rows(&a, arg, 64, ones, 64, 64, 2);
    cw_accumulate_end(&a);
    return NULL;
}

/** The second of two rows waits for the lock of its own block. */
static void rows_of_two_blocks(void)
{
    volatile int64_t *first = (int64_t *)(void *)(dest + CW_BLOCK_NBYTES - 64), *second = first + 8;
    cwu_lock_t *lock = cw_block_lock((uint64_t)((char *)dest - (char *)cw_segment.origin) +
                                     cw_slice_offset(0) + CW_BLOCK_NBYTES);
    pthread_t thread;
    *first = *second = 0;
    cw_block_lock_take(lock);
    REQUIRE(pthread_create(&thread, NULL, add_two_rows, (void *)(uintptr_t)first) == 0);
    while (__atomic_load_n(first, __ATOMIC_ACQUIRE) == 0)
        usleep(100);
    usleep(20000);
    CHECK(__atomic_load_n(second, __ATOMIC_ACQUIRE) == 0);
    cwu_unlock(lock);
    pthread_join(thread, NULL);
    CHECK(*first == 1 && *second == 1);
}

/** Two complex numbers are added to themselves. */
static void own_source(void)
{
    number_t scale = number_of(CW_COMPLEX_DOUBLE, 0, 2);
    double z[4] = {1, 2, 3, 4};
    memcpy(dest, z, sizeof z);
    accumulate(false, CW_COMPLEX_DOUBLE, &scale, dest, dest, sizeof z);
    memcpy(z, dest, sizeof z);
    CHECK(z[0] == -3 && z[1] == 4 && z[2] == -5 && z[3] == 10);
}

static void wrapping(void)
{
    int32_t i[2] = {INT32_MAX, INT32_MIN}, one = 1, many = 65537;
    int64_t l[1] = {INT64_MAX}, longs = INT64_C(3) << 40;
    memcpy(dest, i, sizeof i);
    cw_accumulate(&cw_ctx_default, CW_INT32, &one, dest, (int32_t[]){1, -1}, sizeof i, 0);
    memcpy(i, dest, sizeof i);
    CHECK(i[0] == INT32_MIN && i[1] == INT32_MAX);
    cw_accumulate(&cw_ctx_default, CW_INT32, &many, dest, (int32_t[]){65537, 0}, sizeof i, 0);
    memcpy(i, dest, sizeof i);
    CHECK(i[0] == (int32_t)(UINT32_C(0x80000000) + 65537u * 65537u));
    memcpy(dest, l, sizeof l);
    cw_accumulate(&cw_ctx_default, CW_INT64, &longs, dest, (int64_t[]){INT64_C(5) << 20}, sizeof l,
                  0);
    memcpy(l, dest, sizeof l);
    CHECK(l[0] == (int64_t)((uint64_t)INT64_MAX + ((UINT64_C(15)) << 60)));
}

static bool locks_are_free(void)
{
    const char *table = cw_segment.base + cw_block_section.offset;
    for (size_t i = 0; i < cw_block_section.nbytes(); i++)
        if (table[i])
            return false;
    return true;
}

/** Neighbouring blocks, and blocks a row of a matrix apart, have different locks. */
static void spread(void)
{
    for (uint64_t distance = 1; distance <= 1024; distance *= 2) {
        const cwu_lock_t *lock[16];
        int same = 0;
        for (uint64_t i = 0; i < 16; i++) {
            lock[i] = cw_block_lock((1000 + i * distance) * CW_BLOCK_NBYTES);
            for (uint64_t j = 0; j < i; j++)
                same += lock[i] == lock[j];
        }
        CHECK(same <= 4, "%d of 120 pairs at distance %d", same, (int)distance);
    }
}

int main(void)
{
    shmem_init();  // this process is a job of one PE
    const cwt_ops_t *transport = cw_transport;
    static const cwt_ops_t fake = {.request = execute_now};
    cw_transport = &fake;
    char *memory = shmem_malloc(ROOM + CW_BLOCK_NBYTES);
    uint64_t at = cw_slice_offset(0) + ((uintptr_t)memory - cw_segment.origin);
    dest = memory + (CW_BLOCK_NBYTES - at % CW_BLOCK_NBYTES) % CW_BLOCK_NBYTES;
    compare_all(false);
    CHECK(requests == 0);
    compare_all(true);
    CHECK(requests > 100);
    rows(false);
    rows(true);
    rows_of_two_blocks();
    own_source();
    wrapping();
    spread();
    CHECK(locks_are_free());
    cw_transport = transport;
    cw_ctx_default.last = 0;  // nothing is under way
    shmem_finalize();
    return check_result();
}
