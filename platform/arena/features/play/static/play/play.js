// A table of play: positions come as events and are shown one after the other, a tap sends a card. The server
// draws every position; nothing here knows the rules, and nothing here holds a card that the seat may not see.
"use strict";

(() => {
  const form = document.querySelector("[data-table]");
  if (!form) return;
  const PACE_MS = 500;
  const HELD_MS = 1200;
  const ENDED_MS = 4000;
  const LOST_MS = 3000;
  const NOTED_MS = 5000;
  const SETTLE_MS = 350;
  const STILL_MS = 700;
  const SAID_MS = 400;
  const HINT_MS = 400;
  const RETRY_MS = [500, 1000, 2000, 4000, 8000];
  const texts = form.dataset;
  const holder = form.querySelector("[data-parts]");
  const live = document.querySelector("[data-live]");
  const notice = document.getElementById("live-state");
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const coarse = matchMedia("(pointer: coarse)");
  const phone = matchMedia("(max-width: 47.99rem)");
  const queue = [];
  let part = holder.querySelector("[data-play-table]");
  let newest = Number(part.dataset.n);
  let arrived = performance.now();
  let source = null;
  let failures = 0;
  let lost = null;
  let isLost = false;
  let waits = null;
  let sending = false;
  let spokenTen = false;
  let noted = null;
  let spoken = "";
  let spokenAt = -Infinity;
  let settles = null;
  let scrolled = -Infinity;
  let brings = null;
  let isHeld = false;

  // Settings

  const store = (name, value) => {
    try {
      if (value === undefined) return localStorage.getItem(`rensho.${name}`);
      localStorage.setItem(`rensho.${name}`, value);
    } catch {
      // Without storage a setting lasts as long as the page.
    }
    return null;
  };
  const settings = {};
  // Komatsufuda as French cards, as in the replay; the template holds their symbols.
  const faces = (root) => {
    if (settings.french === undefined) return;
    if (settings.french) document.querySelectorAll("template[data-french]").forEach((held) => held.replaceWith(held.content));
    for (const svg of root.querySelectorAll("svg[data-card]")) {
      const code = svg.dataset.card;
      svg.querySelector("use").setAttribute("href", `#${settings.french ? "c" : "k"}-${code}`);
      svg.classList.toggle("card-komatsu", !settings.french);
      svg.classList.toggle("card-wild", !settings.french && ["AC", "2D"].includes(code));
      svg.classList.toggle(`card-${code[1].toLowerCase()}`, settings.french);
    }
  };
  for (const box of document.querySelectorAll("[data-set]")) {
    const name = ["four", "french"].includes(box.dataset.set) ? box.dataset.set : `play.${box.dataset.set}`;
    const kept = store(name);
    box.checked = kept === null ? box.dataset.set === "twice" && coarse.matches : kept === "1";
    const take = () => {
      settings[box.dataset.set] = box.checked;
      if (box.dataset.set === "four") {
        if (box.checked) document.documentElement.dataset.deck = "four";
        else delete document.documentElement.dataset.deck;
      }
      if (box.dataset.set === "french") faces(part);
    };
    take();
    box.addEventListener("change", () => {
      store(name, box.checked ? "1" : "0");
      take();
    });
  }
  document.querySelector("[data-settings]").hidden = false;
  if (!coarse.matches) document.querySelector("[data-hint]").hidden = false;

  // What is said

  const say = (text) => {
    live.textContent = text;
  };
  const note = (text, isKept = false) => {
    clearTimeout(noted);
    notice.textContent = text;
    if (!isKept) noted = setTimeout(() => (notice.textContent = ""), NOTED_MS);
  };
  const textOf = (selector) => part.querySelector(selector)?.textContent.trim().replace(/\s+/g, " ") ?? "";

  // Where the page stands: on a phone the mat goes to the upper edge when the table opens, and when a turn comes
  // while the hand is out of sight. Never while a finger is down, or the page still moves: then as soon as it rests.

  const bring = (turn = part) => {
    clearTimeout(brings);
    if (!phone.matches || turn !== part) return;
    if (isHeld || performance.now() - scrolled < STILL_MS) {
      brings = setTimeout(() => bring(turn), STILL_MS);
      return;
    }
    const main = part.querySelector(".play-main").getBoundingClientRect();
    const mat = part.querySelector(".play-mat").getBoundingClientRect();
    const own = part.querySelector(".play-own").getBoundingClientRect();
    const isOwnSeen = own.top >= 0 && own.bottom <= innerHeight + 1;
    if (isOwnSeen && (main.bottom <= innerHeight + 1 || mat.top <= 1)) return;
    const top = main.height <= innerHeight ? main.top : mat.top;
    scrollTo({ top: scrollY + top, behavior: calm.matches ? "auto" : "smooth" });
  };
  addEventListener("scroll", () => (scrolled = performance.now()), { passive: true });
  for (const kind of ["touchstart", "touchend", "touchcancel"]) {
    addEventListener(kind, (event) => (isHeld = event.touches.length > 0), { passive: true });
  }

  // For a moment after buttons have changed in place, a pointer presses nothing: that press was meant for those before.
  const settle = () => {
    clearTimeout(settles);
    form.classList.add("is-settling");
    settles = setTimeout(() => form.classList.remove("is-settling"), SETTLE_MS);
  };

  // How to play stands beside the table, and stays the same element at every position.
  const how = document.querySelector("[data-how]");
  const placeHow = () => how && part.querySelector(".replay-side").prepend(how);
  if (how) {
    how.open = store("play.how") !== "0";
    how.addEventListener("toggle", () => store("play.how", how.open ? "1" : "0"));
  }

  // Positions, one after the other

  const CHOICES = ".play-drop > summary, button[name=action]:not(:disabled, .play-drop:not([open]) > *)";
  const choices = () => [...part.querySelectorAll(CHOICES)];
  const pace = () => {
    const isQuick = settings.fast || calm.matches;
    if ("end" in part.dataset) return ENDED_MS;
    if (isQuick) return 0;
    return part.querySelector(".is-done") ? HELD_MS : PACE_MS;
  };

  const gather = () => part.querySelector(".is-done")?.classList.add("is-gathered");

  const advance = () => {
    clearTimeout(waits);
    waits = null;
    if (queue.length) show(queue.shift());
    else if (!("end" in part.dataset)) gather();
  };

  const wait = () => {
    clearTimeout(waits);
    waits = setTimeout(advance, pace());
  };

  // Positions that follow each other at once are said together: the last alone would take the place of the others.
  const tell = () => {
    const now = performance.now();
    const said = textOf("[data-sentence]");
    spoken = now - spokenAt < SAID_MS ? `${spoken} ${said}` : said;
    spokenAt = now;
    say(`${spoken} ${textOf(".play-status")}`.trim());
  };

  const show = (next, isSilent = false) => {
    const hadFocus = holder.contains(document.activeElement);
    faces(next.el);
    part.replaceWith(next.el);
    part = next.el;
    placeHow();
    arrived = next.arrived;
    spokenTen = false;
    sending = false;
    form.classList.remove("is-sent");
    if (!isSilent) tell();
    if (hadFocus) (choices()[0] ?? part.querySelector("a.button"))?.focus({ preventScroll: true });
    if (choices().length) {
      settle();
      bring();
    }
    taken();
    tick();
    wait();
    const forced = settings.forced && choices().length === 1 ? choices()[0] : null;
    if (forced) setTimeout(() => forced.isConnected && send(forced), settings.fast ? 0 : PACE_MS);
  };

  // What the referee chose when the time was up.
  const taken = () => {
    const text = textOf("[data-taken]");
    if (text) note(text);
  };

  const read = (html) => {
    const body = new DOMParser().parseFromString(html, "text/html").body;
    return [...body.children].map((el) => ({ el: document.adoptNode(el), arrived: performance.now() }));
  };

  const take = (html) => {
    queue.push(...read(html));
    if (!waits) advance();
  };

  // The present truth, in place of what is shown.
  const refresh = async () => {
    const answer = await fetch(`${texts.page}?part=table`, { headers: { Accept: "text/html" } });
    if (answer.status === 404) return location.reload();
    if (!answer.ok) throw new Error(String(answer.status));
    const [found] = read(await answer.text()).slice(-1);
    // The stream may have been faster.
    if (Number(found.el.dataset.n) < newest) return undefined;
    queue.length = 0;
    newest = Number(found.el.dataset.n);
    return show(found, true);
  };

  // The stream

  const back = () => {
    clearTimeout(lost);
    lost = null;
    failures = 0;
    if (isLost) note(texts.again);
    isLost = false;
    form.classList.remove("is-lost");
  };

  // After the last position the server closes the stream: nothing is lost.
  const isComplete = () => "last" in part.dataset || queue.some(({ el }) => "last" in el.dataset);

  const gone = () => {
    lost ??= setTimeout(() => {
      isLost = true;
      form.classList.add("is-lost");
      note(texts.lost, true);
    }, LOST_MS);
  };

  const listen = () => {
    if (source) source.close();
    source = new EventSource(`${texts.events}?from=${newest}&taken_back=${texts.takenBack}`);
    source.addEventListener("open", back);
    source.addEventListener("at", (event) => {
      back();
      const { n, html } = JSON.parse(event.data);
      if (n <= newest) return;
      newest = n;
      take(html);
    });
    source.addEventListener("taken_back", () => location.reload());
    source.addEventListener("state", (event) => {
      back();
      const { state, field, asked } = JSON.parse(event.data);
      const isStale = state !== part.dataset.state || (asked && !("mine" in part.dataset));
      if (state === "failed") location.reload();
      else if (state === "abandoned" && field !== undefined) location.assign(texts.page);
      else if (isStale && !queue.length && state !== "finished") refresh().catch(gone);
    });
    source.onerror = () => {
      if (isComplete()) {
        clearTimeout(lost);
        return source.close();
      }
      gone();
      if (source.readyState !== EventSource.CLOSED) return undefined;
      const after = RETRY_MS[Math.min(failures, RETRY_MS.length - 1)];
      failures += 1;
      return setTimeout(() => document.hidden || listen(), after * (1 + Math.random() / 4));
    };
  };

  // What the person does

  const send = async (button) => {
    if (sending) return;
    sending = true;
    form.classList.add("is-sent");
    button.classList.add("is-chosen");
    const body = new FormData(form);
    body.set("action", button.value);
    body.set("part", "1");
    for (let tries = 0; ; tries += 1) {
      try {
        const answer = await fetch(form.getAttribute("action"), { method: "POST", body });
        if (answer.status === 204) return;
        sending = false;
        form.classList.remove("is-sent");
        if (answer.status === 409 || answer.status === 400) {
          await refresh();
          note(texts.late);
          return;
        }
        if (answer.status < 500) return location.reload();
        throw new Error(String(answer.status));
      } catch {
        // Sending it again is safe: the server takes one action for a position, once.
        gone();
        if (!button.isConnected) return;
        if (tries >= 20) {
          sending = false;
          form.classList.remove("is-sent");
          button.classList.remove("is-chosen");
          note(texts.failed);
          return;
        }
        await new Promise((done) => setTimeout(done, RETRY_MS[Math.min(tries, RETRY_MS.length - 1)]));
      }
    }
  };

  // A hint: asked for again until it has been computed, unless the position changes.
  const hint = async () => {
    const asked = part;
    const body = new FormData(form);
    body.set("part", "1");
    for (;;) {
      const answer = await fetch(part.querySelector("[data-asks-hint]").getAttribute("formaction"), { method: "POST", body });
      if (part !== asked) return;
      if (answer.status === 409) return void refresh();
      const text = part.querySelector("[data-hint-text]");
      if (!answer.ok) {
        const { detail } = await answer.json();
        text.textContent = detail;
        return say(detail);
      }
      text.innerHTML = await answer.text();
      if (!text.querySelector("[data-waits]")) return say(textOf("[data-hint-text] p"));
      await new Promise((done) => setTimeout(done, HINT_MS));
      if (part !== asked) return;
    }
  };

  const lift = (button) => {
    for (const other of part.querySelectorAll(".is-lifted")) other.classList.remove("is-lifted");
    button.classList.add("is-lifted");
    say(`${button.getAttribute("aria-label")}${texts.stop} ${texts.tap}`);
  };

  form.addEventListener("submit", (event) => {
    const button = event.submitter;
    if (!button || "plain" in button.dataset) return;
    event.preventDefault();
    if ("asksHint" in button.dataset) return void hint().catch(() => note(texts.failed));
    const isTwice = settings.twice && button.matches(".play-card, .play-meld");
    if (isTwice && !button.classList.contains("is-lifted")) lift(button);
    else send(button);
  });
  // Keys press without a count; they are never too quick.
  form.addEventListener("click", (event) => {
    if (!event.detail || !form.classList.contains("is-settling")) return;
    if (!event.target.closest("button[name=action]")) return;
    event.preventDefault();
    event.stopPropagation();
  }, true);
  document.addEventListener("click", (event) => {
    const costs = part.querySelector(".play-drop[open]");
    if (costs && !costs.contains(event.target)) costs.open = false;
  });
  holder.addEventListener("click", (event) => {
    if (event.target.closest(".play-mat") && (queue.length || part.querySelector(".is-done"))) advance();
  });

  const isTyping = (element) => element.matches?.("input:not([type=checkbox]), select, textarea");

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || isTyping(event.target)) return;
    const key = event.key.toLowerCase();
    if (["h", "t", "l"].includes(key)) {
      say("");
      requestAnimationFrame(() => say(textOf(`[data-key=${key}]`)));
    } else if (key === "arrowleft" || key === "arrowright") {
      const all = choices();
      if (!all.length) return;
      const at = all.indexOf(document.activeElement);
      const step = key === "arrowright" ? 1 : -1;
      all[at < 0 ? (step > 0 ? 0 : all.length - 1) : (at + step + all.length) % all.length].focus();
      event.preventDefault();
    }
  });

  // The clock

  const tick = () => {
    const clock = part.querySelector("[data-clock][data-runs]");
    if (!clock || sending) return;
    const left = Math.max(0, Number(clock.dataset.left) - (performance.now() - arrived)) / 1000;
    const shown = Math.min(Math.ceil(left), Number(clock.dataset.clock));
    clock.querySelector("progress").value = left;
    clock.querySelector(".num").textContent = `${Math.floor(shown / 60)}:${String(shown % 60).padStart(2, "0")}`;
    if (!spokenTen && left <= 10 && left > 0) {
      spokenTen = true;
      say(texts.seconds);
    } else if (left <= 0 && !clock.dataset.over) {
      clock.dataset.over = "1";
      note(texts.timeout);
    }
  };

  placeHow();
  setInterval(tick, 250);
  bring();
  taken();
  wait();
  listen();
  document.addEventListener("visibilitychange", () => (document.hidden ? source.close() : listen()));
  window.addEventListener("pagehide", () => source.close());
  window.addEventListener("online", listen);
})();
