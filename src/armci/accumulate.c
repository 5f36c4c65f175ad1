// SPDX-License-Identifier: BSD-3-Clause
//
// Accumulates, contiguous, strided and vectors (core/bulk/accumulate.h). Within the node they are
// done when the call returns; elsewhere the node server adds what travels in requests. The source
// is never in use behind the call, so the forms with a handle are the same, and leave it as it is.
#include "armci/device.h"
#include "armci/far.h"
#include "armci/section.h"
#include "core/bulk/accumulate.h"

typedef struct accumulate {
    aci_op_t op;
    cwu_number_t type;
    size_t size;  // bytes of a number
    bool far;
    cw_accumulate_t core;
} accumulate_t;

static cwu_number_t type_of(const aci_op_t *op, int type)
{
    switch (type) {
    case ARMCI_ACC_INT:
        return CW_INT32;
    case ARMCI_ACC_LNG:
        return sizeof(long) == 8 ? CW_INT64 : CW_INT32;
    case ARMCI_ACC_FLT:
        return CW_FLOAT;
    case ARMCI_ACC_DBL:
        return CW_DOUBLE;
    case ARMCI_ACC_CPL:
        return CW_COMPLEX_FLOAT;
    case ARMCI_ACC_DCP:
        return CW_COMPLEX_DOUBLE;
    default:
        aci_fail(op->call, "type %d, to process %d; there are ARMCI_ACC_INT (%d) to ARMCI_ACC_LNG",
                 type, op->proc, ARMCI_ACC_INT);
    }
}

/** What all forms have; the process was checked. */
static void describe(accumulate_t *a, const char *call, int type, const void *scale, int proc)
{
    a->op = (aci_op_t){.call = call, .proc = proc, .put = true};
    a->type = type_of(&a->op, type);
    a->size = cwu_number_size(a->type);
    if (CW_UNLIKELY(!scale))
        aci_fail(call, "scale is NULL, to process %d", proc);
    a->far = aci_is_far(proc);
}

static void check(accumulate_t *a, const char *call, int type, const void *scale, int proc)
{
    aci_check_proc(call, proc);
    describe(a, call, type, scale, proc);
}

static void check_count(const accumulate_t *a, const char *what, intptr_t nbytes)
{
    if (CW_UNLIKELY(cwu_number_splits((uint64_t)nbytes, a->type)))
        aci_fail(a->op.call, "%s of %lld bytes, to process %d, is no whole number of %zu", what,
                 (long long)nbytes, a->op.proc, a->size);
}

/** A piece's destination was checked. */
static CW_ALWAYS_INLINE void add(accumulate_t *a, void *dst, const void *src, size_t nbytes)
{
    cw_accumulate_add(&a->core, cw_owner_symmetric(&aci_owner, (uint32_t)a->op.proc, dst), src,
                      nbytes);
}

static CW_ALWAYS_INLINE void begin(accumulate_t *a, const void *scale, size_t total)
{
    if (a->far) {
        aci_behind_lists(a->op.proc);
        aci_before_request(a->op.proc);
        cw_bundles_pass();
    }
    cw_accumulate_begin(&a->core, &cw_ctx_default, a->type, scale, a->op.proc, total);
}

static CW_ALWAYS_INLINE int end(accumulate_t *a)
{
    cw_accumulate_end(&a->core);
    if (a->far)
        aci_mark(a->op.proc, ACI_REQUESTS);
    return 0;
}

// ---------------------------------------------------------------- contiguous
#define COLLECTED_MOST 256u

/** The products of a small one, as one of many. */
static CW_NOINLINE bool collect(const accumulate_t *a, const void *scale, const void *src,
                                void *dst, size_t nbytes)
{
    uint64_t product[COLLECTED_MOST / sizeof(uint64_t)];
    int proc = a->op.proc;
    if (nbytes > COLLECTED_MOST)
        return false;
    uintptr_t word = cw_owner_find_word(&aci_owner, (uint32_t)proc);
    cwt_target_t *record = aci_record_of(word, proc, dst, nbytes);
    if (!record) {
        cw_owner_reach(&aci_owner, (uint32_t)proc);  // accumulates do not
        return false;
    }
    aci_before_write(proc, dst, nbytes);
    if (!cwu_number_is_one(a->type, scale)) {
        cwu_numbers_scale(a->type, scale, product, src, nbytes);
        src = product;
    }
    return aci_collect_write(record, proc, dst, CW_BATCH_ADD + (unsigned)cwu_number_part(a->type),
                             src, nbytes);
}

