// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet-EX: arithmetic of the six types, for reductions and atomics domains. Atomics run in the
// one domain of atomicity of this library: CPU atomics, off the node executed by the node server
// (core/rma/amo.h), and on memory that only its owner reaches by that (far_atomics.c). Where they
// are the NIC's, which may lack minimum and floating-point sums, a compare-and-swap is repeated.
#include <stdlib.h>
#include <string.h>

#include "gex/gex.h"

struct gex_causeway_ad {
    gex_TM_t tm;
    gex_DT_t dt;
    gex_OP_t ops;
    gex_Flags_t flags;
    void *cdata;
};

size_t gex_dt_nbytes(gex_DT_t dt)
{
    return dt & (GEX_DT_I32 | GEX_DT_U32 | GEX_DT_FLT)   ? 4
           : dt & (GEX_DT_I64 | GEX_DT_U64 | GEX_DT_DBL) ? 8
                                                         : 0;
}

// ----------------------------------------------------------- out = out op in (all but SUB commute)
// `wide`: the type of the computation, in which integers wrap without undefined behaviour.
#define ARITHMETIC(type, wide, BITS)                                             \
    static type type##_op(gex_OP_t op, type a, type b)                           \
    {                                                                            \
        switch (op) {                                                            \
        case GEX_OP_ADD: return (type)((wide)a + (wide)b);                       \
        case GEX_OP_SUB: return (type)((wide)a - (wide)b);                       \
        case GEX_OP_MULT: return (type)((wide)a * (wide)b);                      \
        case GEX_OP_MIN: return a < b ? a : b;                                   \
        case GEX_OP_MAX: return a > b ? a : b;                                   \
        case GEX_OP_INC: return (type)((wide)a + 1);                             \
        case GEX_OP_DEC: return (type)((wide)a - 1);                             \
        case GEX_OP_SET: return b;                                               \
        default: return BITS(type, op, a, b);                                    \
        }                                                                        \
    }
#define WITH_BITS(type, op, a, b)          \
    (type)((op) == GEX_OP_AND   ? (a) & (b) \
           : (op) == GEX_OP_OR  ? (a) | (b) \
           : (op) == GEX_OP_XOR ? (a) ^ (b) \
                                : (a))
#define WITHOUT_BITS(type, op, a, b) (a)
ARITHMETIC(int32_t, uint32_t, WITH_BITS)
ARITHMETIC(uint32_t, uint32_t, WITH_BITS)
ARITHMETIC(int64_t, uint64_t, WITH_BITS)
ARITHMETIC(uint64_t, uint64_t, WITH_BITS)
ARITHMETIC(float, float, WITHOUT_BITS)
ARITHMETIC(double, double, WITHOUT_BITS)

#define APPLY(type)                                                \
    for (size_t i = 0; i < count; i++) {                           \
        type a, b;                                                 \
        memcpy(&a, (char *)out + i * sizeof a, sizeof a);          \
        memcpy(&b, (const char *)in + i * sizeof b, sizeof b);     \
        a = type##_op(op, a, b);                                   \
        memcpy((char *)out + i * sizeof a, &a, sizeof a);          \
    }

void gex_apply(gex_DT_t dt, gex_OP_t op, const void *in, void *out, size_t count)
{
    switch (dt) {
    case GEX_DT_I32:
        APPLY(int32_t) break;
    case GEX_DT_U32:
        APPLY(uint32_t) break;
    case GEX_DT_I64:
        APPLY(int64_t) break;
    case GEX_DT_U64:
        APPLY(uint64_t) break;
    case GEX_DT_FLT:
        APPLY(float) break;
    default:
        APPLY(double) break;
    }
}

// ---------------------------------------------------------------- domains
#define BITWISE (GEX_OP_AND | GEX_OP_OR | GEX_OP_XOR)
#define PLAIN_OPS ((gex_OP_t)(GEX_OP_CAS << 1) - 1)

