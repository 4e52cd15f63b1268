// Copies the text that a button refers to. Without access to the clipboard, the text is selected instead.
// The script element has the labels of the buttons in the reader's language.
"use strict";

(() => {
  const SHOWN_MS = 2500;
  const texts = document.currentScript.dataset;

  const select = (source) => {
    if (source.select) return source.select();
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
      await navigator.clipboard.writeText(source.value ?? source.textContent);
      say(button, texts.copied);
    } catch {
      source.closest("details")?.setAttribute("open", "");
      select(source);
      say(button, texts.selected);
    }
  };

  document.addEventListener("DOMContentLoaded", () => {
    for (const button of document.querySelectorAll("button[data-copy]")) {
      button.hidden = false;
      // Documents are always English, including their buttons.
      if (button.parentElement.matches(".doc-code")) {
        button.textContent = texts.copy;
        button.lang = document.documentElement.lang;
      }
      button.setAttribute("aria-live", "polite");
      button.addEventListener("click", () => copy(button));
    }
  });
})();
