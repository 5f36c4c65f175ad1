// SPDX-License-Identifier: BSD-3-Clause
//
// Finds messages by what was printed (info_explain.h). A text of the table has MARK where a call
// puts in what differs, NUMBER where that is a number; a line belongs to the text whose fixed parts
// it has in their order, and of several to that with the longest, before others to one that it is
// from end to end. A line that fits none is compared word by word.
#include "info_explain.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define MARK '\1'
#define NUMBER '\2'
#define MARKS "\1\2"

typedef struct info_message {
    const char *name, *cause, *remedy;
    const char *const *texts;  // NULL behind the last
} info_message_t;

#include "messages_table.h"

enum {
    COUNT = sizeof messages / sizeof *messages,
    NEAREST = 3,
    LEAST_LETTERS = 4,
    WEAK_LETTERS = 10,
    AS_IT_IS = 1 << 20,  // more than all words of a line
};

/** A row, the text that fits, and how well. */
typedef struct found {
    const info_message_t *message;
    const char *text;
    int score;
    bool whole;  // the line is that text, from end to end
} found_t;

static bool is_mark(char c)
{
    return c == MARK || c == NUMBER;
}

// ---------------------------------------------------------------- printing

/** Columns of the terminal, or what fits most. */
static int width(void)
{
    struct winsize size;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 40 ? size.ws_col : 100;
}

void info_wrapped(const char *text)
{
    int used = 0, room = width();
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (used && used + 1 + length > room) {
            putchar('\n');
            used = 0;
        }
        used += printf("%s%.*s", used ? " " : "      ", length, text);
        text += length + (text[length] == ' ');
    }
    putchar('\n');
}

/** The text as one reads it: "..." for what differs, no marks of the manual page. */
static void print_text(const char *first, const char *text)
{
    char *shown = malloc(strlen(first) + 3 * strlen(text) + 1), *end = shown;
    if (!shown)
        return;
    end = stpcpy(end, first);
    for (; *text; text++)
        if (is_mark(*text) && is_mark(text[1]))
            continue;
        else if (is_mark(*text))
            end = stpcpy(end, "...");
        else if (*text != '*')
            *end++ = *text;
    *end = '\0';
    info_wrapped(shown);
    free(shown);
}

static void print_message(const found_t *f)
{
    printf("  %s\n", f->message->name);
    if (f->text)
        print_text("", f->text);
    print_text("Cause: ", f->message->cause);
    print_text("Remedy: ", f->message->remedy);
}

static int list_all(void)
{
    for (int i = 0; i < COUNT; i++) {
        printf("  %s\n", messages[i].name);
        print_text("", messages[i].texts[0] ? messages[i].texts[0] : messages[i].cause);
    }
    return 0;
}

// ---------------------------------------------------------------- comparing

/** Where a fixed part stands, the first one of a text only behind the head of a line or a routine.
 */
static const char *find_part(const char *line, const char *part, size_t length, bool first)
{
    for (const char *at = line; (at = memmem(at, strlen(at), part, length)) != NULL; at++)
        if (!first || at == line || (at - line >= 2 && memcmp(at - 2, ": ", 2) == 0))
            return at;
    return NULL;
}

static int letters(const char *text, size_t length)
{
    int count = 0;
    for (size_t i = 0; i < length; i++)
        count += isalnum((unsigned char)text[i]) != 0;
    return count;
}

/** With how much of a fixed part the line ends. */
static size_t begun_at_end(const char *line, const char *part, size_t length)
{
    size_t room = strlen(line), most = room < length ? room : length;
    while (most && memcmp(line + room - most, part, most) != 0)
        most--;
    return most;
}

/** The number of letters in the fixed parts, if the line has them in their order, all or up to its
 *  end; else 0. */
