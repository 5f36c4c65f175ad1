// SPDX-License-Identifier: BSD-3-Clause
//
// Addresses to names (symbol.h), from the symbol tables of the file: the full one (.symtab) has all
// names, unless it was stripped; the dynamic one has the exported names. dladdr reads the latter
// only, and picks any of several names for one function.
#include "base/symbol.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <unwind.h>

#include "base/compiler.h"
#include "base/dwarf/lines.h"

typedef struct image {
    const char *bytes;
    size_t nbytes;
} image_t;

/** A search and its result, in addresses of the file. */
typedef struct hunt {
    uintptr_t address;
    int type;     // STT_FUNC or STT_OBJECT
    bool before;  // the last one that ends at the address or before it, instead of that around it
    const char *name;
    uintptr_t start;
    size_t nbytes;
} hunt_t;

typedef struct module {
    const char *path;
    char of_program[256];  // what fits
    uintptr_t base;        // difference between addresses here and in the file
    const char *name;      // without folders
    bool program;
} module_t;

static bool map_file(const module_t *m, image_t *image_p)
{
    struct stat st;
    int fd = open(m->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 && m->program)  // replaced since it was started, or deep in folders
        fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    void *at = MAP_FAILED;
    if (fstat(fd, &st) == 0 && (size_t)st.st_size > sizeof(ElfW(Ehdr)))
        at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (at == MAP_FAILED)
        return false;
    *image_p = (image_t){at, (size_t)st.st_size};
    return memcmp(at, ELFMAG, SELFMAG) == 0;
}

static bool inside(const image_t *image, uint64_t offset, uint64_t nbytes)
{
    return offset <= image->nbytes && nbytes <= image->nbytes - offset;
}

static void look_at(hunt_t *h, const ElfW(Sym) * symbol, const char *name)
{
    int type = symbol->st_info & 0xf;
    uintptr_t end = symbol->st_value + symbol->st_size;
    bool fits = h->before ? h->address >= end : h->address >= symbol->st_value && h->address < end;
    if (type != h->type || !fits || symbol->st_size == 0 || symbol->st_shndx == SHN_UNDEF ||
        (h->before && h->name && end < h->start + h->nbytes))
        return;
    // Of several names for one function the one without the profiling prefix, then the longest: the
    // others are old.
    bool plainer = h->name && (h->name[0] == 'p') > (name[0] == 'p');
    bool longer =
        h->name && (h->name[0] == 'p') == (name[0] == 'p') && strlen(name) > strlen(h->name);
    if (!h->name || symbol->st_value > h->start || plainer || longer) {
        h->name = name;
        h->start = symbol->st_value;
        h->nbytes = symbol->st_size;
    }
}

static void search_table(const image_t *image, const ElfW(Shdr) * table, const ElfW(Shdr) * names,
                         hunt_t *h)
{
    if (!inside(image, table->sh_offset, table->sh_size) ||
        !inside(image, names->sh_offset, names->sh_size) || names->sh_size == 0 ||
        image->bytes[names->sh_offset + names->sh_size - 1] != '\0')
        return;
    const ElfW(Sym) *symbols = (const void *)(image->bytes + table->sh_offset);
    for (size_t i = 0; i < table->sh_size / sizeof *symbols; i++)
        if (symbols[i].st_name < names->sh_size)
            look_at(h, &symbols[i], image->bytes + names->sh_offset + symbols[i].st_name);
}

static void search_file(const image_t *image, hunt_t *h)
{
    const ElfW(Ehdr) *head = (const void *)image->bytes;
    if (head->e_shentsize != sizeof(ElfW(Shdr)) ||
        !inside(image, head->e_shoff, (uint64_t)head->e_shnum * head->e_shentsize))
        return;
    const ElfW(Shdr) *sections = (const void *)(image->bytes + head->e_shoff);
    for (int i = 0; i < head->e_shnum; i++)
        if ((sections[i].sh_type == SHT_SYMTAB || sections[i].sh_type == SHT_DYNSYM) &&
            sections[i].sh_link < head->e_shnum)
            search_table(image, &sections[i], &sections[sections[i].sh_link], h);
}

