// SPDX-License-Identifier: BSD-3-Clause
//
// The same message of many PEs, once. An error or a warning of the library waits COLLECT_NS, and
// with it the lines of a stack that follow it; equal ones of other PEs that come meanwhile, or wait
// already, are printed with it, under the numbers of all. So are those that differ in addresses,
// and those that differ in other numbers where there are MANY of them: few are read as they are.
// Nothing else waits: other lines of a PE print its messages first. So each PE's lines keep their
// order; lines of oshrun, which explain messages, stay behind those that wait. No I/O, no clock:
// output.c has both.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alike.h"
#include "bootstrap/state.h"
#include "collect.h"

#define COLLECT_NS UINT64_C(50000000)

enum {
    MOST = 4096,         // messages that wait: more are a flood, whose comparison would cost time
    TEXT_NBYTES = 2304,  // a message has at most 2048
    LIST_NBYTES = 512,
    MANY = 4,
    OWN = -1,
};
// Stand for the word and the number of the PE, or the list: of PEs; of images, which count from 1.
#define PES '\1'
#define IMAGES '\2'

typedef struct message {
    int pe;
    char *text;    // as it came
    char *common;  // without what differs between PEs; NULL: a line of oshrun's
    uint64_t due_ns;
    bool printed;  // by put_message
} message_t;

static struct {
    message_t *at;
    size_t count;
    int npes;
    unsigned char *seen, *in;  // by PE: a message of it has been looked at; it is of those printed
    void (*put)(const char *pes, const char *text, size_t nbytes);
} c;

int collect_init(int npes, void (*put)(const char *pes, const char *text, size_t nbytes))
{
    c.at = calloc(MOST, sizeof *c.at);
    c.seen = calloc((size_t)npes, 1);
    c.in = calloc((size_t)npes, 1);
    c.npes = npes;
    c.put = put;
    return c.at && c.seen && c.in ? 0 : -1;
}

bool collect_waits(void)
{
    return c.count > 0;
}

/** from: the number of PE 0. */
static void list_pes(char *list, size_t nbytes, int from)
{
    list[0] = '\0';
    for (int pe = 0; pe < c.npes; pe++) {
        int first = pe;
        while (pe < c.npes && c.in[pe])
            pe++;
        if (pe > first)
            cwb_list_add(list, nbytes, first + from, pe - 1 + from);
    }
}

static bool is_mark(char c)
{
    return c == PES || c == IMAGES;
}

static void put_common(const char *common, const char *list)
{
    const bool images = strchr(common, IMAGES) != NULL;
    const char *word = images ? "images" : "PEs";
    char numbers[LIST_NBYTES];
    list_pes(numbers, sizeof numbers, images ? 1 : 0);
    size_t nbytes = 0, list_nbytes = strlen(word) + 1 + strlen(numbers);
    for (const char *at = common; *at; at++)
        nbytes += is_mark(*at) ? list_nbytes : 1;
    char *text = malloc(nbytes + 1), *end = text;
    for (const char *at = common; text && *at; at++)
        if (is_mark(*at))
            end += sprintf(end, "%s %s", word, numbers);
        else
            *end++ = *at;
    if (text)
        c.put(list, text, nbytes);
    free(text);
}

/** Marks a message, the first of its PE, and those alike that can be printed with it: none whose PE
 *  has an earlier one. They may differ in so much; in how much they do comes back. Returns how
 *  many. */
static int mark_alike(size_t chosen, int most, int *differ_p)
{
    const message_t *m = &c.at[chosen];
    int count = 0;
    *differ_p = ALIKE_EQUAL;
    memset(c.seen, 0, (size_t)c.npes);
    memset(c.in, 0, (size_t)c.npes);
    for (size_t i = 0; i < c.count; i++) {
        message_t *other = &c.at[i];
        const bool possible = m->common && other->common && !c.seen[other->pe];
        const int differs = possible ? alike(m->common, other->common) : ALIKE_NOT;
        other->printed = i == chosen || (differs != ALIKE_NOT && (differs & ~most) == 0);
        *differ_p |= other->printed && differs != ALIKE_NOT ? differs : 0;
        count += other->printed;
        if (other->common) {
            c.seen[other->pe] = 1;
            c.in[other->pe] |= other->printed;
        }
    }
    return count;
}

/** Are there so many among those marked that differ in numbers? */
static bool are_many(void)
{
    const char *kinds[MANY];
    int count = 0;
    for (size_t i = 0; i < c.count && count < MANY; i++) {
        bool known = !c.at[i].printed;
        for (int k = 0; k < count && !known; k++)
            known = (alike(kinds[k], c.at[i].common) & ALIKE_BUT_NUMBERS) == 0;
        if (!known)
            kinds[count++] = c.at[i].common;
    }
    return count == MANY;
}

/** Says in the head of a text that addresses in it are those of one PE. Returns a copy. */
static char *with_note(const char *text)
{
    const char *head_end = strstr(text, "): ");
    char *noted = NULL;
    if (asprintf(&noted, "%.*s; addresses differ%s", (int)(head_end - text), text, head_end) < 0)
        return NULL;
    return noted;
}

static void put_merged(size_t chosen, size_t count, int differ, const char *list)
{
    const char **texts = malloc(count * sizeof *texts);
    size_t n = 0;
    if (texts)
        texts[n++] = c.at[chosen].common;
    for (size_t i = 0; texts && i < c.count; i++)
        if (c.at[i].printed && i != chosen)
            texts[n++] = c.at[i].common;
    char *merged = texts ? alike_merged(texts, n) : NULL;
    char *noted = merged && differ & ALIKE_BUT_ADDRESSES ? with_note(merged) : NULL;
    put_common(noted ? noted : merged ? merged : c.at[chosen].common, list);
    free(noted);
    free(merged);
    free(texts);
}

