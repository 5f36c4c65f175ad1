// SPDX-License-Identifier: BSD-3-Clause
//
// Transfers as text, for messages and traces. The room that a _bufsz macro gives is enough for the
// text here: 60 bytes for a vector "{0x0123456789abcdef, 18446744073709551615} ", 30 for an
// address, 25 for a number.
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include "tools.h"

typedef struct vector {
    void *addr;
    size_t len;
} vector_t;

typedef struct text {
    char *buf;
    size_t len, room;
} text_t;

__attribute__((format(printf, 2, 3))) static void add(text_t *text, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(text->buf + text->len, text->room - text->len, format, ap);
    va_end(ap);
    if (n < 0 || (size_t)n >= text->room - text->len)
        gasnett_fatalerror_nopos("a buffer of gasnett_format_... is too small");
    text->len += (size_t)n;
}

static size_t end(const text_t *text)
{
    return text->len + 1;
}

static void add_vectors(text_t *text, size_t count, const vector_t *list)
{
    size_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += list[i].len;
    add(text, "%zu entries, %zu bytes: [", count, total);
    for (size_t i = 0; i < count; i++)
        add(text, "%s{%p, %zu}", i ? " " : "", list[i].addr, list[i].len);
    add(text, "]");
}

static void add_addresses(text_t *text, size_t count, void *const list[], size_t len)
{
    add(text, "%zu entries of %zu bytes, %zu bytes: [", count, len, count * len);
    for (size_t i = 0; i < count; i++)
        add(text, "%s%p", i ? " " : "", list[i]);
    add(text, "]");
}

static void add_strides(text_t *text, size_t count, const ptrdiff_t *list)
{
    add(text, "[");
    for (size_t i = 0; i < count; i++)
        add(text, "%s%td", i ? ", " : "", list[i]);
    add(text, "]");
}

size_t gasnett_format_memveclist(char *buf, size_t count, const void *list)
{
    text_t text = {.buf = buf, .room = gasnett_format_memveclist_bufsz(count)};
    add_vectors(&text, count, list);
    return end(&text);
}

size_t gasnett_format_addrlist(char *buf, size_t count, void *const list[], size_t len)
{
    text_t text = {.buf = buf, .room = gasnett_format_addrlist_bufsz(count)};
    add_addresses(&text, count, list, len);
    return end(&text);
}

size_t gasnett_format_strides(char *buf, size_t count, const ptrdiff_t *list)
{
    text_t text = {.buf = buf, .room = gasnett_format_strides_bufsz(count)};
    add_strides(&text, count, list);
    return end(&text);
}

// ---------------------------------------------------------------- transfers
static void add_peer(text_t *text, const void *tm, uint32_t rank)
{
    if (tm)
        add(text, "peer %" PRIu32 " of team %p, ", rank, tm);
    else
        add(text, "peer %" PRIu32 ", ", rank);
}

size_t gasnett_format_putvgetv_ex_(char *buf, const void *tm, uint32_t rank, size_t dstcount,
                                   const void *dstlist, size_t srccount, const void *srclist)
{
    text_t text = {.buf = buf, .room = gasnett_format_putvgetv_bufsz(dstcount, srccount)};
    add_peer(&text, tm, rank);
    add(&text, "dst ");
    add_vectors(&text, dstcount, dstlist);
    add(&text, "; src ");
    add_vectors(&text, srccount, srclist);
    return end(&text);
}

size_t gasnett_format_putvgetv_1_(char *buf, uint32_t node, size_t dstcount, const void *dstlist,
                                  size_t srccount, const void *srclist)
{
    return gasnett_format_putvgetv_ex_(buf, NULL, node, dstcount, dstlist, srccount, srclist);
}

size_t gasnett_format_putigeti_ex_(char *buf, const void *tm, uint32_t rank, size_t dstcount,
                                   void *const dstlist[], size_t dstlen, size_t srccount,
                                   void *const srclist[], size_t srclen)
{
    text_t text = {.buf = buf, .room = gasnett_format_putigeti_bufsz(dstcount, srccount)};
    add_peer(&text, tm, rank);
    add(&text, "dst ");
    add_addresses(&text, dstcount, dstlist, dstlen);
    add(&text, "; src ");
    add_addresses(&text, srccount, srclist, srclen);
    return end(&text);
}

size_t gasnett_format_putigeti_1_(char *buf, uint32_t node, size_t dstcount, void *const dstlist[],
                                  size_t dstlen, size_t srccount, void *const srclist[],
                                  size_t srclen)
{
    return gasnett_format_putigeti_ex_(buf, NULL, node, dstcount, dstlist, dstlen, srccount,
                                       srclist, srclen);
}

size_t gasnett_format_putsgets_ex_(char *buf, void *pstats, const void *tm, uint32_t rank,
                                   const void *dstaddr, const ptrdiff_t dststrides[],
                                   const void *srcaddr, const ptrdiff_t srcstrides[], size_t elemsz,
                                   const size_t count[], size_t stridelevels)
{
    text_t text = {.buf = buf, .room = gasnett_format_putsgets_bufsz(stridelevels)};
    size_t total = elemsz;
    (void)pstats;
    for (size_t i = 0; i < stridelevels; i++)
        total *= count[i];
    add_peer(&text, tm, rank);
    add(&text, "%zu bytes in elements of %zu, dst %p ", total, elemsz, dstaddr);
    add_strides(&text, stridelevels, dststrides);
    add(&text, "; src %p ", srcaddr);
    add_strides(&text, stridelevels, srcstrides);
    add(&text, "; count [");
    for (size_t i = 0; i < stridelevels; i++)
        add(&text, "%s%zu", i ? ", " : "", count[i]);
    add(&text, "]");
    return end(&text);
}

size_t gasnett_format_putsgets_1_(char *buf, void *pstats, uint32_t node, const void *dstaddr,
                                  const size_t dststrides[], const void *srcaddr,
                                  const size_t srcstrides[], const size_t count[],
                                  size_t stridelevels)
{
    return gasnett_format_putsgets_ex_(
        buf, pstats, NULL, node, dstaddr, (const ptrdiff_t *)dststrides, srcaddr,
        (const ptrdiff_t *)srcstrides, count[0], count + 1, stridelevels);
}
