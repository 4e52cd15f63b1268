// What every page has: the key / goes to the search.
"use strict";

(() => {
  const isTyping = (element) => element.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName);

  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.altKey || event.metaKey || isTyping(event.target)) return;
    const field = document.querySelector("input[type=search]");
    const link = document.getElementById("to-search");
    if (!field && !link) return;
    event.preventDefault();
    if (field) field.focus();
    else location.assign(link.href);
  });
})();
