# SPDX-License-Identifier: BSD-3-Clause
"""Studies of virtual topologies (src/core/route)."""
