// SPDX-License-Identifier: BSD-3-Clause
//
// Prices of a simulation, from the words of the command line.
#include "prices.h"

#include <stdlib.h>
#include <string.h>

const char *sim_price_set(const sim_price_t *rows, size_t n, void *prices, bool *given,
                          const char *word)
{
    size_t length = strcspn(word, "="), i = 0;
    while (i < n && (strlen(rows[i].name) != length || strncmp(rows[i].name, word, length) != 0))
        i++;
    if (i == n || !word[length])
        return "unknown option or price";
    const char *text = word + length + 1;
    char *end;
    double value = strtod(text, &end);
    if (*end || end == text || !(value >= 0))
        return "a price is a number of nanoseconds";
    *(double *)((char *)prices + rows[i].at) = value;
    given[i] = true;
    return NULL;
}

const char *sim_prices_check(size_t n, const bool *given)
{
    for (size_t i = 0; i < n; i++)
        if (!given[i])
            return "a price is missing";
    return NULL;
}