GAS_API void gex_AD_Create(gex_AD_t *ad_p, gex_TM_t tm, gex_DT_t dt, gex_OP_t ops,
                           gex_Flags_t flags)
{
    gex_check_team(__func__, tm);
    bool real = dt & (GEX_DT_FLT | GEX_DT_DBL);
    if (gex_dt_nbytes(dt) == 0 || (dt & (dt - 1)))
        gas_fail(__func__, "type %#x is not one of GEX_DT_I32, U32, I64, U64, FLT, DBL", dt);
    if (!ops || ops & ~((gex_OP_t)GEX_OP_GET | PLAIN_OPS | GEX_OP_TO_FETCHING(PLAIN_OPS)) ||
        (real && ops & (BITWISE | GEX_OP_TO_FETCHING(BITWISE))))
        gas_fail(__func__, "operations %#x are not all possible with type %#x", ops, dt);
    gex_AD_t ad = malloc(sizeof *ad);
    if (!ad)
        cwu_fatal("gex_AD_Create: out of memory");
    *ad = (struct gex_causeway_ad){.tm = tm, .dt = dt, .ops = ops, .flags = flags};
    gex_object_add(GEX_DOMAIN, ad, __func__, GEX_CALLER);
    *ad_p = ad;
    if (CW_UNLIKELY(gex.agrees) && tm->size > 1)
        gex_agree(__func__, tm, GEX_CLAIM_NONE, GEX_CLAIM_NONE, dt, ops);
    gex_coll_barrier(tm);
}

GAS_API void gex_AD_Destroy(gex_AD_t ad)
{
    gex_want(__func__, GEX_DOMAIN, ad);
    gas_enter(__func__);
    gex_agree_call(__func__, ad->tm);
    gex_coll_barrier(ad->tm);
    gex_object_free(GEX_DOMAIN, ad);
    free(ad);
}

GAS_API gex_DT_t gex_AD_QueryDT(gex_AD_t ad)
{
    gex_want(__func__, GEX_DOMAIN, ad);
    return ad->dt;
}

GAS_API gex_OP_t gex_AD_QueryOps(gex_AD_t ad)
{
    gex_want(__func__, GEX_DOMAIN, ad);
    return ad->ops;
}

GAS_API gex_TM_t gex_AD_QueryTM(gex_AD_t ad)
{
    gex_want(__func__, GEX_DOMAIN, ad);
    return ad->tm;
}

GAS_API gex_Flags_t gex_AD_QueryFlags(gex_AD_t ad)
{
    gex_want(__func__, GEX_DOMAIN, ad);
    return ad->flags;
}

GAS_API void *gex_AD_QueryCData(gex_AD_t ad)
{
    gex_want(__func__, GEX_DOMAIN, ad);
    return ad->cdata;
}

GAS_API void gex_AD_SetCData(gex_AD_t ad, const void *cdata)
{
    gex_want(__func__, GEX_DOMAIN, ad);
    ad->cdata = (void *)(uintptr_t)cdata;
}

// ---------------------------------------------------------------- operations
typedef struct target {
    const char *call;
    char *addr;  // symmetric; of the owner if it is far
    int pe;
    size_t nbytes;
    bool far;
} target_t;

static uint64_t bits_of(const void *value, size_t nbytes)
{
    uint32_t half;
    uint64_t whole;
    if (nbytes == 8)
        return memcpy(&whole, value, 8), whole;
    return memcpy(&half, value, 4), half;
}

static void set_bits(void *value, uint64_t bits, size_t nbytes)
{
    uint32_t half = (uint32_t)bits;
    if (nbytes == 8)
        memcpy(value, &bits, 8);
    else
        memcpy(value, &half, 4);
}

static uint64_t fetching(const target_t *t, cw_amo_op_t op, uint64_t operand, uint64_t compare)
{
    if (t->far)
        return gex_far_atomic(t->call, (uint32_t)t->pe, t->addr, op, t->nbytes, operand, compare);
    return cw_amo_fetching(&cw_ctx_default, t->addr, op, t->nbytes, operand, compare, t->pe);
}

