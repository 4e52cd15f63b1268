// On every page: local times next to UTC, the time left, the browser's time zone in new forms, and the key / for the
// search.
"use strict";

(() => {
  const NOT_YET_LOCAL = "time[datetime*=T]:not([data-since]):not(:has(.time-local))";
  const language = document.documentElement.lang || "en";
  const clock = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  const day = new Intl.DateTimeFormat(language, { day: "numeric", month: "short" });
  const zone = new Intl.DateTimeFormat(language, { timeZoneName: "short" });

  const left = new Intl.RelativeTimeFormat(language);
  const MINUTE_MS = 60000;
  // Maximum count of each unit before the next one is used.
  const UNITS = [["minute", 1, 120], ["hour", 60, 48], ["day", 1440, Infinity]];

  const zoneOf = (at) => zone.formatToParts(at).find((part) => part.type === "timeZoneName").value;

  const addLocalTimes = () => {
    for (const time of document.querySelectorAll(NOT_YET_LOCAL)) {
      const at = new Date(time.dateTime);
      if (Number.isNaN(at.getTime())) continue;
      const isSameDay = at.getDate() === at.getUTCDate();
      const local = document.createElement("span");
      local.className = "time-local";
      if (at.getTimezoneOffset() !== 0) {
        local.textContent = ` (${isSameDay ? "" : `${day.format(at)}, `}${clock.format(at)} ${zoneOf(at)})`;
      }
      time.append(local);
      if (at > Date.now()) {
        const span = document.createElement("span");
        span.className = "time-left";
        time.append(span);
      }
    }
    showTimeLeft();
  };

  const showTimeLeft = () => {
    for (const span of document.querySelectorAll("time > .time-left")) {
      const minutes = Math.ceil((new Date(span.parentElement.dateTime) - Date.now()) / MINUTE_MS);
      const [unit, size] = UNITS.find(([, size, most]) => minutes < size * most);
      const text = minutes > 0 ? ` ${left.format(Math.round(minutes / size), unit)}` : "";
      if (span.textContent !== text) span.textContent = text;
    }
  };

  const chooseOwnZone = () => {
    const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
    for (const select of document.querySelectorAll("select[data-own-zone]")) {
      if ([...select.options].some((option) => option.value === own)) select.value = own;
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
  chooseOwnZone();
  setInterval(showTimeLeft, MINUTE_MS / 2);
  // New parts of a live page have times in UTC only.
  new MutationObserver(addLocalTimes).observe(document.body, { childList: true, subtree: true });
  document.addEventListener("keydown", goToSearch);
})();