typedef struct locate {
    uintptr_t address;
    module_t *module;
    uintptr_t end;  // of the last module that ends before the address; 0: none
} locate_t;

static void note_module(const struct dl_phdr_info *info, module_t *m)
{
    m->base = info->dlpi_addr;
    m->program = !info->dlpi_name[0];
    m->path = info->dlpi_name;
}

static int is_in_module(struct dl_phdr_info *info, size_t size, void *arg)
{
    locate_t *l = arg;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + ph->p_vaddr;
        if (ph->p_type != PT_LOAD || l->address < start || l->address >= start + ph->p_memsz)
            continue;
        note_module(info, l->module);
        return 1;
    }
    return 0;
}

static int is_after_module(struct dl_phdr_info *info, size_t size, void *arg)
{
    locate_t *l = arg;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
        uintptr_t end = info->dlpi_addr + ph->p_vaddr + ph->p_memsz;
        if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_W) || end > l->address || end <= l->end)
            continue;
        note_module(info, l->module);
        l->end = end;
    }
    return 0;
}

static bool name_module(module_t *m)
{
    if (m->program) {
        ssize_t n = readlink("/proc/self/exe", m->of_program, sizeof m->of_program - 1);
        if (n <= 0)
            return false;
        m->of_program[n] = '\0';
        m->path = m->of_program;
    }
    const char *slash = strrchr(m->path, '/');
    m->name = slash ? slash + 1 : m->path;
    return true;
}

static bool find_module(const void *address, module_t *m)
{
    locate_t l = {.address = (uintptr_t)address, .module = m};
    return dl_iterate_phdr(is_in_module, &l) && name_module(m);
}

/** That, or the one whose data ends before the address. */
static bool find_data_module(const void *address, module_t *m)
{
    locate_t l = {.address = (uintptr_t)address, .module = m};
    if (dl_iterate_phdr(is_in_module, &l))
        return name_module(m);
    dl_iterate_phdr(is_after_module, &l);
    return l.end && name_module(m);
}

/** The symbol that covers the address. `name` is set on success. */
static bool find_symbol(const module_t *m, const void *address, int type, char *name,
                        size_t name_nbytes, size_t *distance_p)
{
    image_t image;
    hunt_t h = {.address = (uintptr_t)address - m->base, .type = type};
    if (!map_file(m, &image))
        return false;
    search_file(&image, &h);
    if (h.name) {
        snprintf(name, name_nbytes, "%s", h.name);
        *distance_p = h.address - h.start;
    }
    munmap((void *)image.bytes, image.nbytes);
    return h.name != NULL;
}

bool cwu_symbol_variable(const void *address, cwu_variable_t *variable_p)
{
    module_t m;
    image_t image;
    hunt_t h = {.type = STT_OBJECT};
    if (!find_data_module(address, &m) || !map_file(&m, &image))
        return false;
    h.address = (uintptr_t)address - m.base;
    search_file(&image, &h);
    if (!h.name) {
        h.before = true;
        search_file(&image, &h);
    }
    if (h.name) {
        snprintf(variable_p->name, sizeof variable_p->name, "%s", h.name);
        variable_p->nbytes = h.nbytes;
        variable_p->distance = h.address - h.start;
    }
    munmap((void *)image.bytes, image.nbytes);
    return h.name != NULL;
}

/** Its debugger's tables, of a file of their own, are hardly there. */
static bool is_system(const module_t *m)
{
    return !m->program && (strncmp(m->path, "/lib/", 5) == 0 || strncmp(m->path, "/usr/", 5) == 0);
}

