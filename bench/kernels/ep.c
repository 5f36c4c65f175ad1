// SPDX-License-Identifier: BSD-3-Clause
/*
 * EP, "embarrassingly parallel", after the NAS parallel benchmarks: 2^m pairs of random numbers,
 * those inside the unit circle become Gaussian deviates; their sums, and how many lie in each of
 * ten square annuli. No communication but the sums at the end. Verified against the published sums
 * where m is that of a NAS class, else against a serial count.
 */
#include "kernel.h"

#include <math.h>
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>

#define MASK ((UINT64_C(1) << 46) - 1)
#define FACTOR UINT64_C(1220703125) // 5^13
#define SEED UINT64_C(271828183)

enum { ANNULI = 10 };

struct tally {
    double sx, sy;
    double count[ANNULI];
};

/** The published sums. */
static const struct {
    int m;
    double sx, sy;
} classes[] = {
    {24, -3.247834652034740e3, -6.958407078382297e3}, // S
    {25, -2.863319731645753e3, -6.320053679109499e3}, // W
    {28, -4.295875165629892e3, -1.580732573678431e4}, // A
    {30, 4.033815542441498e4, -2.660669192809235e4},  // B
    {32, 4.764367927995374e4, -8.084072988043731e4},  // C
};

/** State of the generator after n steps: modulo 2^46, which divides 2^64, so overflow does no
 *  harm. */
static uint64_t skip(uint64_t n)
{
    uint64_t x = SEED, a = FACTOR;
    for (; n; n >>= 1, a *= a)
        if (n & 1)
            x *= a;
    return x & MASK;
}

static double next(uint64_t *x)
{
    *x = *x * FACTOR & MASK;
    return 2 * ((double)*x * 0x1p-46) - 1;
}

/** Pairs first to end - 1 of the sequence. */
static void count_pairs(uint64_t first, uint64_t end, struct tally *t)
{
    uint64_t state = skip(2 * first);
    *t = (struct tally){0};
    for (uint64_t i = first; i < end; i++) {
        double x = next(&state), y = next(&state), s = x * x + y * y;
        if (s > 1)
            continue;
        double scale = sqrt(-2 * log(s) / s);
        x *= scale;
        y *= scale;
        double larger = fmax(fabs(x), fabs(y));
        t->count[(int)fmin(larger, ANNULI - 1)]++;
        t->sx += x;
        t->sy += y;
    }
}

static void reduce(struct tally *t)
{
    t->sx = kernel_sum(t->sx);
    t->sy = kernel_sum(t->sy);
    for (int i = 0; i < ANNULI; i++)
        t->count[i] = kernel_sum(t->count[i]);
}

static bool near(double value, double expected)
{
    return fabs((value - expected) / expected) <= 1e-8; // the order of summing differs
}

/** Known sums, or a count by PE 0 alone. */
static bool verify(int m, const struct tally *t)
{
    for (size_t c = 0; c < sizeof classes / sizeof classes[0]; c++)
        if (classes[c].m == m) {
            if (shmem_my_pe() == 0)
                printf("compared with the published sums of m = %d\n", m);
            return near(t->sx, classes[c].sx) && near(t->sy, classes[c].sy);
        }
    if (shmem_my_pe() != 0)
        return true;
    struct tally alone;
    count_pairs(0, UINT64_C(1) << m, &alone);
    bool good = near(t->sx, alone.sx) && near(t->sy, alone.sy);
    for (int i = 0; i < ANNULI; i++)
        good = good && t->count[i] == alone.count[i];
    printf("compared with a serial count\n");
    return good;
}

int main(int argc, char **argv)
{
    long m = 24;
    const struct kernel_opt opts[] = {
        {"-m", 10, 40, &m, "logarithm (base 2) of the number of pairs"}};
    kernel_parse(argc, argv, "ep", opts, 1);
    shmem_init();
    uint64_t npairs = UINT64_C(1) << m, me = (uint64_t)shmem_my_pe(),
             npes = (uint64_t)shmem_n_pes();
    uint64_t part = npairs / npes, more = npairs % npes; // the first `more` PEs take one pair more
    uint64_t first = me * part + (me < more ? me : more);
    struct tally t;
    shmem_barrier_all();
    double start = kernel_seconds();
    count_pairs(first, first + part + (me < more), &t);
    reduce(&t);
    double seconds = kernel_max(kernel_seconds() - start);
    if (me == 0)
        printf("2^%ld pairs, sums %.12e %.12e\n", m, t.sx, t.sy);
    return kernel_end("ep", verify((int)m, &t), seconds, (double)npairs / seconds / 1e6, "Mpair/s");
}
