"""A ladder and tournaments on one installation, as ``bench_ladder_beside.py`` measures them."""
