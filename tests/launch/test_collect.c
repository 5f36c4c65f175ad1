// SPDX-License-Identifier: BSD-3-Clause
//
// Which messages of PEs oshrun prints together, and in which order lines come, by a clock of the
// test's own.
#include "frame/check.h"

#include "../../tools/oshrun/alike.c"
#include "../../tools/oshrun/collect.c"

enum { NPES = 8 };
#define WINDOW UINT64_C(50000000)
static char printed[8192];

static void put(const char *pes, const char *text, size_t nbytes)
{
    size_t used = strlen(printed);
    snprintf(printed + used, sizeof printed - used, "%s%s%.*s", pes, *pes ? "> " : "", (int)nbytes,
             text);
}

static void expect(const char *what, const char *text)
{
    CHECK(strcmp(printed, text) == 0, "%s:\n%s----- instead of\n%s", what, printed, text);
    printed[0] = '\0';
}

/** What a PE has written; a line that does not wait is printed at once. */
static bool line(int pe, uint64_t now_ns, const char *format, ...)
{
    char text[2200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    bool waits = collect_take(pe, text, strlen(text), now_ns);
    if (!waits)
        put("", text, strlen(text));
    return waits;
}

static bool says(int pe, uint64_t now_ns, const char *text)
{
    return line(pe, now_ns, "causeway: error: PE %d of 8 (pid %d, host n1): %s\n", pe, 100 + pe,
                text);
}

static void test_merged(void)
{
    for (int pe = 7; pe >= 0; pe--)
        if (pe != 1)
            CHECK(says(pe, 0, "no memory (a heap)"));
    collect_put_due(WINDOW - 1);
    expect("within the window", "");
    CHECK(collect_next_ns() == WINDOW);
    collect_put_due(WINDOW);
    expect("all but one",
           "0, 2-7> causeway: error: PEs 0, 2-7 of 8 (host n1): no memory (a heap)\n");
    CHECK(says(1, WINDOW, "no memory (a heap)"));
    collect_put_all();
    expect("a late one", "1> causeway: error: PE 1 of 8 (pid 101, host n1): no memory (a heap)\n");
    for (int pe = 0; pe < 2; pe++)
        CHECK(says(pe, 0, ""));
    collect_put_all();
    expect("without a text", "0, 1> causeway: error: PEs 0, 1 of 8 (host n1): \n");
    line(0, 0, "causeway: debug: PE 0 of 8 (pid 100, host n1): x\n");
    expect("for reading PE by PE", "causeway: debug: PE 0 of 8 (pid 100, host n1): x\n");
    line(0, 0, "causeway: warning: pid 1, host n1: x\n");
    line(1, 0, "causeway: warning: pid 2, host n1: x\n");
    line(2, 0, "causeway: error: pid 2, host n1: x\n");
    collect_put_all();
    expect(
        "PEs that do not know their number",
        "0, 1> causeway: warning: PEs 0, 1 (host n1): x\n2> causeway: error: pid 2, host n1: x\n");
}

static void test_order(void)
{
    says(0, 0, "a");
    says(0, 0, "b");
    says(1, 0, "b");
    says(1, 0, "a");
    collect_put_all();
    expect("opposite orders", "0> causeway: error: PE 0 of 8 (pid 100, host n1): a\n"
                              "0, 1> causeway: error: PEs 0, 1 of 8 (host n1): b\n"
                              "1> causeway: error: PE 1 of 8 (pid 101, host n1): a\n");
    says(0, 0, "a");
    says(1, 0, "a");
    says(1, 0, "a");
    says(0, 0, "a");
    collect_put_all();
    expect("twice by each", "0, 1> causeway: error: PEs 0, 1 of 8 (host n1): a\n"
                            "0, 1> causeway: error: PEs 0, 1 of 8 (host n1): a\n");
    says(0, 0, "a");
    says(2, 0, "c");
    says(1, 0, "a");
    CHECK(!line(1, 0, "a plain line\n"));
    expect("messages before a line of that PE",
           "0, 1> causeway: error: PEs 0, 1 of 8 (host n1): a\n"
           "a plain line\n");
    CHECK(!line(3, 0, "another\n") && !line(3, 0, "causeway: deadlock: all\n"));
    expect("lines of others do not wait", "another\ncauseway: deadlock: all\n");
    collect_own("oshrun: PE 2 exited\n");
    says(3, 10, "c");
    collect_put_due(WINDOW);
    expect("oshrun's lines stay behind", "2, 3> causeway: error: PEs 2, 3 of 8 (host n1): c\n"
                                         "oshrun: PE 2 exited\n");
    CHECK(!collect_waits());
}

static void test_stacks(void)
{
    for (int pe = 0; pe < 3; pe++)
        says(pe, 0, "SIGSEGV");
    for (int frame = 0; frame < 2; frame++)
        for (int pe = 0; pe < 3; pe++)
            CHECK(line(pe, 5, "causeway:   PE %d #%d  f%d\n", pe, frame, pe == 1 ? 7 : frame));
    collect_put_due(WINDOW);
    expect("until the last line of the stack", "");
    collect_put_due(WINDOW + 5);
    expect("stacks", "0, 2> causeway: error: PEs 0, 2 of 8 (host n1): SIGSEGV\n"
                     "causeway:   PEs 0, 2 #0  f0\ncauseway:   PEs 0, 2 #1  f1\n"
                     "1> causeway: error: PE 1 of 8 (pid 101, host n1): SIGSEGV\n"
                     "causeway:   PE 1 #0  f7\ncauseway:   PE 1 #1  f7\n");
    CHECK(!line(1, 0, "causeway:   PE 1 #0  f\n"), "a frame without a message");
    printed[0] = '\0';
}

static void test_alike(void)
{
    for (int pe = 0; pe < 4; pe++)
        line(pe, 0,
             "causeway: error: PE %d of 8 (pid 7, host n1): put: %d bytes at 0x7f%d0 (static "
             "`x`+0x%x, 4 KiB); called from main+0x1c (ring.c:14)\n",
             pe, 8 << pe, pe, pe);
    collect_put_all();
    expect("numbers and addresses",
           "0-3> causeway: error: PEs 0-3 of 8 (host n1; addresses differ): put: 8..64 bytes at "
           "0x7f00 (static `x`+0x0, 4 KiB); called from main+0x1c (ring.c:14)\n");
    for (int pe = 0; pe < 2; pe++)
        line(pe, 0, "causeway: error: PE %d of 8 (pid 7, host n1): %s 0x7f%d\n", pe, "at", pe);
    collect_put_all();
    expect("addresses of two",
           "0, 1> causeway: error: PEs 0, 1 of 8 (host n1; addresses differ): at 0x7f0\n");
    for (int pe = 0; pe < 8; pe++)
        says(pe, 0, pe == 6 ? "44 bytes here, 52 elsewhere" : "52 bytes here, 44 elsewhere");
    collect_put_all();
    expect("few numbers", "0-5, 7> causeway: error: PEs 0-5, 7 of 8 (host n1): 52 bytes here, 44 "
                          "elsewhere\n"
                          "6> causeway: error: PE 6 of 8 (pid 106, host n1): 44 bytes here, 52 "
                          "elsewhere\n");
    for (int pe = 0; pe < 4; pe++)
        says(pe, 0, pe == 0 ? "f+0x1 (a.c:1)" : pe == 1 ? "f+0x1 (a.c:2)" : "f+0x3 (a.c:1)");
    collect_put_all();
    expect("other places", "0> causeway: error: PE 0 of 8 (pid 100, host n1): f+0x1 (a.c:1)\n"
                           "1> causeway: error: PE 1 of 8 (pid 101, host n1): f+0x1 (a.c:2)\n"
                           "2, 3> causeway: error: PEs 2, 3 of 8 (host n1): f+0x3 (a.c:1)\n");
    static const char *const many[] = {"-3, 1.50 of x16 and 1.17.0", "4, 0.20 of x16 and 1.17.0",
                                       "-30, 7 of x16 and 1.17.0",   "0, 7 of x16 and 1.17.0",
                                       "4, 7 of x17 and 1.17.0",     "4, 7 of x16 and 1.18.0"};
    for (int pe = 0; pe < 6; pe++)
        says(pe, 0, many[pe]);
    collect_put_all();
    expect("what is a number",
           "0-3> causeway: error: PEs 0-3 of 8 (host n1): -30..4, 0.20..7 of x16 and 1.17.0\n"
           "4> causeway: error: PE 4 of 8 (pid 104, host n1): 4, 7 of x17 and 1.17.0\n"
           "5> causeway: error: PE 5 of 8 (pid 105, host n1): 4, 7 of x16 and 1.18.0\n");
}

static void test_strange(void)
{
    CHECK(!says(3, 0, "\1"), "a byte that stands for numbers");
    CHECK(!line(3, 0, "causeway: error: PE 2 of 8 (pid 1, host n1): of another\n"));
    CHECK(!line(3, 0, "causeway: \n") && !line(3, 0, "\n") && !line(3, 0, "causeway: error\n"));
    printed[0] = '\0';
    char longest[2048];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    CHECK(says(0, 0, longest) && says(1, 0, longest));
    collect_put_all();
    CHECK(strstr(printed, "PEs 0, 1 of 8") && strlen(printed) > 2048);
    printed[0] = '\0';
    for (int i = 0; i < MOST; i++)
        says(i % NPES, 0, i % 16 < 8 ? "a" : "b");
    CHECK(!collect_waits(), "a flood waits");
    collect_put_all();
    printed[0] = '\0';
}

int main(void)
{
    REQUIRE(collect_init(NPES, put) == 0);
    test_merged();
    test_order();
    test_stacks();
    test_alike();
    test_strange();
    return check_result();
}
