// SPDX-License-Identifier: BSD-3-Clause
//
// causeway-info --topology.
#ifndef TOOLS_INFO_TOPOLOGY_H
#define TOOLS_INFO_TOPOLOGY_H

/** Prints what "NODES[,PES][:NAME]" asks for: the topology of that name, drawn, or a table of all
 *  that have a name. Returns the exit status: 2, with the reason on stderr, for a wrong text. */
int info_topology(const char *text);

#endif
