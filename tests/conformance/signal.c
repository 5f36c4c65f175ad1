// SPDX-License-Identifier: BSD-3-Clause
//
// Put with signal: a PE that sees the signal sees the data, for every type, size and form; signals
// alone.
#include "check.h"

#define MOST 5000

static _Alignas(16) unsigned char dest[MOST * 16], source[MOST * 16];
static uint64_t sig, ready;
static uint64_t round_no;

static unsigned char byte_of(int pe, size_t i)
{
    return (unsigned char)(pe * 37 + i * 3 + round_no * 17);
}

static void begin(size_t nbytes)
{
    round_no++;
    for (size_t i = 0; i < nbytes; i++)
        source[i] = byte_of(me, i);
    memset(dest, 0xEE, nbytes + 1);
    shmem_signal_set(&ready, round_no, prev);  // prev may write this PE's dest
    shmem_signal_wait_until(&ready, SHMEM_CMP_EQ, round_no);
}

/** Waits for the signal only: no barrier, no quiet of the sender. */
static void end(const char *call, size_t nbytes, uint64_t expected)
{
    uint64_t seen = shmem_signal_wait_until(&sig, SHMEM_CMP_EQ, expected);
    CHECK(seen == expected, "%s: the wait returned %lu", call, (unsigned long)seen);
    CHECK(shmem_signal_fetch(&sig) == expected, "%s: the signal is %lu", call,
          (unsigned long)shmem_signal_fetch(&sig));
    size_t i = 0;
    while (i < nbytes && dest[i] == byte_of(prev, i))
        i++;
    CHECK(i == nbytes, "%s: byte %zu of %zu is not there though the signal is", call, i, nbytes);
    CHECK(dest[nbytes] == 0xEE, "%s wrote behind the end", call);
    shmem_quiet();  // before source changes: the nonblocking forms still read it
}

// The signal counts: set to n * 10, then add 3.
#define FORMS(NAME, SIZE, NELEMS)                                                             \
    begin((NELEMS) * (SIZE));                                                                 \
    shmem_##NAME((void *)dest, (void *)source, NELEMS, &sig, round_no * 10, SHMEM_SIGNAL_SET, \
                 next);                                                                       \
    end("shmem_" #NAME, (NELEMS) * (SIZE), round_no * 10);                                    \
    begin((NELEMS) * (SIZE));                                                                 \
    shmem_ctx_##NAME(SHMEM_CTX_DEFAULT, (void *)dest, (void *)source, NELEMS, &sig, 3,        \
                     SHMEM_SIGNAL_ADD, next);                                                 \
    end("shmem_ctx_" #NAME, (NELEMS) * (SIZE), (round_no - 1) * 10 + 3);

#define BOTH(NAME, SIZE, NELEMS) FORMS(NAME, SIZE, NELEMS) FORMS(NAME##_nbi, SIZE, NELEMS)
#define TYPED(N, T) BOTH(N##_put_signal, sizeof(T), 7) BOTH(N##_put_signal, sizeof(T), MOST - 1)
#define SIZED(S) BOTH(put##S##_signal, S / 8, 5) BOTH(put##S##_signal, S / 8, MOST - 1)

static void typed(void)
{
    RMA_TYPES(TYPED)
}

static void sized(void)
{
    SIZES(SIZED)
    BOTH(putmem_signal, 1, 1)
    BOTH(putmem_signal, 1, MOST)
    BOTH(putmem_signal, 1, 0)
}

/** Signals of all PEs to one word add up. */
static void signals_alone(void)
{
    static uint64_t sum;
    sum = 0;
    shmem_barrier_all();
    for (int i = 0; i < 100; i++) {
        shmem_signal_add(&sum, 2, 0);
        shmem_ctx_signal_add(SHMEM_CTX_DEFAULT, &sum, 1, 0);
    }
    if (me == 0)
        shmem_signal_wait_until(&sum, SHMEM_CMP_GE, 300 * (uint64_t)npes);
    shmem_barrier_all();
    if (me == 0)
        CHECK(sum == 300 * (uint64_t)npes, "signals add up to %lu", (unsigned long)sum);
    shmem_barrier_all();
    shmem_ctx_signal_set(SHMEM_CTX_DEFAULT, &sum, UINT64_MAX, next);
    CHECK(shmem_signal_wait_until(&sum, SHMEM_CMP_EQ, UINT64_MAX) == UINT64_MAX,
          "the largest signal");
}

int main(void)
{
    check_begin();
    shmem_barrier_all();
    typed();
    sized();
    shmem_barrier_all();
    signals_alone();
    return check_end();
}
