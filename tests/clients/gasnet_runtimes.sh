# SPDX-License-Identifier: BSD-3-Clause
#
# Clients in the manner of runtimes over GASNet (gasnet_runtimes/), built with makefile fragments,
# and by CMake with pkg-config, from the GASNet root; each verifies what it gets, on a node and
# between two nodes in both endpoint modes.
. "$CAUSEWAY_TEST_SOURCE/tests/tools/lib.sh"
cp "$CAUSEWAY_TEST_SOURCE"/tests/clients/gasnet_runtimes/* .
cp "$CAUSEWAY_TEST_SOURCE"/tests/gasnet_ex/chapel.c "$CAUSEWAY_TEST_SOURCE"/tests/gasnet_ex/ex.h .
cp -r "$CAUSEWAY_TEST_SOURCE/tests/frame" .
root=$stage/gasnet
cat >Makefile <<'END'
include $(ROOT)/include/$(CONDUIT)-conduit/$(CONDUIT)-$(MODEL).mak
%_$(MODEL): %.c
	$(GASNET_CC) $(GASNET_CPPFLAGS) $(GASNET_CFLAGS) -O1 -Wall -Werror -c -o $@.o $<
	$(GASNET_LD) $(GASNET_LDFLAGS) -o $@ $@.o $(GASNET_LIBS)
%_$(MODEL): %.cc
	$(GASNET_CXX) $(GASNET_CXXCPPFLAGS) $(GASNET_CXXFLAGS) -O1 -Wall -Werror -c -o $@.o $<
	$(GASNET_CXX) $(GASNET_LDFLAGS) -o $@ $@.o $(GASNET_LIBS)
END
check "make, seq" make -s "ROOT=$root" CONDUIT=smp MODEL=seq upcxx_seq caffeine_seq
export PKG_CONFIG_PATH=$root/lib/pkgconfig
check "cmake" cmake -S . -B by_cmake -DCMAKE_BUILD_TYPE=None
check "cmake, build" cmake --build by_cmake
export GASNET_MAX_SEGSIZE=8M

# name, processes, pattern, program
everywhere() {
    output_has "$3" gasnetrun_ofi -n "$2" "$4"
    for mode in rdm msg; do
        output_has "$3" env CAUSEWAY_ENDPOINT=$mode gasnetrun_ofi -n "$2" -N 2 "$4"
    done
}
everywhere upcxx 3 'upcxx: rank 2, 0 wrong' ./by_cmake/upcxx
everywhere realm 3 'realm: rank 2, 0 wrong' ./by_cmake/realm
everywhere chapel1 3 'chapel1: rank 2, 0 wrong' ./by_cmake/chapel1
everywhere chapel 3 '3 ranks, 0 failed' ./by_cmake/chapel
everywhere caffeine 3 'caffeine: rank 2, 0 wrong' ./caffeine_seq
output_has 'upcxx: rank 0, 0 wrong' gasnetrun_smp -n 1 ./upcxx_seq
output_has 'caffeine: rank 1, 0 wrong' gasnetrun_udp -n 2 ./by_cmake/caffeine
output_has 'realm: rank 1, 0 wrong' env GASNET_OFI_MAX_MEDIUM=20000 gasnetrun_ofi -n 2 -N 2 \
    ./by_cmake/realm
finish