/** The CPU's operation for it, with its operand; false: there is none. */
static bool native(gex_DT_t dt, gex_OP_t op, uint64_t *operand_p, cw_amo_op_t *amo_p)
{
    bool real = dt & (GEX_DT_FLT | GEX_DT_DBL);
    switch (op) {
    case GEX_OP_SET:
        *amo_p = CW_AMO_SWAP;
        return true;
    case GEX_OP_AND:
        *amo_p = CW_AMO_AND;
        return true;
    case GEX_OP_OR:
        *amo_p = CW_AMO_OR;
        return true;
    case GEX_OP_XOR:
        *amo_p = CW_AMO_XOR;
        return true;
    case GEX_OP_ADD:
        break;
    case GEX_OP_SUB:
        *operand_p = 0 - *operand_p;
        break;
    case GEX_OP_INC:
        *operand_p = 1;
        break;
    case GEX_OP_DEC:
        *operand_p = (uint64_t)-1;
        break;
    default:
        return false;
    }
    *amo_p = CW_AMO_ADD;
    return !real;
}

/** The one that is computed where the word lies, with its operand. */
static cw_amo_op_t computed(gex_DT_t dt, gex_OP_t op, uint64_t *operand_p)
{
    bool real = dt & (GEX_DT_FLT | GEX_DT_DBL), natural = dt & (GEX_DT_U32 | GEX_DT_U64);
    size_t nbytes = gex_dt_nbytes(dt);
    uint64_t step = 0;
    switch (op) {
    case GEX_OP_MULT:
        return real ? CW_AMO_FMULT : CW_AMO_MULT;
    case GEX_OP_MIN:
        return real ? CW_AMO_FMIN : natural ? CW_AMO_UMIN : CW_AMO_MIN;
    case GEX_OP_MAX:
        return real ? CW_AMO_FMAX : natural ? CW_AMO_UMAX : CW_AMO_MAX;
    case GEX_OP_ADD:
        break;
    case GEX_OP_SUB:
        *operand_p ^= UINT64_C(1) << (8 * nbytes - 1);  // the sign
        break;
    default:  // what INC and DEC make of zero
        gex_apply(dt, op, &step, &step, 1);
        *operand_p = bits_of(&step, nbytes);
    }
    return CW_AMO_FADD;
}

/** Returns the old value. op: without fetching. */
static uint64_t modify(const target_t *t, gex_DT_t dt, gex_OP_t op, uint64_t operand1,
                       uint64_t operand2)
{
    cw_amo_op_t amo;
    uint64_t operand = operand1;
    if (op == GEX_OP_CAS)
        return fetching(t, CW_AMO_CSWAP, operand2, operand1);
    if (native(dt, op, &operand, &amo))
        return fetching(t, amo, operand, 0);
    if (t->far || !cw_world.nic_atomics) {
        operand = operand1;
        amo = computed(dt, op, &operand);
        return fetching(t, amo, operand, 0);
    }
    uint64_t in, out, old = fetching(t, CW_AMO_FETCH, 0, 0), seen;
    set_bits(&in, operand1, t->nbytes);
    for (;; old = seen) {
        set_bits(&out, old, t->nbytes);
        gex_apply(dt, op, &in, &out, 1);
        seen = fetching(t, CW_AMO_CSWAP, bits_of(&out, t->nbytes), old);
        if (t->nbytes == 4 ? (uint32_t)seen == (uint32_t)old : seen == old)
            return old;
    }
}

/** Memory that only its owner reaches. */
static bool may_be_far(uint32_t pe, const void *addr, size_t nbytes)
{
    uintptr_t begin, size;
    if (gas.segments == GAS_EVERYTHING)
        return addr != NULL;
    if (!gex_has_far_primary() || !gex_find_segment(pe, 0, &begin, &size))
        return false;
    uintptr_t at = (uintptr_t)addr - begin;
    return at < size && nbytes <= size - at;
}

