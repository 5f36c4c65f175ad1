// SPDX-License-Identifier: BSD-3-Clause
//
// Prints states of PEs, equal ones together (state.h).
#include "bootstrap/state.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LINE_NBYTES = 1024 };

/** What is compared. since: not part of it. */
typedef struct text {
    char does[sizeof((cwb_state_t *)0)->does], wants[sizeof((cwb_state_t *)0)->wants];
    bool waits;
} text_t;

static bool text_of(const cwb_states_t *states, int i, text_t *text)
{
    const cwb_state_t *s = &states->first[i];
    memset(text, 0, sizeof *text);
    if (!cwb_state_is_fresh(s))
        return states->silent(states->arg, i, text->does, sizeof text->does);
    text->waits = s->since_ns != 0;
    snprintf(text->does, sizeof text->does, "%s", s->does);
    snprintf(text->wants, sizeof text->wants, "%s", s->wants);
    return true;
}

static bool equals(const text_t *a, const text_t *b)
{
    return a->waits == b->waits && !strcmp(a->does, b->does) && !strcmp(a->wants, b->wants);
}

static int pe_at(const cwb_states_t *states, int i)
{
    return states->pe_of ? states->pe_of[i] : i;
}

typedef struct line {
    char text[LINE_NBYTES];
    size_t used;
} line_t;

static CW_PRINTF(2, 3) void add(line_t *line, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(line->text + line->used, sizeof line->text - line->used, fmt, args);
    va_end(args);
    if (n > 0)
        line->used += (size_t)n;
    if (line->used >= sizeof line->text)
        line->used = sizeof line->text - 1;
}

void cwb_list_add(char *list, size_t nbytes, int first, int last)
{
    size_t used = strlen(list), room = nbytes - sizeof ", 2147483647-2147483647, ...";
    if (used > room)
        return;
    const char *comma = used ? ", " : "", *dash = last == first + 1 ? ", " : "-";
    if (first == last)
        used += (size_t)snprintf(list + used, nbytes - used, "%s%d", comma, first);
    else
        used += (size_t)snprintf(list + used, nbytes - used, "%s%d%s%d", comma, first, dash, last);
    if (used > room)
        snprintf(list + used, nbytes - used, ", ...");
}

/** By what the program counts them: "image" from 1, else "PE" from 0. */
static const char *word_of(const cwb_states_t *states)
{
    for (int i = 0; i < states->count; i++)
        if (cwb_state_is_fresh(&states->first[i]))
            return states->first[i].word;
    return "";
}

static void print_one(const cwb_states_t *states, int i, const text_t *text)
{
    char pes[LINE_NBYTES / 3] = "";
    const char *word = word_of(states);
    const int from = word[0] ? 1 : 0;
    line_t line = {.used = 0};
    uint64_t least = UINT64_MAX, most = 0;
    int first = -1, last = -1, npes = 0;
    for (int k = i; k < states->count; k++) {
        cwb_state_t *s = &states->first[k];
        text_t other;
        if (s->printed || (k > i && (!text_of(states, k, &other) || !equals(text, &other))))
            continue;
        s->printed = 1;
        int pe = pe_at(states, k);
        uint64_t ns = s->at_ns - s->since_ns;
        least = ns < least ? ns : least;
        most = ns > most ? ns : most;
        npes++;
        if (first >= 0 && pe == last + 1) {
            last = pe;
            continue;
        }
        if (first >= 0)
            cwb_list_add(pes, sizeof pes, first + from, last + from);
        first = last = pe;
    }
    cwb_list_add(pes, sizeof pes, first + from, last + from);
    add(&line, "%.7s%s %s: %s", from ? word : "PE", npes > 1 ? "s" : "", pes, text->does);
    unsigned long long least_s = least / 1000000000u, most_s = most / 1000000000u;
    if (text->waits && least_s == most_s)
        add(&line, ", for %llu s", most_s);
    else if (text->waits)
        add(&line, ", for %llu to %llu s", least_s, most_s);
    if (text->wants[0])
        add(&line, ": %s", text->wants);
    states->put(line.text);
}

void cwb_states_print(const cwb_states_t *states)
{
    text_t text;
    for (int i = 0; i < states->count; i++)
        states->first[i].printed = 0;
    for (int i = 0; i < states->count; i++)
        if (!states->first[i].printed && text_of(states, i, &text))
            print_one(states, i, &text);
}
