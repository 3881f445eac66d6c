// A strip of days: one stop for Tab, and the arrows go from day to day; up and down by a week.
"use strict";
(() => {
  const STEPS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };
  const cells = (strip) => [...strip.querySelectorAll(".fortnight-day")];

  const stopAt = (strip, day) => {
    for (const one of strip.querySelectorAll("a.fortnight-day")) one.tabIndex = one === day ? 0 : -1;
  };

  const begin = () => {
    for (const strip of document.querySelectorAll("[data-strip]")) {
      stopAt(strip, strip.querySelector("a[aria-current].fortnight-day") || strip.querySelector("a.fortnight-day"));
    }
  };

  // Days on which nothing can be had are stepped over.
  const next = (all, at, step) => {
    let place = at + step;
    while (all[place] && !all[place].matches("a")) place += Math.sign(step);
    return all[place];
  };

  document.addEventListener("keydown", (event) => {
    const strip = event.target.closest?.("[data-strip]");
    const cell = event.target.closest?.(".fortnight-day");
    if (!strip || !cell || !(event.key in STEPS) || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const all = cells(strip);
    const day = next(all, all.indexOf(cell), STEPS[event.key]);
    if (!day) return;
    stopAt(strip, day);
    day.focus();
  });

  document.addEventListener("DOMContentLoaded", begin);
  document.addEventListener("htmx:afterSettle", begin);
})();
