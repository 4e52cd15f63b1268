"""What can go wrong with a command of the kit.

KitError
└── InputUnusable    a file or folder named on the command line cannot be used
"""


class KitError(Exception):
    """Root of every error the kit raises on purpose; the text is printed as it is."""


class InputUnusable(KitError):
    """Something named on the command line cannot be read, or is not what the command takes."""
