// SPDX-License-Identifier: BSD-3-Clause
//
// Vector transfers: lists of segments, of one size in each descriptor.
#include "armci/device.h"
#include "armci/far.h"
#include "core/mem/copy.h"

static void *const *remote_of(const aci_op_t *op, const armci_giov_t *iov)
{
    return op->put ? iov->dst_ptr_array : iov->src_ptr_array;
}

static void *const *local_of(const aci_op_t *op, const armci_giov_t *iov)
{
    return op->put ? iov->src_ptr_array : iov->dst_ptr_array;
}

/** Segments to move: lists of empty ones may be NULL. */
static int segments_of(const armci_giov_t *iov)
{
    return iov->bytes ? iov->ptr_array_len : 0;
}

/** Checks a descriptor; fatal. */
static void check_descriptor(const aci_op_t *op, const armci_giov_t *iov, int i)
{
    if (iov->ptr_array_len < 0)
        aci_fail(op->call, "descriptor %d has %d segments, to process %d", i, iov->ptr_array_len,
                 op->proc);
    if (iov->bytes < 0)
        aci_fail(op->call, "descriptor %d has segments of %d bytes, to process %d", i, iov->bytes,
                 op->proc);
    if (iov->ptr_array_len == 0 || iov->bytes == 0)
        return;
    if (!iov->src_ptr_array || !iov->dst_ptr_array)
        aci_fail(op->call, "descriptor %d has no list of its %d %s, to process %d", i,
                 iov->ptr_array_len, iov->src_ptr_array ? "destinations" : "sources", op->proc);
    for (int n = 0; n < iov->ptr_array_len; n++)
        aci_check_transfer(op->call, op->proc, remote_of(op, iov)[n], local_of(op, iov)[n],
                           iov->bytes);
}

size_t aci_check_vector(const aci_op_t *op, const armci_giov_t *iov, int iov_len)
{
    size_t segments = 0;
    aci_check_proc(op->call, op->proc);
    if (iov_len < 0)
        aci_fail(op->call, "%d descriptors, to process %d", iov_len, op->proc);
    for (int i = 0; i < iov_len; i++) {
        check_descriptor(op, &iov[i], i);
        segments += (size_t)segments_of(&iov[i]);
    }
    return segments;
}

static void move_near(const aci_op_t *op, const armci_giov_t *iov, int iov_len, uintptr_t word)
{
    const uintptr_t delta = word & ~(uintptr_t)3;
    for (int i = 0; i < iov_len; i++)
        cw_copy_lists(iov[i].dst_ptr_array, op->put ? delta : 0, iov[i].src_ptr_array,
                      op->put ? 0 : delta, (size_t)iov[i].bytes, (size_t)segments_of(&iov[i]));
    if (!op->put)
        cw_get_done();
    else if (!cw_owner_is_plain(word))
        cw_local_stored(op->proc);
}

static size_t total_of(const armci_giov_t *iov, int iov_len)
{
    size_t total = 0;
    for (int i = 0; i < iov_len; i++)
        total += (size_t)iov[i].ptr_array_len * (size_t)iov[i].bytes;
    return total;
}

/** True: local memory is in use. */
static bool move_far(const aci_op_t *op, const armci_giov_t *iov, int iov_len, size_t segments)
{
    aci_far_t f;
    aci_far_begin(&f, op->call, op->proc, op->put, segments > 1 ? total_of(iov, iov_len) : 0);
    for (int i = 0; i < iov_len; i++)
        for (int n = 0; n < segments_of(&iov[i]); n++)
            aci_far_add(&f, remote_of(op, &iov[i])[n], local_of(op, &iov[i])[n],
                        (size_t)iov[i].bytes);
    if (op->nb)
        return aci_far_end(&f);
    aci_far_complete(&f);
    return false;
}

int aci_vector(const aci_op_t *op, armci_giov_t *iov, int iov_len)
{
    size_t segments = aci_check_vector(op, iov, iov_len);
    if (CW_UNLIKELY(aci.devices) && aci_device_vector(op, iov, iov_len))
        return 0;
    uintptr_t word = cw_owner_find_word(&aci_owner, (uint32_t)op->proc);
    bool in_use = false;
    if (cw_owner_is_mapped(word)) {
        move_near(op, iov, iov_len, word);
    } else if (aci_collects(op)) {
        for (int i = 0; i < iov_len; i++)
            for (int n = 0; n < segments_of(&iov[i]); n++)
                aci_collect(op, remote_of(op, &iov[i])[n], local_of(op, &iov[i])[n],
                            (size_t)iov[i].bytes);
        return 0;
    } else if (segments > 0) {
        in_use = move_far(op, iov, iov_len, segments);
    }
    aci_begun(op, in_use);
    return 0;
}

ACI_API int PARMCI_PutV(armci_giov_t *iov, int iov_len, int proc)
{
    ACI_ENTER();
    aci_keep_put(proc, ACI_CALLER);
    const aci_op_t op = {.call = aci_call(__func__), .proc = proc, .put = true};
    return aci_vector(&op, iov, iov_len);
}
ACI_WEAK(ARMCI_PutV);

ACI_API int PARMCI_GetV(armci_giov_t *iov, int iov_len, int proc)
{
    ACI_ENTER();
    const aci_op_t op = {.call = aci_call(__func__), .proc = proc};
    return aci_vector(&op, iov, iov_len);
}
ACI_WEAK(ARMCI_GetV);
