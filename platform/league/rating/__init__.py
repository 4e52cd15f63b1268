"""Ratings from board scores, and the tests and ladders based on them: pure functions on plain values.

This module imports nothing, so numpy is loaded only where ratings are computed.

- ``fixtures``: the input. ``set_scores(board_set, [PlayedFixture, …])`` validates a closed set once and
  stores it as arrays; ``partner_columns`` names members where versions play with partners.
- ``table``: ``rate(sets, entries=…, is_ladder=…)`` returns a ``RatingTable``.
- ``columns``: ``rating_lines(ratings)``, the lines for display, ranked by column. ``packing``: sets as bytes.
- ``equations``, ``solve``, ``weights``, ``covariance``, ``guards``, ``ranks``: the parts of ``rate``.
- ``ladder``: ``estimate_strengths`` and ``next_round``, which returns fixtures with their reasons.
- ``integrity``: ``pair_findings(sets)``, pairs with implausible results. ``opponents``:
  ``findings_by_opponent(encounters)`` for forfeits and ``delayed_boards``. ``significance``: probabilities.
"""
