"""Pages of organisers: tournaments from draft to archive, and cups."""