/** The line of an address of the file; else the command that finds it, or why there is none. */
static void describe_line(const module_t *m, const char *name, uintptr_t function,
                          uintptr_t in_file, char *text, size_t text_nbytes)
{
    const bool may_have = m->program && strcmp(name, "_start") != 0;  // that is the C library's
    image_t image = {0};
    const bool mapped = map_file(m, &image);
    if (mapped && cwu_lines_find(image.bytes, image.nbytes, function, in_file, text, text_nbytes))
        ;
    else if (mapped && !is_system(m) && cwu_lines_unread(image.bytes, image.nbytes))
        snprintf(text, text_nbytes, "addr2line -e %s %#zx", m->path, in_file);
    else
        snprintf(text, text_nbytes, "%s%s", m->name, may_have ? ", compiled without -g" : "");
    if (image.bytes)
        munmap((void *)image.bytes, image.nbytes);
}

void cwu_symbol_describe(const void *address, char *text, size_t text_nbytes)
{
    module_t m;
    char name[128] = "", line[320];
    size_t distance;
    if (!find_module(address, &m)) {
        snprintf(text, text_nbytes, "%p", address);
        return;
    }
    uintptr_t in_file = (uintptr_t)address - m.base;
    bool named = find_symbol(&m, address, STT_FUNC, name, sizeof name, &distance);
    describe_line(&m, name, named ? in_file - distance : in_file, in_file, line, sizeof line);
    if (named)
        snprintf(text, text_nbytes, "%s+%#zx (%s)", name, distance, line);
    else if (strcmp(line, m.name) == 0)
        snprintf(text, text_nbytes, "%s+%#zx", m.name, in_file);
    else
        snprintf(text, text_nbytes, "%s+%#zx (%s)", m.name, in_file, line);
}

static bool function_name(const void *address, char *name, size_t name_nbytes)
{
    module_t m;
    size_t distance;
    return find_module(address, &m) &&
           find_symbol(&m, address, STT_FUNC, name, name_nbytes, &distance);
}

/** The target of the call before a return address: direct, through the procedure linkage table, or
 *  through the global offset table, whose slot is set then, else NULL. NULL when these bytes are no
 *  such call. */
static const void *call_target(const void *return_address, const void **slot_p)
{
    *slot_p = NULL;
#if defined(__x86_64__)
    const unsigned char *at = return_address;
    int32_t distance;
    memcpy(&distance, at - 4, sizeof distance);
    if (at[-6] == 0xff && at[-5] == 0x15) {  // call *slot(%rip)
        *slot_p = at + distance;
        return *(const void *const *)*slot_p;
    }
    if (at[-5] != 0xe8)  // call function
        return NULL;
    const unsigned char *function = at + distance;
    // endbr64
    const unsigned char *stub =
        memcmp(function, "\xf3\x0f\x1e\xfa", 4) == 0 ? function + 4 : function;
    stub += stub[0] == 0xf2;  // bnd
    if (stub[0] != 0xff || stub[1] != 0x25)
        return function;
    memcpy(&distance, stub + 2, sizeof distance);  // jmp *slot(%rip)
    *slot_p = stub + 6 + distance;
    return *(const void *const *)*slot_p;
#else
    (void)return_address;
    return NULL;
#endif
}

/** The name in a table of relocations for the slot at this address of the file, or NULL. */
static const char *slot_name(const image_t *image, const ElfW(Shdr) * sections,
                             const ElfW(Shdr) * table, uintptr_t slot)
{
    const ElfW(Shdr) *symbols = &sections[table->sh_link], *names = &sections[symbols->sh_link];
    if (!inside(image, table->sh_offset, table->sh_size) ||
        !inside(image, symbols->sh_offset, symbols->sh_size) ||
        !inside(image, names->sh_offset, names->sh_size) || names->sh_size == 0 ||
        image->bytes[names->sh_offset + names->sh_size - 1] != '\0')
        return NULL;
    const ElfW(Rela) *entries = (const void *)(image->bytes + table->sh_offset);
    const ElfW(Sym) *all = (const void *)(image->bytes + symbols->sh_offset);
    for (size_t i = 0; i < table->sh_size / sizeof *entries; i++) {
        size_t symbol = entries[i].r_info >> 32;
        if (entries[i].r_offset == slot && symbol < symbols->sh_size / sizeof *all &&
            all[symbol].st_name < names->sh_size)
            return image->bytes + names->sh_offset + all[symbol].st_name;
    }
    return NULL;
}

