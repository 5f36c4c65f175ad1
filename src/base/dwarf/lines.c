// SPDX-License-Identifier: BSD-3-Clause
//
// Tables of lines (lines.h). Each unit of a table is a header, with the names of its files, and a
// program of small instructions whose machine steps through addresses and lines in parallel; the
// rows of a sequence have growing addresses. Whatever the file says, no byte outside of a section
// is read.
#include "base/dwarf/lines.h"

#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"

#define MOST_BYTES ((size_t)64 << 20)  // a table of this size takes some tenths of a second

/** Bytes that are still to be read. bad: more were asked for than there are. */
typedef struct cursor {
    const uint8_t *at, *end;
    bool bad;
} cursor_t;

typedef struct tables {
    cursor_t lines, line_strings, strings;
} tables_t;

typedef struct unit {
    cursor_t names, program;  // names: from the list of folders on
    unsigned version;
    bool wide;  // offsets of 8 bytes
    uint8_t step, line_range, opcode_base, lengths[256];
    int8_t line_base;
} unit_t;

typedef struct row {
    uint64_t address, file;
    int64_t line;
    bool ends;
} row_t;

// ---------------------------------------------------------------- bytes

static uint64_t take(cursor_t *c, size_t nbytes)
{
    uint64_t value = 0;
    if (nbytes > 8 || (size_t)(c->end - c->at) < nbytes) {
        c->bad = true;
        c->at = c->end;
        return 0;
    }
    memcpy(&value, c->at, nbytes);  // both processors are little-endian
    c->at += nbytes;
    return value;
}

static void skip(cursor_t *c, uint64_t nbytes)
{
    if ((uint64_t)(c->end - c->at) < nbytes) {
        c->bad = true;
        nbytes = (uint64_t)(c->end - c->at);
    }
    c->at += nbytes;
}

static uint64_t take_leb(cursor_t *c, bool is_signed)
{
    uint64_t value = 0, byte = 0x80;
    unsigned shift = 0;
    while (byte & 0x80 && !c->bad) {
        byte = take(c, 1);
        if (shift < 64)
            value |= (byte & 0x7f) << shift;
        shift += 7;
    }
    if (is_signed && byte & 0x40 && shift < 64)
        value |= ~UINT64_C(0) << shift;
    return value;
}

static const char *take_string(cursor_t *c)
{
    const uint8_t *start = c->at, *end = memchr(start, 0, (size_t)(c->end - start));
    c->bad = c->bad || !end;
    c->at = end ? end + 1 : c->end;
    return end ? (const char *)start : "";
}

static const char *string_at(cursor_t strings, uint64_t offset)
{
    skip(&strings, offset);
    return take_string(&strings);
}

// ---------------------------------------------------------------- names of files

/** One value of a list of names in version 5; a string if it is one, else NULL. */
static const char *take_form(cursor_t *c, const tables_t *t, const unit_t *u, uint64_t form,
                             uint64_t *number_p)
{
    switch (form) {
    case 0x08:  // a string here
        return take_string(c);
    case 0x1f:  // one in .debug_line_str
        return string_at(t->line_strings, take(c, u->wide ? 8 : 4));
    case 0x0e:  // or .debug_str
        return string_at(t->strings, take(c, u->wide ? 8 : 4));
    case 0x0b:
        *number_p = take(c, 1);
        return NULL;
    case 0x05:
        *number_p = take(c, 2);
        return NULL;
    case 0x06:
        *number_p = take(c, 4);
        return NULL;
    case 0x0f:
        *number_p = take_leb(c, false);
        return NULL;
    case 0x1e:  // a digest
        skip(c, 16);
        return NULL;
    default:
        c->bad = true;
        return NULL;
    }
}

