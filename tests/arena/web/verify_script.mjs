// Runs the script of the fairness panel on what it is given, and prints what it derives.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const Deals = createRequire(import.meta.url)(process.argv[2]);
const asked = JSON.parse(readFileSync(0, "utf8"));
const answers = {
  commitment: await Deals.commitment(asked.secret),
  digest: await Deals.fieldDigest(asked.bundles),
  seeds: await Promise.all(
    asked.boards.map((at) => Deals.boardSeed(asked.secret, asked.tournament, asked.digest, ...at)),
  ),
  decks: await Promise.all(asked.decks.map(([game, ranks, seed, deal]) => Deals.deck(game, ranks, seed, deal))),
  views: await Promise.all(
    asked.views.map(([view, seed]) => Deals.isBoardDealt(view, view.boards[0], seed, asked.dealings[view.game])),
  ),
};
process.stdout.write(JSON.stringify(answers));
