// SPDX-License-Identifier: BSD-3-Clause
//
// Registers the node object: one region where that pins nothing, else one region per contiguous
// piece, so that the holes between heaps stay holes.
//
// A remote address is offset + keys[piece].base: the base turns an offset of the node object into
// the server's virtual address, or into an offset within the piece, as the provider wants it.
#include "server.h"

#include <stdlib.h>
#include <string.h>

/** 64 bits that cannot be guessed, cut to what the provider takes; never the reserved value. */
static uint64_t wanted_key(const cwt_server_config_t *config, uint32_t piece)
{
    uint32_t data[4] = {(uint32_t)config->node, piece, (uint32_t)config->pe, 0};
    uint64_t key = ofi_digest(config->secret, OFI_FOR_KEY, data, sizeof data);
    size_t nbytes = ofi_choice.info->domain_attr->mr_key_size;
    if (nbytes < 8)
        key &= ((uint64_t)1 << (8 * nbytes)) - 1;
    return key == FI_KEY_NOTAVAIL ? key - 1 : key;
}

static int register_span(ofi_device_t *device, const void *base, uint64_t nbytes, uint64_t access,
                         uint64_t key, struct fid_mr **mr_p)
{
    int rc = fi_mr_reg(device->domain, base, nbytes, access, 0, ofi_choice.prov_key ? 0 : key, 0,
                       mr_p, NULL);
    if (rc == 0 && ofi_choice.mr_endpoint) {
        rc = fi_mr_bind(*mr_p, &device->ep->fid, 0);
        if (rc == 0)
            rc = fi_mr_enable(*mr_p);
    }
    if (rc != 0) {
        ofi_register_failed("symmetric memory", nbytes, rc);
        return CW_ENOMEM;
    }
    return 0;
}

static int open_table(ofi_region_t *region, ofi_device_t *device, const cwt_server_config_t *config)
{
    int rc = register_span(device, region->keys, region->nkeys * sizeof *region->keys,
                           FI_REMOTE_READ, wanted_key(config, UINT32_MAX), &region->table_mr);
    if (rc == 0) {
        region->table_key = fi_mr_key(region->table_mr);
        region->table_addr = ofi_choice.virt_addr ? (uintptr_t)region->keys : 0;
    }
    return rc;
}

int ofi_region_open(ofi_region_t *region, ofi_device_t *device, const cwt_server_config_t *config)
{
    const cwt_layout_t *l = &config->layout;
    const uint64_t access = FI_REMOTE_READ | FI_REMOTE_WRITE;
    region->nkeys = ofi_choice.pieces ? 1 + 2 * l->nslots : 1;
    region->mr = calloc(region->nkeys, sizeof *region->mr);
    region->keys = calloc(region->nkeys, sizeof *region->keys);
    if (!region->mr || !region->keys)
        return CW_ENOMEM;
    int rc = 0;
    for (uint32_t i = 0; rc == 0 && i < region->nkeys; i++) {
        ofi_span_t span = ofi_piece_span(l, i);
        if (!ofi_choice.pieces)
            span = (ofi_span_t){0, l->slice_offset + l->nslots * l->slice_stride};
        if (span.nbytes == 0)
            continue;
        uint8_t *at = (uint8_t *)config->base + span.offset;
        rc = register_span(device, at, span.nbytes, access, wanted_key(config, i), &region->mr[i]);
        if (rc == 0) {
            region->keys[i].key = fi_mr_key(region->mr[i]);
            region->keys[i].base = ofi_choice.virt_addr ? (uintptr_t)config->base : 0 - span.offset;
        }
    }
    if (rc == 0 && region->nkeys > 1)
        rc = open_table(region, device, config);
    if (rc != 0)
        ofi_region_close(region);
    return rc;
}

void ofi_region_close(ofi_region_t *region)
{
    if (region->table_mr)
        fi_close(&region->table_mr->fid);
    for (uint32_t i = 0; region->mr && i < region->nkeys; i++)
        if (region->mr[i])
            fi_close(&region->mr[i]->fid);
    free(region->mr);
    free(region->keys);
    memset(region, 0, sizeof *region);
}