/** Goes through a list of version 5; the name of entry `wanted`, or NULL. */
static const char *take_list(cursor_t *c, const tables_t *t, const unit_t *u, uint64_t wanted)
{
    enum { MOST = 16, PATH = 1 };
    uint64_t kinds[MOST], forms[MOST], nforms = take(c, 1), number = 0;
    const char *found = NULL;
    for (uint64_t i = 0; i < nforms; i++) {
        uint64_t kind = take_leb(c, false), form = take_leb(c, false);
        kinds[i % MOST] = kind;
        forms[i % MOST] = form;
    }
    uint64_t n = take_leb(c, false);
    c->bad = c->bad || nforms > MOST;
    for (uint64_t entry = 0; entry < n && nforms && !c->bad; entry++)
        for (uint64_t i = 0; i < nforms && !c->bad; i++) {
            const char *text = take_form(c, t, u, forms[i], &number);
            if (entry == wanted && kinds[i] == PATH)
                found = text;
        }
    return found;
}

static const char *file_name(const tables_t *t, const unit_t *u, uint64_t file)
{
    cursor_t c = u->names;
    if (u->version >= 5) {
        take_list(&c, t, u, UINT64_MAX);
        const char *name = take_list(&c, t, u, file);
        return c.bad ? NULL : name;
    }
    while (*take_string(&c) && !c.bad)  // folders
        ;
    for (uint64_t i = 1; !c.bad; i++) {
        const char *name = take_string(&c);
        if (!*name)
            break;
        if (i == file)
            return name;
        take_leb(&c, false);  // folder, time, size
        take_leb(&c, false);
        take_leb(&c, false);
    }
    return NULL;
}

// ---------------------------------------------------------------- programs

static bool take_unit(cursor_t *c, unit_t *u)
{
    uint64_t nbytes = take(c, 4);
    u->wide = nbytes == 0xffffffff;
    if (u->wide)
        nbytes = take(c, 8);
    cursor_t h = {.at = c->at, .end = c->at};
    skip(c, nbytes);
    h.end = c->at;
    u->version = (unsigned)take(&h, 2);
    if (u->version >= 5)
        skip(&h, 2);  // sizes of addresses and selectors
    uint64_t header = take(&h, u->wide ? 8 : 4);
    u->program = h;
    skip(&u->program, header);
    u->step = (uint8_t)take(&h, 1);
    if (u->version >= 4)
        skip(&h, 1);  // operations of an instruction
    skip(&h, 1);      // whether rows begin statements
    u->line_base = (int8_t)take(&h, 1);
    u->line_range = (uint8_t)take(&h, 1);
    u->opcode_base = (uint8_t)take(&h, 1);
    for (unsigned i = 1; i < u->opcode_base; i++)
        u->lengths[i] = (uint8_t)take(&h, 1);
    u->names = h;
    return !h.bad && !u->program.bad && u->version >= 2 && u->version <= 5 && u->line_range &&
           u->opcode_base;
}

/** An instruction of the extended kind. True: it adds a row. */
static bool extended(cursor_t *c, row_t *r)
{
    uint64_t nbytes = take_leb(c, false);
    const uint8_t *next = c->at;
    if (nbytes == 0 || (uint64_t)(c->end - c->at) < nbytes) {
        c->bad = true;
        return false;
    }
    next += nbytes;
    uint64_t opcode = take(c, 1);
    if (opcode == 1)
        r->ends = true;
    else if (opcode == 2)
        r->address = take(c, nbytes - 1);
    c->at = next;
    return r->ends;
}

/** True: it adds a row. */
static bool standard(cursor_t *c, const unit_t *u, uint8_t opcode, row_t *r)
{
    switch (opcode) {
    case 1:
        return true;
    case 2:
        r->address += u->step * take_leb(c, false);
        break;
    case 3:
        r->line += (int64_t)take_leb(c, true);
        break;
    case 4:
        r->file = take_leb(c, false);
        break;
    case 8:
        r->address += (uint64_t)u->step * ((255u - u->opcode_base) / u->line_range);
        break;
    case 9:
        r->address += take(c, 2);
        break;
    default:  // of columns, prologues and the like
        for (unsigned i = 0; i < u->lengths[opcode]; i++)
            take_leb(c, false);
    }
    return false;
}

