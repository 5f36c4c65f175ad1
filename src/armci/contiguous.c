// SPDX-License-Identifier: BSD-3-Clause
//
// Contiguous transfers and single values: a copy where the memory is mapped here, one call of the
// transport to a process of another node that was reached before, else the general path.
#include <string.h>

#include "armci/device.h"

static CW_NOINLINE int put_general(const char *call, const void *src, void *dst, intptr_t nbytes,
                                   int proc)
{
    aci_check_joined(call);
    aci_check_transfer(call, proc, dst, src, nbytes);
    uint32_t pe = (uint32_t)proc;
    bool in_flight = false;
    CW_WATCH(aci_watch(call));
    if (nbytes == 0)
        return 0;  // the addresses may be NULL
    uintptr_t word = cw_owner_find_word(&aci_owner, pe);
    if (!cw_owner_is_mapped(word)) {
        aci_before_write(proc, dst, (size_t)nbytes);
        cwt_target_t *record = aci_record_of(word, proc, dst, (size_t)nbytes);
        if (record && aci_is_one_of_many() &&
            aci_collect_write(record, proc, dst, CW_BATCH_PUT, src, (size_t)nbytes))
            return 0;
        aci_before_direct(proc);
    }
    if (!cw_owner_put_fast(&aci_owner, pe, dst, src, (size_t)nbytes, false, &in_flight))
        in_flight = cw_owner_put_general(&aci_owner, call, pe, dst, src, (size_t)nbytes,
                                         CW_OWNER_COPIED, NULL);
    if (in_flight)
        aci_mark(proc, ACI_PUTS);
    else if (CW_UNLIKELY(aci.pairs))
        aci_saw(proc, dst, src, (size_t)nbytes);
    return 0;
}

static CW_NOINLINE int get_general(const char *call, const void *src, void *dst, intptr_t nbytes,
                                   int proc)
{
    aci_check_joined(call);
    aci_check_transfer(call, proc, src, dst, nbytes);
    uint32_t pe = (uint32_t)proc;
    bool in_flight;
    CW_WATCH(aci_watch(call));
    if (nbytes == 0)
        return 0;
    if (!cw_owner_is_mapped(cw_owner_find_word(&aci_owner, pe))) {
        aci_behind_lists(proc);
        aci_before_direct(proc);
    }
    if (!cw_owner_get_fast(&aci_owner, dst, pe, src, (size_t)nbytes, false, &in_flight))
        cw_owner_get_general(&aci_owner, call, dst, pe, src, (size_t)nbytes, CW_OWNER_BLOCKING,
                             NULL);
    if (CW_UNLIKELY(aci.pairs))
        aci_saw(proc, src, dst, (size_t)nbytes);
    return 0;
}

/** Done, where memory of a device takes part. */
static CW_COLD bool by_device(const char *call, bool put, const void *remote, const void *local,
                              intptr_t nbytes, int proc)
{
    const aci_op_t op = {.call = call, .proc = proc, .put = put};
    aci_check_joined(call);
    aci_check_transfer(call, proc, remote, local, nbytes);
    CW_WATCH(aci_watch(call));
    return aci_device_contiguous(&op, (void *)(uintptr_t)remote, (void *)(uintptr_t)local,
                                 (size_t)nbytes);
}

static CW_NOINLINE int put_unreached(const char *call, const void *src, void *dst, intptr_t nbytes,
                                     int proc)
{
    if (aci.pairs && cw_owner_put_seen((uint32_t)proc, dst, src, (size_t)nbytes, ACI_PAIRS))
        return 0;
    if (CW_UNLIKELY(aci.devices) && by_device(call, true, dst, src, nbytes, proc))
        return 0;
    return put_general(call, src, dst, nbytes, proc);
}

static CW_NOINLINE int get_unreached(const char *call, const void *src, void *dst, intptr_t nbytes,
                                     int proc)
{
    if (aci.pairs && cw_owner_get_seen(dst, (uint32_t)proc, src, (size_t)nbytes, ACI_PAIRS))
        return 0;
    if (CW_UNLIKELY(aci.devices) && by_device(call, false, src, dst, nbytes, proc))
        return 0;
    return get_general(call, src, dst, nbytes, proc);
}