/** The name by which the program calls what a slot leads to: the one that it was written with,
 *  where a function has several. */
static bool called_name(const void *slot, char *name, size_t name_nbytes)
{
    module_t m;
    image_t image;
    const char *found = NULL;
    if (!slot || !find_module(slot, &m) || !map_file(&m, &image))
        return false;
    const ElfW(Ehdr) *head = (const void *)image.bytes;
    bool whole = head->e_shentsize == sizeof(ElfW(Shdr)) &&
                 inside(&image, head->e_shoff, (uint64_t)head->e_shnum * head->e_shentsize);
    const ElfW(Shdr) *sections = (const void *)(image.bytes + head->e_shoff);
    for (int i = 0; whole && !found && i < head->e_shnum; i++)
        if (sections[i].sh_type == SHT_RELA && sections[i].sh_link < head->e_shnum &&
            sections[sections[i].sh_link].sh_link < head->e_shnum)
            found = slot_name(&image, sections, &sections[i], (uintptr_t)slot - m.base);
    if (found)
        snprintf(name, name_nbytes, "%s", found);
    munmap((void *)image.bytes, image.nbytes);
    return found != NULL;
}

/** True when the address is the routine that is_routine() knows; its plain name is left in
 *  `routine`. */
static bool routine_at(const void *address, bool (*is_routine)(const char *name), char *routine,
                       size_t nbytes)
{
    char name[128];
    if (!address || !function_name(address, name, sizeof name))
        return false;
    const char *plain = name[0] == 'p' ? name + 1 : name;
    if (!is_routine(plain))
        return false;
    // without what the compiler adds to the name of a part: ".cold"
    snprintf(routine, nbytes, "%.*s", (int)strcspn(plain, "."), plain);
    return true;
}

/** The routine that the call before a return address names. True: by the name in the program;
 *  false: by one of its names, or `routine` stays as it was, if the call does not show it. */
static bool routine_called(const void *return_address, bool (*is_routine)(const char *name),
                           char *routine, size_t nbytes)
{
    char name[128];
    const void *slot, *target = call_target(return_address, &slot);
    if (called_name(slot, name, sizeof name) && is_routine(name + (name[0] == 'p'))) {
        snprintf(routine, nbytes, "%s", name + (name[0] == 'p'));
        return true;
    }
    if (!routine[0])
        routine_at(target, is_routine, routine, nbytes);
    return false;
}

/** What the unwinder fills. n is -1 at first: its first frame is the walk itself. */
typedef struct frames {
    void **stack;
    int n, most;
} frames_t;

static _Unwind_Reason_Code add_frame(struct _Unwind_Context *context, void *arg)
{
    frames_t *f = arg;
    void *pc = (void *)_Unwind_GetIP(context);
    if (f->n >= 0)
        f->stack[f->n] = pc;
    f->n++;
    return pc && f->n < f->most ? _URC_NO_REASON : _URC_END_OF_STACK;
}

/** As backtrace() does, which loads a library at its first call, and takes memory for that: it may
 *  not be called in a signal's handler. */
static CW_NOINLINE int walk(void **stack, int most)
{
    frames_t f = {.stack = stack, .n = -1, .most = most};
    _Unwind_Backtrace(add_frame, &f);
    while (f.n > 0 && !stack[f.n - 1])
        f.n--;
    return f.n > 0 ? f.n : 0;
}

static _Unwind_Reason_Code find_signal(struct _Unwind_Context *context, void *interrupted_p)
{
    int exact = 0;  // not behind a call: a signal came
    void *pc = (void *)_Unwind_GetIPInfo(context, &exact);
    if (exact)
        *(const void **)interrupted_p = pc;
    return pc && !exact ? _URC_NO_REASON : _URC_END_OF_STACK;
}

bool cwu_symbol_in_signal(const void **interrupted_p)
{
    *interrupted_p = NULL;
    _Unwind_Backtrace(find_signal, interrupted_p);
    return *interrupted_p != NULL;
}

enum { DEEPEST = 24 };  // frames that lead from the library to its caller, or more

