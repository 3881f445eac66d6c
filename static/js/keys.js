// Keys of the staff pages. An element with data-key="n" is clicked by N, a field is focused; "g t" is G, then T.
"use strict";
(() => {
  document.documentElement.classList.add("scripted");
  const OFF = "clinicbot.keys.off";
  const isOff = () => localStorage.getItem(OFF) === "1";
  const inField = (element) => element.matches?.("input:not([type=checkbox], [type=radio]), select, textarea, [contenteditable]");
  let before = "";

  const act = (element) => {
    if (element.matches("input, textarea, select")) {
      element.focus();
      element.select?.();
    } else {
      element.click();
    }
  };

  const isShown = (element) => element.getClientRects().length > 0 && !element.closest("[inert]");

  // Within the row in hand, and nowhere else: data-row-key="y".
  const findInRow = (wish) => {
    const row = document.activeElement.closest("li:has([data-row])");
    return [...(row?.querySelectorAll("[data-row-key]") || [])].find((one) => one.dataset.rowKey === wish && isShown(one));
  };

  const find = (wish) => [...document.querySelectorAll("[data-key]")].find((one) => one.dataset.key === wish && isShown(one));

  const moveRow = (step) => {
    const rows = [...document.querySelectorAll("[data-row]")].filter(isShown);
    const at = rows.indexOf(document.activeElement);
    rows[at < 0 ? (step > 0 ? 0 : rows.length - 1) : Math.min(Math.max(at + step, 0), rows.length - 1)]?.focus();
  };

  // The next step of the row in hand; without one, the row of whom is expected next comes into it.
  const takeStep = () => {
    const row = document.activeElement.closest("li:has([data-row])");
    if (row) row.querySelector("[data-step] button, [popovertarget]")?.click();
    else document.querySelector(".board li:has(.go-next) [data-row]")?.focus();
  };

  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      const main = find("ctrl enter");
      if (main) {
        event.preventDefault();
        main.click();
      }
      return;
    }
    if (event.key === "Escape") {
      closePopups();
      if (inField(event.target)) event.target.blur();
      return;
    }
    if (event.ctrlKey || event.altKey || event.metaKey || inField(event.target) || isOff()) return;
    if (document.querySelector("dialog[open]")) return;
    const key = event.key.toLowerCase();
    const found = find(`${before} ${key}`.trim()) || (before && find(key)) || (!before && findInRow(key));
    before = key === "g" ? "g" : "";
    if (key === "?") document.getElementById("keys")?.showModal();
    else if (key === "h") takeStep();
    else if (key === "j" || key === "k") moveRow(key === "j" ? 1 : -1);
    else if (found) act(found);
    else return;
    event.preventDefault();
  });

  const closePopups = (except) => {
    for (const popup of document.querySelectorAll("[data-popup]")) {
      if (popup.contains(except) || popup.parentElement.contains(except)) continue;
      if (popup.matches("details")) popup.open = false;
      else popup.replaceChildren();
    }
  };

  document.addEventListener("click", (event) => {
    closePopups(event.target);
    if (event.target.closest("[data-close]")) event.target.closest(".toast").remove();
    if (event.target.closest("[data-close-dialog]")) event.target.closest("dialog").close();
    if (event.target.closest("[data-print]")) window.print();
  });

  document.addEventListener("change", (event) => {
    if (event.target.id === "keys-on") {
      localStorage.setItem(OFF, event.target.checked ? "0" : "1");
      document.body.classList.toggle("no-keys", isOff());
    }
    if (event.target.matches("[data-submit-on-change]") && event.target.value) event.target.form.requestSubmit();
  });

  document.addEventListener("DOMContentLoaded", () => {
    const box = document.getElementById("keys-on");
    if (box) box.checked = !isOff();
    document.body.classList.toggle("no-keys", isOff());
  });
})();
