// Regions that ask for themselves again, and where the focus lands after a step. htmx does the fetching.
"use strict";
(() => {
  const isUnfolded = (popover) => popover.matches("[popover]:popover-open");
  const asleep = () =>
    document.hidden || document.querySelector("dialog[open]") || [...document.querySelectorAll("[popover]")].some(isUnfolded);
  const underFinger = (region) => region.matches(":hover") && lastMove > Date.now() - 4000;
  let lastMove = 0;

  document.addEventListener("pointermove", () => { lastMove = Date.now(); }, { passive: true });
  document.addEventListener("pointerdown", () => { lastMove = Date.now(); }, { passive: true });

  // A region with data-refresh="15" is fetched every 15 seconds, but never while a pointer is at work in it or a field is.
  setInterval(() => {
    for (const region of document.querySelectorAll("[data-refresh]")) {
      const since = Number(region.dataset.age || 0) + 1;
      region.dataset.age = since;
      const isTyping = region.contains(document.activeElement) && document.activeElement.matches("input, select, textarea");
      if (since < Number(region.dataset.refresh) || asleep() || underFinger(region) || isTyping) continue;
      region.dataset.age = 0;
      window.htmx.trigger(region, "refresh");
    }
  }, 1000);

  // What cannot be fetched stays, and says as of when; the next that comes takes its place.
  const lose = (event) => {
    const region = event.detail.elt;
    if (!region.matches("[data-refresh]")) return;
    for (const one of region.querySelectorAll("[data-lost]")) one.hidden = false;
    for (const one of region.querySelectorAll("[data-fresh]")) one.hidden = true;
  };
  for (const name of ["htmx:sendError", "htmx:responseError"]) document.addEventListener(name, lose);

  // Two taps at once on one visit are one step, though the first has put the next step under the finger.
  let lastStep = { path: "", at: 0 };
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (!event.detail.elt.matches("[data-step]")) return;
    const path = event.detail.pathInfo.requestPath;
    if (path === lastStep.path && Date.now() - lastStep.at < 700) event.preventDefault();
    else lastStep = { path, at: Date.now() };
  });

  // A step that did not get through says so.
  const complain = (event) => {
    const toasts = document.getElementById("toasts");
    if (!event.detail.elt.matches("form") || !toasts?.dataset.notNoted) return;
    lastStep.at = 0;
    const toast = Object.assign(document.createElement("div"), { className: "toast toast-wrong", textContent: toasts.dataset.notNoted });
    toasts.replaceChildren(toast);
  };
  for (const name of ["htmx:sendError", "htmx:responseError"]) document.addEventListener(name, complain);

  // What was unfolded stays so.
  let unfolded = [];
  document.addEventListener("htmx:beforeSwap", (event) => {
    const answered = new URL(event.detail.xhr.responseURL).pathname;
    if (event.detail.target.matches("[data-refresh]") && answered !== event.detail.pathInfo.requestPath.split("?")[0]) {
      event.preventDefault(); // Logged out meanwhile: the whole page says so, not a part of it.
      window.location.reload();
      return;
    }
    unfolded = [...event.detail.target.querySelectorAll("details[id][open]")].map((one) => one.id);
  });
  document.addEventListener("htmx:afterSwap", () => {
    for (const id of unfolded) document.getElementById(id)?.setAttribute("open", "");
    unfolded = [];
  });

  // A form with such a button goes out once; the button says that it works.
  document.addEventListener("submit", (event) => {
    const button = event.target.querySelector("[data-once]");
    if (!button) return;
    if (button.getAttribute("aria-busy") === "true") event.preventDefault();
    button.setAttribute("aria-busy", "true");
  });
  window.addEventListener("pageshow", () => {
    for (const button of document.querySelectorAll("[data-once]")) button.removeAttribute("aria-busy");
  });

  const land = (root) => {
    const target = root.querySelector?.("[data-land]");
    if (target) target.focus({ preventScroll: false });
  };
  document.addEventListener("DOMContentLoaded", () => land(document));
  document.addEventListener("htmx:afterSettle", (event) => land(event.detail.elt.parentElement || document));
})();
