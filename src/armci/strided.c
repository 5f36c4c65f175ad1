// SPDX-License-Identifier: BSD-3-Clause
//
// Strided transfers, puts with a flag behind them, and copies between a section and a buffer.
#include "armci/section.h"

#include "armci/device.h"
#include "armci/far.h"
#include "core/mem/copy.h"
#include "core/rma/amo.h"

/** Makes the section, and checks that its remote side can be reached. */
static void make(cwu_section_t *s, const aci_op_t *op, void *src, int *src_stride, void *dst,
                 int *dst_stride, int *count, int levels)
{
    size_t nbytes;
    aci_check_proc(op->call, op->proc);
    aci_section_make(s, op->call, op->proc, src, src_stride, dst, dst_stride, count, levels);
    if (s->rows == 0)
        return;
    uintptr_t remote = aci_section_extent(op->call, op->proc, s, op->put, &nbytes);
    aci_check_transfer(op->call, op->proc, (const void *)remote, ACI_NO_BUFFER, (intptr_t)nbytes);
}

/** In checking mode, and where there are blocks on devices. True: it is done. */
static CW_COLD bool look_at(const aci_op_t *op, const cwu_section_t *s)
{
    size_t nbytes;
    if (aci.check && s->rows > 0) {
        const void *local =
            (const void *)aci_section_extent(op->call, cw_world.pe, s, !op->put, &nbytes);
        aci_section_check_rows(op->call, op->proc, s);
        aci_check_local(op->call, local, nbytes);
    }
    return aci.devices && aci_device_section(op, s);
}

static void move_near(const aci_op_t *op, const cwu_section_t *s, uintptr_t word)
{
    uintptr_t delta = word & ~(uintptr_t)3;
    cw_copy_section(s, op->put ? delta : 0, op->put ? 0 : delta);
    if (!op->put)
        cw_get_done();
    else if (!cw_owner_is_plain(word))
        cw_local_stored(op->proc);
}

/** True: local memory is in use. */
static bool move_far(const aci_op_t *op, const cwu_section_t *s)
{
    aci_far_t f;
    aci_far_begin(&f, op->call, op->proc, op->put, s->rows > 1 ? s->row * s->rows : 0);
    aci_far_section(&f, s, !op->nb);
    if (op->nb)
        return aci_far_end(&f);
    aci_far_complete(&f);
    return false;
}

int aci_move_section(const aci_op_t *op, const cwu_section_t *s)
{
    bool in_use = false;
    uintptr_t word = cw_owner_find_word(&aci_owner, (uint32_t)op->proc);
    if (cw_owner_is_mapped(word)) {
        move_near(op, s, word);
    } else if (aci_collects(op)) {
        aci_collect_section(op, s);
        return 0;
    } else if (s->rows > 0) {
        in_use = move_far(op, s);
    }
    aci_begun(op, in_use);
    return 0;
}

int aci_strided(const aci_op_t *op, void *src, int *src_stride, void *dst, int *dst_stride,
                int *count, int levels)
{
    cwu_section_t s;
    make(&s, op, src, src_stride, dst, dst_stride, count, levels);
    if (CW_UNLIKELY(aci.looks) && look_at(op, &s))
        return 0;
    return aci_move_section(op, &s);
}

ACI_API int PARMCI_PutS(void *src, int *src_stride, void *dst, int *dst_stride, int *count,
                        int levels, int proc)
{
    ACI_ENTER();
    aci_keep_put(proc, ACI_CALLER);
    const aci_op_t op = {.call = aci_call(__func__), .proc = proc, .put = true};
    return aci_strided(&op, src, src_stride, dst, dst_stride, count, levels);
}
ACI_WEAK(ARMCI_PutS);

