/* Steps through a replay the server has drawn. No rules here: every element says when it is there. Stable hooks:
   .replay            [data-deal="b3"] [data-position="12"] (0: as dealt) [data-seat-view="2"] [data-game="tricks"]
   [data-in][data-out]  there from position `in` to before `out`, else class gone
   [data-at="4-7"]    class is-now at these positions, is-later before
   [data-seat="3"]    a seat, [data-acting] if it is to act; [data-hand="3"] its hand of [data-card="KH"], or one
                      .card-backs; [data-slot="3"] its place in the trick, [data-wins] while its card wins
   [data-side="0"]    pictures of a side: the <b> shown counts, [data-captured="KH"] are the cards
   [data-go="12"] [data-board="b4"] [data-see="2"] [data-control="on"]  links to a position, a deal, a view, ...
   [data-sentence] the sentence, [data-announcement] what is read out, [data-here] the address,
                   [data-explore] leads to the explorer
   [data-for-all]     without content for a seat
   [data-note="12"]   the note on the play before a position; [data-part] its note, question and values
   [data-retry="12"] asks for a better card, [data-choose="KH"][data-answer] is one, [data-result] its effect
   .replay            [data-retry-position="12"] while it asks, [data-chosen="KH"]; [data-costly-before], [-after]: keys
                      of costly plays in other deals
   script[data-states]  by position: key, to act, wins, playhead %, sentence, title, cost, sentence about it
   Two tables with the same cards (comparison_render.py) have one list of positions; in it, what differs between
   [data-table="0"] and "1" is a list of two. .replay [data-difference="12"] first difference, [data-tables] names.
   As seen by a seat, what is not there is out of the document, as are other hands, later plays and notes; a page
   drawn for a seat has none of these, and the script fetches the deal. */
