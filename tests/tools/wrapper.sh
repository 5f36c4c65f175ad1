# SPDX-License-Identifier: BSD-3-Clause
#
# oshcc and oshc++: every kind of command line that a build system uses.
. "$CAUSEWAY_TEST_SOURCE/tests/tools/lib.sh"
cp "$here/hello.c" .
cp hello.c hello.cc
runs='PE 0 of 1 received 0'

# Compile only, in all its forms: no option of the linker may be added.
check "compile" oshcc -c hello.c -o hello.o
check "link" oshcc hello.o -o hello
output_has "$runs" ./hello
check "one step, warnings on" oshcc -O2 -Wall -Wextra -Werror -std=c11 hello.c -o hello1
output_has "$runs" ./hello1
output_has 'shmem_init' oshcc -E hello.c
check "assembly" oshcc -S hello.c
check "assembly was written" test -s hello.s
output_has 'hello.o:.*hello.c' oshcc -M hello.c
check "dependencies beside an object" oshcc -MD -MF hello.d -MT target -c hello.c
check "dependency file" grep -q '^target:' hello.d
check "syntax only" oshcc -fsyntax-only -Wall -Werror hello.c
check "language by option, from standard input" sh -c 'oshcc -x c -o piped - <hello.c'
output_has "$runs" ./piped
echo '-c hello.c -o response.o' >args
check "response file" oshcc @args
check "shared library" oshcc -shared -fPIC hello.c -o libhello.so
check "separate option values" oshcc -I . -D NAME=1 -include stddef.h -c hello.c -o sep.o
if oshcc -c hello.c -o strict.o 2>&1 | grep -q .; then bad "compile only prints something"; fi

# C++ under all its names.
for name in oshc++ oshCC oshcxx; do
    check "$name" $name -std=c++17 -Wall -Werror hello.cc -o "hello_$name"
    output_has "$runs" "./hello_$name"
done

# A header is precompiled, and a program may lie in libraries alone.
echo '#include <shmem.h>' >all.h
for how in 'all.h' '-x c-header all.h' '-xc-header all.h'; do
    check "$how" oshcc $how -o "all.gch"
done
check "its own suffix" oshcc all.h
check "-o is no language" oshcc hello.c -o my-header
output_has "$runs" ./my-header
ar rcs libwhole.a hello.o
for how in -lwhole '-l whole'; do
    check "libraries alone: $how" oshcc -o from_library -L. $how
    output_has "$runs" ./from_library
done
rm all.h.gch

# Queries go to the compiler untouched.
check "version is the compiler's" sh -c '[ "$(oshcc --version)" = "$(cc --version)" ]'
check "-dumpmachine" sh -c '[ "$(oshcc -dumpmachine)" = "$(cc -dumpmachine)" ]'
check "-v alone does not link" oshcc -v
refuses 1 'no input files' oshcc

# Programs of other OpenSHMEMs use functions of <math.h> without -lm.
printf '#include <math.h>\nint main(int n, char **v) { (void)v; return sin(n) > 2; }\n' >sine.c
check "functions of the mathematical library" oshcc sine.c -o sine

# The command that it would run.
place=-Wl,-z,max-page-size=0x200000
own='-L[^ ]*/lib -Wl,-rpath,[^ ]*/lib -lcauseway -lm'
output_has "^cc -I[^ ]* [^ ]*/place.o hello.c -o x $own\$" oshcc -show hello.c -o x
output_has "^cc -I[^ ]* -no-pie hello.c -L" oshcc -show -no-pie hello.c
output_has "^cc -I[^ ]* -shared -fPIC hello.c -L" oshcc -show -shared -fPIC hello.c
output_has "^cc -I[^ ]*/include -c hello.c\$" oshcc -showme -c hello.c
output_has "'-DTEXT=\"a b\"'" oshcc --showme -c '-DTEXT="a b"' hello.c
output_has "^-I$stage/include\$" oshcc --showme:compile
output_has "^$place -L$stage/lib -Wl,-rpath,$stage/lib -lcauseway -lm\$" oshcc -showme:link
output_has '^causeway$' oshcc --showme:libs
output_has "^$stage/lib\$" oshcc --showme:libdirs
output_has "^$stage/include\$" oshcc --showme:incdirs
output_has '^cc$' oshcc --showme:command
output_has '^c\+\+$' oshCC --showme:command
output_has 'Causeway [0-9]+\.[0-9]+' oshcc --showme:version
output_has 'OSHCC_CC' oshcc --showme:help
refuses 2 'unknown option' oshcc --showme:nonsense
check "parts work with another driver" sh -c \
    'cc $(oshcc --showme:compile) hello.c -o parts $(oshcc --showme:link)'
