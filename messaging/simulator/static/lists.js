// The sheet that offers the rows of a list: choose one, then send it.

let opener = null;

export function openList(button) {
  const place = button.closest(".place").querySelector("[data-part=sheet]");
  place.replaceChildren(button.parentElement.querySelector("template").content.cloneNode(true));
  opener = button;
  const rows = place.querySelectorAll("[data-row]");
  rows[0].tabIndex = 0;
  place.querySelector("h2").focus();
}

export function initLists(stage, send) {
  stage.addEventListener("click", async (event) => {
    const sheet = event.target.closest(".sheet");
    if (!sheet) return;
    const row = event.target.closest("[data-row]");
    if (row) choose(sheet, row);
    if (event.target.closest("[data-close-list]")) close(sheet);
    if (event.target.closest("[data-send-row]")) {
      const chosen = sheet.querySelector("[aria-checked=true]").dataset.row;
      const input = sheet.closest(".phone").querySelector("input");
      if (await send(sheet, chosen)) {
        sheet.remove();
        input.focus();
      }
    }
  });
  stage.addEventListener("keydown", (event) => {
    const sheet = event.target.closest(".sheet");
    if (!sheet) return;
    if (event.key === "Escape") close(sheet);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const rows = [...sheet.querySelectorAll("[data-row]")];
    const place = rows.indexOf(document.activeElement);
    const next = place < 0 ? 0 : (place + step + rows.length) % rows.length;
    rows[next].focus();
    choose(sheet, rows[next]);
  });
}

function choose(sheet, row) {
  for (const one of sheet.querySelectorAll("[data-row]")) {
    one.setAttribute("aria-checked", String(one === row));
    one.tabIndex = one === row ? 0 : -1;
  }
  const button = sheet.querySelector("[data-send-row]");
  button.textContent = row.dataset.send;
  button.disabled = false;
}

function close(sheet) {
  sheet.remove();
  if (opener?.isConnected) opener.focus();
}
