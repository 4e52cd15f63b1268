"""Pages of authors: create bots, submit and manage versions, enter tournaments."""
