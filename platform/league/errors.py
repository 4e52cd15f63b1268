"""Errors in values given to the league.

LeagueError
├── FairnessError       a secret, hash or name a deal cannot be derived from
├── SeatingError        entries that do not fit the sides of the table
├── ScoresError         results that are incomplete, contradict each other or do not sum to zero
├── FormatError         a format, option or field of entries that cannot be played
├── SequentialError     a comparison whose difference, error rates, cap or scores make no sense
├── RatingError         board scores that cannot be rated, or a field that cannot be paired
└── StandingsError      a tie-break that does not exist, a missing lot, a fixture of strangers

RecordLost, a LookupError: an export says that its site has lost this record.
"""


class LeagueError(ValueError):
    """Root of every error the league raises on purpose."""


class RecordLost(LookupError):
    """The site has lost this record and its export says so: the table can be believed, but not verified."""


class FairnessError(LeagueError):
    """No deal can be derived from this; the message says what was expected. Never quotes a secret."""


class SeatingError(LeagueError):
    """The entries do not fit the table; the message counts both."""


class ScoresError(LeagueError):
    """Results that cannot be scored; the message names rotation, board and entry."""


class FormatError(LeagueError):
    """A stage that cannot be played so; the message names option and value."""


class StandingsError(LeagueError):
    """Standings that cannot be ordered; the message names the tie-break or entry."""


class SequentialError(LeagueError):
    """A comparison that cannot be made; the message names the value and its range."""


class RatingError(LeagueError):
    """Results that cannot be rated, or a ladder that cannot be paired; the message names fixture or entry."""
