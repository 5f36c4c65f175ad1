// SPDX-License-Identifier: BSD-3-Clause
//
// Contiguous puts and gets: every type, size and form, blocking and not, plain and on the default
// context, from and to static data and the heap, with element counts from 0 to more than a bounce
// buffer holds.
#include "check.h"

#define MOST (1 << 19)  // bytes of dest, and of source
#define GUARD 16

static _Alignas(16) unsigned char static_dest[MOST], static_source[MOST];
static unsigned char *dest, *source;

static unsigned char byte_of(int pe, size_t i)
{
    return (unsigned char)(pe * 89 + i * 7 + (i >> 8));
}

// One period between barriers tries all forms of a type or size: each call has a piece of dest of
// its own, with a guard behind it.
typedef struct piece {
    const char *call;
    int from;  // the PE whose source it must show
    size_t at, nbytes;
} piece_t;
static piece_t pieces[64];
static size_t npieces, used;

static size_t piece(const char *call, int from, size_t nbytes)
{
    size_t at = used;
    pieces[npieces++] = (piece_t){call, from, at, nbytes};
    used = (at + nbytes + GUARD + 15) / 16 * 16;
    if (npieces > sizeof(pieces) / sizeof(pieces[0]) || used > MOST) {
        printf("FAIL the test's own table is too small\n");
        exit(1);
    }
    return at;
}

static void begin(void)
{
    for (size_t i = 0; i < MOST; i++)
        source[i] = byte_of(me, i);
    memset(dest, 0xEE, MOST);
    npieces = used = 0;
    shmem_barrier_all();
}

static void end(void)
{
    shmem_barrier_all();  // completes the nonblocking ones
    for (piece_t *p = pieces; p < pieces + npieces; p++) {
        size_t i = 0;
        while (i < p->nbytes && dest[p->at + i] == byte_of(p->from, p->at + i))
            i++;
        CHECK(i == p->nbytes, "%s of %zu bytes: byte %zu is %d, not %d", p->call, p->nbytes, i,
              dest[p->at + i], byte_of(p->from, p->at + i));
        for (i = 0; i < GUARD && dest[p->at + p->nbytes + i] == 0xEE; i++)
            continue;
        CHECK(i == GUARD, "%s of %zu bytes wrote behind the end", p->call, p->nbytes);
    }
}

static const size_t counts[] = {0, 1, 3, 64, 1000};

#define ONE(NAME, NELEMS, SIZE, FROM)                                                           \
    {                                                                                           \
        size_t at = piece("shmem_" #NAME, FROM, (NELEMS) * (SIZE));                             \
        shmem_##NAME((void *)(dest + at), (void *)(source + at), NELEMS, next);                 \
        at = piece("shmem_ctx_" #NAME, FROM, (NELEMS) * (SIZE));                                \
        shmem_ctx_##NAME(SHMEM_CTX_DEFAULT, (void *)(dest + at), (void *)(source + at), NELEMS, \
                         next);                                                                 \
    }

// A put to the next PE is checked by what the previous one sent; a get by the next PE's data.
#define BULK(PUT, GET, PUT_NBI, GET_NBI, SIZE)                        \
    begin();                                                          \
    for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) { \
        ONE(PUT, counts[c], SIZE, prev)                               \
        ONE(GET, counts[c], SIZE, next)                               \
        ONE(PUT_NBI, counts[c], SIZE, prev)                           \
        ONE(GET_NBI, counts[c], SIZE, next)                           \
    }                                                                 \
    end();

#define BULK_TYPED(N, T) BULK(N##_put, N##_get, N##_put_nbi, N##_get_nbi, sizeof(T))
#define BULK_SIZED(S) BULK(put##S, get##S, put##S##_nbi, get##S##_nbi, S / 8)

static void bulk_typed(void)
{
    RMA_TYPES(BULK_TYPED)
}

static void bulk_sized(void)
{
    SIZES(BULK_SIZED)
    BULK(putmem, getmem, putmem_nbi, getmem_nbi, 1)
}

/** Large transfers. A blocking get has its data on return, a nonblocking one after quiet; a put's
 *  source may be reused at once. */
static void completion(void)
{
    const size_t n = MOST / 4;
    begin();
    shmem_getmem(dest, source, n, next);
    CHECK(dest[n - 1] == byte_of(next, n - 1), "shmem_getmem returned before its data");
    shmem_getmem_nbi(dest + n, source + n, n, next);
    shmem_quiet();
    CHECK(dest[2 * n - 1] == byte_of(next, 2 * n - 1),
          "shmem_quiet returned before the data of shmem_getmem_nbi");
    shmem_barrier_all();
    used = 2 * n;
    shmem_putmem(dest + piece("shmem_putmem", prev, n), source + 2 * n, n, next);
    memset(source + 2 * n, 0, n);
    end();
}

#define SCALARS 5
#define SINGLE(N, T)                                                                             \
    {                                                                                            \
        T *d = (T *)(void *)dest, *s = (T *)(void *)source;                                      \
        for (int i = 0; i < SCALARS; i++) {                                                      \
            s[i] = VALUE(T, me * 100 + i);                                                       \
            d[i] = 0;                                                                            \
        }                                                                                        \
        shmem_barrier_all();                                                                     \
        for (int i = 0; i < SCALARS; i++) {                                                      \
            if (i % 2)                                                                           \
                shmem_##N##_p(&d[i], VALUE(T, me * 50 + i), next);                               \
            else                                                                                 \
                shmem_ctx_##N##_p(SHMEM_CTX_DEFAULT, &d[i], VALUE(T, me * 50 + i), next);        \
            CHECK(shmem_##N##_g(&s[i], next) == VALUE(T, next * 100 + i),                        \
                  "shmem_" #N "_g of value %d", i);                                              \
            CHECK(shmem_ctx_##N##_g(SHMEM_CTX_DEFAULT, &s[i], next) == VALUE(T, next * 100 + i), \
                  "shmem_ctx_" #N "_g of value %d", i);                                          \
        }                                                                                        \
        shmem_barrier_all();                                                                     \
        for (int i = 0; i < SCALARS; i++)                                                        \
            CHECK(d[i] == VALUE(T, prev * 50 + i), "shmem_" #N "_p of value %d", i);             \
        shmem_barrier_all();                                                                     \
    }

static void singles(void)
{
    RMA_TYPES(SINGLE)
}

/** The neighbours of a small element do not change. */
static void neighbours(void)
{
    memset(dest, 0x11, 32);
    shmem_barrier_all();
    shmem_char_p((char *)dest + 5, 0x55, next);
    shmem_short_p((short *)(void *)(dest + 10), 0x6666, next);
    shmem_barrier_all();
    for (int i = 0; i < 32; i++)
        CHECK(dest[i] == (i == 5               ? 0x55
                          : i == 10 || i == 11 ? 0x66
                                               : 0x11),
              "byte %d is %#x", i, dest[i]);
    shmem_barrier_all();
}

int main(void)
{
    check_begin();
    unsigned char *heap = shmem_align(16, 2 * MOST);
    for (int where = 0; where < 2; where++) {
        dest = where ? heap : static_dest;
        source = where ? heap + MOST : static_source;
        bulk_typed();
        bulk_sized();
        completion();
        singles();
        neighbours();
    }
    shmem_free(heap);
    return check_end();
}
