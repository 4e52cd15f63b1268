// After a table of play: waits for what bots did with the same cards and for notes, copies the link, and derives the
// deals again.
"use strict";

(() => {
  const AGAIN_MS = 4000;
  const ANSWER_MS = 15000;
  const LONGEST_MS = 30000;

  const field = document.querySelector("[data-waits]");
  if (field && window.EventSource) {
    const source = new EventSource(field.dataset.waits);
    let timer = 0;
    source.addEventListener("state", (event) => {
      if (!JSON.parse(event.data).field) return;
      source.close();
      location.reload();
    });
    // A stream that is over before it began: the bots were quicker than this page. Or it was refused.
    const ask = async () => {
      let text = "";
      try {
        const answer = await fetch(location.href, {signal: AbortSignal.timeout(ANSWER_MS)});
        if (answer.ok) text = await answer.text();
      } catch { /* no answer: again in a while */ }
      if (text && !text.includes("data-waits")) location.reload();
      else timer = setTimeout(ask, AGAIN_MS);
    };
    source.onerror = () => source.readyState === EventSource.CLOSED && ask();
    window.addEventListener("pagehide", () => {
      source.close();
      clearTimeout(timer);
    });
  }

  const notes = document.querySelector("[data-polls]");
  if (notes) {
    let wait = 1000, timer = 0;
    const look = async () => {
      let text = "";
      try {
        const answer = await fetch(location.href, {signal: AbortSignal.timeout(ANSWER_MS)});
        if (answer.ok) text = await answer.text();
      } catch { /* no answer: again in a while */ }
      if (text && !text.includes("data-polls")) return location.reload();
      wait = Math.min(wait * 1.3, LONGEST_MS);
      timer = setTimeout(look, wait);
    };
    timer = setTimeout(look, wait);
    window.addEventListener("pagehide", () => clearTimeout(timer));
  }

  // Links to the replay below: without loading the page again, and to where it is drawn.
  const replay = document.getElementById("replay");
  for (const link of document.querySelectorAll("[data-position-link]")) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      location.hash = new URLSearchParams(link.search).get("at");
      replay.scrollIntoView();
    });
  }
  if (replay && /[?&]retry=/.test(location.search)) replay.scrollIntoView();

  const copy = document.querySelector("[data-copied]");
  if (copy && navigator.clipboard) {
    copy.hidden = false;
    copy.setAttribute("aria-live", "polite");
    copy.addEventListener("click", async () => {
      await navigator.clipboard.writeText(document.getElementById("share-link").textContent);
      copy.textContent = copy.dataset.copied;
    });
  }

  const line = document.querySelector("[data-check]");
  if (!line) return;
  const [button, says] = [line.querySelector("button"), line.querySelector("[role=status]")];
  if (!globalThis.crypto?.subtle) {
    says.textContent = line.dataset.missing;
    return;
  }
  button.hidden = false;

  const load = (address) => new Promise((resolve, reject) => {
    const script = document.createElement("script");
    Object.assign(script, {src: address, onload: resolve, onerror: reject});
    document.head.append(script);
  });

  // The name of what does not agree, or nothing.
  const differs = async (all) => {
    if (typeof Deals === "undefined") await load(line.dataset.script);
    if ((await Deals.commitment(all.secret)) !== all.commitment) return all.commitment;
    if ((await Deals.fieldDigest(all.bundles)) !== all.field_digest) return all.field_digest;
    for (const { number, seed } of all.boards) {
      const { public_id: id, field_digest: digest, stage, round } = all;
      if ((await Deals.boardSeed(all.secret, id, digest, stage, round, number)) !== seed) return seed;
      const board = all.view.boards.find((found) => found.board === number);
      const { dealing } = all.view;
      if (board && dealing && !(await Deals.isBoardDealt(all.view, board, seed, dealing))) return `${number}`;
    }
    return "";
  };

  button.addEventListener("click", async () => {
    const wrong = await differs(JSON.parse(document.getElementById("deals").textContent));
    says.textContent = wrong ? `✗ ${line.dataset.differs} ${wrong}` : `✓ ${line.dataset.agrees}`;
  });
})();
