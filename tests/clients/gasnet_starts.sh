# SPDX-License-Identifier: BSD-3-Clause
#
# Starts and ends of runtimes over GASNet, built with the makefile fragments and g++ alone.
. "$CAUSEWAY_TEST_SOURCE/tests/tools/lib.sh"
cp "$CAUSEWAY_TEST_SOURCE/tests/clients/gasnet_starts.cc" .
cat >Makefile <<'END'
include $(STAGE)/include/$(CONDUIT)-conduit/$(CONDUIT)-$(MODEL).mak
starts_$(MODEL): gasnet_starts.cc
	g++ $(GASNET_CXXCPPFLAGS) $(GASNET_CXXFLAGS) -Wall -Werror -c -o starts_$(MODEL).o $<
	g++ $(GASNET_LDFLAGS) -o $@ starts_$(MODEL).o $(GASNET_LIBS)
END
for model in seq par parsync; do
    check "$model" make -s "STAGE=$stage" CONDUIT=smp "MODEL=$model" "starts_$model"
done
export GASNET_MAX_SEGSIZE=8M
output_has 'tasks: node 2, 0 wrong' gasnetrun_smp -n 3 ./starts_par tasks
output_has 'upc: node 2, 0 wrong' gasnetrun_smp -n 3 ./starts_seq upc
output_has 'objects: node 2, 0 wrong' gasnetrun_udp -n 3 -N 2 ./starts_parsync objects
output_has 'objects: node 2, 0 wrong' gasnetrun_smp -n 3 ./starts_seq objects
output_has 'graph: node 2, 0 wrong' gasnetrun_ofi -n 3 -N 2 ./starts_par graph
output_has 'graph: node 0, 0 wrong' gasnetrun_ofi -n 1 ./starts_seq graph
finish
