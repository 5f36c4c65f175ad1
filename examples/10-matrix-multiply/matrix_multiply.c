// SPDX-License-Identifier: BSD-3-Clause
//
// C = A B for block-sparse matrices over ARMCI: processes draw tasks from a shared counter, get the
// tiles that they need, multiply, and accumulate into C. See README.md.
#define _POSIX_C_SOURCE 200809L
#include <armci.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../number.h"

static int me, nprocs;
static int tiles = 16, side = 48, density = 30;  // tiles a side, elements of a tile's side, percent
static int size;                                 // elements of a matrix's side

typedef struct matrix {
    void **rows;  // [nprocs] each process's rows of tiles
    uint64_t seed;
} matrix_t;

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

static void fail(const char *text)
{
    ARMCI_Error(text, 1);
}

// ---------------------------------------------------------------- distributed matrices
// Row t of tiles, side x size elements row by row, is the (t / nprocs)-th of process t % nprocs.

static int rows_here(int proc)
{
    return (tiles - proc + nprocs - 1) / nprocs;
}

static int owner_of(int tile_row)
{
    return tile_row % nprocs;
}

static double *tile_at(const matrix_t *m, int tile_row, int tile_column)
{
    size_t at = (size_t)(tile_row / nprocs) * (size_t)side * (size_t)size;
    return (double *)m->rows[owner_of(tile_row)] + at + (size_t)tile_column * (size_t)side;
}

/** Which tiles there are is known everywhere; their elements only to their owners. */
static int is_there(const matrix_t *m, int tile_row, int tile_column)
{
    uint64_t hash = mix(m->seed ^ (uint64_t)tile_row << 32 ^ (uint64_t)tile_column);
    return (int)(hash % 100) < density;
}

/** Whole numbers, so that sums are exact in any order. */
static double element(const matrix_t *m, int row, int column)
{
    return (double)(int)(mix(m->seed + ((uint64_t)row << 32 | (uint64_t)column)) % 7) - 3.0;
}

static void create(matrix_t *m, uint64_t seed)
{
    size_t nbytes = (size_t)rows_here(me) * (size_t)side * (size_t)size * sizeof(double);
    m->seed = seed;
    m->rows = malloc((size_t)nprocs * sizeof *m->rows);
    if (!m->rows || ARMCI_Malloc(m->rows, (armci_size_t)nbytes) != 0)
        fail("no memory for a matrix");
    if (nbytes)
        memset(m->rows[me], 0, nbytes);
}

static void destroy(matrix_t *m)
{
    ARMCI_Free(m->rows[me]);
    free(m->rows);
}

static void fill(const matrix_t *m)
{
    for (int t = me; t < tiles; t += nprocs)
        for (int column = 0; column < size; column++)
            for (int row = 0; row < side && is_there(m, t, column / side); row++)
                tile_at(m, t, 0)[(size_t)row * (size_t)size + (size_t)column] =
                    element(m, t * side + row, column);
}

static void get_tile(const matrix_t *m, int tile_row, int tile_column, double *tile)
{
    int nbytes = side * (int)sizeof(double), stride = size * (int)sizeof(double);
    int count[2] = {nbytes, side};
    ARMCI_GetS(tile_at(m, tile_row, tile_column), &stride, tile, &nbytes, count, 1,
               owner_of(tile_row));
}

static void add_tile(const matrix_t *m, int tile_row, int tile_column, double *tile)
{
    double one = 1.0;
    int nbytes = side * (int)sizeof(double), stride = size * (int)sizeof(double);
    int count[2] = {nbytes, side};
    ARMCI_AccS(ARMCI_ACC_DBL, &one, tile, &nbytes, tile_at(m, tile_row, tile_column), &stride,
               count, 1, owner_of(tile_row));
}

// ---------------------------------------------------------------- the multiplication
/** c += a b, tiles row by row. */
static void multiply_tiles(const double *a, const double *b, double *c)
{
    for (int i = 0; i < side; i++)
        for (int k = 0; k < side; k++) {
            double factor = a[i * side + k];
            for (int j = 0; j < side; j++)
                c[i * side + j] += factor * b[k * side + j];
        }
}

/** One task: a tile (i, k) of A against the row k of B. Returns how many products of tiles. */
static int run_task(int task, const matrix_t *a, const matrix_t *b, const matrix_t *c, double *work)
{
    int i = task / tiles, k = task % tiles, products = 0, elements = side * side;
    if (!is_there(a, i, k))
        return 0;
    double *from_a = work, *from_b = work + elements, *sum = work + 2 * elements;
    get_tile(a, i, k, from_a);
    for (int j = 0; j < tiles; j++) {
        if (!is_there(b, k, j))
            continue;
        get_tile(b, k, j, from_b);
        memset(sum, 0, (size_t)elements * sizeof *sum);
        multiply_tiles(from_a, from_b, sum);
        add_tile(c, i, j, sum);
        products++;
    }
    return products;
}

