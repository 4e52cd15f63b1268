"""Limits of the outbox."""

from __future__ import annotations

RETRY_DELAYS_S = (60, 300, 900, 3600, 3 * 3600, 6 * 3600, 12 * 3600)
"""Delays between attempts at a mail. There is one attempt more than delays."""
MAX_ATTEMPTS = len(RETRY_DELAYS_S) + 1
MAX_AGE_S = 48 * 3600
"""Seconds after which a notice is no longer sent. Notices themselves stay on the site."""
CONFIRMATION_S = 24 * 3600
"""Validity of a link that confirms an address, and the maximum age of its mail, in seconds."""
MAX_MAILS_PER_REQUEST = 3
"""Maximum mails with links to set a password per request, if several accounts have the address."""
PER_DAY = 10
"""Mails with notices per account and day (UTC). The next day's first mail counts the others."""
SECURITY_PER_DAY = 10
"""The same for security notices, which are counted apart."""
LEASE_S = 300
"""Seconds for which a process holds a mail."""
SERVER_DELAYS_S = (30, 60, 120, 300, 600)
"""Delays before the next connection, by consecutive failures of the server."""
TEST_INTERVAL_S = 600
"""Seconds between two tests of an idle server."""
SEND_S = 10.0
"""Seconds after which a task sends no further mail, because the tick uses the same queue."""
BATCH_SIZE = 100
"""Maximum mails per connection."""
QUEUE_BATCH_SIZE = 1000
"""Maximum notices that one call puts into the outbox."""
RETENTION_S = 14 * 24 * 3600
"""Seconds for which ended mails are kept. Must exceed MAX_AGE_S, or a notice could be sent twice."""
PRUNE_BATCH_SIZE = 2000
