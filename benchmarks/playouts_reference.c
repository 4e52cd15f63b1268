/* Playouts of Kakeya as one would write them in C: what bench_playouts.py compares the compiled kernel with.
 * From a lead, of the cards of four hands; the same draws as engine/kernel/playing_deal.py, so the same tally. */
#include <stdint.h>

#define SUIT(card) (0x1FFFULL << (card) / 13 * 13)

static inline uint64_t mixed(uint64_t z)
{
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ z >> 27) * 0x94D049BB133111EBULL;
    return z ^ z >> 31;
}

void reference_playouts(const uint64_t *dealt, int trump, int rensho, int is_free, int leader, int captured,
                        uint64_t pictures, long long first, long long n, uint64_t seed, long long *tally)
{
    const uint64_t golden = 0x9E3779B97F4A7C15ULL, trumps = SUIT(13 * trump), best_of_all = 1ULL << rensho;
    const uint64_t free_card = is_free ? best_of_all : 0;
    const int tricks = __builtin_popcountll(dealt[0]);
    uint64_t suit[52], above[52];

    for (int card = 0; card < 52; card++) {
        uint64_t bit = 1ULL << card, higher = SUIT(card) & ~(bit | (bit - 1));
        suit[card] = SUIT(card);
        above[card] = card == rensho ? 0 : bit & trumps ? higher | best_of_all : higher | trumps | best_of_all;
    }
    for (long long i = first; i < first + n; i++) {
        uint64_t hands[4] = {dealt[0], dealt[1], dealt[2], dealt[3]};
        uint64_t chance = mixed(seed + (uint64_t)(i + 1) * golden);
        int place = leader, taken = captured;

        for (int trick = 0; trick < tricks; trick++) {
            uint64_t led = ~0ULL, played = 0;
            int best = 0, winner = place;

            for (int k = 0; k < 4; k++) {
                uint64_t hand = hands[place], legal = hand & led;
                legal = legal ? legal | (hand & free_card) : hand;
                int count = __builtin_popcountll(legal);
                if (count > 1)
                    chance += golden;
                for (uint64_t pick = (mixed(chance) >> 32) * count >> 32; pick; pick--)
                    legal &= legal - 1;
                uint64_t bit = legal & -legal;
                int card = __builtin_ctzll(legal);
                hands[place] ^= bit;
                played |= bit;
                if (k == 0) {
                    led = suit[card];
                    best = card;
                } else if (above[best] & bit) {
                    best = card;
                    winner = place;
                }
                place = (place + 1) & 3;
            }
            if (!(winner & 1))
                taken += __builtin_popcountll(played & pictures);
            place = winner;
        }
        tally[taken]++;
    }
}