/** Tasks of all processes, in the order of a counter at process 0. */
static long multiply(const matrix_t *a, const matrix_t *b, const matrix_t *c, int *tasks_p)
{
    void **counter = malloc((size_t)nprocs * sizeof *counter);
    double *work = malloc(3 * (size_t)side * (size_t)side * sizeof *work);
    if (!counter || !work || ARMCI_Malloc(counter, me == 0 ? sizeof(long) : 0) != 0)
        fail("no memory for the counter");
    if (me == 0)
        *(long *)counter[0] = 0;
    ARMCI_Barrier();
    long products = 0, task = 0;
    while (ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &task, counter[0], 1, 0),
           task < (long)tiles * tiles) {
        products += run_task((int)task, a, b, c, work);
        ++*tasks_p;
    }
    ARMCI_Barrier();
    ARMCI_Free(counter[me]);
    free(counter);
    free(work);
    return products;
}

// ---------------------------------------------------------------- check
/** y = m x, for all rows, on all processes. */
static void apply(const matrix_t *m, const double *x, double *y)
{
    memset(y, 0, (size_t)size * sizeof *y);
    for (int t = me; t < tiles; t += nprocs)
        for (int row = 0; row < side; row++)
            for (int column = 0; column < size; column++)
                y[t * side + row] +=
                    tile_at(m, t, 0)[(size_t)row * (size_t)size + (size_t)column] * x[column];
    armci_msg_dgop(y, size, "+");
}

/** C x = A (B x) for two vectors of random whole numbers: exact, since all numbers are whole. */
static int verify(const matrix_t *a, const matrix_t *b, const matrix_t *c)
{
    double *x = malloc(4 * (size_t)size * sizeof *x), *bx = x + size, *abx = bx + size,
           *cx = abx + size;
    int wrong = 0;
    for (uint64_t round = 1; round <= 2; round++) {
        for (int i = 0; i < size; i++)
            x[i] = (double)(mix(round << 40 | (uint64_t)i) % 1000);
        apply(b, x, bx);
        apply(a, bx, abx);
        apply(c, x, cx);
        for (int i = 0; i < size; i++)
            wrong += cx[i] != abx[i];
    }
    free(x);
    return wrong;
}

static int parse(int argc, char **argv)
{
    int option;
    while ((option = getopt(argc, argv, "t:s:d:h")) != -1) {
        if (option == 't')
            tiles = (int)whole_number(optarg, 1, 1024);
        else if (option == 's')
            side = (int)whole_number(optarg, 1, 1024);
        else if (option == 'd')
            density = (int)whole_number(optarg, 0, 100);
        else
            return 0;
    }
    return tiles > 0 && side > 0 && density >= 0 && optind == argc;
}

int main(int argc, char **argv)
{
    ARMCI_Init();
    me = armci_msg_me();
    nprocs = armci_msg_nproc();
    if (!parse(argc, argv)) {
        if (me == 0)
            fprintf(stderr, "usage: matrix_multiply [-t tiles a side] [-s elements of a tile's "
                            "side] [-d percent of the tiles that are not zero]; tiles and "
                            "elements from 1 to 1024\n");
        ARMCI_Finalize();
        return 2;
    }
    size = tiles * side;
    matrix_t a, b, c;
    create(&a, 1);
    create(&b, 2);
    create(&c, 3);
    fill(&a);
    fill(&b);
    ARMCI_Barrier();
    int tasks = 0;
    double start = armci_timer();
    long products = multiply(&a, &b, &c, &tasks);
    double seconds = armci_timer() - start;
    printf("process %d: %d tasks, %ld products of tiles\n", me, tasks, products);
    fflush(stdout);
    armci_msg_lgop(&products, 1, "+");
    int wrong = verify(&a, &b, &c);
    if (me == 0 && wrong)
        printf("FAILED: %d of %d sums are wrong\n", wrong, 2 * size);
    if (me == 0)
        printf("RESULT program=matrix_multiply pes=%d verified=%s seconds=%.6f rate=%.6f "
               "unit=GFLOP/s products=%ld\n",
               nprocs, wrong ? "no" : "yes", seconds,
               2e-9 * side * side * side * (double)products / seconds, products);
    destroy(&c);
    destroy(&b);
    destroy(&a);
    ARMCI_Finalize();
    return wrong != 0;
}
