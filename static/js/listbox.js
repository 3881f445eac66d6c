// A search field whose list is chosen from with the arrows and Enter. The field keeps the focus.
"use strict";
(() => {
  const options = (list) => [...list.querySelectorAll("[role=option][href]")];

  const select = (field, list, option) => {
    for (const one of options(list)) one.setAttribute("aria-selected", String(one === option));
    if (option) {
      field.setAttribute("aria-activedescendant", option.id);
      option.scrollIntoView({ block: "nearest" });
    } else {
      field.removeAttribute("aria-activedescendant");
    }
  };

  const chosen = (list) => options(list).find((one) => one.getAttribute("aria-selected") === "true");

  document.addEventListener("keydown", (event) => {
    const field = event.target.closest?.("[data-listbox]");
    if (!field || event.isComposing) return;
    const list = document.getElementById(field.dataset.listbox);
    const all = options(list);
    if ((event.key === "ArrowDown" || event.key === "ArrowUp") && all.length) {
      const at = all.indexOf(chosen(list)) + (event.key === "ArrowDown" ? 1 : -1);
      select(field, list, all[(at + all.length) % all.length]);
      event.preventDefault();
    } else if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      if (field.dataset.asked === field.value) chosen(list)?.click();
      else field.dataset.enter = "1"; // The list is still on its way: take its first when it is here.
    }
  });

  document.addEventListener("htmx:afterSwap", (event) => {
    const list = event.detail.target;
    const field = document.querySelector(`[data-listbox="${list.id}"]`);
    if (!field || !list.id) return;
    field.dataset.asked = new URLSearchParams(event.detail.pathInfo.responsePath.split("?")[1]).get("q") || "";
    field.setAttribute("aria-expanded", String(options(list).length > 0));
    select(field, list, chosen(list));
    if (field.dataset.enter && field.dataset.asked === field.value) {
      delete field.dataset.enter;
      chosen(list)?.click();
    }
  });

  const begin = () => {
    for (const field of document.querySelectorAll("[data-listbox]")) field.dataset.asked = field.value;
  };
  document.addEventListener("DOMContentLoaded", begin);
  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.detail.elt.id === "booking" || event.detail.elt.querySelector?.("#booking")) begin();
  });
})();