uint64_t cwu_symbol_site(void)
{
    void *stack[DEEPEST];
    int n = walk(stack, DEEPEST);
    uint64_t site = UINT64_C(0xcbf29ce484222325);  // FNV-1a
    for (int i = 1; i < n; i++)
        site = (site ^ (uintptr_t)stack[i]) * UINT64_C(0x100000001b3);
    return site ? site : 1;
}

bool cwu_symbol_caller(bool (*is_routine)(const char *name), cwu_routine_t *routine_p, char *where,
                       size_t where_nbytes)
{
    char *routine = routine_p->name;
    size_t routine_nbytes = sizeof routine_p->name;
    void *stack[DEEPEST];
    module_t mine, theirs;
    int n = walk(stack, DEEPEST), caller = -1;
    *routine_p = (cwu_routine_t){0};
    if (!find_module((const void *)(uintptr_t)cwu_symbol_caller, &mine))
        return false;
    for (int i = 1; i < n && caller < 0; i++) {
        // A return address may be the first byte of the next function: the call is the byte before.
        const char *call = (const char *)stack[i] - 1;
        if (find_module(call, &theirs) && theirs.base != mine.base)
            caller = i;  // the routine left no frame: it ended in a jump
        else if (routine_at(call, is_routine, routine, routine_nbytes))
            caller = i + 1;
    }
    if (caller < 0 || caller >= n)
        return false;
    routine_p->exact = routine_called(stack[caller], is_routine, routine, routine_nbytes);
    cwu_symbol_describe((const char *)stack[caller] - 1, where, where_nbytes);
    return true;
}

// ---------------------------------------------------------------- the program's call
// Addresses of this library; where it is a part of the program: none.
static uintptr_t mine_begin;
static _Atomic uintptr_t mine_end;  // set last, with release
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int find_mine(struct dl_phdr_info *info, size_t size, void *arg)
{
    const uintptr_t here = (uintptr_t)cwu_symbol_outside;
    uintptr_t begin = UINTPTR_MAX, end = 0;
    (void)size, (void)arg;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + ph->p_vaddr;
        if (ph->p_type != PT_LOAD)
            continue;
        begin = start < begin ? start : begin;
        end = start + ph->p_memsz > end ? start + ph->p_memsz : end;
    }
    if (here < begin || here >= end)
        return 0;
    if (info->dlpi_name && info->dlpi_name[0]) {
        mine_begin = begin;
        atomic_store_explicit(&mine_end, end, memory_order_release);
    }
    return 1;
}

static void find_library(void)
{
    dl_iterate_phdr(find_mine, NULL);
}

static _Unwind_Reason_Code look_outside(struct _Unwind_Context *context, void *place_p)
{
    uintptr_t pc = (uintptr_t)_Unwind_GetIP(context);
    if (pc && pc - mine_begin < mine_end - mine_begin)
        return _URC_NO_REASON;
    if (pc)
        *(const void **)place_p = (const void *)(pc - 1);  // in the call, not behind it
    return _URC_END_OF_STACK;
}

const void *cwu_symbol_outside(void)
{
    const void *place = NULL;
    pthread_once(&once, find_library);
    _Unwind_Backtrace(look_outside, &place);
    return place;
}

const void *cwu_symbol_call(const void *caller)
{
    const uintptr_t end = atomic_load_explicit(&mine_end, memory_order_acquire);
    return CW_LIKELY(end != 0) && (uintptr_t)caller - mine_begin >= end - mine_begin
               ? caller
               : cwu_symbol_outside();
}

const void *cwu_symbol_program(void)
{
    const void *place = cwu_symbol_outside();
    return atomic_load_explicit(&mine_end, memory_order_acquire) ? place : NULL;
}

// ---------------------------------------------------------------- places in other processes
// A place is its file, by a number of 16 bits, and 32 bits of the address in it.
enum { ADDRESS_BITS = 32 };

typedef struct shared {
    uintptr_t address;  // 0: the address is looked for, by the two others
    uint32_t in_file;
    uint32_t file;
} shared_t;

