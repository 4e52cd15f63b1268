// Keeps a page of a live tournament up to date. Without it, or without EventSource, pages simply stay
// as they were loaded. The stream says only that something changed; htmx fetches what it is.
"use strict";

(() => {
  const RETRY_MS = 20000;
  // Hundreds follow the same event: they ask one after the other, and each not more often than this.
  const APART_MS = 2500;
  const SPREAD_MS = 1000;
  let source = null;
  let retry = null;
  let due = null;
  let asked = 0;
  let newest = "";

  const live = () => document.getElementById("live");

  const two = (number) => String(number).padStart(2, "0");

  const duration = (seconds) => {
    const whole = Math.max(0, Math.floor(seconds));
    const minutes = Math.floor(whole / 60);
    const hours = Math.floor(minutes / 60);
    const days = Math.floor(hours / 24);
    if (days) return `${days} d ${hours % 24} h`;
    return hours ? `${hours} h ${two(minutes % 60)} min` : `${minutes}:${two(whole % 60)}`;
  };

  const tick = () => {
    for (const clock of document.querySelectorAll("time[data-since]")) {
      clock.textContent = duration((Date.now() - Date.parse(clock.dataset.since)) / 1000);
    }
  };

  // Fetches the parts that changed, unless the page has them by then.
  const ask = () => {
    if (due) return;
    const wait = Math.max(0, asked + APART_MS - Date.now()) + SPREAD_MS * Math.random();
    due = setTimeout(() => {
      due = null;
      asked = Date.now();
      const root = live();
      if (root && root.dataset.version !== newest) htmx.trigger(root, "changed");
    }, wait);
  };

  const close = () => {
    clearTimeout(retry);
    if (source) source.close();
    source = null;
    document.body.classList.remove("is-connected");
  };

  const open = () => {
    close();
    const address = live()?.dataset.stream;
    if (!address || document.hidden) return;
    source = new EventSource(address);
    source.onmessage = (event) => {
      const root = live();
      if (!root) return;
      document.body.classList.add("is-connected");
      newest = JSON.parse(event.data).version;
      if (newest !== root.dataset.version) ask();
      if (!root.dataset.stream) close();
    };
    source.onerror = () => {
      document.body.classList.remove("is-connected");
      // The browser comes back by itself unless it was turned away; then we ask again, much later.
      if (source && source.readyState === EventSource.CLOSED && live()?.dataset.stream) {
        retry = setTimeout(open, RETRY_MS * (1 + Math.random()));
      }
    };
  };

  document.addEventListener("DOMContentLoaded", () => {
    setInterval(tick, 1000);
    if (!window.EventSource || !window.htmx) return;
    open();
    // A page nobody looks at gives its place to somebody else.
    document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
    window.addEventListener("pagehide", close);
  });
})();
