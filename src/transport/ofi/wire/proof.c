// SPDX-License-Identifier: BSD-3-Clause
//
// Proofs of the job's secret: SipHash-2-4 (Aumasson, Bernstein: "SipHash: a fast short-input PRF",
// 2012) keyed with the secret, over a purpose and the data at hand. The secret itself never
// travels. It keeps out processes that do not know the secret; a listener on the wire can replay
// what it saw.
#include "wire.h"

#include <string.h>

static inline uint64_t rotl(uint64_t x, int b)
{
    return (x << b) | (x >> (64 - b));
}

static inline uint64_t load_le64(const uint8_t *p)
{
    uint64_t v = 0;
    for (int i = 7; i >= 0; i--)
        v = (v << 8) | p[i];
    return v;
}

static void sip_rounds(uint64_t v[4], int n)
{
    while (n--) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = rotl(v[1], 13) ^ v[0];
        v[3] = rotl(v[3], 16) ^ v[2];
        v[0] = rotl(v[0], 32);
        v[2] += v[1];
        v[0] += v[3];
        v[1] = rotl(v[1], 17) ^ v[2];
        v[3] = rotl(v[3], 21) ^ v[0];
        v[2] = rotl(v[2], 32);
    }
}

static void sip_word(uint64_t v[4], uint64_t m)
{
    v[3] ^= m;
    sip_rounds(v, 2);
    v[0] ^= m;
}

uint64_t ofi_digest(const uint8_t secret[CWT_SECRET_BYTES], uint64_t purpose, const void *data,
                    size_t nbytes)
{
    uint64_t k0 = load_le64(secret), k1 = load_le64(secret + 8);
    uint64_t v[4] = {k0 ^ 0x736f6d6570736575ull, k1 ^ 0x646f72616e646f6dull,
                     k0 ^ 0x6c7967656e657261ull, k1 ^ 0x7465646279746573ull};
    const uint8_t *p = data;
    size_t left = nbytes;
    sip_word(v, purpose);
    for (; left >= 8; left -= 8, p += 8)
        sip_word(v, load_le64(p));
    uint8_t tail[8] = {0};
    memcpy(tail, p, left);
    tail[7] = (uint8_t)(nbytes + 8);
    sip_word(v, load_le64(tail));
    v[2] ^= 0xff;
    sip_rounds(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

void ofi_hello_sign(ofi_hello_t *hello, const uint8_t secret[CWT_SECRET_BYTES])
{
    hello->magic = OFI_MAGIC;
    hello->wire = OFI_WIRE;
    hello->pad = 0;
    size_t covered = offsetof(ofi_hello_t, proof);
    hello->proof[0] = ofi_digest(secret, OFI_FOR_HELLO, hello, covered);
    hello->proof[1] = ofi_digest(secret, OFI_FOR_HELLO2, hello, covered);
}

bool ofi_hello_check(const ofi_hello_t *hello, const uint8_t secret[CWT_SECRET_BYTES], int node)
{
    size_t covered = offsetof(ofi_hello_t, proof);
    uint64_t wrong = (hello->proof[0] ^ ofi_digest(secret, OFI_FOR_HELLO, hello, covered)) |
                     (hello->proof[1] ^ ofi_digest(secret, OFI_FOR_HELLO2, hello, covered));
    return wrong == 0 && hello->node == (uint32_t)node;
}
