"""Pages of boards, fixtures, tables and deals."""
