// SPDX-License-Identifier: BSD-3-Clause
//
// Atomic subroutines, on integers and logicals of 4 and 8 bytes.
#include "caf/event.h"
#include "caf/gfortran/gft.h"
#include "caf/gone.h"

/** Operations by the numbers that the compiler passes. */
enum { ADD = 1, AND, OR, XOR };

GFT_API void _gfortran_caf_atomic_define(gft_token_t token, size_t offset, int image, void *value,
                                         int *stat, int type, int kind);
GFT_API void _gfortran_caf_atomic_ref(gft_token_t token, size_t offset, int image, void *value,
                                      int *stat, int type, int kind);
GFT_API void _gfortran_caf_atomic_cas(gft_token_t token, size_t offset, int image, void *old,
                                      void *compare, void *new, int *stat, int type, int kind);
GFT_API void _gfortran_caf_atomic_op(int op, gft_token_t token, size_t offset, int image,
                                     void *value, void *old, int *stat, int type, int kind);

static uint64_t load(const void *value, int kind)
{
    return kind == 4 ? *(const uint32_t *)value : *(const uint64_t *)value;
}

static void store(void *value, uint64_t bits, int kind)
{
    if (kind == 4)
        *(uint32_t *)value = (uint32_t)bits;
    else
        *(uint64_t *)value = bits;
}

/** The place of the atomic. False: reported. */
static bool find(const char *call, int *stat, gft_token_t token, size_t offset, int image, int kind,
                 int *pe_p, void **addr_p)
{
    const caf_status_t status = gft_status(stat, NULL, 0);
    if (kind != 4 && kind != 8)
        caf_fatal(call, "an atom has %d bytes, and may have 4 or 8", kind);
    if (!gft_find_or_own(&status, call, token, offset, image, pe_p, addr_p))
        return false;
    caf_succeed_at(&status, *pe_p);
    return true;
}

void _gfortran_caf_atomic_define(gft_token_t token, size_t offset, int image, void *value,
                                 int *stat, int type, int kind)
{
    GFT_ENTER();
    int pe;
    void *addr;
    (void)type;
    if (find("atomic_define", stat, token, offset, image, kind, &pe, &addr))
        caf_atomic(addr, CW_AMO_SWAP, (size_t)kind, load(value, kind), 0, pe);
}

void _gfortran_caf_atomic_ref(gft_token_t token, size_t offset, int image, void *value, int *stat,
                              int type, int kind)
{
    GFT_ENTER();
    int pe;
    void *addr;
    (void)type;
    if (!find("atomic_ref", stat, token, offset, image, kind, &pe, &addr))
        return;
    store(value, caf_atomic(addr, CW_AMO_FETCH, (size_t)kind, 0, 0, pe), kind);
}

void _gfortran_caf_atomic_cas(gft_token_t token, size_t offset, int image, void *old, void *compare,
                              void *new, int *stat, int type, int kind)
{
    GFT_ENTER();
    int pe;
    void *addr;
    (void)type;
    if (find("atomic_cas", stat, token, offset, image, kind, &pe, &addr))
        store(
            old,
            caf_atomic(addr, CW_AMO_CSWAP, (size_t)kind, load(new, kind), load(compare, kind), pe),
            kind);
}

void _gfortran_caf_atomic_op(int op, gft_token_t token, size_t offset, int image, void *value,
                             void *old, int *stat, int type, int kind)
{
    GFT_ENTER();
    static const cw_amo_op_t ops[] = {
        [ADD] = CW_AMO_ADD, [AND] = CW_AMO_AND, [OR] = CW_AMO_OR, [XOR] = CW_AMO_XOR};
    int pe;
    void *addr;
    (void)type;
    if (op < ADD || op > XOR)
        caf_fatal("an atomic subroutine", "operation %d is none", op);
    if (!find("an atomic subroutine", stat, token, offset, image, kind, &pe, &addr))
        return;
    if (old)
        store(old, caf_atomic(addr, ops[op], (size_t)kind, load(value, kind), 0, pe), kind);
    else
        caf_atomic(addr, ops[op], (size_t)kind, load(value, kind), 0, pe);
}
