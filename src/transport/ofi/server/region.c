// SPDX-License-Identifier: BSD-3-Clause
//
// Registers the node object: one region where that pins nothing; else one region per piece, when a
// client first asks for its key, so that holes stay holes and unused heaps cost nothing (ADR 41).
//
// A remote address is offset + base: the base turns an offset of the node object into the server's
// virtual address, or into an offset within the piece, as the provider wants it.
#include "server.h"

#include <stdlib.h>
#include <string.h>

#include "base/pages.h"

typedef struct wish {
    const cwt_server_config_t *config;
    uint32_t piece;
} wish_t;

/** 64 bits that cannot be guessed; another digest where the key is taken: cut to few bytes, keys of
 *  pieces and of buffers meet. */
static uint64_t wanted_key(void *arg, uint32_t attempt)
{
    const wish_t *wish = arg;
    uint32_t data[4] = {(uint32_t)wish->config->node, wish->piece, (uint32_t)wish->config->pe,
                        attempt};
    return ofi_digest(wish->config->secret, OFI_FOR_KEY, data, sizeof data);
}

/** FI_MR_ALLOCATED: every page has memory before it is registered. What its owner has not touched
 *  gets it here. */
static int give_memory(const void *at, uint64_t nbytes, uint32_t piece)
{
    if (!ofi_choice.pieces)
        return 0;
    if (cwu_env.debug)
        cwu_debug("node server: registers piece %u, %llu bytes; %llu of them had no memory", piece,
                  (unsigned long long)nbytes, (unsigned long long)cwu_pages_missing(at, nbytes));
    if (cwu_pages_back(at, nbytes, true) == CW_OK)
        return 0;
    cwu_error("this machine has no memory left for %llu bytes of symmetric memory, which other "
              "nodes use; start fewer PEs here or allocate less",
              (unsigned long long)nbytes);
    return CW_ENOMEM;
}

static int register_span(ofi_device_t *device, const void *base, uint64_t nbytes, wish_t *wish,
                         struct fid_mr **mr_p)
{
    const uint64_t access = FI_REMOTE_READ | FI_REMOTE_WRITE;
    int rc = ofi_register_keyed(device, base, nbytes, access, wanted_key, wish, mr_p);
    if (rc == 0)
        return 0;
    ofi_register_failed("symmetric memory", nbytes, rc);
    return CW_ENOMEM;
}

static ofi_span_t span_of(const cwt_layout_t *l, uint32_t piece)
{
    if (ofi_choice.pieces)
        return ofi_piece_span(l, piece);
    return (ofi_span_t){0, l->slice_offset + l->nslots * l->slice_stride};
}

int ofi_region_key(ofi_region_t *region, ofi_device_t *device, const cwt_server_config_t *config,
                   uint32_t piece, uint64_t *key_p)
{
    ofi_span_t span = span_of(&config->layout, piece);
    uint8_t *at = (uint8_t *)config->base + span.offset;
    struct fid_mr **mr_p = &region->mr[piece];
    int rc = *mr_p ? 0 : give_memory(at, span.nbytes, piece);
    if (rc == 0 && !*mr_p)
        rc = register_span(device, at, span.nbytes, &(wish_t){config, piece}, mr_p);
    if (rc == 0)
        *key_p = fi_mr_key(*mr_p);
    return rc;
}

// ---------------------------------------------------------------- who has which key
static bool has_bit(const uint8_t *bits, uint32_t i)
{
    return bits[i / 8] >> i % 8 & 1;
}

/** Sets or clears the bit of a piece, which counts. */
static void hold(ofi_region_t *region, uint8_t *bits, uint32_t piece, bool holds)
{
    if (has_bit(bits, piece) == holds)
        return;
    bits[piece / 8] = (uint8_t)(bits[piece / 8] ^ 1u << piece % 8);
    if (holds)
        region->holders[piece]++;
    else
        region->holders[piece]--;
}

int ofi_region_hold(ofi_region_t *region, ofi_held_t *held, uint32_t piece)
{
    if (!*held && !(*held = calloc(region->nkeys / 8 + 1, 1))) {
        cwu_error("no memory for the keys that a client has");
        return CW_ENOMEM;
    }
    hold(region, *held, piece, true);
    return 0;
}

void ofi_region_release(ofi_region_t *region, const cwt_server_config_t *config, ofi_held_t *held,
                        uint32_t first, uint32_t count)
{
    for (uint32_t piece = first ? first : 1; piece < first + count; piece++) {
        ofi_span_t span = span_of(&config->layout, piece);
        if (*held)
            hold(region, *held, piece, false);
        if (region->holders[piece] > 0 || !region->mr[piece])
            continue;
        fi_close(&region->mr[piece]->fid);
        region->mr[piece] = NULL;
        cwu_pages_drop((uint8_t *)config->base + span.offset, span.nbytes);
    }
}

void ofi_region_forget(ofi_region_t *region, ofi_held_t *held)
{
    for (uint32_t piece = 0; *held && piece < region->nkeys; piece++)
        hold(region, *held, piece, false);
    free(*held);
    *held = NULL;
}

// ---------------------------------------------------------------- the region
int ofi_region_open(ofi_region_t *region, ofi_device_t *device, const cwt_server_config_t *config)
{
    region->nkeys = ofi_choice.pieces ? ofi_pieces(&config->layout) : 1;
    region->mr = calloc(region->nkeys, sizeof *region->mr);
    region->holders = calloc(region->nkeys, sizeof *region->holders);
    if (!region->mr || !region->holders) {
        ofi_region_close(region);
        return CW_ENOMEM;
    }
    region->base = ofi_choice.virt_addr ? (uintptr_t)config->base : 0;
    int rc = ofi_region_key(region, device, config, 0, &region->key);
    if (rc != 0)
        ofi_region_close(region);
    return rc;
}

void ofi_region_close(ofi_region_t *region)
{
    for (uint32_t i = 0; region->mr && i < region->nkeys; i++)
        if (region->mr[i])
            fi_close(&region->mr[i]->fid);
    free(region->mr);
    free(region->holders);
    memset(region, 0, sizeof *region);
}
