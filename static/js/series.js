/* How many visits the button books or moves, as the choices stand. Without this it says how many were chosen at first. */
"use strict";

(() => {
  const words = document.querySelector("[data-many]");
  if (!words) return;
  const count = () => {
    const chosen = [...document.querySelectorAll(".again input[type=radio]:checked")].filter((one) => one.value).length;
    words.textContent = (chosen === 1 ? words.dataset.one : words.dataset.many).replace("77", chosen);
  };
  document.addEventListener("change", count);
  count();
})();
