# SPDX-License-Identifier: BSD-3-Clause
#
# Objects of one program that were compiled for different configurations do not link; where the
# linker cannot see them together, gasnet_init reports the difference.
set -e
cat >a.c <<'END'
#include <gasnet.h>
#include <stdio.h>
int other(void);
int main(int argc, char **argv)
{
    int rc = gasnet_init(&argc, &argv);
    printf("gasnet_init: %s, %d\n", gasnet_ErrorName(rc), other());
    return rc != GASNET_OK;
}
END
cat >b.c <<'END'
#include <gasnet.h>
int other(void);
int other(void) { return (int)gasnet_nodes(); }
END
oshcc -DGASNET_SEQ -c a.c
for flags in "-DGASNET_PAR" "-DGASNET_SEQ -DGASNET_SEGMENT_LARGE"; do
    oshcc $flags -c b.c
    if oshcc a.o b.o -o prog 2>link.txt; then
        echo "FAIL: the linker takes SEQ and $flags"
        exit 1
    fi
    grep -q "multiple definition of .gasnet_.*_of_objects_differ" link.txt ||
        { echo "FAIL:"; cat link.txt; exit 1; }
done
oshcc -DGASNET_SEQ -c b.c
oshcc a.o b.o -o prog
./prog | grep -q "GASNET_OK, 1"
oshcc -DGASNET_PAR -fPIC -shared b.c -o libb.so
oshcc a.o -L. -lb "-Wl,-rpath,$PWD" -o prog_so
if ./prog_so >out.txt 2>err.txt; then echo "FAIL: gasnet_init takes SEQ and PAR"; exit 1; fi
grep -q "a.c was compiled for .*SEQ.*b.c for .*PAR\|b.c was compiled for .*PAR.*a.c for .*SEQ" \
    err.txt || { echo "FAIL:"; cat err.txt; exit 1; }
for flags in "" "-DGASNET_SEQ -DGASNET_PAR" \
    "-DGASNET_SEQ -DGASNET_SEGMENT_FAST -DGASNET_SEGMENT_LARGE"; do
    if oshcc $flags -c b.c 2>/dev/null; then echo "FAIL: compiles with \"$flags\""; exit 1; fi
done
# Pure GASNet programs keep their static data private; in programs that call OpenSHMEM it is
# symmetric.
cat >c.c <<'END'
#include <gasnet.h>
#ifdef MIXED
#include <shmem.h>
#endif
int main(int argc, char **argv)
{
    GASNET_Safe(gasnet_init(&argc, &argv));
    GASNET_Safe(gasnet_attach(0, 0, 0, 0));
#ifdef MIXED
    shmem_init();
    shmem_finalize();
#endif
    gasnet_exit(0);
}
END
for link in "" -static-causeway; do
    oshcc $link -DGASNET_PAR c.c -o pure
    CAUSEWAY_DEBUG=1 ./pure 2>&1 | grep -q "static data 0 bytes" ||
        { echo "FAIL: static data moved $link"; exit 1; }
    oshcc $link -DGASNET_PAR -DMIXED c.c -o mixed
    if CAUSEWAY_DEBUG=1 ./mixed 2>&1 | grep -q "static data 0 bytes"; then
        echo "FAIL: static data stayed $link"
        exit 1
    fi
done
echo "configurations: ok"