static void put_message(size_t chosen)
{
    char list[LIST_NBYTES];
    int differ, count = mark_alike(chosen, ALIKE_BUT_ADDRESSES | ALIKE_BUT_NUMBERS, &differ);
    if (differ & ALIKE_BUT_NUMBERS && !are_many())
        count = mark_alike(chosen, ALIKE_BUT_ADDRESSES, &differ);
    list_pes(list, sizeof list, 0);
    if (count > 1)
        put_merged(chosen, (size_t)count, differ, list);
    else
        c.put(list, c.at[chosen].text, strlen(c.at[chosen].text));
    size_t kept = 0;
    for (size_t i = 0; i < c.count; i++)
        if (c.at[i].printed) {
            free(c.at[i].text);
            free(c.at[i].common);
        } else {
            c.at[kept++] = c.at[i];
        }
    c.count = kept;
}

void collect_put_due(uint64_t now_ns)
{
    while (c.count && c.at[0].due_ns <= now_ns)
        put_message(0);
}

void collect_put_all(void)
{
    collect_put_due(UINT64_MAX);
}

uint64_t collect_next_ns(void)
{
    return c.count ? c.at[0].due_ns : 0;
}

void collect_put_of(int pe)
{
    for (size_t i = 0; i < c.count;)
        if (c.at[i].common && c.at[i].pe == pe) {
            put_message(i);
            i = 0;
        } else {
            i++;
        }
}

// ---------------------------------------------------------------- what is a message

/** The mark for a PE that calls itself so; 0: it is another one, or this is no such line. */
static char mark_of(int pe, const char *word, int number)
{
    if (strcmp(word, "PE") == 0 && number == pe)
        return PES;
    return strcmp(word, "image") == 0 && number == pe + 1 ? IMAGES : 0;
}

/** "causeway: error: PE 3 of 8 (pid 4711, host n1): text" without the numbers of PE and process
 *  ("image 4 of 8" likewise), or "causeway: error: pid 4711, host n1: text" of one that does not
 *  know its own. */
static bool strip_message(int pe, const char *line, char *common)
{
    char level[8], host[128], word[8], mark;
    int number, npes, after = 0;
    // no blank at the end of a format: it would also pass over the newline of an empty text
    if (sscanf(line, "causeway: %7[a-z]: %7s %d of %d (pid %*d, host %127[^)]):%n", level, word,
               &number, &npes, host, &after) == 5 &&
        line[after] == ' ' && (mark = mark_of(pe, word, number)))
        snprintf(common, TEXT_NBYTES, "causeway: %s: %c of %d (host %s):%s", level, mark, npes,
                 host, line + after);
    else if (after == 0 &&
             sscanf(line, "causeway: %7[a-z]: pid %*d, host %127[^:]:%n", level, host, &after) ==
                 2 &&
             line[after] == ' ')
        snprintf(common, TEXT_NBYTES, "causeway: %s: %c (host %s):%s", level, PES, host,
                 line + after);
    else
        return false;
    return strcmp(level, "debug") != 0;  // those are read PE by PE, in time
}

/** A line of the stack that belongs to a message. */
static bool strip_frame(int pe, const char *line, char *common)
{
    char word[8], mark;
    int number, after = 0;
    if (sscanf(line, "causeway:   %7s %d %n", word, &number, &after) != 2 || !after ||
        !(mark = mark_of(pe, word, number)) || line[after] != '#')
        return false;
    snprintf(common, TEXT_NBYTES, "causeway:   %c %s", mark, line + after);
    return true;
}

static message_t *last_of(int pe)
{
    for (size_t i = c.count; i > 0; i--)
        if (c.at[i - 1].common && c.at[i - 1].pe == pe)
            return &c.at[i - 1];
    return NULL;
}

static bool extend(message_t *m, const char *text, const char *common)
{
    char *longer = realloc(m->text, strlen(m->text) + strlen(text) + 1);
    if (!longer)
        return false;
    m->text = longer;
    char *longer_common = realloc(m->common, strlen(m->common) + strlen(common) + 1);
    if (!longer_common)
        return false;
    m->common = longer_common;
    strcat(m->text, text);
    strcat(m->common, common);
    return true;
}

static bool add(int pe, const char *text, const char *common, uint64_t due_ns)
{
    message_t m = {
        .pe = pe, .text = strdup(text), .common = common ? strdup(common) : NULL, .due_ns = due_ns};
    if (!m.text || (common && !m.common)) {
        free(m.text);
        free(m.common);
        return false;
    }
    c.at[c.count++] = m;
    if (c.count == MOST)
        collect_put_all();
    return true;
}

bool collect_take(int pe, const char *line, size_t nbytes, uint64_t now_ns)
{
    char text[TEXT_NBYTES], common[TEXT_NBYTES];
    message_t *last;
    bool mine = nbytes < sizeof text && nbytes > 10 && memcmp(line, "causeway: ", 10) == 0 &&
                !memchr(line, PES, nbytes) && !memchr(line, IMAGES, nbytes) &&
                !memchr(line, '\0', nbytes);
    if (mine) {
        memcpy(text, line, nbytes);
        text[nbytes] = '\0';
        if (strip_message(pe, text, common) && add(pe, text, common, now_ns + COLLECT_NS))
            return true;
        if ((last = last_of(pe)) && strip_frame(pe, text, common) && extend(last, text, common)) {
            last->due_ns = now_ns + COLLECT_NS;
            return true;
        }
    }
    collect_put_of(pe);
    return false;
}

void collect_own(const char *line)
{
    if (!add(OWN, line, NULL, 0))
        c.put("", line, strlen(line));
}
