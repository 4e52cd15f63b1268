// Derives deals from a revealed secret, as specified in docs/fair-deals.md and docs/rules/common.md, and compares them
// with the published and played ones. It shares no code with the site, except for the data on how a game deals
// (DEALING of viewer/games).
"use strict";

const Deals = (() => {
  const SUITS = "SHDC";
  const encoder = new TextEncoder();
  const subtle = globalThis.crypto?.subtle;

  const hexOf = (buffer) => Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const bytesOf = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
  const sha256 = async (bytes) => hexOf(await subtle.digest("SHA-256", bytes));

  const commitment = (secret) => sha256(bytesOf(secret));
  const fieldDigest = (bundles) => sha256(encoder.encode([...bundles].sort().join("\n")));

  const boardSeed = async (secret, tournament, digest, stage, round, board) => {
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    const key = await subtle.importKey("raw", bytesOf(secret), algorithm, false, ["sign"]);
    const message = `rensho-board/1|${tournament}|${digest}|${stage}|${round}|${board}`;
    return hexOf(await subtle.sign("HMAC", key, encoder.encode(message)));
  };

  // 64-bit words of a label: SHA-256 of the label and a counter of 8 bytes.
  async function* wordsOf(label) {
    const start = encoder.encode(label);
    for (let counter = 0n; ; counter += 1n) {
      const block = new Uint8Array(start.length + 8);
      block.set(start);
      new DataView(block.buffer).setBigUint64(start.length, counter);
      const view = new DataView(await subtle.digest("SHA-256", block));
      for (let at = 0; at < view.byteLength; at += 8) yield view.getBigUint64(at);
    }
  }

  const below = async (words, n) => {
    const range = 1n << 64n;
    for (;;) {
      const { value } = await words.next();
      if (value < range - (range % BigInt(n))) return Number(value % BigInt(n));
    }
  };

  const deck = async (game, ranks, seed, deal = 1) => {
    const cards = [...SUITS].flatMap((suit) => [...ranks].map((rank) => rank + suit));
    const words = wordsOf(`jcg1|${game}|${seed}|${deal}|deal`);
    for (let i = cards.length - 1; i > 0; i -= 1) {
      const j = await below(words, i + 1);
      [cards[i], cards[j]] = [cards[j], cards[i]];
    }
    return cards;
  };

  const sorted = (cards) => [...cards].sort().join(" ");

  // The hands of a view's deal before swaps.
  const handsAsDealt = (deal) => {
    const hands = { ...deal.hands };
    for (const item of [...deal.before].reverse()) {
      const seats = Object.keys(item.hands ?? {});
      if (seats.length === 2) [hands[seats[0]], hands[seats[1]]] = [hands[seats[1]], hands[seats[0]]];
    }
    return hands;
  };

  // Whether the hands follow from the deck: cards are dealt in packets, and each pile is the hand of a seat; the first
  // pile belongs to the seat on the dealer's right, to seat 1, or to any seat.
  const isDealtFrom = (cards, dealing, deal) => {
    const hands = handsAsDealt(deal);
    const seats = Object.keys(hands).length;
    const packet = dealing.packet ?? Object.values(hands)[0].length / dealing.rounds;
    const dealt = Array.from({ length: seats }, () => []);
    for (let k = 0; k < seats * dealing.rounds; k += 1) {
      dealt[k % seats].push(...cards.slice(packet * k, packet * (k + 1)));
    }
    const piles = dealt.map(sorted);
    if (dealing.first === "any") return Object.values(hands).map(sorted).sort().join() === piles.sort().join();
    const before = dealing.first === "dealer" ? deal.dealer : 0;
    return piles.every((pile, at) => sorted(hands[((before + at) % seats) + 1] ?? []) === pile);
  };

  // Whether all deals of a board of a view follow from its seed.
  const isBoardDealt = async (view, board, seed, dealing) => {
    for (const deal of board.deals) {
      if (!isDealtFrom(await deck(view.game, dealing.ranks, seed, deal.deal), dealing, deal)) return false;
    }
    return true;
  };

  return { available: Boolean(subtle), commitment, fieldDigest, boardSeed, deck, isBoardDealt };
})();

if (typeof module !== "undefined") module.exports = Deals;