/** Done, where memory of a device takes part. */
static CW_COLD bool add_by_device(const accumulate_t *a, const void *scale, const void *src,
                                  void *dst, size_t nbytes)
{
    cwu_section_t s;
    cwu_section_begin(&s, (uintptr_t)dst, (uintptr_t)src, nbytes, nbytes > 0);
    cwu_section_end(&s);
    return aci_device_accumulate(&a->op, a->type, scale, &s);
}

static int contiguous(const char *call, int type, void *scale, void *src, void *dst, intptr_t bytes,
                      int proc)
{
    accumulate_t a;
    aci_check_transfer(call, proc, dst, src, bytes);
    describe(&a, call, type, scale, proc);
    check_count(&a, "the block", bytes);
    if (CW_UNLIKELY(aci.devices) && add_by_device(&a, scale, src, dst, (size_t)bytes))
        return 0;
    if (bytes == 0 ||
        (a.far && aci_is_one_of_many() && collect(&a, scale, src, dst, (size_t)bytes)))
        return 0;
    begin(&a, scale, (size_t)bytes);
    if (a.far)
        aci_behind_gets(proc, dst, (size_t)bytes);
    add(&a, dst, src, (size_t)bytes);
    return end(&a);
}

ACI_API int PARMCI_Acc(int type, void *scale, void *src, void *dst, armci_size_t bytes, int proc)
{
    ACI_ENTER();
    aci_keep_put(proc, ACI_CALLER);
    return contiguous(aci_call(__func__), type, scale, src, dst, bytes, proc);
}
ACI_WEAK(ARMCI_Acc);

ACI_API int PARMCI_NbAcc(int type, void *scale, void *src, void *dst, armci_size_t bytes, int proc,
                         armci_hdl_t *hdl)
{
    ACI_ENTER_WITH(aci_watch_begins(__func__, hdl));
    (void)hdl;  // it is complete when it returns
    return contiguous(aci_call(__func__), type, scale, src, dst, bytes, proc);
}
ACI_WEAK(ARMCI_NbAcc);

// ---------------------------------------------------------------- strided
static void add_section(accumulate_t *a, const cwu_section_t *s)
{
    cwu_planes_t w;
    for (cwu_planes_begin(&w, s); w.more; cwu_planes_next(&w)) {
        void *dst = cw_owner_symmetric(&aci_owner, (uint32_t)a->op.proc, (void *)w.dst);
        cw_accumulate_add_rows(&a->core, dst, s->dst_stride[0], (const void *)w.src,
                               s->src_stride[0], s->row, s->n[0]);
    }
}

/** In checking mode, and where there are blocks on devices. True: it is done. */
static CW_COLD bool look_at(const accumulate_t *a, const void *scale, const cwu_section_t *s)
{
    size_t nbytes;
    if (aci.check) {
        aci_section_check_rows(a->op.call, a->op.proc, s);
        const void *local =
            (const void *)aci_section_extent(a->op.call, cw_world.pe, s, false, &nbytes);
        aci_check_local(a->op.call, local, nbytes);
    }
    return aci.devices && aci_device_accumulate(&a->op, a->type, scale, s);
}

static void move_section(accumulate_t *a, const void *scale, const cwu_section_t *s,
                         uintptr_t remote, size_t nbytes)
{
    begin(a, scale, s->row * s->rows);
    if (a->far)
        aci_behind_gets(a->op.proc, (const void *)remote, nbytes);
    add_section(a, s);
    end(a);
}

void aci_accumulate_section(const aci_op_t *op, cwu_number_t type, const void *scale,
                            const cwu_section_t *s)
{
    size_t nbytes;
    const uintptr_t remote = aci_section_extent(op->call, op->proc, s, true, &nbytes);
    accumulate_t a = {
        .op = *op, .type = type, .size = cwu_number_size(type), .far = aci_is_far(op->proc)};
    move_section(&a, scale, s, remote, nbytes);
}

