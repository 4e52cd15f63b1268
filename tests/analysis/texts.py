"""The position text of the documentation."""

TEXT = """\
preset: kakeya4
trump: D
rensho: AS
lead: 1
1: S 83 H AQJ97 D KT93 C 83
2: S K52 H 852 D A85 C AT97
3: S JT64 H 6 D J7642 C Q65
4: S AQ97 H KT43 D Q C KJ42
plays: 3C 7C QC 2C
       6D QD KD AD
       5H 6H
"""
