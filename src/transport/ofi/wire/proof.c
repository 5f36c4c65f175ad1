// SPDX-License-Identifier: BSD-3-Clause
//
// Proofs of the job's secret: SipHash-2-4 (Aumasson, Bernstein: "SipHash: a fast short-input PRF",
// 2012) keyed with the secret, over a purpose and the data at hand. The secret itself never
// travels. Proofs and tokens are those of one hello to one server, which takes it once: what was
// read from the wire opens no connection, and is worth nothing on another one.
#include "wire.h"

#include <string.h>
#include <sys/random.h>

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

uint64_t ofi_draw(const void *salt)
{
    uint64_t drawn;
    if (getrandom(&drawn, sizeof drawn, GRND_NONBLOCK) != (ssize_t)sizeof drawn)
        drawn = cwu_now_ns() ^ (uintptr_t)salt;
    return drawn;
}

/** What is signed: the hello, and the server that it is meant for. */
typedef struct content {
    uint8_t hello[offsetof(ofi_hello_t, proof)];
    uint64_t birth;
    uint32_t node, pad;
    ofi_welcome_t welcome;  // zeros in all other digests
} content_t;
_Static_assert(sizeof(content_t) == 24 + 16 + sizeof(ofi_welcome_t), "no holes");

static void fill(content_t *content, const ofi_hello_t *hello, const ofi_whom_t *whom)
{
    memset(content, 0, sizeof *content);
    memcpy(content->hello, hello, sizeof content->hello);
    content->birth = whom->birth;
    content->node = (uint32_t)whom->node;
}

uint64_t ofi_token(const ofi_hello_t *hello, const ofi_whom_t *whom, ofi_purpose_t purpose)
{
    content_t content;
    fill(&content, hello, whom);
    return ofi_digest(whom->secret, purpose, &content, offsetof(content_t, welcome));
}

void ofi_hello_sign(ofi_hello_t *hello, const ofi_whom_t *whom)
{
    hello->magic = OFI_MAGIC;
    hello->wire = OFI_WIRE;
    hello->pad = 0;
    hello->proof[0] = ofi_token(hello, whom, OFI_FOR_HELLO);
    hello->proof[1] = ofi_token(hello, whom, OFI_FOR_HELLO2);
}

bool ofi_hello_check(const ofi_hello_t *hello, const ofi_whom_t *whom)
{
    uint64_t wrong = (hello->proof[0] ^ ofi_token(hello, whom, OFI_FOR_HELLO)) |
                     (hello->proof[1] ^ ofi_token(hello, whom, OFI_FOR_HELLO2));
    return wrong == 0;
}

uint64_t ofi_welcome_proof(const ofi_welcome_t *welcome, const ofi_hello_t *hello,
                           const ofi_whom_t *whom)
{
    content_t content;
    fill(&content, hello, whom);
    content.welcome = *welcome;
    content.welcome.proof = 0;
    return ofi_digest(whom->secret, OFI_FOR_WELCOME, &content, sizeof content);
}

bool ofi_token_take_other(ofi_expected_t *expected, uint64_t token)
{
    uint64_t ahead = token - expected->next, behind = expected->next - 1 - token;
    if (ahead < 64) {
        expected->recent = ahead < 63 ? expected->recent << (ahead + 1) | 1 : 1;
        expected->next = token + 1;
        return true;
    }
    if (behind >= 64 || (expected->recent >> behind & 1))
        return false;
    expected->recent |= UINT64_C(1) << behind;
    return true;
}

bool ofi_take_once(ofi_taken_t *taken, uint32_t number)
{
    int32_t ahead = (int32_t)(number - taken->top);
    if (!taken->any || ahead > 0) {
        taken->recent = taken->any && ahead < 64 ? taken->recent << ahead | 1 : 1;
        taken->top = number;
        taken->any = true;
        return true;
    }
    uint32_t behind = taken->top - number;
    if (behind >= 64 || (taken->recent >> behind & 1))
        return false;
    taken->recent |= UINT64_C(1) << behind;
    return true;
}
