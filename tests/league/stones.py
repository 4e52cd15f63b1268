"""Stones of fixtures, for tests of luck."""

from league.luck import FixtureStones


def duel(fixture, board_set, first, second):
    """Stones of the first entry by board, at the table of each rotation."""
    return FixtureStones(fixture, board_set, [[(a, -a), (b, -b)] for a, b in zip(first, second, strict=True)])


def event(rng, *, fixtures=4, sets=6, boards=16, chance=0.3, sides=2):
    """Who holds the first role of a board wins by its cards; now and then somebody plays otherwise."""
    found = []
    for number in range(sets):
        deals = [[rng.choice([-2, -1, -1, 0, 1, 1, 2, 4]) for _ in range(sides - 1)] for _ in range(boards)]
        for at in range(fixtures):
            stones = []
            for deal in deals:
                roles = [*deal, -sum(deal)]
                tables = []
                for rotation in range(sides):
                    won = [roles[(side + rotation) % sides] for side in range(sides)]
                    extra = rng.choice([-2, -1, 1, 2, 3]) if rng.random() < chance else 0
                    won[0], won[1] = won[0] + extra, won[1] - extra
                    tables.append(won)
                stones.append(tables)
            found.append(FixtureStones(f"f{number}-{at}", f"s{number}", stones))
    return found
