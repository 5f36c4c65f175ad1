// SPDX-License-Identifier: BSD-3-Clause
//
// Does the MPI execute atomics on windows as it should? Some do not: that of Debian 12's Open MPI
// takes logical operations for others, and its compare-and-swap on the own process ends in a
// signal. So each unit tries all operations on a word of the next unit before programs do.
#include <string.h>

#include "base/error.h"
#include "dart/memory.h"
#include "dart/op.h"
#include "dart/type.h"
#include "dart/windows/access.h"

enum { OPS = 12, MOST = 16 };  // MOST: bytes of an element
static const dart_operation_t ops[OPS] = {
    DART_OP_MIN, DART_OP_MAX, DART_OP_SUM,  DART_OP_PROD, DART_OP_BAND,    DART_OP_LAND,
    DART_OP_BOR, DART_OP_LOR, DART_OP_BXOR, DART_OP_LXOR, DART_OP_REPLACE, DART_OP_NO_OP};
static const dart_datatype_t types[] = {DART_TYPE_INT, DART_TYPE_LONG, DART_TYPE_DOUBLE,
                                        DART_TYPE_LONG_DOUBLE};

static bool have_atomics;

bool drt_windows_have_atomics(void)
{
    return have_atomics;
}

/** Elements of a type, one for each operation. */
typedef struct row {
    _Alignas(MOST) char bytes[OPS * MOST];
} row_t;

static void fill(dart_datatype_t type, int value, row_t *row)
{
    for (int i = 0; i < OPS; i++, value = value * 5 % 7)
        if (type == DART_TYPE_INT)
            ((int *)(void *)row)[i] = value;
        else if (type == DART_TYPE_LONG)
            ((long *)(void *)row)[i] = value;
        else if (type == DART_TYPE_DOUBLE)
            ((double *)(void *)row)[i] = value;
        else
            ((long double *)(void *)row)[i] = value;
}

static bool is_same(dart_datatype_t type, const char *a, const char *b)
{
    const size_t nbytes =
        type == DART_TYPE_LONG_DOUBLE ? 10 : drt_basic_nbytes[type];  // no padding
    return memcmp(a, b, nbytes) == 0;
}

/** Each operation on an element of its own at `at`: without and with the old value. */
static bool try_type(dart_datatype_t type, int pe, uint64_t at)
{
    const drt_mpi_plugin_t *mpi = drt_windows.plugin;
    const size_t each = drt_basic_nbytes[type];
    row_t expected, operand, old, now;
    fill(type, 3, &expected);
    fill(type, 2, &operand);
    memset(&old, 0, sizeof old);
    bool good = mpi->put(pe, at, &expected, OPS * each) == 0 && mpi->flush(pe, false) == 0;
    for (int twice = 0; twice < 2 && good; twice++) {
        row_t before = expected;
        for (int i = 0; i < OPS && good; i++) {
            const drt_mpi_kind_t kind = {type, (int)ops[i]};
            const size_t k = (size_t)i * each;
            const cw_reduce_fn fn = drt_op_fn(type, ops[i]);
            if (!fn || (!twice && ops[i] == DART_OP_NO_OP))
                continue;
            fn(expected.bytes + k, operand.bytes + k, 1);
            good = (twice ? mpi->fetch(pe, at + k, operand.bytes + k, old.bytes + k, kind)
                          : mpi->accumulate(pe, at + k, operand.bytes + k, 1, kind)) == 0;
        }
        good = good && mpi->flush(pe, false) == 0 && mpi->get(pe, at, &now, OPS * each) == 0 &&
               mpi->flush(pe, false) == 0;
        for (int i = 0; i < OPS && good; i++) {
            const size_t k = (size_t)i * each;
            good = is_same(type, now.bytes + k, expected.bytes + k) &&
                   (!twice || !drt_op_fn(type, ops[i]) ||
                    is_same(type, old.bytes + k, before.bytes + k));
        }
    }
    return good;
}

/** One exchange that finds what it expects, and one that does not. */
static bool try_exchange(int pe, uint64_t at)
{
    const drt_mpi_plugin_t *mpi = drt_windows.plugin;
    const int was[2] = {5, 6}, new[2] = {7, 8}, five = 5;
    int old[2] = {0, 0}, now[2] = {0, 0};
    bool good = mpi->put(pe, at, was, sizeof was) == 0 && mpi->flush(pe, false) == 0;
    for (size_t i = 0; i < 2 && good; i++)
        good = mpi->exchange(pe, at + i * sizeof five, &new[i], &five, &old[i], DART_TYPE_INT) == 0;
    good = good && mpi->flush(pe, false) == 0 && mpi->get(pe, at, now, sizeof now) == 0 &&
           mpi->flush(pe, false) == 0;
    return good && old[0] == 5 && old[1] == 6 && now[0] == 7 && now[1] == 6;
}

void drt_windows_judge(const drt_team_t *all)
{
    const drt_segment_t *pool = all->segments->of[0];
    const int pe = (cw_world.pe + 1) % cw_world.npes;
    char *block = drt_own_alloc(sizeof(row_t));  // the first: at one place on all units
    const uint64_t at = (uintptr_t)pool->far[pe] + (uint64_t)(block - pool->own);
    uint64_t good = 1, judgement[cw_world.npes];
    for (size_t i = 0; i < sizeof types / sizeof *types && good; i++)
        good = try_type(types[i], pe, at);
    good = good && try_exchange(pe, at);
    drt_exchange(all->group, &good, 1, judgement);
    have_atomics = true;
    for (int i = 0; i < cw_world.npes; i++)
        have_atomics = have_atomics && judgement[i];
    drt_own_release(block);
    if (!have_atomics && cw_world.pe == 0)
        cwu_debug("CAUSEWAY_DART_MEMORY=windows: %s executes atomics on dynamic windows wrongly; "
                  "each unit's are executed one by one instead, by gets and puts under its lock",
                  drt_windows.facts.library);
}
