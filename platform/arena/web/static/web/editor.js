// Turns a textarea into a code editor: Tab and Shift+Tab indent, Enter keeps the indentation, lines are numbered, and
// drafts are stored in the browser until submitted. Escape, then Tab leaves the field. Without it: a plain textarea.
"use strict";

(() => {
  const STEP = "    ";
  const SAVE_MS = 400;

  const insert = (field, text) => {
    // Only this deprecated command keeps the browser's undo history.
    if (!document.execCommand("insertText", false, text)) {
      field.setRangeText(text, field.selectionStart, field.selectionEnd, "end");
      field.dispatchEvent(new Event("input", { bubbles: true }));
    }
  };

  const lineStart = (field, at) => field.value.lastIndexOf("\n", at - 1) + 1;

  // Indents or unindents the selected lines and selects them entirely.
  const shift = (field, isBack) => {
    const { selectionStart: start, selectionEnd: end, value } = field;
    if (!isBack && start === end) return insert(field, STEP.slice((start - lineStart(field, start)) % STEP.length));
    const from = lineStart(field, start);
    const last = end > start && value[end - 1] === "\n" ? end - 1 : end;
    const to = value.indexOf("\n", last) < 0 ? value.length : value.indexOf("\n", last);
    const before = value.slice(from, to);
    const after = before.replace(isBack ? /^( {1,4}|\t)/gm : /^(?=.)/gm, isBack ? "" : STEP);
    if (after === before) return;
    field.setSelectionRange(from, to);
    insert(field, after);
    if (start === end) {
      const moved = Math.max(from, start - (before.length - after.length));
      field.setSelectionRange(moved, moved);
    } else field.setSelectionRange(from, from + after.length);
  };

  const newLine = (field) => {
    const line = field.value.slice(lineStart(field, field.selectionStart), field.selectionStart);
    insert(field, `\n${line.match(/^[ \t]*/)[0]}${/:\s*(#.*)?$/.test(line) ? STEP : ""}`);
  };

  const keys = (field) => {
    let mayLeave = false;
    field.addEventListener("blur", () => (mayLeave = false));
    field.addEventListener("keydown", (event) => {
      if (event.isComposing || event.ctrlKey || event.altKey || event.metaKey || event.key === "Shift") return;
      const leaves = mayLeave;
      mayLeave = event.key === "Escape";
      if (event.key === "Tab" && !leaves) {
        event.preventDefault();
        shift(field, event.shiftKey);
      } else if (event.key === "Enter" && !event.shiftKey) {
        event.preventDefault();
        newLine(field);
      }
    });
  };

  const numbers = (field) => {
    const column = document.createElement("pre");
    column.className = "author-numbers";
    column.setAttribute("aria-hidden", "true");
    const place = field.closest(".author-source");
    field.before(column);
    place.classList.add("has-numbers");
    let count = 0;
    const draw = () => {
      const lines = field.value.split("\n").length;
      if (lines !== count) column.textContent = Array.from({ length: lines }, (_, at) => at + 1).join("\n");
      count = lines;
      column.scrollTop = field.scrollTop;
    };
    const fit = () => {
      column.style.top = `${field.offsetTop + 1}px`;
      column.style.height = `${field.clientHeight}px`;
    };
    field.addEventListener("input", draw);
    field.addEventListener("scroll", () => (column.scrollTop = field.scrollTop));
    new ResizeObserver(fit).observe(field);
    draw();
    fit();
  };

  const drafts = (form, field) => {
    const key = `draft:${form.dataset.editor}`;
    const note = form.querySelector("[data-draft]");
    const store = (text) => {
      try {
        if (text === null) localStorage.removeItem(key);
        else localStorage.setItem(key, JSON.stringify({ text, at: Date.now() }));
      } catch {
        // Storage is unavailable: the form works without drafts.
      }
    };
    let kept = null;
    try {
      kept = JSON.parse(localStorage.getItem(key) ?? "null");
    } catch {
      store(null);
    }
    const isSent = document.querySelector(".form-errors");
    if (kept && typeof kept.text === "string" && kept.text !== field.value && !isSent) {
      const at = new Date(kept.at).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
      const button = (label, act) => {
        const made = document.createElement("button");
        made.type = "button";
        made.className = "button";
        made.textContent = label;
        made.addEventListener("click", () => {
          act();
          note.hidden = true;
          field.focus();
        });
        return made;
      };
      const take = button("Restore it", () => {
        field.value = kept.text;
        field.dispatchEvent(new Event("input", { bubbles: true }));
      });
      note.replaceChildren(`This browser has unsaved text of ${at}. `, take, " ", button("Discard it", () => store(null)));
      note.hidden = false;
    }
    let timer;
    field.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => store(field.value), SAVE_MS);
    });
    window.addEventListener("pagehide", () => timer && store(field.value));
  };

  for (const form of document.querySelectorAll("form[data-editor]")) {
    const field = form.elements.source;
    const hint = form.querySelector("[data-keys]");
    hint.hidden = false;
    field.setAttribute("aria-describedby", `${field.getAttribute("aria-describedby") ?? ""} ${hint.id}`.trim());
    keys(field);
    numbers(field);
    drafts(form, field);
  }
})();
