// SPDX-License-Identifier: BSD-3-Clause
//
// Strided transfers of elements and blocks, of every type and size, against a plain loop.
#include "check.h"

#define PIECE 1024  // bytes of dest and source for one call
#define PIECES 64

static _Alignas(16) unsigned char dest[PIECES * PIECE], source[PIECES * PIECE],
    want[PIECES * PIECE];
static const char *calls[PIECES];
static int npieces;

typedef struct shape {
    ptrdiff_t dst, sst;
    size_t block, nblocks;
} shape_t;

static const shape_t shapes[] = {{1, 1, 1, 40}, {2, 1, 1, 17}, {1, 3, 1, 17},
                                 {3, 5, 1, 9},  {2, 2, 1, 0},  {1, 1, 1, 1}};
static const shape_t block_shapes[] = {{1, 1, 1, 40}, {4, 3, 2, 10}, {5, 7, 3, 7},
                                       {8, 8, 8, 5},  {9, 9, 0, 4},  {6, 6, 5, 0}};
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static unsigned char byte_of(int pe, size_t i)
{
    return (unsigned char)(pe * 131 + i * 11 + (i >> 8) + 5);
}

/** One period between barriers tries all forms of a type or size, each in a piece of its own. */
static void begin(void)
{
    for (size_t i = 0; i < sizeof(source); i++)
        source[i] = byte_of(me, i);
    memset(dest, 0xEE, sizeof(dest));
    memset(want, 0xEE, sizeof(want));
    npieces = 0;
    shmem_barrier_all();
}

/** The plain loop: what this call must leave, given the PE whose source arrives. Returns the offset
 *  of its piece. */
static size_t expect(const char *call, int from, shape_t s, size_t size)
{
    size_t at = (size_t)npieces * PIECE;
    calls[npieces++] = call;
    for (size_t b = 0; b < s.nblocks; b++)
        for (size_t i = 0; i < s.block * size; i++)
            want[at + b * (size_t)s.dst * size + i] =
                byte_of(from, at + b * (size_t)s.sst * size + i);
    return at;
}

static void end(void)
{
    shmem_barrier_all();
    for (int p = 0; p < npieces; p++) {
        size_t at = (size_t)p * PIECE, i = 0;
        while (i < PIECE && dest[at + i] == want[at + i])
            i++;
        CHECK(i == PIECE, "%s, shape %d: byte %zu is %d, not %d", calls[p], p / 2 % 6, i,
              dest[at + i], want[at + i]);
    }
}

#define EACH(SHAPES, NAME, SIZE, FROM, ...)                                                        \
    for (size_t k = 0, at; k < COUNT(SHAPES); k++) {                                               \
        shape_t s = (SHAPES)[k];                                                                   \
        at = expect("shmem_" #NAME, FROM, s, SIZE);                                                \
        shmem_##NAME((void *)(dest + at), (void *)(source + at), s.dst, s.sst, __VA_ARGS__, next); \
        at = expect("shmem_ctx_" #NAME, FROM, s, SIZE);                                            \
        shmem_ctx_##NAME(SHMEM_CTX_DEFAULT, (void *)(dest + at), (void *)(source + at), s.dst,     \
                         s.sst, __VA_ARGS__, next);                                                \
    }

#define ALL(IPUT, IGET, IBPUT, IBGET, SIZE)                   \
    begin();                                                  \
    EACH(shapes, IPUT, SIZE, prev, s.nblocks)                 \
    EACH(shapes, IGET, SIZE, next, s.nblocks)                 \
    EACH(block_shapes, IBPUT, SIZE, prev, s.block, s.nblocks) \
    EACH(block_shapes, IBGET, SIZE, next, s.block, s.nblocks) \
    end();
#define TYPED(N, T) ALL(N##_iput, N##_iget, N##_ibput, N##_ibget, sizeof(T))
#define SIZED(B) ALL(iput##B, iget##B, ibput##B, ibget##B, B / 8)

static void typed(void)
{
    RMA_TYPES(TYPED)
}

static void sized(void)
{
    SIZES(SIZED)
}

/** On return of iput the source may change; on return of iget the data is there. Large enough for
 *  many messages. */
static void completion(void)
{
    const size_t n = sizeof(source) / 4 / sizeof(int);
    int *d = (int *)(void *)dest, *s = (int *)(void *)source;
    begin();
    shmem_int_iput(d, s, 2, 2, n, next);
    memset(source, 0, sizeof(source) / 2);
    shmem_barrier_all();
    int wrong = 0;
    for (size_t i = 0; i < n * sizeof(int); i++) {
        size_t at = i / sizeof(int) * 2 * sizeof(int) + i % sizeof(int);
        wrong += dest[at] != byte_of(prev, at) || dest[at + sizeof(int)] != 0xEE;
    }
    CHECK(wrong == 0, "shmem_int_iput: %d wrong bytes of %zu", wrong, n * sizeof(int));
    begin();
    shmem_int_iget(d, s, 2, 2, n, next);
    for (size_t i = 0; i < n * sizeof(int); i++) {
        size_t at = i / sizeof(int) * 2 * sizeof(int) + i % sizeof(int);
        wrong += dest[at] != byte_of(next, at) || dest[at + sizeof(int)] != 0xEE;
    }
    CHECK(wrong == 0, "shmem_int_iget: %d wrong bytes of %zu", wrong, n * sizeof(int));
    shmem_barrier_all();
}

/** One side is dense and ends with its block of the heap, the other one is spread over more: in
 *  checking mode, too, each is as long as its own stride makes it. */
static void dense_to_spread(void)
{
    enum { N = 100, STRIDE = 4 };
    int *dense = shmem_malloc(N * sizeof *dense);
    int *spread = shmem_calloc(N * STRIDE, sizeof *spread);
    REQUIRE(dense && spread, "blocks of the heap");
    for (int i = 0; i < N; i++)
        dense[i] = 1000 * me + i;
    shmem_barrier_all();
    shmem_int_iput(spread, dense, STRIDE, 1, N, next);
    shmem_barrier_all();
    int wrong = 0;
    for (int i = 0; i < N * STRIDE; i++)
        wrong += spread[i] != (i % STRIDE ? 0 : 1000 * prev + i / STRIDE);
    shmem_int_iget(dense, spread, 1, STRIDE, N, next);
    for (int i = 0; i < N; i++)
        wrong += dense[i] != 1000 * me + i;
    CHECK(wrong == 0, "dense to spread and back: %d wrong elements", wrong);
    shmem_barrier_all();
    shmem_free(spread);
    shmem_free(dense);
}

int main(void)
{
    check_begin();
    typed();
    sized();
    completion();
    dense_to_spread();
    return check_end();
}