/** In checking mode. */
static CW_NOINLINE CW_COLD void check_target(const char *call, gex_AD_t ad, gex_TM_t names,
                                             gex_Rank_t rank, uint32_t pe, const void *addr,
                                             size_t nbytes)
{
    if (gex_TM_TranslateJobrankToRank(ad->tm, pe) == GEX_RANK_INVALID)
        gas_fail(call, "rank %u of the job is no member of the domain's team", pe);
    gex_check_remote(call, names, rank, pe, addr, nbytes);
}

static target_t target_of(const char *call, gex_AD_t ad, gex_DT_t dt, gex_Rank_t rank, void *addr,
                          gex_OP_t op, gex_Flags_t flags)
{
    gex_want(call, GEX_DOMAIN, ad);
    if (CW_UNLIKELY(gas.check))
        gas_check_life(call);
    if (CW_UNLIKELY(ad->dt != dt || !(ad->ops & op) || (op & (op - 1))))
        gas_fail(call,
                 "the domain was created for type %#x and operations %#x, not for type %#x and "
                 "operation %#x",
                 ad->dt, ad->ops, dt, op);
    gex_TM_t names = flags & GEX_FLAG_RANK_IS_JOBRANK ? &gex.world : ad->tm;
    uint32_t pe = gex_peer(call, names, rank);
    size_t nbytes = gex_dt_nbytes(dt);
    if (CW_UNLIKELY(gas.check))
        check_target(call, ad, names, rank, pe, addr, nbytes);
    bool near = gas_reaches(pe, addr, nbytes);
    if (CW_UNLIKELY((uintptr_t)addr % nbytes || (!near && !may_be_far(pe, addr, nbytes))))
        gas_fail(call, "%s is not an aligned address in the segment of rank %u",
                 cw_at_of((int)pe, addr, nbytes), rank);
    return (target_t){call, near ? cw_owner_symmetric(&gas_owner, pe, addr) : addr, (int)pe, nbytes,
                      !near};
}

/** As the client calls it. */
static const char *name_of(gex_DT_t dt, bool implicit)
{
    switch (dt) {
    case GEX_DT_I32:
        return implicit ? "gex_AD_OpNBI_I32" : "gex_AD_OpNB_I32";
    case GEX_DT_U32:
        return implicit ? "gex_AD_OpNBI_U32" : "gex_AD_OpNB_U32";
    case GEX_DT_I64:
        return implicit ? "gex_AD_OpNBI_I64" : "gex_AD_OpNB_I64";
    case GEX_DT_U64:
        return implicit ? "gex_AD_OpNBI_U64" : "gex_AD_OpNB_U64";
    case GEX_DT_FLT:
        return implicit ? "gex_AD_OpNBI_FLT" : "gex_AD_OpNB_FLT";
    default:
        return implicit ? "gex_AD_OpNBI_DBL" : "gex_AD_OpNB_DBL";
    }
}

