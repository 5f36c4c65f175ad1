// SPDX-License-Identifier: BSD-3-Clause
//
// Vector, indexed and strided transfers of random shapes: each byte of the dest, also those between
// regions, is compared with a model that moves the bytes one by one. Shapes are dense, partly dense
// or have gaps, in zero to eight levels, in any order of strides, which also run backwards, and
// those of the source stand still; regions of both sides differ in size, follow each other or not,
// and are empty. Every rank draws other shapes and uses an area of the next one alone.
#include "ex.h"
#include "frame/random.h"

enum { AREA = 8192, MOST = 2048, LEVELS = 8, REGIONS = 64, ROUNDS = 120 };

static unsigned char here[AREA], model[AREA], source[AREA], *area;  // area: in the next rank
static uint32_t next;

/** One side: the place of each byte in order, and the arguments that name them. */
typedef struct side {
    size_t at[MOST];
    size_t base;
    ptrdiff_t stride[LEVELS];
    size_t nregions, place[REGIONS], len[REGIONS];
} side_t;
static side_t dest, src;
static size_t total;

// ---------------------------------------------------------------- the transfer and the model
/** What a transfer has as a source and what its dest holds before. */
static void fill(int put)
{
    for (size_t i = 0; i < AREA; i++) {
        source[i] = (unsigned char)random_word();
        model[i] = (unsigned char)(random_word() >> 9);
    }
    memcpy(here, put ? source : model, AREA);
    gex_RMA_PutBlocking(tm, next, area, put ? model : source, AREA, 0);
}

static void compare(int put, const char *what)
{
    for (size_t i = 0; i < total; i++)
        model[dest.at[i]] = source[src.at[i]];
    if (put)
        gex_RMA_GetBlocking(tm, here, next, area, AREA, 0);
    size_t i = 0;
    while (i < AREA && here[i] == model[i])
        i++;
    CHECK(i == AREA, "%s %s of %zu bytes: byte %zu is %02x instead of %02x", put ? "put" : "get",
          what, total, i, here[i % AREA], model[i % AREA]);
}

static void complete(gex_Event_t event)
{
    gex_Event_Wait(event);
    gex_NBI_Wait(GEX_EC_PUT | GEX_EC_GET, 0);
}

/** Calls a function in one of its ways of completion. */
#define CALL(name, ...)                                 \
    do {                                                \
        gex_Event_t event = GEX_EVENT_INVALID;          \
        switch (draw(3)) {                              \
        case 0:                                         \
            event = gex_VIS_##name##NB(__VA_ARGS__, 0); \
            break;                                      \
        case 1:                                         \
            gex_VIS_##name##NBI(__VA_ARGS__, 0);        \
            break;                                      \
        default:                                        \
            gex_VIS_##name##Blocking(__VA_ARGS__, 0);   \
        }                                               \
        complete(event);                                \
    } while (0)

static size_t some_size(void)
{
    static const size_t sizes[] = {1,  2,  3,  4,  5,  8,  9,  12, 16,
                                   17, 24, 32, 33, 48, 63, 64, 65, 100};
    return sizes[draw(sizeof sizes / sizeof sizes[0])];
}

// ---------------------------------------------------------------- strided
static size_t count[LEVELS], levels, elem;

/** Strides of a side whose levels are nested in the order given. False: there is no room. */
static int lay_out(side_t *side, const size_t *order, int may_stand)
{
    size_t extent = elem, low = 0;
    for (size_t i = 0; i < levels; i++) {
        size_t level = order[i], gap = draw(2) ? 0 : draw(70);
        size_t stride = may_stand && draw(8) == 0 ? 0 : extent + gap;
        side->stride[level] = (ptrdiff_t)stride;
        if (draw(4) == 0) {
            side->stride[level] = -(ptrdiff_t)stride;
            low += stride * (count[level] - 1);
        }
        extent += stride * (count[level] - 1);
        if (extent > AREA)
            return 0;
    }
    side->base = draw(AREA - extent + 1) + low;
    return 1;
}

static void shuffle(size_t *order, size_t nelems)
{
    for (size_t i = 0; i < nelems; i++)
        order[i] = i;
    for (size_t i = nelems; draw(2) && i > 1; i--) {
        size_t k = draw(i), other = order[k];
        order[k] = order[i - 1];
        order[i - 1] = other;
    }
}

static void draw_counts(void)
{
    size_t rows = 1;
    levels = draw(LEVELS + 1);
    elem = some_size();
    for (size_t i = 0; i < levels; i++) {
        count[i] = 1 + draw(levels > 4 ? 3 : 8);
        if (rows * count[i] * elem > MOST)
            count[i] = 1;
        rows *= count[i];
    }
    total = rows * elem;
}

static void place_bytes(side_t *side)
{
    for (size_t i = 0; i < total; i++) {
        size_t row = i / elem;
        ptrdiff_t at = (ptrdiff_t)(side->base + i % elem);
        for (size_t level = 0; level < levels; row /= count[level++])
            at += (ptrdiff_t)(row % count[level]) * side->stride[level];
        side->at[i] = (size_t)at;
    }
}

