/* A bot for Kakeya, Etori and Kakkuri in plain C, for the runtime binary/1. Its only state between requests
 * is the order of court cards from hello.
 *
 * In Kakeya and Etori:
 * - It adds pictures to tricks that its partner certainly wins, and does not overtake them.
 * - It takes tricks with pictures, as cheaply as possible.
 * - To lead, it plays a picture that no card left can beat, or else its lowest card.
 * - Otherwise, it plays its lowest card. It never changes trumps and never asks to lead.
 *
 * In Kakkuri:
 * - It goes out if possible.
 * - Otherwise, it plays the longest run of cards that fit one after another, without wild cards.
 * - If no card fits, it passes, or turns up a card if it may not pass. It never swaps, drops or declares sansoku.
 *
 * docs/bot-protocol.md describes the fields. Build: gcc -O2 -static -o bot bot.c
 */

#define _POSIX_C_SOURCE 200809L
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- JSON: a line becomes a tree of values in one array, which every line reuses. ---- */

enum kind { NOTHING, TEXT, LIST, OBJECT, OTHER };

struct value {
    enum kind kind;
    const char *name;   /* in an object; else NULL */
    const char *text;   /* of a text; escapes are resolved in place */
    struct value *child;
    struct value *next; /* in the same list or object */
};

#define MOST_VALUES 65536
#define MOST_DEPTH 32

static struct value values[MOST_VALUES];
static size_t used;

static void fail(const char *what) {
    fprintf(stderr, "cannot read the line: %s\n", what);
    exit(1);
}

static void skip_blanks(char **at) {
    while (**at == ' ' || **at == '\t' || **at == '\r' || **at == '\n') ++*at;
}

/* The text that begins at a quote. All names and values that this bot reads are ASCII. A \u escape
 * becomes a question mark. */
static const char *read_text(char **at) {
    char *start = ++*at, *to = start;
    while (**at != '"') {
        char letter = *(*at)++;
        if (letter == '\0') fail("a text does not end");
        if (letter == '\\') {
            letter = *(*at)++;
            switch (letter) {
            case 'n': letter = '\n'; break;
            case 't': letter = '\t'; break;
            case 'r': letter = '\r'; break;
            case 'b': letter = '\b'; break;
            case 'f': letter = '\f'; break;
            case 'u':
                for (int digit = 0; digit < 4; ++digit)
                    if (*(*at)++ == '\0') fail("an escape does not end");
                letter = '?';
                break;
            case '\0': fail("a text does not end");
            }
        }
        *to++ = letter;
    }
    ++*at;
    *to = '\0';
    return start;
}

static struct value *read_value(char **at, int depth) {
    if (used == MOST_VALUES) fail("too long");
    if (depth > MOST_DEPTH) fail("too deep");
    struct value *value = &values[used++];
    memset(value, 0, sizeof *value);
    skip_blanks(at);
    if (**at == '"') {
        value->kind = TEXT;
        value->text = read_text(at);
    } else if (**at == '[' || **at == '{') {
        bool is_object = *(*at)++ == '{';
        char end = is_object ? '}' : ']';
        struct value **last = &value->child;
        value->kind = is_object ? OBJECT : LIST;
        skip_blanks(at);
        while (**at != end) {
            const char *name = NULL;
            if (is_object) {
                skip_blanks(at);
                if (**at != '"') fail("a name is missing");
                name = read_text(at);
                skip_blanks(at);
                if (*(*at)++ != ':') fail("a colon is missing");
            }
            *last = read_value(at, depth + 1);
            (*last)->name = name;
            last = &(*last)->next;
            skip_blanks(at);
            if (**at == ',') {
                ++*at;
                skip_blanks(at);
                if (**at == end) fail("something is missing after a comma");
            } else if (**at != end) {
                fail("a comma is missing");
            }
        }
        ++*at;
    } else {
        size_t length = strcspn(*at, ",]} \t\r\n");
        if (length == 0) fail("a value is missing");
        value->kind = OTHER;
        value->text = *at; /* a number or a word: read with atoi, or not at all */
        *at += length;
    }
    return value;
}

/* The field of an object, or an empty value, whose fields are empty too. */
static struct value *field(const struct value *object, const char *name) {
    static struct value nothing;
    if (object->kind == OBJECT)
        for (struct value *one = object->child; one; one = one->next)
            if (strcmp(one->name, name) == 0) return one;
    return &nothing;
}

static const char *text_of(const struct value *value) { return value->kind == TEXT ? value->text : ""; }
static int number_of(const struct value *value) { return value->kind == OTHER ? atoi(value->text) : 0; }

static int count(const struct value *list) {
    int found = 0;
    for (const struct value *one = list->child; one; one = one->next) ++found;
    return found;
}