static CW_NOINLINE gex_Event_t operate(gex_AD_t ad, gex_DT_t dt, void *result, gex_Rank_t rank,
                                       void *addr, gex_OP_t op, const void *operand1,
                                       const void *operand2, gex_Flags_t flags, int implicit)
{
    const char *call = name_of(dt, implicit);
    target_t t = target_of(call, ad, dt, rank, addr, op, flags);
    if (!t.far)
        cw_owner_find_word(&gas_owner, (uint32_t)t.pe);  // a mapped one's: the next one is short
    uint64_t a = bits_of(operand1, t.nbytes), b = bits_of(operand2, t.nbytes), operand = a;
    bool fetches = op == GEX_OP_GET || op > PLAIN_OPS;
    cw_amo_op_t amo;
    uintptr_t here;
    if (fetches && !result)
        gas_fail(call, "operation %#x fetches, but there is no place for the result", op);
    if (CW_UNLIKELY(gas.check) && fetches)
        cw_check_buffer(call, "result_p", result, t.nbytes);
    if (op == GEX_OP_GET) {
        set_bits(result, fetching(&t, CW_AMO_FETCH, 0, 0), t.nbytes);
    } else if (fetches) {
        set_bits(result, modify(&t, dt, GEX_OP_TO_NONFETCHING(op), a, b), t.nbytes);
    } else if (implicit && !t.far && !(flags & (GEX_FLAG_AD_ACQ | GEX_FLAG_AD_REL)) &&
               op != GEX_OP_CAS && native(dt, op, &operand, &amo)) {
        // Sent without a wait; gex_NBI_Wait completes it, and gex_NBI_Test sees it, as puts.
        cw_amo_posting(&cw_ctx_default, t.addr, amo == CW_AMO_SWAP ? CW_AMO_SET : amo, t.nbytes,
                       operand, t.pe);
        if (!cw_amo_is_here(&cw_ctx_default, t.pe, &here))
            cw_implicit_issued();
    } else {
        modify(&t, dt, op, a, b);
    }
    return GEX_EVENT_INVALID;
}

/** A word of the team of all that is mapped here, where nothing needs to be woken, reported or
 *  checked. False: operate() must do it. */
static bool find_here(gex_AD_t ad, gex_DT_t dt, gex_Rank_t rank, void *addr, gex_OP_t op,
                      size_t nbytes, void **word_p)
{
    uintptr_t word, atomic;
    uint64_t offset;
    if ((uintptr_t)ad < gex_doubtful || ad->dt != dt || !(ad->ops & op) || ad->tm != &gex.world ||
        !cw_owner_is_fast(&gas_owner, rank, &word) || !cw_owner_is_plain(word) ||
        !cw_amo_is_here(&cw_ctx_default, (int)rank, &atomic) || ((uintptr_t)addr & (nbytes - 1)) ||
        !cw_owner_find_offset(&gas_owner, rank, addr, nbytes, true, &offset))
        return false;
    *word_p = cw_local_address(word, addr);
    return true;
}

/** The usual operations on integers are done at once where the word is mapped here. */
GAS_API gex_Event_t gex_causeway_ad_op(gex_AD_t ad, gex_DT_t dt, void *result, gex_Rank_t rank,
                                       void *addr, gex_OP_t op, const void *operand1,
                                       const void *operand2, gex_Flags_t flags, int implicit)
{
    const size_t nbytes = dt & (GEX_DT_I64 | GEX_DT_U64) ? 8 : 4;
    void *word;
    if (CW_UNLIKELY(dt & (GEX_DT_FLT | GEX_DT_DBL)) || (op > PLAIN_OPS && !result) ||
        !find_here(ad, dt, rank, addr, op, nbytes, &word))
        return operate(ad, dt, result, rank, addr, op, operand1, operand2, flags, implicit);
    const uint64_t a = bits_of(operand1, nbytes);
    switch (op) {
    case GEX_OP_FADD:
        set_bits(result, cw_amo_local(word, CW_AMO_ADD, nbytes, a, 0), nbytes);
        break;
    case GEX_OP_ADD:
        cw_amo_local(word, CW_AMO_ADD, nbytes, a, 0);
        break;
    case GEX_OP_GET:
        set_bits(result, cw_amo_local(word, CW_AMO_FETCH, nbytes, 0, 0), nbytes);
        break;
    case GEX_OP_SET:
        cw_amo_local(word, CW_AMO_SWAP, nbytes, a, 0);
        break;
    case GEX_OP_FCAS:
        set_bits(result, cw_amo_local(word, CW_AMO_CSWAP, nbytes, bits_of(operand2, nbytes), a),
                 nbytes);
        break;
    default:
        return operate(ad, dt, result, rank, addr, op, operand1, operand2, flags, implicit);
    }
    return GEX_EVENT_INVALID;
}
