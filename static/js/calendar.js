// The calendar: a visit is picked up, carried and put down. The server says whether it fits and what its patient is told.
"use strict";
(() => {
  const QUARTER = 15;
  const ASK_AFTER_MS = 150;
  const STEPS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
  const inField = (element) => element.matches?.("input, select, textarea");
  const held = () => document.getElementById("held");
  const hand = () => document.getElementById("hand");
  const columns = () => [...document.querySelectorAll(".cal-col")].filter((one) => one.getClientRects().length);

  // Places are classes: t-h9 t-m15 is 9:15 hours below the top, l-h0 l-m45 is 45 minutes long.
  const part = (element, name) => Number(element.className.match(new RegExp(`(?:^|\\s)${name}(\\d+)`))?.[1] ?? 0);
  const offsetOf = (element) => part(element, "t-h") * 60 + part(element, "t-m");
  const lengthOf = (element) => part(element, "l-h") * 60 + part(element, "l-m");
  const setOffset = (element, minutes) => {
    element.classList.remove(...[...element.classList].filter((name) => /^t-[hm]\d/.test(name)));
    element.classList.add(`t-h${Math.floor(minutes / 60)}`, `t-m${minutes % 60}`);
  };

  const quarterAt = (column, offset) =>
    document.querySelector(`template[data-quarters="${column.dataset.day}"]`).content.children[offset / QUARTER];

  // As an address names it; nothing where the clocks show that time for the second time.
  const codeAt = (column, offset, who) => {
    const code = quarterAt(column, offset)?.value;
    return code ? `${code}-${column.dataset.who || who}-${column.dataset.room || 0}` : "";
  };

  // ---------- The hand ----------
  let timer = 0;
  let presses = false;
  let putBack = "";
  let drag = null;
  let dropped = false;

  const place = (tile, column, offset) => {
    if (tile.parentElement !== column) column.append(tile);
    setOffset(tile, offset);
    const time = tile.querySelector("[data-held-time]") || tile.querySelector(".num");
    time.textContent = quarterAt(column, offset).textContent;
  };

  const name = (tile) => {
    if (tile) tile.setAttribute("aria-label", tile.dataset.says.replace("[at]", tile.querySelector("[data-held-time]").textContent));
  };

  const ask = () => {
    clearTimeout(timer);
    timer = 0;
    const tile = held();
    if (!tile?.dataset.at) return;
    const at = `&at=${tile.dataset.at}`;
    history.replaceState(history.state, "", tile.dataset.pageUrl + at);
    window.htmx.ajax("GET", tile.dataset.handUrl + at, { target: "#hand", swap: "outerHTML" });
  };

  const carry = (column, offset) => {
    const tile = held();
    const code = codeAt(column, offset, tile.dataset.who);
    if (!code) return false;
    place(tile, column, offset);
    for (const left of document.querySelectorAll("[data-left]")) {
      left.hidden = left.parentElement === column && offsetOf(left) === offset;
    }
    tile.dataset.at = code;
    name(tile);
    tile.focus();
    hand().setAttribute("aria-busy", "true");
    clearTimeout(timer);
    timer = setTimeout(ask, ASK_AFTER_MS);
    return true;
  };

  const step = ([across, down]) => {
    const tile = held();
    const all = columns();
    const column = all[all.indexOf(tile.parentElement) + across];
    if (!column) return;
    const last = lengthOf(column) - QUARTER;
    let offset = offsetOf(tile);
    if (down) offset = (down > 0 ? Math.floor(offset / QUARTER) + 1 : Math.ceil(offset / QUARTER) - 1) * QUARTER;
    else offset = Math.round(offset / QUARTER) * QUARTER;
    while (offset >= 0 && offset <= last && !carry(column, offset)) offset += QUARTER * (down || 1);
  };

  const nextFree = () => {
    const all = columns();
    const tile = held();
    const free = all.flatMap((column) => [...column.querySelectorAll("[data-open]")]);
    const rank = (element) => all.indexOf(element.parentElement) * 10_000 + offsetOf(element);
    const found = tile ? free.find((one) => rank(one) > rank(tile)) || free[0] : free[0];
    found?.click();
  };

  const putDown = () => {
    const tile = held();
    if (tile?.dataset.at && hand().dataset.at !== tile.dataset.at) {
      presses = true; // What would be said is still on its way: first it is read.
      ask();
      return;
    }
    const button = hand().querySelector("[data-put-down]");
    if (button && hand().querySelector(".refused")) hand().querySelector("#put-down .input")?.focus();
    else button?.click();
  };

  const actInHand = (event) => {
    if (STEPS[event.key] && held()) step(STEPS[event.key]);
    else if (event.key === "f") nextFree();
    else if (event.key === "Enter" && !event.target.closest("a, button, summary")) putDown();
    else if (event.key === "Escape") hand().querySelector("[data-put-back]")?.click();
    else return;
    event.preventDefault();
  };

  // ---------- Nothing in the hand: arrows go from visit to visit ----------
  const goTo = (slot, [across, down]) => {
    const links = (column) => [...column.querySelectorAll("a.slot")];
    const all = columns();
    if (down) {
      const own = links(slot.parentElement);
      own[own.indexOf(slot) + down]?.focus();
      return;
    }
    const beside = all[all.indexOf(slot.parentElement) + across];
    const away = (one) => Math.abs(offsetOf(one) - offsetOf(slot));
    if (beside) links(beside).sort((one, other) => away(one) - away(other))[0]?.focus();
  };

  // Before the keys of every page.
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || inField(event.target)) return;
    if (document.querySelector("dialog[open]")) return;
    if (drag) {
      if (event.key === "Escape") endDrag();
      return;
    }
    if (hand()) {
      actInHand(event);
    } else if (STEPS[event.key] && event.target.matches?.("a.slot")) {
      goTo(event.target, STEPS[event.key]);
      event.preventDefault();
    }
  }, { capture: true });

  // ---------- Carried by a pointer ----------
  const begin = (event) => {
    const { tile } = drag;
    drag.ghost = tile;
    if (tile.id !== "held") {
      drag.ghost = document.createElement("div");
      drag.ghost.className = `${tile.className} slot-held`;
      drag.ghost.append(...[...tile.childNodes].map((node) => node.cloneNode(true)));
      tile.classList.add("slot-left");
    }
    document.body.classList.add("is-dragging");
    window.getSelection()?.removeAllRanges();
    event.preventDefault();
  };

  const follow = (event) => {
    const cal = document.querySelector(".cal").getBoundingClientRect();
    const scrolled = document.querySelector(".cal");
    if (event.clientY > cal.bottom - 32) scrolled.scrollTop += 16;
    if (event.clientY < cal.top + 80) scrolled.scrollTop -= 16;
    const column = columns().find((one) => {
      const box = one.getBoundingClientRect();
      return box.left <= event.clientX && event.clientX < box.right;
    });
    if (!column) return;
    const box = column.getBoundingClientRect();
    const minutes = ((event.clientY - drag.grab - box.top) / box.height) * lengthOf(column);
    const offset = Math.min(Math.max(Math.round(minutes / QUARTER), 0), lengthOf(column) / QUARTER - 1) * QUARTER;
    const code = codeAt(column, offset, drag.tile.dataset.who);
    if (!code) return;
    place(drag.ghost, column, offset);
    drag.at = code;
    drag.to = [column, offset];
  };

  const endDrag = () => {
    const { tile, ghost } = drag;
    document.body.classList.remove("is-dragging");
    tile.classList.toggle("slot-left", false);
    if (ghost && ghost !== tile) ghost.remove();
    drag = null;
  };

  const go = (url) => {
    history.pushState({ htmx: true }, "", url);
    window.htmx.ajax("GET", url, { target: "#calendar", select: "#calendar", swap: "outerHTML show:none" });
  };

  document.addEventListener("pointerdown", (event) => {
    const tile = event.target.closest?.("[data-movable], #held");
    if (!tile || event.button !== 0 || (event.pointerType !== "mouse" && tile.id !== "held")) return;
    drag = { tile, x: event.clientX, y: event.clientY, grab: event.clientY - tile.getBoundingClientRect().top };
  });
  document.addEventListener("pointermove", (event) => {
    if (!drag) return;
    if (!drag.ghost && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < 5) return;
    if (!drag.ghost) begin(event);
    follow(event);
  });
  document.addEventListener("pointerup", () => {
    if (!drag) return;
    const { tile, ghost, at, to } = drag;
    dropped = Boolean(ghost);
    setTimeout(() => { dropped = false; }); // The click that belongs to it has come by then.
    endDrag();
    if (ghost && at && tile.id === "held") carry(...to);
    else if (ghost && at) go(`${tile.href}&at=${at}`);
  });
  document.addEventListener("pointercancel", () => drag && endDrag());
  document.addEventListener("dragstart", (event) => event.target.closest?.(".slot") && event.preventDefault());

  // A click that only ended a drag picks nothing up.
  document.addEventListener("click", (event) => {
    if (dropped && event.target.closest?.(".cal")) {
      event.preventDefault();
      event.stopPropagation();
    }
    putBack = event.target.closest?.("[data-put-back]")?.dataset.putBack || "";
  }, { capture: true });

  // ---------- What is drawn anew stays where it was ----------
  let scroll = null;
  document.addEventListener("htmx:beforeSwap", () => {
    const cal = document.querySelector(".cal");
    scroll = cal && [cal.scrollTop, cal.scrollLeft];
  });
  document.addEventListener("htmx:afterSwap", () => {
    const cal = document.querySelector(".cal");
    if (cal && scroll) cal.scrollTo(...scroll.reverse());
    scroll = null;
  });
  for (const lost of ["htmx:sendError", "htmx:responseError"]) {
    document.addEventListener(lost, (event) => {
      const panel = event.detail.target?.id === "hand" && hand().querySelector("[data-hand-lost]");
      if (panel) panel.hidden = false;
    });
  }
  document.addEventListener("htmx:afterSettle", () => {
    name(held());
    const said = hand()?.querySelector("[data-say]");
    if (said) document.getElementById("hand-said").textContent = said.textContent;
    if (presses && said) {
      presses = false;
      hand().querySelector("[data-put-down]")?.focus();
    }
    if (putBack) document.getElementById(`visit-${putBack}`)?.focus();
    putBack = "";
  });
  document.addEventListener("DOMContentLoaded", () => {
    name(held());
    const cal = document.querySelector(".cal");
    const now = cal?.querySelector(".cal-hours .cal-now");
    if (now && !held()) cal.scrollTop = now.offsetTop - cal.clientHeight / 3;
  });
})();
