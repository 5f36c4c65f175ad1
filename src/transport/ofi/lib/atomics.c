// SPDX-License-Identifier: BSD-3-Clause
//
// Does a provider execute all atomics? Asked only if the user wants them (CAUSEWAY_ATOMICS=nic). To
// advertise them is not enough (some providers return "not implemented" when called): the query
// must confirm every operation on 4 and 8 bytes. All or nothing, for one domain of atomicity.
#include <rdma/fi_atomic.h>
#include <string.h>

#include "offers.h"

const enum fi_op ofi_atomic_ops[OFI_AMO_OPS] = {
    [OFI_AMO_FETCH] = FI_ATOMIC_READ, [OFI_AMO_SET] = FI_ATOMIC_WRITE, [OFI_AMO_ADD] = FI_SUM,
    [OFI_AMO_AND] = FI_BAND,          [OFI_AMO_OR] = FI_BOR,           [OFI_AMO_XOR] = FI_BXOR,
    [OFI_AMO_SWAP] = FI_ATOMIC_WRITE, [OFI_AMO_CSWAP] = FI_CSWAP,
};

static bool all_confirmed(struct fid_domain *domain)
{
    const enum fi_datatype types[] = {FI_UINT32, FI_UINT64};
    for (int op = 0; op < OFI_AMO_OPS; op++)
        for (int i = 0; i < 2; i++) {
            struct fi_atomic_attr attr = {0, 0};
            uint64_t flags = op == OFI_AMO_CSWAP ? FI_COMPARE_ATOMIC : FI_FETCH_ATOMIC;
            int rc = fi_query_atomic(domain, types[i], ofi_atomic_ops[op], &attr, flags);
            if (rc != 0 || attr.count < 1) {
                cwu_debug("provider atomics not used: operation %d on %d bytes: %s", op, i ? 8 : 4,
                          ofi_reason(rc));
                return false;
            }
        }
    return true;
}

bool ofi_has_atomics(struct fi_info *info)
{
    struct fid_fabric *fabric;
    struct fid_domain *domain;
    if (!(info->caps & FI_ATOMIC) || ofi_lib.fabric(info->fabric_attr, &fabric, NULL) != 0)
        return false;
    bool all = false;
    if (fi_domain(fabric, info, &domain, NULL) == 0) {
        all = all_confirmed(domain);
        fi_close(&domain->fid);
    }
    fi_close(&fabric->fid);
    return all;
}

bool ofi_wants_atomics(void)
{
    return cwu_env.atomics && strcmp(cwu_env.atomics, "nic") == 0;
}
