// SPDX-License-Identifier: BSD-3-Clause
//
// A program of which no process has joined the job may be another library's: it then runs as many
// jobs of one. The libraries that the program's file names tell.
#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "oshrun.h"

#if UINTPTR_MAX == UINT64_MAX
typedef Elf64_Ehdr header_t;
typedef Elf64_Phdr segment_t;
typedef Elf64_Dyn entry_t;
#define OWN_CLASS ELFCLASS64
#else
typedef Elf32_Ehdr header_t;
typedef Elf32_Phdr segment_t;
typedef Elf32_Dyn entry_t;
#define OWN_CLASS ELFCLASS32
#endif

static const struct {
    const char *file, *is;
} libraries[] = {
    {"liboshmem.so", "Open MPI's OpenSHMEM"},
    {"libsma.so", "another OpenSHMEM"},
    {"liboshmpi.so", "another OpenSHMEM"},
    {"libosss-ucx.so", "another OpenSHMEM"},
    {"libmpich.so", "MPICH"},
    {"libmpi.so", "an MPI"},
};

typedef struct file {
    const char *bytes;
    size_t nbytes;
} file_t;

/** Bytes of the file, or NULL if it has not so many. */
static const void *part(const file_t *f, uint64_t from, uint64_t nbytes)
{
    return from <= f->nbytes && nbytes <= f->nbytes - from ? f->bytes + from : NULL;
}

static const segment_t *segment(const file_t *f, const header_t *h, unsigned i)
{
    return part(f, h->e_phoff + (uint64_t)i * sizeof(segment_t), sizeof(segment_t));
}

/** Where the file has what the program has at `address`. */
static uint64_t offset_of(const file_t *f, const header_t *h, uint64_t address)
{
    for (unsigned i = 0; i < h->e_phnum; i++) {
        const segment_t *s = segment(f, h, i);
        if (s && s->p_type == PT_LOAD && address >= s->p_vaddr &&
            address - s->p_vaddr < s->p_filesz)
            return s->p_offset + (address - s->p_vaddr);
    }
    return UINT64_MAX;
}

/** Of a library that is needed: its name, which ends within the file, or NULL. */
static const char *name_at(const file_t *f, uint64_t at)
{
    return at < f->nbytes && memchr(f->bytes + at, 0, f->nbytes - at) ? f->bytes + at : NULL;
}

/** Looks through the libraries needed; *ours_p: this one is among them. */
static const char *look(const file_t *f, const header_t *h, const segment_t *s, bool *ours_p)
{
    uint64_t strings = UINT64_MAX, n = s->p_filesz / sizeof(entry_t);
    const entry_t *list = part(f, s->p_offset, s->p_filesz);
    const char *found = NULL;
    for (uint64_t i = 0; list && i < n; i++)
        if (list[i].d_tag == DT_STRTAB)
            strings = offset_of(f, h, list[i].d_un.d_ptr);
    for (uint64_t i = 0; list && i < n && strings < f->nbytes; i++) {
        const char *name =
            list[i].d_tag == DT_NEEDED ? name_at(f, strings + list[i].d_un.d_val) : NULL;
        if (name && !strncmp(name, "libcauseway.so", 14))
            *ours_p = true;
        for (size_t k = 0; name && k < sizeof libraries / sizeof *libraries; k++)
            if (!found && !strncmp(name, libraries[k].file, strlen(libraries[k].file)))
                found = libraries[k].is;
    }
    return found;
}

static const char *other_library(const file_t *f)
{
    const header_t *h = part(f, 0, sizeof *h);
    bool ours = false;
    const char *found = NULL;
    if (!h || memcmp(h->e_ident, ELFMAG, SELFMAG) || h->e_ident[EI_CLASS] != OWN_CLASS ||
        h->e_phentsize != sizeof(segment_t))
        return NULL;
    for (unsigned i = 0; i < h->e_phnum; i++) {
        const segment_t *s = segment(f, h, i);
        if (s && s->p_type == PT_DYNAMIC && !found)
            found = look(f, h, s, &ours);
    }
    return ours ? NULL : found;
}

void hint_other_library(const run_t *run)
{
    struct stat st;
    const char *program = run->opt.parts[0].program;
    int fd = open(program, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    void *bytes = fstat(fd, &st) == 0 && st.st_size > 0
                      ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0)
                      : MAP_FAILED;
    close(fd);
    if (bytes == MAP_FAILED)
        return;
    file_t f = {bytes, (size_t)st.st_size};
    const char *library = other_library(&f);
    if (library)
        say("no process of %s has joined the job: it is linked with %s, not with Causeway; compile "
            "it with oshcc, or start it with that library's launcher",
            program, library);
    munmap(bytes, f.nbytes);
}
