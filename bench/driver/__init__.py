# SPDX-License-Identifier: BSD-3-Clause
"""Parts of bench/run.py: peers, plan, measure, store, limits, table, plots, report."""
