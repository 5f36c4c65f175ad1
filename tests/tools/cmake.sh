# SPDX-License-Identifier: BSD-3-Clause
#
# CMake, twice: find_package with targets, and CC=oshcc for a project that does not know Causeway.
. "$CAUSEWAY_TEST_SOURCE/tests/tools/lib.sh"
mkdir package plain
cp "$here/hello.c" package
cp "$here/hello.c" plain
cat >package/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.16)
project(hello C)
find_package(Causeway 0.1 REQUIRED)
add_executable(hello hello.c)
target_link_libraries(hello Causeway::causeway)
add_executable(hello_static hello.c)
target_link_libraries(hello_static Causeway::causeway_static)
message(STATUS "launcher ${Causeway_OSHRUN}")
END
cat >plain/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.16)
project(hello C CXX)
add_executable(hello hello.c)
END
config=$CAUSEWAY_TEST_SOURCE/tools/CausewayConfig.cmake.in
for target in $(sed -n 's/.*add_library(\(Causeway::[a-z_]*\).*/\1/p' "$config"); do
    check "a manual page names $target" grep -rqw "$target" "$CAUSEWAY_TEST_SOURCE/docs/man"
done
export CMAKE_BUILD_PARALLEL_LEVEL=1
output_has "launcher $stage/bin/oshrun" cmake -S package -B package/build \
    "-DCMAKE_PREFIX_PATH=$stage"
check "find_package: build" cmake --build package/build
output_has 'PE 0 of 1 received 0' package/build/hello
output_has 'PE 0 of 1 received 0' package/build/hello_static
output_has 'PE 1 of 2 received 0' oshrun -np 2 package/build/hello
mkdir future
sed 's/Causeway 0.1/Causeway 99/' package/CMakeLists.txt >future/CMakeLists.txt
refuses 1 'requested version "?99' cmake -S future -B future/build "-DCMAKE_PREFIX_PATH=$stage"
# Ranges, as CMake 3.19 has them.
for range in '0.1...<0.3.0' '0.1...0.2'; do
    sed "s/Causeway 0.1/Causeway $range/; s/VERSION 3.16/VERSION 3.19/" package/CMakeLists.txt \
        >future/CMakeLists.txt
    refuses 1 'requested version range' cmake -S future -B "future/$range" \
        "-DCMAKE_PREFIX_PATH=$stage"
done
sed "s/Causeway 0.1/Causeway 0.1...$(oshcc --showme:version | sed 's/.* //')/" \
    package/CMakeLists.txt >future/CMakeLists.txt
cp "$here/hello.c" future
check "a range up to this version" cmake -S future -B future/present "-DCMAKE_PREFIX_PATH=$stage"
check "CC=oshcc: configure" env CC=oshcc CXX=oshc++ cmake -S plain -B plain/build
check "CC=oshcc: build" cmake --build plain/build
output_has 'PE 0 of 1 received 0' plain/build/hello
finish
