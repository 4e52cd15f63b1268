// Updates a page of a live tournament. Without it, or without EventSource, pages stay as they were loaded.
// The stream of a tournament's page sends the changed parts that all visitors share. htmx fetches other parts, such as
// the visitor's own entries, and other pages, when the stream announces a change. If the stream breaks, the page
// displays this, polls meanwhile, and displays when it is live again.
"use strict";

(() => {
  const RETRY_MS = 20000;
  // Minimum time between two requests of a page. Hundreds of pages follow the same tournament: the stream tells over
  // which time they spread their requests.
  const APART_MS = 2500;
  const SPREAD_MS = 1000;
  // A stream that reconnects within this time is not reported as broken.
  const GRACE_MS = 5000;
  const AGAIN_MS = 4000;
  let source = null;
  let retry = null;
  let due = null;
  let asked = 0;
  let newest = "";
  let newestOwn = null;
  let spread = SPREAD_MS;
  let isAsking = false;
  let hasCrossed = false;
  let grace = null;
  let isBroken = false;
  let isLost = false;
  let quiet = null;

  const live = () => document.getElementById("live");

  // Displays the state: no connection, no stream, or live again.
  const say = () => {
    const line = document.getElementById("live-state");
    if (!line) return;
    const text = isLost ? line.dataset.lost : isBroken ? line.dataset.broken : "";
    clearTimeout(quiet);
    if (text) {
      if (line.textContent !== text) line.textContent = text;
    } else if (line.textContent) {
      line.textContent = line.dataset.again;
      quiet = setTimeout(() => (line.textContent = ""), AGAIN_MS);
    }
  };

  const streamIs = (broken) => {
    clearTimeout(grace);
    grace = null;
    isBroken = broken;
    document.body.classList.toggle("is-connected", !broken);
    say();
  };

  const two = (number) => String(number).padStart(2, "0");

  const duration = (seconds) => {
    const whole = Math.max(0, Math.floor(seconds));
    const minutes = Math.floor(whole / 60);
    const hours = Math.floor(minutes / 60);
    const days = Math.floor(hours / 24);
    if (!hours) return `${minutes}:${two(whole % 60)}`;
    const units = document.getElementById("live-state").dataset;
    const parts = days ? {days, hours: hours % 24} : {hours, minutes: two(minutes % 60)};
    return (days ? units.days : units.hours).replace(/{(\w+)}/g, (_, name) => parts[name]);
  };

  const tick = () => {
    for (const clock of document.querySelectorAll("time[data-since]")) {
      clock.textContent = duration((Date.now() - Date.parse(clock.dataset.since)) / 1000);
    }
  };

  // Whether the page has the latest announced version. Only pages of signed-in visitors have own parts.
  const isCurrent = (root) =>
    root.dataset.version === newest &&
    (newestOwn === null || root.dataset.own === undefined || root.dataset.own === newestOwn);

  // Fetches the changed parts after a delay, unless the page has them by then.
  const ask = () => {
    if (due) return;
    const wait = Math.max(0, asked + APART_MS - Date.now()) + spread * Math.random();
    due = setTimeout(() => {
      due = null;
      asked = Date.now();
      const root = live();
      if (!root || isCurrent(root)) return;
      isAsking = true;
      htmx.trigger(root, "changed");
    }, wait);
  };

  // Swaps in the parts of the stream. If the page is still incomplete, its version is cleared, so that it is fetched.
  const take = async ({ version, parts, html, last }) => {
    hasCrossed ||= isAsking;
    if (html) await htmx.swap({ sourceElement: live(), target: live(), text: html, swap: "none" });
    const root = live();
    if (!root || version !== newest) return;
    const has = new Set(Array.from(document.querySelectorAll(".part-version"), (part) => part.value));
    if (!parts.every((part) => has.has(part))) root.dataset.version = "";
    else root.dataset.version = version;
    if (last) delete root.dataset.stream;
  };

  const hear = async (data) => {
    newest = data.version;
    newestOwn = data.own ?? null;
    spread = data.spread_ms ?? SPREAD_MS;
    if (data.parts) await take(data);
    const root = live();
    if (!root) return;
    if (!isCurrent(root)) ask();
    if (!root.dataset.stream) close();
  };

  // Fetches without an announced change.
  const askAnyway = () => {
    newest = "";
    ask();
  };

  const close = () => {
    clearTimeout(retry);
    clearTimeout(grace);
    grace = null;
    if (source) source.close();
    source = null;
    isBroken = false;
    document.body.classList.remove("is-connected");
    say();
  };

  const open = () => {
    close();
    const address = live()?.dataset.stream;
    if (!address || document.hidden) return;
    listen(address);
  };

  // The URL of the stream with the versions of the page's parts, without the visitor's own part.
  const withParts = (address) => {
    const parts = Array.from(document.querySelectorAll(".part-version"), (part) => part.value);
    const have = parts.filter((part) => !part.startsWith("own.")).map((part) => `have=${part}`);
    return have.length ? `${address}?${have.join("&")}` : address;
  };

  const listen = (address) => {
    source = new EventSource(withParts(address));
    source.onmessage = (event) => {
      if (!live()) return;
      isLost = false;
      streamIs(false);
      hear(JSON.parse(event.data));
    };
    source.onerror = () => {
      document.body.classList.remove("is-connected");
      if (!source || !live()?.dataset.stream) return;
      grace ??= setTimeout(() => streamIs(Boolean(live()?.dataset.stream)), GRACE_MS);
      // The browser reconnects by itself unless the server rejected it: too many streams, or the tournament is over,
      // which the page learns by fetching.
      if (source.readyState === EventSource.CLOSED) {
        askAnyway();
        retry = setTimeout(comeBack, RETRY_MS * (1 + Math.random()));
      }
    };
  };

  // Reconnects without changing the displayed state.
  const comeBack = () => {
    if (source) source.close();
    source = null;
    const address = live()?.dataset.stream;
    if (!address) streamIs(false);
    else if (!document.hidden) listen(address);
  };

  // Handles the end of every htmx request, including those of polled lists.
  const answered = (event) => {
    const status = event.detail?.ctx?.response?.status ?? 0;
    isLost = status >= 500 || status === 0;
    isAsking = false;
    // Parts of the stream that arrived meanwhile may be newer than the response.
    if (hasCrossed) askAnyway();
    hasCrossed = false;
    if (!live()?.dataset.stream && isBroken) close();
    say();
  };

  document.addEventListener("DOMContentLoaded", () => {
    setInterval(tick, 1000);
    if (!window.EventSource || !window.htmx) return;
    open();
    setInterval(() => isBroken && !document.hidden && askAnyway(), RETRY_MS);
    document.addEventListener("htmx:after:request", answered);
    document.addEventListener("htmx:error", answered);
    // Hidden pages close their stream, since the number of streams is limited.
    document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
    window.addEventListener("pagehide", close);
  });
})();
