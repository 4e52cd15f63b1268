"""Limits of courses."""

from __future__ import annotations

MAX_COURSES = 20
"""Maximum courses, not archived, that an account may own; staff have no limit."""
MAX_MEMBERS = 2000
MAX_OWNERS = 20
MAX_OPEN_INVITATIONS = 50
"""Maximum valid invitation links of a course."""
INVITATION_DAYS = 14
MAX_INVITATION_DAYS = 180
INVITATION_USES = 300
PERSONAL_DAYS = 60
"""Days that an invitation of an account is valid."""
NOTE_CHARACTERS = 120
LIST_HOURS = 24
"""Hours that a checked list waits for confirmation."""
PREVIEW_ROWS = 50
"""Rows of each kind that the preview shows."""