/* ---- Cards: two letters, rank and suit. ---- */

static const char RANKS[] = "23456789TJQKA", SUITS[] = "SHDC";

static int rank_of(const char *card) {
    const char *found = card[0] ? strchr(RANKS, card[0]) : NULL;
    return found ? (int)(found - RANKS) : -1;
}

static bool is_picture(const char *card) { return rank_of(card) >= 9; }

/* The current trick as one seat sees it. */
struct table {
    const char *trump, *rensho;
    char led;            /* the suit, or 0 if this seat leads */
    int partner, to_come, pictures;
    int winner;          /* the seat whose card is the best so far, or 0 */
    const char *winning; /* that card, or NULL */
    bool is_seen[52];
};

static int index_of(const char *card) {
    const char *suit = card[0] && card[1] ? strchr(SUITS, card[1]) : NULL;
    return suit && rank_of(card) >= 0 ? (int)(suit - SUITS) * 13 + rank_of(card) : -1;
}

static void note(struct table *table, const char *card) {
    int index = index_of(card);
    if (index >= 0) table->is_seen[index] = true;
}

/* Strength of a card if this suit is led (0: the card is led); strength 0 cannot win. */
static int power(const struct table *table, const char *card, char led) {
    if (strcmp(card, table->rensho) == 0) return 200;
    if (card[1] == table->trump[0]) return 100 + rank_of(card);
    return led == 0 || card[1] == led ? 1 + rank_of(card) : 0;
}

/* Worth of keeping a card: plain cards, then trumps, then Rensho; in each, pictures last. */
static int cost(const struct table *table, const char *card) {
    if (strcmp(card, table->rensho) == 0) return 1000;
    return (card[1] == table->trump[0] ? 100 : 0) + (is_picture(card) ? 50 : 0) + rank_of(card);
}

static bool would_win(const struct table *table, const char *card) {
    return !table->winning || power(table, card, table->led) > power(table, table->winning, table->led);
}

/* Whether no card that may still be played to this trick beats this one. */
static bool is_safe(const struct table *table, const char *card) {
    if (table->to_come == 0) return true;
    char led = table->led ? table->led : card[1];
    for (int suit = 0; suit < 4; ++suit) {
        for (int rank = 0; rank < 13; ++rank) {
            char other[3] = {RANKS[rank], SUITS[suit], '\0'};
            if (!table->is_seen[suit * 13 + rank] && power(table, other, led) > power(table, card, led))
                return false;
        }
    }
    return true;
}

static struct table read_table(const struct value *observation) {
    struct table table = {0};
    const struct value *trick = field(observation, "trick");
    table.trump = text_of(field(observation, "trump"));
    table.rensho = text_of(field(observation, "rensho"));
    table.partner = number_of(field(observation, "partner"));
    table.to_come = count(field(observation, "active")) - count(trick) - 1;
    for (struct value *one = field(observation, "hand")->child; one; one = one->next) note(&table, text_of(one));
    for (struct value *done = field(observation, "tricks")->child; done; done = done->next)
        for (struct value *one = field(done, "cards")->child; one; one = one->next) note(&table, text_of(one));
    for (struct value *play = trick->child; play; play = play->next) {
        if (count(play) != 2) fail("a play is not seat and card");
        const char *card = text_of(play->child->next);
        if (!table.led) table.led = card[0] ? card[1] : 0;
        note(&table, card);
        table.pictures += is_picture(card);
        if (would_win(&table, card)) {
            table.winner = number_of(play->child);
            table.winning = card;
        }
    }
    return table;
}

/* The lowest legal card that is accepted; NULL if none is. */
typedef bool wanted(const struct table *table, const char *card);

static const char *lowest(const struct value *legal, const struct table *table, wanted *is_wanted) {
    const char *best = NULL;
    for (struct value *one = legal->child; one; one = one->next) {
        const char *card = text_of(one);
        if (is_wanted(table, card) && (!best || cost(table, card) < cost(table, best))) best = card;
    }
    return best;
}

static bool any(const struct table *table, const char *card) { return (void)table, (void)card, true; }
static bool below(const struct table *table, const char *card) { return !would_win(table, card); }
static bool gift(const struct table *table, const char *card) {
    return below(table, card) && is_picture(card) && card[1] != table->trump[0];
}
static bool sure(const struct table *table, const char *card) {
    return is_picture(card) && strcmp(card, table->rensho) != 0 && is_safe(table, card);
}
static bool free_picture(const struct table *table, const char *card) {
    return table->to_come == 0 && would_win(table, card) && is_picture(card) && card[1] == table->led;
}

