# SPDX-License-Identifier: BSD-3-Clause
#
# The install tree works from any place, with a blank in its name, and nothing in it refers to the
# original place.
. "$CAUSEWAY_TEST_SOURCE/tests/tools/lib.sh"
moved="$PWD/moved here/tree"
mkdir "moved here"
cp -a "$stage" "$moved"
PATH=$(printf '%s' "$PATH" | sed "s#^$stage/bin:##")

check "oshcc" "$moved/bin/oshcc" "$here/hello.c" -o hello
output_has "moved here/tree/lib/libcauseway.so" ldd ./hello
output_has 'PE 1 of 2 received 0' "$moved/bin/oshrun" -np 2 ./hello
check "a sanitizer" "$moved/bin/oshcc" -fsanitize=address "$here/hello.c" -o hello_asan
output_has 'PE 1 of 2 received 0' "$moved/bin/oshrun" -np 2 ./hello_asan
output_has 'Causeway' "$moved/bin/causeway-info"
# Called by its name it finds its own parts, too; where libfabric cannot be used it names plugins.
refuses 1 '^$' env "PATH=$moved/bin:$PATH" CAUSEWAY_LIBFABRIC=/none sh -c \
    "causeway-info --libfabric 2>&1 | grep '$stage/lib/causeway' || { echo; exit 1; }"
output_has "moved.* here/tree/.*include" env "PKG_CONFIG_PATH=$moved/lib/pkgconfig" pkg-config \
    --cflags causeway
check "pkg-config, blanks and all" sh -c \
    "export PKG_CONFIG_PATH='$moved/lib/pkgconfig'
     eval cc $here/hello.c -o hello_pc \$(pkg-config --cflags --libs causeway)"
output_has 'PE 0 of 1 received 0' ./hello_pc
for file in bin/oshcc bin/oshc++ lib/pkgconfig/causeway.pc lib/pkgconfig/sma.pc \
    lib/cmake/Causeway/CausewayConfig.cmake; do
    checks=$((checks + 1))
    if grep -q "$stage" "$moved/$file"; then bad "$file names the place that it was staged to"; fi
done
checks=$((checks + 1))
if readelf -d "$moved"/lib/libcauseway.so "$moved"/bin/causeway-info "$moved"/bin/oshrun |
    grep -E 'R(UN)?PATH'; then
    bad "a binary carries a run path"
fi
finish