ACI_API int PARMCI_GetS(void *src, int *src_stride, void *dst, int *dst_stride, int *count,
                        int levels, int proc)
{
    ACI_ENTER();
    const aci_op_t op = {.call = aci_call(__func__), .proc = proc};
    return aci_strided(&op, src, src_stride, dst, dst_stride, count, levels);
}
ACI_WEAK(ARMCI_GetS);

// ---------------------------------------------------------------- flags
/** *flag = value, behind all that this process put there before. */
static void raise_flag(const char *call, int *flag, int value, int proc)
{
    aci_check_transfer(call, proc, flag, ACI_NO_BUFFER, sizeof *flag);
    if ((uintptr_t)flag % sizeof *flag)
        aci_fail(call, "the flag at %s of process %d is not aligned",
                 cw_at_of(proc, flag, sizeof *flag), proc);
    const aci_op_t op = {.call = call, .proc = proc, .put = true};
    if (CW_UNLIKELY(aci.devices) && aci_device_contiguous(&op, flag, &value, sizeof value))
        return;
    uintptr_t word = cw_owner_find_word(&aci_owner, (uint32_t)proc);
    if (cw_owner_is_mapped(word)) {
        // pairs with the loads of the program that waits for it
        __atomic_store_n((int *)cw_owner_local(word, flag), value, __ATOMIC_RELEASE);
        cw_local_stored(proc);
        return;
    }
    aci_before_atomic(proc, flag, sizeof *flag);
    cw_amo_signalling(&cw_ctx_default, cw_owner_symmetric(&aci_owner, (uint32_t)proc, flag),
                      CW_AMO_SET, sizeof *flag, (uint32_t)value, proc);
    aci_mark(proc, ACI_REQUESTS);
}

static int put_with_flag(const char *call, void *src, int *src_stride, void *dst, int *dst_stride,
                         int *count, int levels, int *flag, int value, int proc)
{
    const aci_op_t op = {.call = call, .proc = proc, .put = true};
    aci_strided(&op, src, src_stride, dst, dst_stride, count, levels);
    raise_flag(call, flag, value, proc);
    return 0;
}

ACI_API int PARMCI_PutS_flag(void *src, int *src_stride, void *dst, int *dst_stride, int *count,
                             int levels, int *flag, int value, int proc)
{
    ACI_ENTER();
    return put_with_flag(aci_call(__func__), src, src_stride, dst, dst_stride, count, levels, flag,
                         value, proc);
}
ACI_WEAK(ARMCI_PutS_flag);

ACI_API int PARMCI_PutS_flag_dir(void *src, int *src_stride, void *dst, int *dst_stride, int *count,
                                 int levels, int *flag, int value, int proc)
{
    ACI_ENTER();
    return put_with_flag(aci_call(__func__), src, src_stride, dst, dst_stride, count, levels, flag,
                         value, proc);
}
ACI_WEAK(ARMCI_PutS_flag_dir);

ACI_API int PARMCI_Put_flag(void *src, void *dst, armci_size_t bytes, int *flag, int value,
                            int proc)
{
    ACI_ENTER();
    const char *call = aci_call(__func__);
    aci_put(call, src, dst, bytes, proc);
    raise_flag(call, flag, value, proc);
    return 0;
}
ACI_WEAK(ARMCI_Put_flag);

// ---------------------------------------------------------------- sections and buffers
static void copy_here(const cwu_section_t *s)
{
    if (CW_UNLIKELY(aci.devices))
        aci_device_copy_section(s);
    else
        cw_copy_section(s, 0, 0);
}

ACI_API void armci_write_strided(void *ptr, int levels, int *stride, int *count, char *buf)
{
    cwu_section_t s;
    aci_section_dense(&s, __func__, false, ptr, buf, stride, count, levels);
    copy_here(&s);
}

ACI_API void armci_read_strided(void *ptr, int levels, int *stride, int *count, char *buf)
{
    cwu_section_t s;
    aci_section_dense(&s, __func__, true, buf, ptr, stride, count, levels);
    copy_here(&s);
}