static int fits(const char *line, const char *text)
{
    int score = 0;
    for (bool first = !is_mark(*text); *text; first = false) {
        size_t length = strcspn(text, MARKS);
        const char *at = length ? find_part(line, text, length, first) : line;
        if (!at) {
            int begun = letters(text, first ? 0 : begun_at_end(line, text, length));
            return begun < LEAST_LETTERS ? 0 : score + begun;
        }
        score += letters(text, length);
        line = at + length;
        text += length;
        text += strspn(text, MARKS);
    }
    return score < LEAST_LETTERS ? 0 : score;
}

/** What a call prints for one number, or for a pointer: "-7", "0x7f", "1.50", "(nil)". */
static size_t number_at(const char *line)
{
    return line[0] == '(' ? 5 * (strncmp(line, "(nil)", 5) == 0)
                          : strspn(line, "+-.0123456789abcdefABCDEFx");
}

/** Behind what a text has up to its next MARK, or its end, which is the end of the line; NULL: the
 *  line does not begin so. */
static const char *behind_part(const char *line, const char *text)
{
    for (; *text && !is_mark(*text); text++, line++)
        if (*text != *line)
            return NULL;
    if (*text != NUMBER)
        return *text == MARK || !*line ? line : NULL;
    const char *end = NULL;
    for (size_t n = number_at(line); n > 0 && !end; n--)
        end = behind_part(line + n, text + 1);
    return end;
}

/** Is the line what a call makes of the text? Each part is taken where it stands first: none that
 *  comes after it fits worse for that. */
static bool is_whole(const char *line, const char *text)
{
    const char *end = behind_part(line, text);
    while (end && *(text += strcspn(text, (char[]){MARK, '\0'}))) {
        text += strspn(text, (char[]){MARK, '\0'});
        for (line = end; !(end = behind_part(line, text)) && *line;)
            line++;
    }
    return end != NULL;
}

/** The same behind the name of a routine. */
static bool is_whole_message(const char *line, const char *text)
{
    const char *colon = strstr(line, ": ");
    return is_whole(line, text) || (colon && strcspn(line, " ") > (size_t)(colon - line) &&
                                    is_whole_message(colon + 2, text));
}

/** What the line is, or begins to be. Of "... bytes" nearly each line has the fixed part: that says
 *  nothing of a long one that is more. */
static found_t find(const char *line)
{
    const int all = letters(line, strlen(line));
    found_t best = {0};
    for (int i = 0; i < COUNT; i++)
        for (const char *const *text = messages[i].texts; *text; text++) {
            bool whole = is_whole_message(line, *text);
            int score = whole ? letters(*text, strlen(*text)) : fits(line, *text);
            bool weak = !whole && score < WEAK_LETTERS && 4 * score < all;
            if (!weak && (score > best.score || (score == best.score && whole && !best.whole)))
                best = (found_t){&messages[i], *text, score, whole};
        }
    return best;
}

static size_t word_at(const char *text)
{
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_')
        length++;
    return length;
}

static bool has_word(const char *text, const char *word, size_t length)
{
    for (; *text; text++) {
        size_t n = word_at(text);
        if (n == length && strncasecmp(text, word, n) == 0)
            return true;
        text += n ? n - 1 : 0;
    }
    return false;
}

/** In how many texts a word stands: rare ones count more. */
static int rarity(const char *word, size_t length)
{
    int count = 1;
    for (int i = 0; i < COUNT; i++)
        for (const char *const *text = messages[i].texts; *text; text++)
            count += has_word(*text, word, length);
    return 1000 / count;
}

/** A part of a message is given: texts that have it as it is come first. */
static void count_whole(found_t all[COUNT], const char *line)
{
    for (int i = 0; i < COUNT; i++)
        for (const char *const *text = messages[i].texts; *text && !all[i].score; text++)
            if (strcasestr(*text, line))
                all[i] = (found_t){&messages[i], *text, AS_IT_IS, false};
}

/** Adds to the scores of all rows what one word of the line is worth. */
static void count_word(found_t all[COUNT], const char *word, size_t length)
{
    int worth = rarity(word, length);
    for (int i = 0; i < COUNT; i++) {
        bool inside = has_word(messages[i].name, word, length);
        for (const char *const *text = messages[i].texts; *text && !inside; text++)
            if ((inside = has_word(*text, word, length)) && !all[i].text)
                all[i].text = *text;
        all[i].score += inside ? worth : 0;
    }
}

