# SPDX-License-Identifier: BSD-3-Clause
"""The start-up study: parts of study/run.py."""
