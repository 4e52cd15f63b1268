"""Strengths from board scores, and what rests on them: pure functions on plain values.

Nothing is imported here, so that numpy is loaded only by who rates.

- ``fixtures``: what comes in. ``set_scores(board_set, [PlayedFixture, …])`` checks a closed set once and
  keeps it as arrays; ``partner_columns`` names members where versions play with partners.
- ``table``: ``rate(sets, entries=…, is_ladder=…)`` returns a ``RatingTable``: ``rows`` (estimate, interval,
  range of ranks), ``difference(a, b)``, ``unrated`` with reasons, ``weights`` of fixtures below full weight.
- ``columns``: ``rating_lines(ratings)``, the lines as they are shown, ranked by column. ``packing``: sets as
  bytes.
- ``equations``: the exact sums of a sample, ``NormalEquations(sample)``. ``solve``,
  ``weights``, ``covariance``, ``guards``, ``ranks``: the parts of ``rate``.
- ``ladder``: ``estimate_strengths(sets, entries)`` and
  ``next_round(contenders, outlook, met, rounds=…, lot=…)``,
  which gives fixtures with their reasons, and the entries left over.
- ``integrity``: ``pair_findings(sets)``, pairs whose results do not fit, with the boards to look at.
  ``opponents``: ``findings_by_opponent(encounters)`` for forfeits and ``waiting_boards`` before answers.
  ``significance``: the chances both rest on.
"""
