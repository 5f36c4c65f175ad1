// SPDX-License-Identifier: BSD-3-Clause
//
// Are texts of several PEs one message, with other numbers and addresses in it (alike.h)? They are
// read side by side, number by number.
#include "alike.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/** Is it the line of "ring.c:14", or a frame of a stack, "#3"? */
static bool names_place(const char *text, const char *at)
{
    return at > text && (at[-1] == '#' || (at[-1] == ':' && at - text > 1 && is_word(at[-2])));
}

/** The length of the number that begins there, 0: none does that may differ. */
static size_t number_at(const char *text, const char *at, bool *address_p)
{
    const char before = at > text ? at[-1] : ' ';
    *address_p = at[0] == '0' && at[1] == 'x';
    if (is_word(before) || before == '.' || names_place(text, at))
        return 0;
    if (*address_p) {
        size_t n = 2 + strspn(at + 2, "0123456789abcdef");
        return before == '+' && strncmp(at + n, " (", 2) == 0 ? 0 : n;  // "main+0x1c (ring.c:14)"
    }
    size_t n = at[0] == '-' && before != '-', digits = strspn(at + n, "0123456789");
    if (!digits)
        return 0;
    n += digits;
    if (at[n] == '.' && isdigit((unsigned char)at[n + 1]))
        n += 1 + strspn(at + n + 1, "0123456789");
    return is_word(at[n]) || (at[n] == '.' && is_word(at[n + 1])) ? 0 : n;  // "1.17.0", "4th"
}

int alike(const char *a, const char *b)
{
    const char *at = a, *other = b;
    int differs = ALIKE_EQUAL;
    for (;;) {
        bool address, other_address;
        size_t n = number_at(a, at, &address);
        size_t m = n ? number_at(b, other, &other_address) : 0;
        if (n && m && address == other_address) {
            if (n != m || memcmp(at, other, n) != 0)
                differs |= address ? ALIKE_BUT_ADDRESSES : ALIKE_BUT_NUMBERS;
            at += n;
            other += m;
        } else if (*at != *other) {
            return ALIKE_NOT;
        } else if (!*at) {
            return differs;
        } else {
            at++;
            other++;
        }
    }
}

/** Writes the least and the greatest of the numbers that begin there, one for each text, and moves
 *  behind them. */
static char *put_range(char *end, const char *const *texts, const char **at, size_t count)
{
    size_t least = 0, most = 0, length[2];
    bool address;
    for (size_t i = 1; i < count; i++) {
        least = strtod(at[i], NULL) < strtod(at[least], NULL) ? i : least;
        most = strtod(at[i], NULL) > strtod(at[most], NULL) ? i : most;
    }
    length[0] = number_at(texts[least], at[least], &address);
    length[1] = number_at(texts[most], at[most], &address);
    const char *from = address ? at[0] : at[least];
    size_t n = address ? number_at(texts[0], from, &address) : length[0];
    end = mempcpy(end, from, n);
    if (!address && least != most) {
        end = mempcpy(end, "..", 2);
        end = mempcpy(end, at[most], length[1]);
    }
    for (size_t i = 0; i < count; i++)
        at[i] += number_at(texts[i], at[i], &address);
    return end;
}

char *alike_merged(const char *const *texts, size_t count)
{
    size_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += strlen(texts[i]);
    char *merged = malloc(3 * total + 1), *end = merged;  // each number twice, and ".."
    const char **at = malloc(count * sizeof *at);
    bool address;
    if (!merged || !at) {
        free(merged);
        free(at);
        return NULL;
    }
    memcpy(at, texts, count * sizeof *at);
    while (*at[0])
        if (number_at(texts[0], at[0], &address)) {
            end = put_range(end, texts, at, count);
        } else {
            *end++ = *at[0];
            for (size_t i = 0; i < count; i++)
                at[i]++;
        }
    *end = '\0';
    free(at);
    return merged;
}
