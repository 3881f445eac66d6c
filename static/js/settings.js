// What a page of settings cannot do without a script: putting a variable where the cursor is, and asking again before words are lost.
"use strict";
(() => {
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-insert]");
    if (!button) return;
    const field = document.getElementById(button.dataset.into);
    field.focus();
    field.setRangeText(button.dataset.insert, field.selectionStart, field.selectionEnd, "end");
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });

  // Ctrl Enter saves, as everywhere.
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || !event.target.form?.matches("[data-saves]")) return;
    event.preventDefault();
    event.target.form.requestSubmit();
  });

  const typed = (form) => [...form.querySelectorAll("textarea")].some((one) => one.value !== one.defaultValue);
  let leaves = false;
  document.addEventListener("submit", () => { leaves = true; });
  window.addEventListener("beforeunload", (event) => {
    const form = document.querySelector("[data-saves]");
    if (form && !leaves && typed(form)) event.preventDefault();
  });
})();
