"""Errors in values given to the league.

LeagueError
├── FairnessError       a secret, hash or name from which no deal can be derived
├── SeatingError        entries that do not fit the sides of the table
├── ScoresError         results that are incomplete, contradict each other or do not sum to zero
├── FormatError         a format, option or field of entries that cannot be played
├── SequentialError     a comparison with an invalid difference, error rate, cap or score
├── RatingError         board scores that cannot be rated, or a field that cannot be paired
├── ArchiveInvalid      a file that is not a complete export
└── StandingsError      an unknown tie-break, a missing lot, a fixture of unknown entries

RecordLost, a LookupError: an export states that its site has lost this record.
"""


class LeagueError(ValueError):
    """Root of all errors that the league raises on purpose."""


class RecordLost(LookupError):
    """The export states that the site has lost this record, so its table cannot be verified."""


class FairnessError(LeagueError):
    """No deal can be derived; the message says what was expected, and never quotes a secret."""


class SeatingError(LeagueError):
    """The entries do not fit the table; the message has both numbers."""


class ScoresError(LeagueError):
    """Results cannot be scored; the message names rotation, board and entry."""


class FormatError(LeagueError):
    """A stage cannot be played; the message names option and value."""


class StandingsError(LeagueError):
    """Standings cannot be ordered; the message names the tie-break or entry."""


class SequentialError(LeagueError):
    """A comparison cannot be made; the message names the value and its range."""


class RatingError(LeagueError):
    """Results cannot be rated, or a ladder cannot be paired; the message names fixture or entry."""


class ArchiveInvalid(LeagueError):
    """The file is not a complete export; the message says why, without the file's name."""

    def __init__(self, message: str, *, is_too_large: bool = False) -> None:
        super().__init__(message)
        self.is_too_large = is_too_large
        """Whether a limit is exceeded."""