static bool step(cursor_t *c, const unit_t *u, row_t *r)
{
    uint8_t opcode = (uint8_t)take(c, 1);
    if (opcode == 0)
        return extended(c, r);
    if (opcode < u->opcode_base)
        return standard(c, u, opcode, r);
    unsigned adjusted = (unsigned)opcode - u->opcode_base;
    r->address += (uint64_t)u->step * (adjusted / u->line_range);
    r->line += u->line_base + (int)(adjusted % u->line_range);
    return true;
}

/** Runs the program of a unit until a row covers the address. Sequences from 0 on are of functions
 *  that the linker has left out. */
static bool run(const unit_t *u, uint64_t address, row_t *found_p)
{
    static const row_t begin = {.file = 1, .line = 1};
    cursor_t c = u->program;
    row_t r = begin, before = {.ends = true};
    bool real = false;
    while (c.at < c.end && !c.bad) {
        if (!step(&c, u, &r))
            continue;
        if (before.ends)
            real = r.address != 0;
        if (real && !before.ends && address >= before.address && address < r.address) {
            *found_p = before;
            return true;
        }
        before = r;
        r = r.ends ? begin : r;
    }
    return false;
}

// ---------------------------------------------------------------- the file

static cursor_t section(const char *image, size_t nbytes, const char *wanted)
{
    const ElfW(Ehdr) *head = (const void *)image;
    const ElfW(Shdr) *all = (const void *)(image + head->e_shoff), *names = all + head->e_shstrndx;
    for (int i = 0; i < head->e_shnum; i++) {
        const ElfW(Shdr) *s = &all[i];
        size_t length = strlen(wanted) + 1;
        if (s->sh_name >= names->sh_size || names->sh_size - s->sh_name < length ||
            memcmp(image + names->sh_offset + s->sh_name, wanted, length) != 0 ||
            s->sh_type == SHT_NOBITS || s->sh_flags & SHF_COMPRESSED || s->sh_offset > nbytes ||
            s->sh_size > nbytes - s->sh_offset)
            continue;
        const uint8_t *at = (const uint8_t *)image + s->sh_offset;
        return (cursor_t){.at = at, .end = at + s->sh_size};
    }
    return (cursor_t){0};
}

static bool has_sections(const char *image, size_t nbytes)
{
    const ElfW(Ehdr) *head = (const void *)image;
    if (nbytes < sizeof *head || memcmp(image, ELFMAG, SELFMAG) != 0 ||
        head->e_shentsize != sizeof(ElfW(Shdr)) || head->e_shoff > nbytes ||
        (nbytes - head->e_shoff) / sizeof(ElfW(Shdr)) < head->e_shnum ||
        head->e_shstrndx >= head->e_shnum)
        return false;
    const ElfW(Shdr) *names =
        (const ElfW(Shdr) *)(const void *)(image + head->e_shoff) + head->e_shstrndx;
    return names->sh_offset <= nbytes && names->sh_size <= nbytes - names->sh_offset;
}

bool cwu_lines_find(const char *image, size_t nbytes, uint64_t address, char *text,
                    size_t text_nbytes)
{
    if (!has_sections(image, nbytes))
        return false;
    tables_t t = {.lines = section(image, nbytes, ".debug_line"),
                  .line_strings = section(image, nbytes, ".debug_line_str"),
                  .strings = section(image, nbytes, ".debug_str")};
    cursor_t c = t.lines;
    if ((size_t)(c.end - c.at) > MOST_BYTES)
        return false;
    while (c.at < c.end && !c.bad) {
        unit_t u;
        row_t found;
        if (!take_unit(&c, &u) || !run(&u, address, &found))
            continue;
        const char *name = file_name(&t, &u, found.file), *slash = name ? strrchr(name, '/') : NULL;
        if (!name || found.line <= 0)
            return false;
        snprintf(text, text_nbytes, "%s:%lld", slash ? slash + 1 : name, (long long)found.line);
        return true;
    }
    return false;
}
