// Keeps a page of a live tournament up to date. Without it, or without EventSource, pages simply stay
// as they were loaded. The stream says only that something changed; htmx fetches what it is.
"use strict";

(() => {
  const RETRY_MS = 20000;
  let source = null;
  let retry = null;

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
      if (JSON.parse(event.data).version !== root.dataset.version) htmx.trigger(root, "changed");
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