if (typeof document !== "undefined") {
  const WAIT_S = 5;

  const get = async (address) => {
    for (;;) {
      const answer = await fetch(address, { headers: { Accept: "application/json" } });
      if (answer.ok) return answer.json();
      if (answer.status !== 429) throw new Error(`${address}: ${answer.status}`);
      const wait = Number(answer.headers.get("Retry-After")) || WAIT_S;
      await new Promise((done) => setTimeout(done, 1000 * wait));
    }
  };

  const published = async (root) => {
    const all = await get(root.dataset.fairness);
    for (let next = all.next_first; next; ) {
      const more = await get(`${root.dataset.fairness}?first=${next}`);
      all.board_sets.push(...more.board_sets);
      next = more.next_first;
    }
    return all;
  };

  const start = (root) => {
    const texts = root.dataset;
    const dealing = JSON.parse(texts.dealing);
    const find = (name) => root.querySelector(`[data-part="${name}"]`);

    const say = (name, agrees, detail = "") => {
      const line = find(name);
      line.className = agrees === null ? "verify-line" : `verify-line ${agrees ? "verify-good" : "verify-bad"}`;
      line.querySelector(".verify-result").textContent = agrees === null ? "" : agrees ? `✓ ${texts.agrees}` : `✗ ${texts.differs}`;
      line.querySelector(".verify-detail").textContent = detail;
    };

    const compare = (name, computed, stated) =>
      say(name, computed === stated, computed === stated ? computed : `${computed} ≠ ${stated}`);

    // The field digest of each stage, from the bundles recorded when the field was fixed.
    const fieldsOf = async (all) => {
      const locked = await get(texts.locked);
      const bundles = Object.fromEntries(
        locked.entries.map((entry) => [entry.id, entry.versions.map((version) => version.bundle_sha256)]),
      );
      const begun = all.field_digests.filter((field) => field.field_digest);
      for (const [at, field] of begun.entries()) {
        // All recorded entries play the first stage, and no others.
        const entries = at ? field.entries : locked.entries.map((entry) => entry.id);
        const computed = await Deals.fieldDigest(entries.flatMap((entry) => bundles[entry] ?? [entry]));
        const name = begun.length > 1 ? `${field.stage}: ` : "";
        if (computed !== field.field_digest) return say("field", false, `${name}${computed} ≠ ${field.field_digest}`);
      }
      return say("field", true, begun.map((field) => field.field_digest).join(" "));
    };

    const seedsOf = async (all, isWanted) => {
      const digests = Object.fromEntries(all.field_digests.map((field) => [field.stage, field.field_digest]));
      let count = 0;
      let last = "";
      for (const set of all.board_sets) {
        for (const [board, stated] of Object.entries(set.seeds ?? {})) {
          if (!isWanted(set.board_set, board)) continue;
          const digest = digests[set.stage];
          const seed = await Deals.boardSeed(all.secret, all.tournament, digest, set.stage, set.round, board);
          count += 1;
          last = seed;
          if (seed !== stated) return say("seeds", false, `${set.stage}.${set.round}, ${board}: ${seed} ≠ ${stated}`);
        }
      }
      return say("seeds", true, count === 1 ? last : `${count} / ${count}`);
    };

    const basics = async () => {
      const all = await published(root);
      compare("commitment", await Deals.commitment(all.secret), all.commitment);
      await fieldsOf(all);
      await seedsOf(all, (set, board) => !texts.set || (set === texts.set && board === texts.board));
      return all;
    };

    // The first table with a view; void tables have none.
    const viewOf = async (tables) => {
      for (const table of tables) {
        try {
          return await get(`${texts.tables}${table}/view`);
        } catch {
          continue;
        }
      }
      return null;
    };

    // Reads tables until every board of the set was found.
    const handsOf = async (set, wanted, onBoard) => {
      const open = new Set(wanted);
      while (open.size) {
        const number = [...open][0];
        const { results } = await get(`${texts.boards}${set.board_set}/${number}`);
        open.delete(number);
        const view = await viewOf(new Set(results.map((result) => result.table)));
        if (!view) continue;
        for (const board of view.boards) {
          const name = String(board.board);
          if (name !== number && !open.has(name)) continue;
          open.delete(name);
          const isGood = await Deals.isBoardDealt(view, board, set.seeds[name], dealing);
          const deck = texts.board ? (await Deals.deck(view.game, dealing.ranks, set.seeds[name])).join(" ") : "";
          if (!onBoard(name, isGood, deck)) return false;
        }
      }
      return true;
    };

    const hands = async (all) => {
      const progress = find("progress");
      const sets = all.board_sets.filter((set) => set.seeds && (!texts.set || set.board_set === texts.set));
      const boardsOf = (set) => (texts.board ? [texts.board] : Object.keys(set.seeds));
      progress.max = sets.reduce((sum, set) => sum + boardsOf(set).length, 0) || 1;
      progress.value = 0;
      progress.hidden = false;
      let seen = 0;
      for (const set of sets) {
        const go = await handsOf(set, boardsOf(set), (board, isGood, deck) => {
          progress.value += 1;
          seen += 1;
          say("hands", isGood, isGood ? deck || `${seen} / ${progress.max}` : `${set.stage}.${set.round}, ${board}`);
          return isGood;
        });
        if (!go) break;
      }
      if (!seen) say("hands", null, texts.nothing);
      progress.hidden = true;
    };

    const button = find("run");
    button.hidden = false;
    if (!Deals.available) {
      button.hidden = true;
      find("missing").hidden = false;
      return;
    }
    button.addEventListener("click", async () => {
      button.disabled = true;
      find("lines").hidden = false;
      find("failed").hidden = true;
      try {
        const all = await basics();
        if (dealing) await hands(all);
        else say("hands", null, texts.unknown);
      } catch (error) {
        find("failed").hidden = false;
        find("reason").textContent = error.message;
      } finally {
        button.disabled = false;
      }
    });
  };

  const startAll = () => {
    for (const root of document.querySelectorAll("[data-verify]:not([data-verify-on])")) {
      root.dataset.verifyOn = "1";
      start(root);
    }
  };

  startAll();
}