static uint64_t hash(uint64_t sum, const void *at, size_t nbytes)
{
    const unsigned char *bytes = at;
    for (size_t i = 0; i < nbytes; i++)
        sum = (sum ^ bytes[i]) * UINT64_C(0x100000001b3);  // FNV-1a
    return sum;
}

/** A number for what a file has in it: by its segments, and by its notes, of which one is a sum of
 *  all contents. Not 0. */
static uint32_t number_of_file(const struct dl_phdr_info *info)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
        if (ph->p_type == PT_LOAD)
            sum =
                hash(hash(sum, &ph->p_vaddr, sizeof ph->p_vaddr), &ph->p_memsz, sizeof ph->p_memsz);
        else if (ph->p_type == PT_NOTE)
            sum = hash(sum, (const void *)(info->dlpi_addr + ph->p_vaddr), ph->p_memsz);
    }
    return (uint32_t)(sum >> 48 | 1);
}

static bool has_address(const struct dl_phdr_info *info, uintptr_t in_file)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
        if (ph->p_type == PT_LOAD && in_file - ph->p_vaddr < ph->p_memsz)
            return true;
    }
    return false;
}

static int share(struct dl_phdr_info *info, size_t size, void *arg)
{
    shared_t *s = arg;
    const uintptr_t in_file = s->address - info->dlpi_addr;
    (void)size;
    if (!has_address(info, in_file) || in_file >> ADDRESS_BITS)
        return 0;
    s->in_file = (uint32_t)in_file;
    s->file = number_of_file(info);
    return 1;
}

static int find_shared(struct dl_phdr_info *info, size_t size, void *arg)
{
    shared_t *s = arg;
    (void)size;
    if (!has_address(info, s->in_file) || number_of_file(info) != s->file)
        return 0;
    s->address = info->dlpi_addr + s->in_file;
    return 1;
}

uint64_t cwu_symbol_shared(void)
{
    shared_t s = {.address = (uintptr_t)cwu_symbol_program()};
    return s.address && dl_iterate_phdr(share, &s) ? (uint64_t)s.file << ADDRESS_BITS | s.in_file
                                                   : 0;
}

bool cwu_symbol_describe_shared(uint64_t shared, char *text, size_t text_nbytes)
{
    shared_t s = {.in_file = (uint32_t)shared, .file = (uint32_t)(shared >> ADDRESS_BITS)};
    if (!shared || !dl_iterate_phdr(find_shared, &s))
        return false;
    cwu_symbol_describe((const void *)s.address, text, text_nbytes);
    return true;
}

// ---------------------------------------------------------------- below a signal

enum { DEEPEST_STACK = 64, DEEPEST_PRINTED = 20 };

/** The frames from the one that was interrupted at pc on. */
static int interrupted_stack(const void *pc, void *stack[DEEPEST_STACK])
{
    int n = walk(stack, DEEPEST_STACK), first = 0;
    while (pc && first < n && stack[first] != pc)
        first++;
    if (first == n) {  // what was interrupted cannot be unwound
        stack[0] = (void *)(uintptr_t)pc;
        return 1;
    }
    memmove(stack, stack + first, (size_t)(n - first) * sizeof *stack);
    return n - first;
}

/** The call in a frame: its return address less one, but for the first. */
static const char *call_in(void *const *stack, int i)
{
    return (const char *)stack[i] - (i > 0);
}

static bool is_in(const module_t *wanted, const void *address)
{
    module_t m;
    return find_module(address, &m) && m.base == wanted->base;
}

/** libfabric; an MPI, its components and what it stands on, and this library's plugin for it;
 *  valgrind's copies of the C library's functions. */
static bool is_of_network(const void *address)
{
    static const char *const names[] = {"vgpreload_", "libfabric.so", "libmpi", "libopen-pal.so",
                                        "mca_",       "libuc",        "mpi-"};
    module_t m = {0};
    bool found = false;
    find_module(address, &m);
    for (size_t i = 0; m.name && !found && i < sizeof names / sizeof *names; i++)
        found = strncmp(m.name, names[i], strlen(names[i])) == 0;
    return found;
}

