// What every page has: times in the reader's own zone beside UTC, and the key / for the search.
"use strict";

(() => {
  const NOT_YET_LOCAL = "time[datetime*=T]:not([data-since]):not(:has(.time-local))";
  const language = document.documentElement.lang || "en";
  const clock = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  const day = new Intl.DateTimeFormat(language, { day: "numeric", month: "short" });
  const zone = new Intl.DateTimeFormat(language, { timeZoneName: "short" });

  const zoneOf = (at) => zone.formatToParts(at).find((part) => part.type === "timeZoneName").value;

  const addLocalTimes = () => {
    for (const time of document.querySelectorAll(NOT_YET_LOCAL)) {
      const at = new Date(time.dateTime);
      if (Number.isNaN(at.getTime()) || at.getTimezoneOffset() === 0) continue;
      const isSameDay = at.getDate() === at.getUTCDate();
      const local = document.createElement("span");
      local.className = "time-local";
      local.textContent = ` (${isSameDay ? "" : `${day.format(at)}, `}${clock.format(at)} ${zoneOf(at)})`;
      time.append(local);
    }
  };

  const isTyping = (element) =>
    element.isContentEditable || element.matches?.("input:not([type=checkbox], [type=radio]), textarea, select");

  const goToSearch = (event) => {
    if (event.key !== "/" || event.ctrlKey || event.altKey || event.metaKey || isTyping(event.target)) return;
    const field = document.querySelector("input[type=search]");
    const link = document.getElementById("to-search");
    if (!field && !link) return;
    event.preventDefault();
    if (field) field.focus();
    else location.assign(link.href);
  };

  addLocalTimes();
  // Parts of a live page come anew with their times in UTC alone.
  new MutationObserver(addLocalTimes).observe(document.body, { childList: true, subtree: true });
  document.addEventListener("keydown", goToSearch);
})();
