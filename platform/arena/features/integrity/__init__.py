"""Reports on results that do not fit, for staff and organisers, and the rulings on pairs that may follow."""
