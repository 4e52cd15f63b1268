"""Dates as ``27 Nov 2026``, times as ``27 Nov 2026, 13:58 UTC``. Django defines the names of the
constants.
"""

DATE_FORMAT = SHORT_DATE_FORMAT = "j M Y"
DATETIME_FORMAT = SHORT_DATETIME_FORMAT = r"j M Y, H:i \U\T\C"
TIME_FORMAT = r"H:i \U\T\C"
MONTH_DAY_FORMAT = "j F"
