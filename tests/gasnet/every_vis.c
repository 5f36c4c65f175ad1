// SPDX-License-Identifier: BSD-3-Clause
//
// Vector, indexed and strided transfers, against a model that moves the same bytes one by one.
#include "every.h"

enum { AREA = 6000, REGIONS = 12 };
static unsigned char here[AREA], model[AREA];

typedef enum kind { BLOCKING, NB, NBI, KINDS } kind_t;

static void complete(kind_t kind, gasnet_handle_t h, int put)
{
    if (kind == NB)
        gasnet_wait_syncnb(h);
    else if (kind == NBI && put)
        gasnet_wait_syncnbi_puts();
    else if (kind == NBI)
        gasnet_wait_syncnbi_gets();
}

#define CALL(kind, name, ...)                          \
    do {                                               \
        gasnet_handle_t h_ = GASNET_INVALID_HANDLE;    \
        if ((kind) == BLOCKING)                        \
            gasnet_##name##_bulk(__VA_ARGS__);         \
        else if ((kind) == NB)                         \
            h_ = gasnet_##name##_nb_bulk(__VA_ARGS__); \
        else                                           \
            gasnet_##name##_nbi_bulk(__VA_ARGS__);     \
        complete(kind, h_, #name[0] == 'p');           \
    } while (0)

/** Fills this node's segment and its private memory. */
static void prepare(unsigned round)
{
    barrier();
    fill(mine, me, round, AREA);
    fill(here, me, round + 100, AREA);
    barrier();
}

/** After a put: compares the segment with the model, which began as this node's fill and received
 *  what the previous node sent. */
static void check_put(const char *what, kind_t kind)
{
    barrier();
    int good = memcmp(mine, model, AREA);
    CHECK(good == 0, "%s (kind %d) put something else", what, (int)kind);
}

static void check_get(const char *what, kind_t kind)
{
    CHECK(memcmp(here, model, AREA) == 0, "%s (kind %d) got something else", what, (int)kind);
}

// ---------------------------------------------------------------- vectors
// Regions as offsets: the same total cut differently, some regions empty.
static const size_t far_at[REGIONS] = {10,  100,  333,  500,  501,  502,
                                       900, 1000, 2000, 3000, 4000, 5000};
static const size_t far_len[REGIONS] = {7, 0, 64, 1, 1, 10, 17, 300, 8, 512, 80, 0};
static const size_t near_at[5] = {3, 600, 700, 1500, 3500};
static const size_t near_len[5] = {500, 1, 0, 399, 100};

static void pair_off(unsigned char *to, const size_t *to_at, const size_t *to_len,
                     const unsigned char *from, const size_t *from_at, const size_t *from_len)
{
    size_t i = 0, j = 0, a = 0, b = 0;
    for (int n = 0; n < 1000; n++) {
        while (a == to_len[i])
            i++, a = 0;
        while (b == from_len[j])
            j++, b = 0;
        to[to_at[i] + a++] = from[from_at[j] + b++];
    }
}

static void lists(gasnet_memvec_t *far, gasnet_memvec_t *near)
{
    for (int i = 0; i < REGIONS; i++)
        far[i] = (gasnet_memvec_t){theirs + far_at[i], far_len[i]};
    for (int i = 0; i < 5; i++)
        near[i] = (gasnet_memvec_t){here + near_at[i], near_len[i]};
}

static void test_vectors(kind_t kind)
{
    gasnet_memvec_t far[REGIONS], near[5];
    unsigned char source[AREA];
    lists(far, near);
    prepare(1);
    CALL(kind, putv, next, REGIONS, far, 5, near);
    fill(model, me, 1, AREA);
    fill(source, prev, 101, AREA);
    pair_off(model, far_at, far_len, source, near_at, near_len);
    check_put("putv", kind);
    prepare(2);
    CALL(kind, getv, 5, near, next, REGIONS, far);
    fill(model, me, 102, AREA);
    fill(source, next, 2, AREA);
    pair_off(model, near_at, near_len, source, far_at, far_len);
    check_get("getv", kind);
    CALL(kind, putv, next, 0, NULL, 0, NULL);
    CALL(kind, getv, 0, NULL, next, 0, NULL);
}

// ------------------------------------------------------ indexed: 6 of 20 bytes there, 8 of 15 here
static void test_indexed(kind_t kind)
{
    static const size_t there_at[6] = {5, 50, 400, 401 + 20, 1000, 3000},
                        here_at[8] = {0, 20, 40, 100, 200, 300, 400, 500};
    void *far[6], *near[8];
    unsigned char source[AREA];
    for (int i = 0; i < 6; i++)
        far[i] = theirs + there_at[i];
    for (int i = 0; i < 8; i++)
        near[i] = here + here_at[i];
    prepare(3);
    CALL(kind, puti, next, 6, far, 20, 8, near, 15);
    fill(model, me, 3, AREA);
    fill(source, prev, 103, AREA);
    for (size_t n = 0; n < 120; n++)
        model[there_at[n / 20] + n % 20] = source[here_at[n / 15] + n % 15];
    check_put("puti", kind);
    prepare(4);
    CALL(kind, geti, 8, near, 15, next, 6, far, 20);
    fill(model, me, 104, AREA);
    fill(source, next, 4, AREA);
    for (size_t n = 0; n < 120; n++)
        model[here_at[n / 15] + n % 15] = source[there_at[n / 20] + n % 20];
    check_get("geti", kind);
}

// -------------------------------------------------------------- strided: 4 x 3 x 5 runs of 6 bytes
static void test_strided(kind_t kind)
{
    static const size_t count[] = {6, 5, 3, 4}, far_strides[] = {10, 100, 1000},
                        near_strides[] = {6, 40, 300};
    unsigned char source[AREA];
    prepare(5);
    CALL(kind, puts, next, theirs + 7, far_strides, here + 9, near_strides, count, 3);
    fill(model, me, 5, AREA);
    fill(source, prev, 105, AREA);
    for (size_t n = 0; n < 6 * 60; n++) {
        size_t b = n % 6, i = n / 6 % 5, j = n / 30 % 3, k = n / 90;
        model[7 + b + i * 10 + j * 100 + k * 1000] = source[9 + b + i * 6 + j * 40 + k * 300];
    }
    check_put("puts", kind);
    prepare(6);
    CALL(kind, gets, here + 9, near_strides, next, theirs + 7, far_strides, count, 3);
    fill(model, me, 106, AREA);
    fill(source, next, 6, AREA);
    for (size_t n = 0; n < 6 * 60; n++) {
        size_t b = n % 6, i = n / 6 % 5, j = n / 30 % 3, k = n / 90;
        model[9 + b + i * 6 + j * 40 + k * 300] = source[7 + b + i * 10 + j * 100 + k * 1000];
    }
    check_get("gets", kind);
    // No stride: one contiguous run; and a count of zero.
    static const size_t run[] = {33}, nothing[] = {4, 0};
    prepare(7);
    CALL(kind, puts, next, theirs + 70, NULL, here + 90, NULL, run, 0);
    CALL(kind, puts, next, theirs, far_strides, here, near_strides, nothing, 1);
    fill(model, me, 7, AREA);
    fill(source, prev, 107, AREA);
    memcpy(model + 70, source + 90, 33);
    check_put("puts of one run", kind);
}

// ------------------ strided: rows without gaps, on both sides, on one, in some levels only
typedef struct section {
    size_t count[4], far[3], near[3];
} section_t;

static const section_t dense[] = {
    {{6, 5, 3, 1}, {6, 30, 0}, {6, 40, 0}},       // the lowest level of both sides
    {{6, 5, 3, 2}, {6, 30, 90}, {6, 30, 90}},     // everything
    {{6, 5, 3, 2}, {6, 30, 90}, {10, 60, 200}},   // one side
    {{8, 1, 4, 3}, {999, 8, 50}, {77, 8, 40}},    // behind a level of one row
    {{8, 1, 1, 3}, {999, 8, 50}, {77, 8, 40}},    // behind two
    {{16, 7, 1, 3}, {20, 1, 200}, {24, 0, 240}},  // and one in the middle
    {{6, 5, 0, 2}, {6, 30, 90}, {6, 30, 90}},     // nothing
    {{6, 0, 5, 2}, {6, 30, 90}, {6, 30, 90}},
    {{64, 60, 1, 1}, {64, 0, 0}, {64, 0, 0}},  // long rows
    {{64, 30, 1, 1}, {64, 0, 0}, {128, 0, 0}},
};

static void move_section(unsigned char *to, const size_t *to_stride, const unsigned char *from,
                         const size_t *from_stride, const size_t *count)
{
    for (size_t k = 0; k < count[3]; k++)
        for (size_t j = 0; j < count[2]; j++)
            for (size_t i = 0; i < count[1]; i++)
                for (size_t b = 0; b < count[0]; b++)
                    to[b + i * to_stride[0] + j * to_stride[1] + k * to_stride[2]] =
                        from[b + i * from_stride[0] + j * from_stride[1] + k * from_stride[2]];
}

static void test_dense(kind_t kind)
{
    unsigned char source[AREA];
    for (unsigned i = 0; i < sizeof dense / sizeof *dense; i++) {
        const section_t *s = &dense[i];
        prepare(10 + i);
        CALL(kind, puts, next, theirs + 7, s->far, here + 9, s->near, s->count, 3);
        fill(model, me, 10 + i, AREA);
        fill(source, prev, 110 + i, AREA);
        move_section(model + 7, s->far, source + 9, s->near, s->count);
        check_put("puts of a dense section", kind);
        prepare(30 + i);
        CALL(kind, gets, here + 9, s->near, next, theirs + 7, s->far, s->count, 3);
        fill(model, me, 130 + i, AREA);
        fill(source, next, 30 + i, AREA);
        move_section(model + 9, s->near, source + 7, s->far, s->count);
        check_get("gets of a dense section", kind);
    }
}

// --------------------------------- many regions: more than a message holds, some too large for one
enum { MANY = 2000, WIDE = 400000 };

static size_t many_len(size_t i)
{
    return i < 700 ? 1 : i % 97 == 0 ? 1000 + i % 200 : i * 7 % 240;
}

/** Builds regions with a byte between them; returns their bytes in all. */
static size_t many_regions(gasnet_memvec_t *list, char *at)
{
    size_t total = 0;
    for (size_t i = 0; i < MANY; i++) {
        list[i] = (gasnet_memvec_t){at, many_len(i)};
        at += list[i].len + 1;
        total += list[i].len;
    }
    return total;
}

static void test_many(kind_t kind)
{
    static gasnet_memvec_t far[MANY];
    unsigned char *local = malloc(WIDE), *want = malloc(WIDE), *from = malloc(WIDE);
    size_t total = many_regions(far, theirs), at = 0;
    gasnet_memvec_t near[2] = {{local, 33333}, {local + 33335, total - 33333}};
    CHECK(total + MANY + 2 < WIDE, "%zu bytes are too many for this test", total);
    barrier();
    fill(mine, me, 8, WIDE);
    fill(local, me, 108, WIDE);
    barrier();
    CALL(kind, putv, next, MANY, far, 2, near);
    fill(want, me, 8, WIDE);
    fill(from, prev, 108, WIDE);
    for (size_t i = 0, n = 0; i < MANY; i++, at++)
        for (size_t b = 0; b < many_len(i); b++, n++)
            want[at++] = from[n < 33333 ? n : n + 2];
    barrier();
    CHECK(memcmp(mine, want, WIDE) == 0, "putv of many regions (kind %d) put something else",
          (int)kind);
    fill(local, me, 109, WIDE);
    CALL(kind, getv, 2, near, next, MANY, far);  // this node's puts come back
    fill(want, me, 109, WIDE);
    fill(from, me, 108, WIDE);
    memcpy(want, from, 33333);
    memcpy(want + 33335, from + 33335, total - 33333);
    CHECK(memcmp(local, want, WIDE) == 0, "getv of many regions (kind %d) got something else",
          (int)kind);
    barrier();
    free(local), free(want), free(from);
}

void test_vis(void)
{
    for (kind_t kind = BLOCKING; kind < KINDS; kind++) {
        test_vectors(kind);
        test_indexed(kind);
        test_strided(kind);
        test_dense(kind);
        test_many(kind);
    }
    barrier();
}
