// Watches boards one after the other: plays the deal by the controls of the replay, continues after the first
// difference, and opens the next board after the end. A click or key of the reader in the replay ends it; with reduced
// motion it starts only on request. Without this script the page has the link to the next board.
"use strict";

(() => {
  const LOOK_MS = 300;
  // Pauses: before the first step, at the first difference, and after the last card.
  const START_MS = 1200;
  const DIFFERENCE_MS = 3500;
  const END_MS = 5000;
  const KEY = "rensho.watch";
  const $ = (selector) => document.querySelector(selector);
  const button = $("[data-watch]");
  const next = $("[data-watch-next]");
  if (!button || !next || !$(".replay")) return;
  let isOn = false;
  let waiting = 0;

  const chosen = (value) => {
    try {
      if (value === undefined) return sessionStorage.getItem(KEY);
      sessionStorage.setItem(KEY, value);
    } catch { /* a browser that stores nothing */ }
    return null;
  };
  const play = () => $('.replay [data-control="play"]');
  const isPlaying = () => play()?.getAttribute("aria-pressed") === "true";
  const isAtEnd = () => $('.replay [data-control="on"]')?.getAttribute("aria-disabled") === "true";
  const isAtDifference = () => $(".replay").dataset.position === $(".replay").dataset.difference;

  const set = (on) => {
    isOn = on;
    waiting = 0;
    button.textContent = on ? button.dataset.on : button.dataset.off;
  };

  const step = () => {
    if (!isOn || document.hidden || !play() || play().disabled || isPlaying()) {
      waiting = 0;
      return;
    }
    waiting += LOOK_MS;
    if (isAtEnd()) {
      if (waiting >= END_MS) {
        set(false);
        location.assign(next.href);
      }
    } else if (waiting >= (isAtDifference() ? DIFFERENCE_MS : START_MS)) {
      play().click();
    }
  };

  const stop = () => {
    if (!isOn) return;
    if (isPlaying()) play().click();
    set(false);
    chosen("off");
  };

  button.addEventListener("click", () => {
    if (isOn) return stop();
    set(true);
    chosen("on");
  });
  // The reader takes over. Clicks of this script are not trusted.
  for (const kind of ["click", "keydown", "touchend"]) {
    document.addEventListener(kind, (event) => {
      if (!isOn || !event.isTrusted) return;
      const isKey = kind === "keydown" && /^(Arrow|Home$|End$| $|[dnp0-8]$)/.test(event.key);
      if (isKey ? !event.target.closest("a,button,input") : event.target.closest(".replay a,.replay button,.mat")) {
        set(false);
        chosen("off");
      }
    }, { capture: true });
  }

  // The browser remembers whether the reader wants results only at the end.
  const hide = $("[data-hide-result]");
  try {
    hide.checked = localStorage.getItem("rensho.hideResult") === "on";
    hide.addEventListener("change", () => localStorage.setItem("rensho.hideResult", hide.checked ? "on" : "off"));
  } catch { /* a browser that stores nothing */ }

  button.hidden = false;
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  set(chosen() ? chosen() === "on" : !calm);
  const first = $('.replay [data-control="start"]');
  if (isOn && !location.hash && !/[?&]at=/.test(location.search) && first) {
    setTimeout(() => first.click(), 0);
    if (matchMedia("(max-width: 47.99rem)").matches) $(".compare-tables").scrollIntoView();
  }
  setInterval(step, LOOK_MS);
})();