static int by_score(const void *a, const void *b)
{
    return ((const found_t *)b)->score - ((const found_t *)a)->score;
}

static int explain_nearest(const char *line)
{
    static found_t all[COUNT];
    int most = 0;
    for (int i = 0; i < COUNT; i++)
        all[i] = (found_t){.message = &messages[i]};
    count_whole(all, line);
    for (const char *at = line; *at;) {
        size_t length = word_at(at);
        if (length >= LEAST_LETTERS)
            count_word(all, at, length);
        at += length ? length : 1;
    }
    qsort(all, COUNT, sizeof *all, by_score);
    most = all[0].score;
    if (most == 0) {
        fprintf(stderr, "causeway-info: no message is like \"%s\"\n", line);
        return 1;
    }
    puts("No message is exactly that; the nearest:");
    for (int i = 0; i < NEAREST && all[i].score > most / 2; i++)
        print_message(&all[i]);
    return 0;
}

// ---------------------------------------------------------------- lines

/** Behind what every line begins with: "[3] causeway: error: PE 3 of 8 (pid 7, host n): ". */
static const char *skip_head(const char *line)
{
    static const char *const levels[] = {"causeway: ", "oshrun: ", "error: ", "warning: "};
    const char *end;
    if (*line == '[' && (end = strstr(line, "] ")) != NULL)
        line = end + 2;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (strncmp(line, levels[i], strlen(levels[i])) == 0)
            line += strlen(levels[i]);
    if (strncmp(line, "PE", 2) == 0 && (end = strstr(line, "): ")) != NULL && strstr(line, "host "))
        return end + 3;
    if (strncmp(line, "pid ", 4) == 0 && (end = strstr(line, ": ")) != NULL)
        return end + 2;
    return line;
}

static const info_message_t *named(const char *name)
{
    for (int i = 0; i < COUNT; i++)
        if (strcasecmp(messages[i].name, name) == 0)
            return &messages[i];
    return NULL;
}

/** The text of a line: without its head, and without who called at its end. Changes the line. */
static char *text_of(char *line)
{
    char *caller = strstr(line, "; called from ");
    if (caller)
        *caller = '\0';
    return line + (skip_head(line) - line);
}

static int explain(char *line)
{
    const info_message_t *row = named(line);
    if (row) {
        print_message(&(found_t){.message = row});
        for (const char *const *t = row->texts; *t; t++)
            print_text("- ", *t);
        return 0;
    }
    const char *text = text_of(line);
    found_t found = find(text);
    if (!found.message)
        return explain_nearest(text);
    print_message(&found);
    return 0;
}

/** Each row once, in the order of the lines. */
static int explain_input(void)
{
    static bool printed[COUNT];
    char *line = NULL;
    size_t room = 0;
    int status = 1;
    for (ssize_t n; (n = getline(&line, &room, stdin)) > 0;) {
        line[strcspn(line, "\n")] = '\0';
        if (!strstr(line, "causeway: ") && !strstr(line, "oshrun: "))
            continue;
        found_t found = find(text_of(line));
        if (!found.message || printed[found.message - messages])
            continue;
        printed[found.message - messages] = true;
        print_message(&found);
        status = 0;
    }
    free(line);
    if (status)
        fputs("causeway-info: no line of the input is a message of Causeway\n", stderr);
    return status;
}

int info_explain(char *const *words)
{
    if (!words[0])
        return list_all();
    if (strcmp(words[0], "-") == 0 && !words[1])
        return explain_input();
    size_t nbytes = 1;
    for (char *const *word = words; *word; word++)
        nbytes += strlen(*word) + 1;
    char *text = calloc(nbytes, 1);
    if (!text)
        return 1;
    for (char *const *word = words; *word; word++) {
        strcat(text, word == words ? "" : " ");
        strcat(text, *word);
    }
    int status = explain(text);
    free(text);
    return status;
}
