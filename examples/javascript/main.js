"use strict";
// A bot for Kakeya, Etori and Kakkuri on the runtime node/1. Its only state is the order of court cards
// from hello; everything else comes from the request.
//
// In Kakeya and Etori:
// - It adds pictures to tricks that its partner certainly wins, and does not overtake them.
// - It takes tricks with pictures, as cheaply as possible.
// - To lead, it plays a picture that no card left can beat, or else its lowest card.
// - Otherwise, it plays its lowest card. It never changes trumps and never asks to lead.
//
// In Kakkuri:
// - It goes out if possible.
// - Otherwise, it plays the longest run of cards that fit one after another, without wild cards.
// - If no card fits, it passes, or turns up a card if it may not pass. It never swaps, drops or declares sansoku.
//
// docs/bot-protocol.md describes the fields.

const readline = require("node:readline");

const RANKS = "23456789TJQKA";
const SUITS = "SHDC";
const PACK = [...SUITS].flatMap((suit) => [...RANKS].map((rank) => rank + suit));
// Answers to decisions without cards, in order of preference.
const WORDS = ["KEEP", "DEFER", "KOI", "DEAL"];
const WILDS = ["2D", "AC"];
const COURTS = { JQK: "A23456789JQK", QJK: "A23456789QJK" };
// Kakkuri's ranks in the order of their values, from 1.
let ranks = COURTS.JQK;

const isPicture = (card) => "JQKA".includes(card[0]);

/** The current trick as one seat sees it. */
class Table {
  constructor(observation) {
    this.trump = observation.trump;
    this.rensho = observation.rensho;
    this.partner = observation.partner;
    this.trick = observation.trick;
    this.led = this.trick.length > 0 ? this.trick[0][1][1] : null;
    this.toCome = observation.active.length - this.trick.length - 1;
    const seen = new Set(observation.hand);
    for (const trick of observation.tricks) trick.cards.forEach((card) => seen.add(card));
    for (const [, card] of this.trick) seen.add(card);
    this.unseen = PACK.filter((card) => !seen.has(card));
    this.winning = null;
    for (const play of this.trick) {
      if (this.winning === null || this.power(play[1]) > this.power(this.winning[1])) this.winning = play;
    }
  }

  /** Strength of a card if `led` is led; 0 cannot win. */
  power(card, led = this.led) {
    if (card === this.rensho) return 200;
    const rank = RANKS.indexOf(card[0]);
    if (card[1] === this.trump) return 100 + rank;
    return led === null || card[1] === led ? 1 + rank : 0;
  }

  /** Worth of keeping a card: plain cards, then trumps, then Rensho; in each, pictures last. */
  cost(card) {
    const rank = RANKS.indexOf(card[0]);
    if (card === this.rensho) return 1000;
    return (card[1] === this.trump ? 100 : 0) + (isPicture(card) ? 50 : 0) + rank;
  }

  wouldWin(card) {
    return this.winning === null || this.power(card) > this.power(this.winning[1]);
  }

  /** Whether no card that may still be played to this trick beats this one. */
  isSafe(card) {
    if (this.toCome === 0) return true;
    const led = this.led ?? card[1];
    return !this.unseen.some((other) => this.power(other, led) > this.power(card, led));
  }
}

function lowest(cards, table) {
  return cards.reduce((best, card) => (table.cost(card) < table.cost(best) ? card : best));
}

function choose(legal, table) {
  if (table.winning === null) {
    const sure = legal.filter((card) => isPicture(card) && card !== table.rensho && table.isSafe(card));
    return lowest(sure.length > 0 ? sure : legal, table);
  }
  const below = legal.filter((card) => !table.wouldWin(card));
  if (table.winning[0] === table.partner && table.isSafe(table.winning[1])) {
    const gifts = below.filter((card) => isPicture(card) && card[1] !== table.trump);
    return lowest(gifts.length > 0 ? gifts : below.length > 0 ? below : legal, table);
  }
  const takes = legal.filter((card) => table.wouldWin(card));
  const onTable = table.trick.filter(([, card]) => isPicture(card)).length;
  const free = takes.filter((card) => table.toCome === 0 && isPicture(card) && card[1] === table.led);
  if (onTable > 0 && takes.length > 0) return lowest(takes, table);
  return lowest(free.length > 0 ? free : legal, table);
}

/** Number of cards that can follow a value in sequence; counts has the cards in hand by value. */
function longestRun(counts, value) {
  let longest = 0;
  for (let next = 1; next <= 12; next += 1) {
    const fits = value === 12 || next === value + 1 || (next === value && value <= 2);
    if (!fits) continue;
    for (const size of [1, 3]) {
      if (counts[next] < size) continue;
      counts[next] -= size;
      longest = Math.max(longest, size + longestRun(counts, next));
      counts[next] += size;
    }
  }
  return longest;
}

/** Next step of a turn in Kakkuri. */
function takeTurn(legal, hand) {
  let best = null;
  let most = 0;
  for (const action of legal.filter((each) => each.includes("@"))) {
    const [text, value] = action.split("@");
    const cards = text.split("+");
    if (cards.length === hand.length) return action;
    if (cards.some((card) => WILDS.includes(card))) continue;
    const counts = new Array(13).fill(0);
    for (const card of hand) {
      if (!WILDS.includes(card) && !cards.includes(card)) counts[ranks.indexOf(card[0]) + 1] += 1;
    }
    const length = cards.length + longestRun(counts, Number(value));
    if (length > most) [best, most] = [action, length];
  }
  if (best !== null) return best;
  for (const word of ["PASS", "TURN"]) if (legal.includes(word)) return word;
  return legal.find((action) => action.includes("@")) ?? legal[0];
}

function act(request) {
  const { legal, phase, observation } = request;
  if (legal.length === 1) return legal[0];
  if (observation.game === "kakkuri" && phase === "turn") return takeTurn(legal, observation.hand);
  if (observation.game !== "kakeya" || phase !== "play") {
    return WORDS.find((word) => legal.includes(word)) ?? legal[0];
  }
  return choose(legal, new Table(observation));
}

const input = readline.createInterface({ input: process.stdin, terminal: false });
input.on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "hello") {
    ranks = COURTS[message.ruleset.court_order] ?? COURTS.JQK;
    process.stdout.write(JSON.stringify({ type: "ready", name: "plain_javascript" }) + "\n");
  } else if (message.type === "request") {
    process.stdout.write(JSON.stringify({ id: message.id, action: act(message) }) + "\n");
  } else if (message.type === "bye") {
    input.close();
  }
});
