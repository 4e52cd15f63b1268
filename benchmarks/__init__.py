"""What measures the platform, and what shows it: run from a check-out, no part of the wheel."""