static const char *choose(const struct value *legal, const struct table *table) {
    const char *card = NULL;
    if (!table->winning) {
        card = lowest(legal, table, sure);
    } else if (table->winner == table->partner && is_safe(table, table->winning)) {
        card = lowest(legal, table, gift);
        if (!card) card = lowest(legal, table, below);
    } else {
        card = table->pictures ? lowest(legal, table, would_win) : NULL;
        if (!card) card = lowest(legal, table, free_picture);
    }
    return card ? card : lowest(legal, table, any);
}

/* ---- Kakkuri: a meld is cards joined by +, an at sign, and the value to follow afterwards. ---- */

static const char *ranks = "A23456789JQK"; /* in the order of their values, from 1 */

static bool is_wild(const char *card) { return strncmp(card, "2D", 2) == 0 || strncmp(card, "AC", 2) == 0; }

/* Number of cards that can follow a value in sequence; counts has the cards in hand by value. */
static int longest_run(int counts[13], int value) {
    int longest = 0;
    for (int next = 1; next <= 12; ++next) {
        if (value != 12 && next != value + 1 && !(next == value && value <= 2)) continue;
        for (int size = 1; size <= 3; size += 2) {
            if (counts[next] < size) continue;
            counts[next] -= size;
            int length = size + longest_run(counts, next);
            counts[next] += size;
            if (length > longest) longest = length;
        }
    }
    return longest;
}

static const char *legal_word(const struct value *legal, const char *word) {
    for (struct value *each = legal->child; each; each = each->next)
        if (strcmp(text_of(each), word) == 0) return word;
    return NULL;
}

/* Next step of a turn. */
static const char *take_turn(const struct value *legal, const struct value *hand) {
    const char *best = NULL, *first = NULL;
    int most = 0;
    for (struct value *each = legal->child; each; each = each->next) {
        const char *action = text_of(each), *end = strchr(action, '@');
        if (!end) continue;
        if (!first) first = action;
        int size = (int)(end - action + 1) / 3; /* two letters a card, and what comes behind them */
        bool has_wild = false;
        int counts[13] = {0};
        for (int card = 0; card < size; ++card) has_wild = has_wild || is_wild(action + 3 * card);
        for (struct value *held = hand->child; held; held = held->next) {
            const char *card = text_of(held), *rank = card[0] ? strchr(ranks, card[0]) : NULL;
            bool is_played = false;
            for (int at = 0; at < size; ++at) is_played = is_played || strncmp(action + 3 * at, card, 2) == 0;
            if (rank && !is_played && !is_wild(card)) ++counts[rank - ranks + 1];
        }
        if (size == count(hand)) return action;
        if (has_wild) continue;
        int length = size + longest_run(counts, atoi(end + 1));
        if (length > most) {
            best = action;
            most = length;
        }
    }
    if (!best) best = legal_word(legal, "PASS");
    if (!best) best = legal_word(legal, "TURN");
    if (!best) best = first;
    return best ? best : text_of(legal->child);
}

static const char *act(const struct value *request) {
    static const char *const WORDS[] = {"KEEP", "DEFER", "KOI", "DEAL"};
    const struct value *legal = field(request, "legal"), *observation = field(request, "observation");
    if (!legal->child) fail("no legal action");
    if (!legal->child->next) return text_of(legal->child);
    if (strcmp(text_of(field(observation, "game")), "kakeya") == 0
        && strcmp(text_of(field(request, "phase")), "play") == 0) {
        struct table table = read_table(observation);
        return choose(legal, &table);
    }
    if (strcmp(text_of(field(observation, "game")), "kakkuri") == 0
        && strcmp(text_of(field(request, "phase")), "turn") == 0)
        return take_turn(legal, field(observation, "hand"));
    for (size_t word = 0; word < sizeof WORDS / sizeof *WORDS; ++word)
        if (legal_word(legal, WORDS[word])) return WORDS[word];
    return text_of(legal->child);
}

int main(void) {
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        char *at = line;
        used = 0;
        const struct value *message = read_value(&at, 0);
        const char *type = text_of(field(message, "type"));
        if (strcmp(type, "hello") == 0) {
            const char *order = text_of(field(field(message, "ruleset"), "court_order"));
            ranks = strcmp(order, "QJK") == 0 ? "A23456789QJK" : "A23456789JQK";
            puts("{\"type\":\"ready\",\"name\":\"plain_c\"}");
        } else if (strcmp(type, "request") == 0) {
            printf("{\"id\":\"%s\",\"action\":\"%s\"}\n", text_of(field(message, "id")), act(message));
        } else if (strcmp(type, "bye") == 0) {
            break;
        }
        fflush(stdout);
    }
    free(line);
    return 0;
}