/** Of what routines call, and programs hardly. */
static bool is_below(const module_t *libc, const void *address)
{
    module_t m;
    return (find_module(address, &m) && m.base == libc->base) || is_of_network(address);
}

/** The first frame above what the routine asked for, or ended in. The network's libraries may call
 *  this one: the copies that stand in for their own. */
static int above_network(void *const *stack, int n, const module_t *mine, const module_t *libc)
{
    int from = 0, after;
    for (;;) {
        while (from < n && is_below(libc, call_in(stack, from)))
            from++;
        after = from;
        while (after < n && is_in(mine, call_in(stack, after)))
            after++;
        if (after == from || after == n || !is_of_network(call_in(stack, after)))
            return from;
        from = after;
    }
}

bool cwu_symbol_interrupted(const void *pc, bool (*is_routine)(const char *name),
                            cwu_routine_t *routine_p, char *where, size_t where_nbytes)
{
    char *routine = routine_p->name;
    size_t routine_nbytes = sizeof routine_p->name;
    void *stack[DEEPEST_STACK];
    module_t mine, libc;
    int n = interrupted_stack(pc, stack), from = 0, caller = -1;
    *routine_p = (cwu_routine_t){0};
    bool known = find_module((const void *)(uintptr_t)cwu_symbol_caller, &mine) &&
                 find_module((const void *)(uintptr_t)getpid, &libc);
    if (known && libc.base != mine.base)
        from = above_network(stack, n, &mine, &libc);
    for (int i = from; known && i < n && caller < 0; i++) {
        if (!is_in(&mine, call_in(stack, i)))
            caller = i;
        else if (routine_at(call_in(stack, i), is_routine, routine, routine_nbytes))
            caller = i + 1;
    }
    if (caller > 0 && caller < n)
        routine_p->exact = routine_called(stack[caller], is_routine, routine, routine_nbytes);
    bool below = caller >= 0 && caller < n && routine[0];
    routine_p->inside = !below && known && from < n && is_in(&mine, call_in(stack, from));
    const void *at = below ? call_in(stack, caller) : from < n ? call_in(stack, from) : pc;
    cwu_symbol_describe(at, where, where_nbytes);
    return below;
}

bool cwu_symbol_in_network(const void *pc)
{
    void *stack[DEEPEST_STACK];
    module_t libc;
    int n = interrupted_stack(pc, stack), i = 0;
    bool known = find_module((const void *)(uintptr_t)getpid, &libc);
    while (known && i < n && is_in(&libc, call_in(stack, i)))
        i++;
    return i < n && is_of_network(call_in(stack, i));
}

bool cwu_symbol_in_library(const void *pc)
{
    module_t m, mine, program;
    return find_module(pc, &m) && find_module((const void *)(uintptr_t)cwu_symbol_caller, &mine) &&
           find_module((const void *)getauxval(AT_PHDR), &program) && m.base != mine.base &&
           m.base != program.base && !is_of_network(pc);
}

bool cwu_symbol_below(const void *pc, char *function, size_t function_nbytes, char *where,
                      size_t where_nbytes)
{
    void *stack[DEEPEST_STACK];
    module_t libc;
    int n = interrupted_stack(pc, stack), from = 0;
    if (!find_module((const void *)(uintptr_t)getpid, &libc))
        return false;
    while (from < n && is_below(&libc, call_in(stack, from)))
        from++;
    if (from == 0 || from == n ||
        !function_name(call_in(stack, from - 1), function, function_nbytes))
        return false;
    cwu_symbol_describe(call_in(stack, from), where, where_nbytes);
    return true;
}

void cwu_symbol_stack(const void *pc, void (*put)(int depth, const char *where))
{
    void *stack[DEEPEST_STACK];
    int n = interrupted_stack(pc, stack);
    for (int i = 0; i < n && i < DEEPEST_PRINTED; i++) {
        char where[200];
        cwu_symbol_describe(call_in(stack, i), where, sizeof where);
        put(i, where);
    }
}
