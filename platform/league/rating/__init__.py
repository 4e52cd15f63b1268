"""Ratings from board scores, and the tests and ladders based on them: pure functions on plain values.

This module imports nothing, so numpy is loaded only where ratings are computed.

- ``fixtures``: the input. ``set_scores(board_set, [PlayedFixture, …])`` validates a closed set once and
  stores it as arrays; ``partner_columns`` names members where versions play with partners.
- ``table``: ``rate(sets, entries=…, is_ladder=…)`` returns a ``RatingTable``: ``rows`` (estimate, interval,
  range of ranks), ``difference(a, b)``, ``unrated`` with reasons, ``weights`` of fixtures below full weight.
- ``columns``: ``rating_lines(ratings)``, the lines for display, ranked by column. ``packing``: sets as bytes.
- ``equations``: the exact sums of a sample, ``NormalEquations(sample)``. ``solve``,
  ``weights``, ``covariance``, ``guards``, ``ranks``: the parts of ``rate``.
- ``ladder``: ``estimate_strengths(sets, entries)`` and ``next_round(contenders, outlook, met, rounds=…,
lot=…)``,
  which returns fixtures with their reasons, and the entries left over.
- ``integrity``: ``pair_findings(sets)``, pairs with implausible results, with the boards to inspect.
  ``opponents``: ``findings_by_opponent(encounters)`` for forfeits and ``waiting_boards`` before answers.
  ``significance``: the probabilities that both use.
"""
