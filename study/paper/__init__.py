# SPDX-License-Identifier: BSD-3-Clause
"""Pages that set the figures of five published systems beside ours: docs/papers."""