output_has "$runs" ./parts

# Small, with a segment that the kernel aligns, also where the linker collects what is not used.
for flags in '' -pie -Wl,--gc-sections; do
    check "oshcc $flags" oshcc $flags hello.c -o placed
    check "size of the file" test "$(wc -c <placed)" -lt 100000
    output_has 'LOAD .* 0x200000$' readelf -lW placed
    output_has "$runs" ./placed
done

# Arguments are passed whole.
mkdir 'a dir'
cp hello.c 'a dir/a file.c'
check "blanks in names" oshcc '-DX="a  b"' 'a dir/a file.c' -o 'a dir/out'
output_has "$runs" './a dir/out'

# Another compiler, static archive, alias of the library.
if command -v clang >/dev/null; then
    output_has '^clang -Wextra -I' env 'OSHCC_CC=clang -Wextra' oshcc -show -c hello.c
    check "clang" env OSHCC_CC=clang oshcc hello.c -o with_clang
    output_has "$runs" ./with_clang
fi
refuses 127 'nocc is not in PATH; OSHCC_CC names another' env OSHCC_CC=nocc oshcc hello.c
output_has '^cc [^ ]* [^ ]*/place.o hello.c [^ ]*/libcauseway.a ' \
    oshcc -show -static-causeway hello.c -larmci -ldart-base -ldart-causeway -lsma
output_has ' -larmci -L' oshcc -show hello.c -larmci
# In makefiles written for Open MPI, whose library would be found in the system's folders.
output_has "^cc -I[^ ]* [^ ]*/place.o hello.c $own\$" oshcc -show hello.c -loshmem
output_has "^cc -I[^ ]* [^ ]*/place.o hello.c $own\$" oshcc -show hello.c /lib/liboshmem.so
check "-loshmem" oshcc hello.o -loshmem -o oshmem
output_has "$runs" ./oshmem
check "archive" oshcc -static-causeway hello.c -o static_hello
if readelf -d static_hello | grep -q libcauseway; then
    bad "-static-causeway linked the shared library"
fi
output_has "$runs" ./static_hello
check "static, position independent" oshcc -static-pie hello.c -o static_pie_hello
output_has "$runs" ./static_pie_hello
output_has 'PE 1 of 2 received 0' oshrun -n 2 ./static_pie_hello
# It would bring a second C library into the process, and crash.
for flag in -static -static-pie; do
    check "everything static, $flag" oshcc $flag hello.c -o whole
    refuses 1 'libfabric, .* linked with -static: use' oshrun -n 2 --emulate-nodes 2 ./whole
done
# wherever the kernel places it: 160 processes
for i in $(seq 40); do
    check "static, position independent, start $i" oshrun -n 4 ./static_pie_hello
done
# A program that is given to the loader by name lies there, too, and is not begun again: that would
# be the loader without a program. (Its heap may have no place, which it says.)
loader=$(readelf -lW placed | sed -n 's/.*interpreter: \(.*\)].*/\1/p')
for i in $(seq 80); do
    said=$("$loader" ./placed 2>&1)
    if ! grep -qE "$runs|cannot (place|map) the symmetric heap" <<<"$said"; then
        bad "$loader ./placed, start $i: $said"
    fi
done
check "-lsma" cc "-I$stage/include" hello.c -o sma "-L$stage/lib" -lsma "-Wl,-rpath,$stage/lib"
output_has "$runs" ./sma

# Found through a symbolic link from elsewhere, absolute and relative.
mkdir links
ln -s "$stage/bin/oshcc" links/mycc
ln -s mycc links/again
output_has "^-I$stage/include\$" ./links/again --showme:compile
# Its folder may be a link, and cd may have a path of its own.
ln -s "$stage/bin" links/bin
output_has "^-I$stage/include\$" ./links/bin/oshcc --showme:compile
output_has "^-I$stage/include\$" env CDPATH=.:/ links/bin/oshcc --showme:compile
finish