static int strided(const char *call, int type, void *scale, void *src, int *src_stride, void *dst,
                   int *dst_stride, int *count, int levels, int proc)
{
    accumulate_t a;
    cwu_section_t s;
    size_t nbytes;
    check(&a, call, type, scale, proc);
    aci_section_make(&s, call, proc, src, src_stride, dst, dst_stride, count, levels);
    if (s.rows == 0)
        return 0;
    uintptr_t remote = aci_section_extent(call, proc, &s, true, &nbytes);
    aci_check_transfer(call, proc, (const void *)remote, ACI_NO_BUFFER, (intptr_t)nbytes);
    check_count(&a, "a row", count[0]);
    if (CW_UNLIKELY(aci.looks) && look_at(&a, scale, &s))
        return 0;
    move_section(&a, scale, &s, remote, nbytes);
    return 0;
}

ACI_API int PARMCI_AccS(int type, void *scale, void *src, int *src_stride, void *dst,
                        int *dst_stride, int *count, int levels, int proc)
{
    ACI_ENTER();
    aci_keep_put(proc, ACI_CALLER);
    return strided(aci_call(__func__), type, scale, src, src_stride, dst, dst_stride, count, levels,
                   proc);
}
ACI_WEAK(ARMCI_AccS);

ACI_API int PARMCI_NbAccS(int type, void *scale, void *src, int *src_stride, void *dst,
                          int *dst_stride, int *count, int levels, int proc, armci_hdl_t *hdl)
{
    ACI_ENTER_WITH(aci_watch_begins(__func__, hdl));
    (void)hdl;  // it is complete when it returns
    return strided(aci_call(__func__), type, scale, src, src_stride, dst, dst_stride, count, levels,
                   proc);
}
ACI_WEAK(ARMCI_NbAccS);

// ---------------------------------------------------------------- vectors
/** Where there are blocks on devices. */
static CW_COLD void one_by_one(accumulate_t *a, const void *scale, const armci_giov_t *iov,
                               int iov_len)
{
    for (int i = 0; i < iov_len; i++)
        for (int n = 0; iov[i].bytes > 0 && n < iov[i].ptr_array_len; n++) {
            const void *src = iov[i].src_ptr_array[n];
            void *dst = iov[i].dst_ptr_array[n];
            if (add_by_device(a, scale, src, dst, (size_t)iov[i].bytes))
                continue;
            begin(a, scale, (size_t)iov[i].bytes);
            if (a->far)
                aci_behind_gets(a->op.proc, dst, (size_t)iov[i].bytes);
            add(a, dst, src, (size_t)iov[i].bytes);
            end(a);
        }
}

static int vector(const char *call, int type, void *scale, armci_giov_t *iov, int iov_len, int proc)
{
    accumulate_t a;
    check(&a, call, type, scale, proc);
    if (aci_check_vector(&a.op, iov, iov_len) == 0)
        return 0;
    size_t total = 0;
    for (int i = 0; i < iov_len; i++) {
        total += (size_t)iov[i].ptr_array_len * (size_t)iov[i].bytes;
        check_count(&a, "a segment", iov[i].bytes);
    }
    if (CW_UNLIKELY(aci.devices)) {
        one_by_one(&a, scale, iov, iov_len);
        return 0;
    }
    begin(&a, scale, total);
    for (int i = 0; i < iov_len; i++)
        for (int n = 0; iov[i].bytes > 0 && n < iov[i].ptr_array_len; n++) {
            void *dst = iov[i].dst_ptr_array[n];
            if (a.far)
                aci_behind_gets(proc, dst, (size_t)iov[i].bytes);
            add(&a, dst, iov[i].src_ptr_array[n], (size_t)iov[i].bytes);
        }
    return end(&a);
}

ACI_API int PARMCI_AccV(int type, void *scale, armci_giov_t *iov, int iov_len, int proc)
{
    ACI_ENTER();
    aci_keep_put(proc, ACI_CALLER);
    return vector(aci_call(__func__), type, scale, iov, iov_len, proc);
}
ACI_WEAK(ARMCI_AccV);

ACI_API int PARMCI_NbAccV(int type, void *scale, armci_giov_t *iov, int iov_len, int proc,
                          armci_hdl_t *hdl)
{
    ACI_ENTER_WITH(aci_watch_begins(__func__, hdl));
    (void)hdl;  // it is complete when it returns
    return vector(aci_call(__func__), type, scale, iov, iov_len, proc);
}
ACI_WEAK(ARMCI_NbAccV);