(() => {
  "use strict";
  let deal = null, at = 0, seat = 0, timer = 0, asked = 0;
  // The position after the play that the reader tries to better, and the chosen card.
  let retry = 0, chosen = "";
  const deals = new Map();
  const $ = (selector, from = document) => from.querySelector(selector);
  const $$ = (selector, from = document) => [...from.querySelectorAll(selector)];
  const inFile = !!$("script:not([src]):not([type])");
  const store = (name, value) => {
    try {
      if (value === undefined) return localStorage.getItem("rensho." + name);
      localStorage.setItem("rensho." + name, value);
    } catch { /* a browser that keeps nothing */ }
    return null;
  };
  const speed = () => Number(store("speed")) || 1;

  // A deal as drawn, and its elements by when they are there.
  function read(el) {
    const data = $("script[data-states]", el);
    if (!data) return null;
    const states = JSON.parse(data.textContent);
    const group = (i) => states[i] && states[i][0].replace(/p\d+$/, "");
    const difference = Number(el.dataset.difference || NaN);
    const span = (e) => [Number(e.dataset.in || 0), e.dataset.out ? Number(e.dataset.out) : Infinity];
    return {
      el, states, cards: $$("svg[data-card]", el),
      ends: states.map((_, i) => i).filter((i) => group(i) !== group(i + 1) || i === difference),
      difference,
      timed: $$("[data-in],[data-out]", el).map((e) => {
        const [from, until] = span(e);
        // A card that its seat saw and played is no secret: it stays in the hand, as a place.
        const hand = e.closest("[data-hand]");
        const open = hand && until > Number(hand.dataset.known || 0) ? until : Infinity;
        const note = Number(e.dataset.note || 0);
        return { e, from, until, open, note, isNote: e.closest(".replay-notes"), inSlot: e.closest(".slot") };
      }),
      staged: $$("[data-at]", el).map((e) => {
        const [first, last] = e.dataset.at.split("-").map(Number);
        return { e, first, last, isRow: e.matches("tr,li") };
      }),
      forAll: $$("[data-for-all]", el).map((e) => ({ e, kept: null })),
      hands: $$("[data-hand]", el).map((e) => ({
        e, seat: Number(e.dataset.hand), known: Number(e.dataset.known || 0),
        spans: $$("[data-card]", e).map(span),
      })),
    };
  }

  const keep = (nodes) => {
    const kept = document.createDocumentFragment();
    kept.append(...nodes);
    return kept;
  };

  function backs(count, places) {
    const [single, many] = deal.el.dataset.backs.split("|");
    const row = document.createElement("span");
    row.className = "card-backs";
    if (count) row.setAttribute("role", "img");
    else row.setAttribute("aria-hidden", "true");
    if (count) row.setAttribute("aria-label", (count === 1 ? single : many).replace("{count}", count));
    const tricks = deal.el.dataset.game === "tricks";
    row.innerHTML = `<svg class="card-face${tricks ? "" : " card-komatsu"}" aria-hidden="true"><use href="#${
      tricks ? "c" : "k"}-back"/></svg>`.repeat(places);
    [...row.children].slice(count).forEach((card) => card.classList.add("gone"));
    return row;
  }

  // Draw the position; everything that follows from `at` and `seat`.
  function draw() {
    const [key, acting, wins, x, said, title, , costs] = deal.states[at];
    const el = deal.el;
    for (const t of deal.timed) {
      const isThere = retry && t.isNote ? t.note === retry : t.from <= at && at < t.until;
      const on = isThere && !(seat && t.isNote);
      if (t.inSlot) t.e.toggleAttribute("data-fresh", on && t.from === at);
      if (!seat || on || at >= t.open) {
        if (t.hole) { t.hole.replaceWith(t.e); t.hole = null; }
        t.e.classList.toggle("gone", !on);
      } else if (!t.hole) {
        t.hole = document.createComment("");
        t.e.replaceWith(t.hole);
      }
    }
    for (const s of deal.staged) {
      const later = at < s.first;
      s.e.classList.toggle("is-later", later);
      s.e.classList.toggle("is-now", !later && at <= s.last);
      if (s.isRow) continue;
      if (seat && later) s.kept = s.kept || keep([...s.e.childNodes]);
      else if (s.kept) { s.e.append(s.kept); s.kept = null; }
    }
    for (const h of deal.hands) {
      const hidden = seat && (h.seat !== seat || at < h.known);
      if (h.kept) h.e.replaceChildren(h.kept);
      h.kept = null;
      if (hidden) {
        h.kept = keep([...h.e.childNodes]);
        const count = h.spans.filter(([from, until]) => from <= at && at < until).length;
        h.e.append(backs(count, h.spans.filter(([from]) => !from).length));
      }
    }
    for (const e of $$("[data-seat],[data-slot]", el)) {
      e.toggleAttribute("data-acting", Number(e.dataset.seat || e.dataset.slot) === ofTable(acting, e));
      e.toggleAttribute("data-wins", Number(e.dataset.slot) === ofTable(wins, e));
    }
    for (const f of deal.forAll) {
      if (seat) f.kept = f.kept || keep([...f.e.childNodes]);
      else if (f.kept) { f.e.append(f.kept); f.kept = null; }
    }
    for (const head of $$(".river-head line", el)) {
      head.setAttribute("x1", x + "%");
      head.setAttribute("x2", x + "%");
    }
    const parts = { note: !retry, question: !!retry, values: !retry || !!chosen };
    $$("[data-part]", el).forEach((e) => e.classList.toggle("gone", !parts[e.dataset.part]));
    const answer = chosen && $(`[data-note="${retry}"] [data-choose="${chosen}"]`, el);
    $$("[data-result] b", el).forEach((e) => { e.textContent = answer ? answer.dataset.answer : ""; });
    el.dataset.position = at;
    if (retry) el.dataset.retryPosition = retry; else delete el.dataset.retryPosition;
    if (chosen) el.dataset.chosen = chosen; else delete el.dataset.chosen;
    if (seat) el.dataset.seatView = seat; else delete el.dataset.seatView;
    $$("[data-for-seat]", el).forEach((e) => e.classList.toggle("gone", !seat));
    const between = el.dataset.afterSentence;
    const about = seat ? [] : [costs].flat();
    const sentences = [said].flat().map((text, i) => [text, about[i]].filter(Boolean).join(between));
    $$("[data-sentence]", el).forEach((e, i) => { e.textContent = sentences[i]; });
    address(retry ? deal.states[retry][0] : key);
    document.title = [title, el.dataset.title, $("[data-announcement]")?.dataset.rest].filter(Boolean).join(" · ");
    const targets = {
      start: 0, "group-back": groupBack(), back: at - 1, on: at + 1, "group-on": groupOn(), end: deal.states.length - 1,
    };
    for (const [name, to] of Object.entries(targets)) {
      point($(`[data-control="${name}"]`, el), to === at ? "" : deal.states[to]?.[0]);
    }
    for (const [name, step] of [["costly-back", -1], ["costly-on", 1]]) {
      const link = $(`[data-control="${name}"]`, el);
      if (link) point(link, costlyKey(step));
    }
    for (const choice of $$("[data-see]", el)) {
      choice.href = link(key, Number(choice.dataset.see));
      choice.setAttribute("aria-current", String(Number(choice.dataset.see) === seat));
    }
    $$("[data-board]", el).forEach((e) => { e.href = link(e.dataset.board); });
    const isSame = sentences.every((text) => text === sentences[0]);
    const tables = el.dataset.tables?.split("|");
    return isSame ? sentences[0] : sentences.map((text, i) => tables[i] + text).join(between);
  }

  // A value of a position, or of one table of two.
  const ofTable = (value, e) => (Array.isArray(value) ? value[e.closest("[data-table]").dataset.table] : value);
  const link = (key, as = seat) => (inFile ? "#" + key : `?at=${key}${as ? "&seat=" + as : ""}`);
  // Let a control lead to a position, or nowhere.
  function point(control, key) {
    const off = { role: "link", "aria-disabled": "true", tabindex: "0" };
    for (const [attribute, value] of Object.entries(off)) {
      if (key) control.removeAttribute(attribute); else control.setAttribute(attribute, value);
    }
    if (key) control.href = link(key); else control.removeAttribute("href");
  }
  const groupBack = () => Math.max(0, ...deal.ends.filter((end) => end < at));
  const groupOn = () => Math.min(deal.states.length - 1, ...deal.ends.filter((end) => end > at));

  function address(key) {
    const here = $("[data-here]", deal.el);
    here.textContent = "#" + key;
    here.href = link(key);
    const explore = $("[data-explore]", deal.el);
    if (explore) {
      explore.href = `${explore.dataset.explore}?at=${key}`;
      explore.hidden = !!seat;
    }
    // Link, code and picture of "Share" follow the position.
    for (const e of document.querySelectorAll("[data-shared]")) {
      const [, board] = /^b(\d+)/.exec(key), of = e.dataset.shared;
      e[of] = e[of].replace(/(\?at=)\w+/, "$1" + key).replace(/(\/pictures\/boards\/\w+\/)\d+/, "$1" + board);
    }
    const search = inFile ? "" : seat ? "?seat=" + seat : retry ? "?retry=1" : "";
    try { history.replaceState(null, "", location.pathname + search + "#" + key); } catch { /* file: */ }
  }

  function speak(text) {
    const region = $("[data-announcement]");
    if (region) region.textContent = text;
  }

  function go(to, isPlaying) {
    if (!deal.states[to]) return;
    at = to;
    retry = 0;
    chosen = "";
    const sentence = draw();
    if (!isPlaying) { stop(); speak(sentence); } else if (pause() > 1500) speak(sentence);
  }

  // Ask for a better card than the play that led to a position, then show the values.
  const canRetry = (to) => !seat && !!$(`[data-note="${to}"] [data-part="question"]`, deal.el);
  function ask(to) {
    if (!canRetry(to)) return go(to);
    stop();
    [at, retry, chosen] = [to - 1, to, ""];
    draw();
    speak($(`[data-note="${retry}"] [data-question]`, deal.el).textContent);
  }
  function choose(code) {
    chosen = code;
    draw();
    speak($(`[data-note="${retry}"] [data-result]`, deal.el).textContent);
  }

  // Playing by itself
  const pause = () => (deal.ends.includes(at) ? 1800 : 900) / speed();
  function stop() {
    clearTimeout(timer);
    timer = 0;
    button();
  }
  function button() {
    const play = $('[data-control="play"]', deal.el);
    const [start, halt] = deal.el.dataset.play.split("|");
    play.disabled = false;
    play.setAttribute("aria-pressed", String(!!timer));
    play.setAttribute("aria-label", timer ? halt : start);
    $("path", play).setAttribute("d", timer ? "M8 5v14M16 5v14" : "M8 5v14l11-7Z");
  }
  function tick() {
    if (at + 1 >= deal.states.length) return stop();
    go(at + 1, true);
    if (at === deal.difference) { speak(draw()); return stop(); }
    timer = setTimeout(tick, pause());
  }
  function toggle() {
    if (timer) return stop();
    if (at + 1 >= deal.states.length) go(0, true);
    timer = setTimeout(tick, 300);
    button();
  }

  // Other deals
  async function open(key, then) {
    const ask = ++asked;
    let next = deals.get(key);
    if (!next) {
      const template = $(`template[data-for="${key}"]`);
      let el = template && template.content.firstElementChild.cloneNode(true);
      if (!el && !inFile) {
        const response = await fetch(`${location.pathname}?part=deal&at=${key}`);
        if (!response.ok) throw new Error(String(response.status));
        el = $(".replay", new DOMParser().parseFromString(await response.text(), "text/html"));
        document.adoptNode(el);
      }
      if (!el) return;
      next = read(el);
      deals.set(key, next);
    }
    if (ask !== asked) return;
    const focus = document.activeElement;
    const hook = ["control", "see", "board"].find((name) => focus && focus.dataset && name in focus.dataset);
    const shown = deal ? deal.el : $(".replay");
    if (timer) stop();
    if (shown !== next.el) shown.replaceWith(next.el);
    deal = next;
    options();
    at = Math.min(Math.max(then(next), 0), next.states.length - 1);
    [retry, chosen] = [0, ""];
    button();
    speak(draw());
    if (hook) $(`[data-${hook}="${focus.dataset[hook]}"]`, deal.el)?.focus({ preventScroll: true });
  }

  function position(key, of = deal) {
    const exact = of.states.findIndex((state) => state[0] === key);
    if (exact >= 0) return exact;
    return of.states.map((state) => state[0].startsWith(key + "p")).lastIndexOf(true);
  }

  function follow(key, isRetry = false) {
    const match = /^(b\d+(?:d\d+)?)(?:l|t\d+(?:p\d+)?)?$/.exec(key);
    if (!match) return false;
    if (deal && match[1] === deal.el.dataset.deal) {
      const to = position(key);
      if (to >= 0) (isRetry ? ask : go)(to);
      return to >= 0;
    }
    open(match[1], (next) => position(key, next)).then(() => { if (isRetry) ask(at); })
      .catch(() => { if (!inFile) location.search = "?at=" + key; });
    return true;
  }

  const see = (who) => {
    if (who && !$(`[data-see="${who}"]`, deal.el)) return;
    seat = who;
    go(at);
  };
  const neighbour = (step) => {
    const links = $$("[data-board]", deal.el);
    const here = links.findIndex((e) => e.dataset.board === deal.el.dataset.deal);
    if (links[here + step]) follow(links[here + step].dataset.board);
    else $(step < 0 ? 'a[rel="prev"]' : 'a[rel="next"]')?.click();
  };
  const costlyKey = (step) => {
    const here = retry || at, { costlyBefore, costlyAfter } = deal.el.dataset;
    for (let i = here + step; deal.states[i]; i += step) if (deal.states[i][6]) return deal.states[i][0];
    return (step < 0 ? costlyBefore : costlyAfter) || "";
  };
  function costly(step) {
    const key = seat ? "" : costlyKey(step);
    if (key) follow(key, !!retry);
  }
  const moves = {
    start: () => go(0), "group-back": () => go(groupBack()), back: () => go(at - 1), play: toggle,
    on: () => go(at + 1), "group-on": () => go(groupOn()), end: () => go(deal.states.length - 1),
    "costly-back": () => costly(-1), "costly-on": () => costly(1),
  };

  // The reader's choices
  function options() {
    for (const box of $$("[data-option]", deal.el)) {
      box.checked = store(box.dataset.option) === "1";
      box.closest(".replay-options").classList.add("is-ready");
    }
    if (store("four") === "1") document.documentElement.dataset.deck = "four";
    else delete document.documentElement.dataset.deck;
    if (deal.el.dataset.game !== "turns") return;
    const french = store("french") === "1";
    if (french) $$("template[data-french]").forEach((template) => template.replaceWith(template.content));
    for (const svg of deal.cards) {
      const code = svg.dataset.card;
      $("use", svg).setAttribute("href", (french ? "#c-" : "#k-") + code);
      svg.classList.toggle("card-komatsu", !french);
      svg.classList.toggle("card-wild", !french && (code === "AC" || code === "2D"));
      svg.classList.toggle("card-" + code[1].toLowerCase(), french);
    }
  }

  document.addEventListener("change", ({ target }) => {
    if (target.dataset.option) { store(target.dataset.option, target.checked ? "1" : "0"); options(); }
    if (target.name === "speed") store("speed", target.value);
  });

  document.addEventListener("click", (event) => {
    const target = event.target.closest("a,button");
    if (!deal || !target || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const { go: to, control, see: who, board, help, retry: play, choose: card } = target.dataset;
    if (help !== undefined) {
      const dialog = $(".replay-dialog");
      const chosen = $(`[name="speed"][value="${speed()}"]`, dialog);
      if (chosen) chosen.checked = true;
      dialog.showModal();
      return;
    }
    if (!deal.el.contains(target)) return;
    if (to !== undefined) go(Number(to));
    else if (control) { if (!target.hasAttribute("aria-disabled")) moves[control](); }
    else if (who !== undefined) see(Number(who));
    else if (board) follow(board);
    else if (play) ask(Number(play));
    else if (card) choose(card);
    else return;
    event.preventDefault();
  });

  document.addEventListener("keydown", (event) => {
    if (!deal || event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
    if (event.target.closest("input:not([type=checkbox]),textarea,select,[contenteditable],dialog[open]")) return;
    const { key, shiftKey } = event;
    const done = {
      ArrowLeft: () => (shiftKey ? moves["group-back"]() : moves.back()),
      ArrowRight: () => (shiftKey ? moves["group-on"]() : moves.on()),
      Home: moves.start, End: moves.end,
      ArrowUp: () => neighbour(-1), ArrowDown: () => neighbour(1),
      " ": () => (event.target.closest("button,input") ? false : toggle()),
      d: () => (deal.difference ? go(deal.difference) : false),
      n: () => costly(1), p: () => costly(-1),
      b: () => { const page = deal.el.dataset.boardPage; if (page) location.href = page; },
      c: () => {
        const done = () => speak(deal.el.dataset.copied);
        navigator.clipboard?.writeText(new URL($("[data-here]", deal.el).href, location.href).href).then(done, () => {});
      },
      "?": () => $("[data-help]", deal.el).click(),
    }[key] || (/^[0-8]$/.test(key) && (() => see(Number(key))));
    if (done && done() !== false) event.preventDefault();
  });

  // Touch: swipes and taps on the mat; scrolling down the page is the browser's.
  let touch = null;
  document.addEventListener("touchstart", (event) => {
    const mat = event.target.closest(".replay .mat");
    touch = mat && event.touches.length === 1 && !event.target.closest("a,button")
      ? { mat, x: event.touches[0].clientX, y: event.touches[0].clientY, at: event.timeStamp } : null;
  }, { passive: true });
  document.addEventListener("touchend", (event) => {
    if (!touch || !deal) return;
    const dx = event.changedTouches[0].clientX - touch.x, dy = event.changedTouches[0].clientY - touch.y;
    const box = touch.mat.getBoundingClientRect();
    if (Math.abs(dx) > 40 && Math.abs(dx) > 2 * Math.abs(dy)) (dx < 0 ? moves.on : moves.back)();
    else if (Math.hypot(dx, dy) < 10 && event.timeStamp - touch.at < 400) {
      (touch.x > box.left + box.width / 2 ? moves.on : moves.back)();
    }
    touch = null;
  }, { passive: true });

  window.addEventListener("hashchange", () => follow(location.hash.slice(1)));

  function start() {
    const drawn = $(".replay");
    if (!drawn) return;
    seat = Number(drawn.dataset.seatView || 0);
    const first = drawn.dataset.deal, shown = Number(drawn.dataset.position);
    const { retryPosition, chosen: card } = drawn.dataset;
    const full = read(drawn);
    if (full) deals.set(first, full);
    const asked = /^#(b\d+(?:d\d+)?)/.exec(location.hash);
    const key = asked ? asked[1] : first;
    const then = (next) => (asked ? Math.max(position(location.hash.slice(1), next), 0) : shown);
    open(key, then).then(() => {
      if (asked && new URLSearchParams(location.search).has("retry")) ask(at);
      else if (!asked && retryPosition) {
        ask(Number(retryPosition));
        if (card) choose(card);
      }
      if (asked && matchMedia("(max-width: 47.99rem)").matches) $(".mat").scrollIntoView();
    }).catch(() => {});
  }
  start();
})();
