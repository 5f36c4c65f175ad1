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

/** Goes through a list of version 5; entry `wanted`'s name, or NULL, and its folder's place. */
static const char *take_list(cursor_t *c, const tables_t *t, const unit_t *u, uint64_t wanted,
                             uint64_t *folder_p)
{
    enum { MOST = 16, PATH = 1, FOLDER = 2 };
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
            if (entry == wanted && kinds[i] == FOLDER)
                *folder_p = number;
        }
    return found;
}

/** Without folders in name; folder: "" where it is not known. */
typedef struct file_text {
    const char *name, *folder;
} file_text_t;

/** Name and folder of version 5. */
static file_text_t file_of_lists(cursor_t c, const tables_t *t, const unit_t *u, uint64_t file)
{
    uint64_t folder = 0, none;
    cursor_t folders = c;
    take_list(&c, t, u, UINT64_MAX, &none);
    const char *name = take_list(&c, t, u, file, &folder);
    const char *path = take_list(&folders, t, u, folder, &none);
    return (file_text_t){c.bad ? NULL : name, path && !folders.bad ? path : ""};
}

/** Of the versions before. Folder 0 is that of the compilation. */
static file_text_t file_of_strings(cursor_t c, uint64_t file)
{
    cursor_t folders = c;
    while (*take_string(&c) && !c.bad)
        ;
    for (uint64_t i = 1; !c.bad; i++) {
        const char *name = take_string(&c), *path = "";
        if (!*name)
            break;
        uint64_t folder = take_leb(&c, false);
        for (uint64_t k = 0; i == file && k < folder && !folders.bad; k++)
            path = take_string(&folders);
        if (i == file)
            return (file_text_t){name, path};
        take_leb(&c, false);  // time, size
        take_leb(&c, false);
    }
    return (file_text_t){NULL, ""};
}

static file_text_t file_text(const tables_t *t, const unit_t *u, uint64_t file)
{
    file_text_t f =
        u->version >= 5 ? file_of_lists(u->names, t, u, file) : file_of_strings(u->names, file);
    const char *slash = f.name ? strrchr(f.name, '/') : NULL;
    f.name = slash ? slash + 1 : f.name;
    return f;
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

/** Files whose rows do not count. */
typedef struct passed {
    uint64_t files[4];
    size_t nfiles;
} passed_t;

static bool is_passed(const passed_t *p, uint64_t file)
{
    for (size_t i = 0; i < p->nfiles; i++)
        if (p->files[i] == file)
            return true;
    return false;
}

/** Runs the program of a unit until a row covers the address: that row, or the last one before it
 *  that counts, from `function` on. Sequences from 0 on are of functions that the linker has left
 *  out. */
static bool run(const unit_t *u, uint64_t function, uint64_t address, const passed_t *p,
                row_t *found_p)
{
    static const row_t begin = {.file = 1, .line = 1};
    cursor_t c = u->program;
    row_t r = begin, before = {.ends = true}, counts = {.ends = true};
    bool real = false;
    while (c.at < c.end && !c.bad) {
        if (!step(&c, u, &r))
            continue;
        if (before.ends) {
            real = r.address != 0;
            counts.ends = true;
        } else if (before.address >= function && !is_passed(p, before.file)) {
            counts = before;
        }
        if (real && !before.ends && address >= before.address && address < r.address) {
            *found_p = counts;
            return !counts.ends;
        }
        before = r;
        r = r.ends ? begin : r;
    }
    return false;
}

// ---------------------------------------------------------------- the file

static const ElfW(Shdr) * header_of(const char *image, const char *wanted)
{
    const ElfW(Ehdr) *head = (const void *)image;
    const ElfW(Shdr) *all = (const void *)(image + head->e_shoff), *names = all + head->e_shstrndx;
    const size_t length = strlen(wanted) + 1;
    for (int i = 0; i < head->e_shnum; i++)
        if (all[i].sh_name < names->sh_size && names->sh_size - all[i].sh_name >= length &&
            memcmp(image + names->sh_offset + all[i].sh_name, wanted, length) == 0)
            return &all[i];
    return NULL;
}

static cursor_t section(const char *image, size_t nbytes, const char *wanted)
{
    const ElfW(Shdr) *s = header_of(image, wanted);
    if (!s || s->sh_type == SHT_NOBITS || s->sh_flags & SHF_COMPRESSED || s->sh_offset > nbytes ||
        s->sh_size > nbytes - s->sh_offset)
        return (cursor_t){0};
    const uint8_t *at = (const uint8_t *)image + s->sh_offset;
    return (cursor_t){.at = at, .end = at + s->sh_size};
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

/** Headers whose functions are part of a call of the library lie in include/causeway. */
static bool is_interface(file_text_t f)
{
    static const char ours[] = "/causeway";
    size_t length = strlen(f.folder), tail = sizeof ours - 1;
    return length >= tail && memcmp(f.folder + length - tail, ours, tail) == 0;
}

/** Describes the row, or, where it is of code inlined from such a header, the last one before. */
static bool describe(const tables_t *t, const unit_t *u, uint64_t function, uint64_t address,
                     row_t row, char *text, size_t text_nbytes)
{
    passed_t passed = {.nfiles = 0};
    row_t found = row;
    do {
        file_text_t f = file_text(t, u, found.file);
        if (!f.name || found.line <= 0)
            break;
        if (passed.nfiles == 0 || !is_interface(f))
            snprintf(text, text_nbytes, "%s%s:%lld", passed.nfiles ? "near " : "", f.name,
                     (long long)found.line);
        if (!is_interface(f))
            return true;
        passed.files[passed.nfiles++] = found.file;
    } while (passed.nfiles < sizeof passed.files / sizeof passed.files[0] &&
             run(u, function, address, &passed, &found));
    return passed.nfiles > 0;  // a function of the header
}

bool cwu_lines_unread(const char *image, size_t nbytes)
{
    static const char *const tables[] = {".debug_line", ".debug_line_str", ".debug_str"};
    if (!has_sections(image, nbytes))
        return false;
    const ElfW(Shdr) *lines = header_of(image, tables[0]);
    bool unread = lines ? lines->sh_size > MOST_BYTES
                        : header_of(image, ".gnu_debuglink") || header_of(image, ".zdebug_line");
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        const ElfW(Shdr) *s = header_of(image, tables[i]);
        unread |= s && s->sh_flags & SHF_COMPRESSED;
    }
    return unread;
}

bool cwu_lines_find(const char *image, size_t nbytes, uint64_t function, uint64_t address,
                    char *text, size_t text_nbytes)
{
    static const passed_t none;
    if (!has_sections(image, nbytes) || cwu_lines_unread(image, nbytes))
        return false;
    tables_t t = {.lines = section(image, nbytes, ".debug_line"),
                  .line_strings = section(image, nbytes, ".debug_line_str"),
                  .strings = section(image, nbytes, ".debug_str")};
    cursor_t c = t.lines;
    while (c.at < c.end && !c.bad) {
        unit_t u;
        row_t found;
        // (from any row on: the one that covers the address may begin before the function)
        if (!take_unit(&c, &u) || !run(&u, 0, address, &none, &found))
            continue;
        return describe(&t, &u, function, address, found, text, text_nbytes);
    }
    return false;
}