int aci_put(const char *call, const void *src, void *dst, intptr_t nbytes, int proc)
{
    cwt_target_t *record = aci_reached(proc, dst, nbytes);
    if (CW_UNLIKELY(!record))
        return put_unreached(call, src, dst, nbytes, proc);
    aci_behind_lists(proc);
    uint64_t pending = aci_pending(proc);
    if (CW_UNLIKELY(pending & ACI_GETS))
        aci_order_behind_gets(proc, (uintptr_t)dst, (size_t)nbytes);
    if (aci_is_one_of_many() &&
        aci_collect_write(record, proc, dst, CW_BATCH_PUT, src, (size_t)nbytes))
        return 0;
    if (CW_UNLIKELY(pending))  // else there is nothing to be in order with
        aci_before_direct(proc);
    cw_target_put_direct(record, dst, src, (size_t)nbytes);
    aci_mark(proc, ACI_PUTS);
    return 0;
}

int aci_get(const char *call, const void *src, void *dst, intptr_t nbytes, int proc)
{
    cwt_target_t *record = aci_reached(proc, src, nbytes);
    if (CW_UNLIKELY(!record))
        return get_unreached(call, src, dst, nbytes, proc);
    aci_behind_lists(proc);
    aci_before_direct(proc);
    cw_target_get(dst, record, src, (size_t)nbytes);
    return 0;
}

bool aci_get_of_many(const void *src, void *dst, intptr_t nbytes, int proc)
{
    if (nbytes <= 0 || nbytes > (intptr_t)CW_BUNDLE_GET_MAX)
        return false;
    aci_behind_lists(proc);
    uintptr_t word = cw_owner_find_word(&aci_owner, (uint32_t)proc);
    cwt_target_t *record = aci_record_of(word, proc, src, (size_t)nbytes);
    return record && aci_is_one_of_many() &&
           aci_collect_get(record, proc, src, dst, (size_t)nbytes);
}

ACI_API int PARMCI_Put(void *src, void *dst, armci_size_t bytes, int proc)
{
    uintptr_t word;
    if (CW_UNLIKELY(!cw_owner_is_fast(&aci_owner, (uint32_t)proc, &word))) {
        aci_keep_put(proc, ACI_CALLER);
        return put_unreached("ARMCI_Put", src, dst, bytes, proc);
    }
    if (CW_LIKELY(cw_owner_is_plain(word)) && CW_LIKELY(bytes > 0)) {
        cw_copy(cw_local_address(word, dst), src, (size_t)bytes);
        return 0;
    }
    return aci_put("ARMCI_Put", src, dst, bytes, proc);
}
ACI_WEAK(ARMCI_Put);

ACI_API int PARMCI_Get(void *src, void *dst, armci_size_t bytes, int proc)
{
    uintptr_t word;
    if (CW_UNLIKELY(!cw_owner_is_fast(&aci_owner, (uint32_t)proc, &word)))
        return get_unreached("ARMCI_Get", src, dst, bytes, proc);
    if (CW_LIKELY(cw_owner_is_plain(word)) && CW_LIKELY(bytes > 0)) {
        cw_copy(dst, cw_local_address(word, src), (size_t)bytes);
        cw_get_done();
        return 0;
    }
    return aci_get("ARMCI_Get", src, dst, bytes, proc);
}
ACI_WEAK(ARMCI_Get);

ACI_API void ARMCI_Copy(void *src, void *dst, armci_size_t bytes)
{
    if (CW_UNLIKELY(bytes < 0))
        aci_fail(__func__, "%lld bytes", (long long)bytes);
    if (CW_UNLIKELY(aci.devices) && aci_device_copy(dst, src, (size_t)bytes))
        return;
    if (bytes > 0)  // else the addresses may be NULL
        memmove(dst, src, (size_t)bytes);
}

// ---------------------------------------------------------------- values
#define PUT_VALUE(Name, type)                                                    \
    ACI_API int PARMCI_PutValue##Name(type value, void *dst, int proc)           \
    {                                                                            \
        uintptr_t word;                                                          \
        if (aci_is_near(proc, &word)) {                                          \
            memcpy(cw_local_address(word, dst), &value, sizeof value);           \
            return 0;                                                            \
        }                                                                        \
        return aci_put("ARMCI_PutValue" #Name, &value, dst, sizeof value, proc); \
    }                                                                            \
    ACI_WEAK(ARMCI_PutValue##Name)
PUT_VALUE(Int, int);
PUT_VALUE(Long, long);
PUT_VALUE(Float, float);
PUT_VALUE(Double, double);

#define GET_VALUE(Name, type)                                             \
    ACI_API type PARMCI_GetValue##Name(void *src, int proc)               \
    {                                                                     \
        type value;                                                       \
        aci_get("ARMCI_GetValue" #Name, src, &value, sizeof value, proc); \
        return value;                                                     \
    }                                                                     \
    ACI_WEAK(ARMCI_GetValue##Name)
GET_VALUE(Int, int);
GET_VALUE(Long, long);
GET_VALUE(Float, float);
GET_VALUE(Double, double);