static void test_strided(int put)
{
    size_t order[LEVELS], other[LEVELS];
    do {
        draw_counts();
        shuffle(order, levels);
        shuffle(other, levels);
    } while (!lay_out(&dest, order, 0) || !lay_out(&src, draw(3) ? order : other, 1));
    place_bytes(&dest);
    place_bytes(&src);
    fill(put);
    if (put)
        CALL(StridedPut, tm, next, area + dest.base, dest.stride, here + src.base, src.stride, elem,
             count, levels);
    else
        CALL(StridedGet, tm, here + dest.base, dest.stride, next, area + src.base, src.stride, elem,
             count, levels);
    compare(put, "strided");
}

// ---------------------------------------------------------------- lists
/** Places regions of the lengths in `len`; neighbours follow each other or not, or are swapped. */
static void place_regions(side_t *side)
{
    size_t at = draw(50), n_at = 0;
    for (size_t i = 0; i < side->nregions; i++) {
        side->place[i] = at;
        at += side->len[i] + (draw(2) ? 0 : draw(60));
        if (i > 0 && side->len[i] == side->len[i - 1] && draw(8) == 0) {
            size_t place = side->place[i];
            side->place[i] = side->place[i - 1];
            side->place[i - 1] = place;
        }
    }
    for (size_t i = 0; i < side->nregions; i++)
        for (size_t k = 0; k < side->len[i]; k++)
            side->at[n_at++] = side->place[i] + k;
}

/** Lengths that add up to the total. */
static void cut(side_t *side)
{
    size_t left = total;
    for (side->nregions = 0; side->nregions < REGIONS - 1 && left > 0; side->nregions++) {
        size_t len = draw(6) ? some_size() : 0;
        side->len[side->nregions] = len < left ? len : left;
        left -= side->len[side->nregions];
    }
    if (left > 0)
        side->len[side->nregions++] = left;
}

static void make_list(gex_Memvec_t *list, const side_t *side, unsigned char *base)
{
    for (size_t i = 0; i < side->nregions; i++)
        list[i] = (gex_Memvec_t){base + side->place[i], side->len[i]};
}

static void test_vector(int put)
{
    gex_Memvec_t to[REGIONS], from[REGIONS];
    total = draw(8) ? 1 + draw(MOST) : 0;
    cut(&dest);
    cut(&src);
    if (draw(2)) {  // regions pair off, all or the first ones
        src.nregions = dest.nregions;
        memcpy(src.len, dest.len, sizeof src.len);
        if (src.nregions > 1 && draw(2)) {
            src.len[src.nregions - 2] += src.len[src.nregions - 1];
            src.nregions--;
        }
    }
    place_regions(&dest);
    place_regions(&src);
    fill(put);
    make_list(to, &dest, put ? area : here);
    make_list(from, &src, put ? here : area);
    if (put)
        CALL(VectorPut, tm, next, dest.nregions, to, src.nregions, from);
    else
        CALL(VectorGet, tm, dest.nregions, to, next, src.nregions, from);
    compare(put, "vector");
}

static void make_addresses(void **list, const side_t *side, unsigned char *base)
{
    for (size_t i = 0; i < side->nregions; i++)
        list[i] = base + side->place[i];
}

/** Regions of one length each; the sides may differ by a factor. */
static void draw_equal(side_t *large, side_t *small)
{
    size_t len = some_size(), times = draw(2) ? 1 : 1 + draw(4), most = MOST / (len * times);
    large->nregions = 1 + draw(most < REGIONS / 4 ? most : REGIONS / 4);
    small->nregions = large->nregions * times;
    for (size_t i = 0; i < REGIONS; i++) {
        large->len[i] = len * times;
        small->len[i] = len;
    }
    total = large->nregions * times * len;
}

static void test_indexed(int put)
{
    void *to[REGIONS], *from[REGIONS];
    if (draw(2))
        draw_equal(&dest, &src);
    else
        draw_equal(&src, &dest);
    place_regions(&dest);
    place_regions(&src);
    fill(put);
    make_addresses(to, &dest, put ? area : here);
    make_addresses(from, &src, put ? here : area);
    if (put)
        CALL(IndexedPut, tm, next, dest.nregions, to, dest.len[0], src.nregions, from, src.len[0]);
    else
        CALL(IndexedGet, tm, dest.nregions, to, dest.len[0], next, src.nregions, from, src.len[0]);
    compare(put, "indexed");
}

/** Lists that are NULL beside such as name nothing. */
static void test_nothing(int put)
{
    gex_Memvec_t none[] = {{area, 0}, {here, 0}};
    void *at[] = {area};
    total = 0;
    fill(put);
    for (size_t i = 0; i < 3; i++) {
        size_t there = i == 1 ? 2 : 0, mine = i == 2 ? 2 : 0;
        if (put) {
            CALL(VectorPut, tm, next, there, there ? none : NULL, mine, mine ? none : NULL);
            CALL(IndexedPut, tm, next, there / 2, at, 0, mine / 2, at, 0);
        } else {
            CALL(VectorGet, tm, mine, mine ? none : NULL, next, there, there ? none : NULL);
            CALL(IndexedGet, tm, mine / 2, at, 0, next, there / 2, at, 0);
        }
    }
    compare(put, "nothing");
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, 65536);
    next = (me + 1) % n;
    area = (unsigned char *)segment_of(next);
    random_state += me * 7919u;
    test_nothing(0);
    test_nothing(1);
    for (int i = 0; i < ROUNDS; i++)
        for (int put = 0; put < 2; put++) {
            test_strided(put);
            test_vector(put);
            test_indexed(put);
        }
    barrier(tm);
    end();
    return 1;
}
