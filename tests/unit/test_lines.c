// SPDX-License-Identifier: BSD-3-Clause
//
// The line of an address of this program; and tables in which bytes were changed: whatever they
// say, nothing behind the image is read, where a page lies that must not be touched.
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/dwarf/lines.h"
#include "base/symbol.h"
#include "frame/check.h"
#include "frame/random.h"

enum { CHANGES = 200, PAGE = 4096 };

static CW_NOINLINE void describe_caller(char *text, size_t nbytes)
{
    cwu_symbol_describe((char *)__builtin_return_address(0) - 1, text, nbytes);
}

/** A copy of this program's file, which ends less than 16 bytes before the page. */
static size_t own_file(char **image_p)
{
    struct stat st;
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    REQUIRE(fd >= 0 && fstat(fd, &st) == 0);
    size_t nbytes = (size_t)st.st_size, used = (nbytes + 15) & ~(size_t)15;
    size_t room = (used + PAGE - 1) / PAGE * PAGE;
    char *at = mmap(NULL, room + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(at != MAP_FAILED && mprotect(at + room, PAGE, PROT_NONE) == 0);
    *image_p = at + room - used;
    REQUIRE(read(fd, *image_p, nbytes) == (ssize_t)nbytes);
    close(fd);
    return nbytes;
}

static const ElfW(Shdr) * section(const char *image, const char *name)
{
    const ElfW(Ehdr) *head = (const void *)image;
    const ElfW(Shdr) *all = (const void *)(image + head->e_shoff);
    for (int i = 0; i < head->e_shnum; i++)
        if (strcmp(image + all[head->e_shstrndx].sh_offset + all[i].sh_name, name) == 0)
            return &all[i];
    return NULL;
}

static void change(char *image, size_t nbytes)
{
    const ElfW(Shdr) *lines = section(image, ".debug_line");
    char text[64];
    REQUIRE(lines != NULL);
    size_t begin = lines->sh_offset, room = lines->sh_size < 4096 ? lines->sh_size : 4096;
    for (int i = 0; i < CHANGES; i++) {
        char *at = image + begin + draw(room), before = *at;
        *at = (char)draw(256);
        uint64_t address = draw(1u << 20);
        cwu_lines_find(image, nbytes, address - draw(64), address, text, sizeof text);
        *at = draw(4) ? before : *at;  // some stay
    }
}

int main(void)
{
    char text[200], *image, wanted[64];
    size_t nbytes = own_file(&image);
    snprintf(wanted, sizeof wanted, " (test_lines.c:%d)", __LINE__ + 1);
    describe_caller(text, sizeof text);
    CHECK(strstr(text, wanted), "%s has no %s", text, wanted);
    CHECK(strncmp(text, "main+0x", 7) == 0, "%s", text);
    CHECK(!cwu_lines_find(image, nbytes, 1, 1, text, sizeof text), "line of no code: %s", text);
    change(image, nbytes);
    return check_result();
}
