// Copies the text a button names. Where a page may not write to the clipboard, the text is selected instead.
"use strict";

(() => {
  const SHOWN_MS = 2500;

  const select = (source) => {
    const range = document.createRange();
    range.selectNodeContents(source);
    const selection = getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
  };

  const say = (button, text) => {
    button.dataset.label ??= button.textContent;
    button.textContent = text;
    clearTimeout(Number(button.dataset.timer));
    button.dataset.timer = setTimeout(() => (button.textContent = button.dataset.label), SHOWN_MS);
  };

  const copy = async (button) => {
    const source = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(source.textContent);
      say(button, "Copied");
    } catch {
      source.closest("details")?.setAttribute("open", "");
      select(source);
      say(button, "Selected: now copy it");
    }
  };

  document.addEventListener("DOMContentLoaded", () => {
    for (const button of document.querySelectorAll("button[data-copy]")) {
      button.hidden = false;
      button.setAttribute("aria-live", "polite");
      button.addEventListener("click", () => copy(button));
    }
  });
})();
