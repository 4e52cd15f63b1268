"""People, their tokens and the audit trail."""
