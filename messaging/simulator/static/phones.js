// The page: asks for news twice a second, draws what changed, and carries taps to the phones.

import { openList, initLists } from "./lists.js";
import { post, say, keepPlace } from "./talk.js";

const EVERY_MS = 400;
const stage = document.getElementById("phones");
const lost = document.getElementById("lost");
const hold = document.getElementById("hold");
const parts = { people: null, clock: null, trouble: null, wire: null };
const clinics = new Map();
let follow = new URLSearchParams(location.search).get("follow") !== "0";
let revision = "";
let asked = 0;
let latest = Number(document.getElementById("main").dataset.latest);
let seen = latest;

function placeOf(node) {
  return node.closest(".place");
}

function phoneOf(node) {
  return placeOf(node).dataset.phone;
}

// How many phones stand side by side.
function room() {
  if (innerWidth <= 640) return 1;
  return innerWidth <= 900 ? 2 : innerWidth >= 1750 ? 4 : 3;
}

function slots() {
  return [...stage.querySelectorAll(".place")].map((place) => place.dataset.phone);
}

// A phone in which somebody types, or whose list is open, is not taken away.
function busy() {
  return [...stage.querySelectorAll(".place")]
    .filter((place) => place.querySelector(".sheet") || place.querySelector("input").value || place.contains(document.activeElement))
    .map((place) => place.dataset.phone);
}

function query() {
  return new URLSearchParams({
    revision,
    phones: slots().join(","),
    clinics: [...clinics].map(([phone, number]) => `${phone}:${number}`).join(","),
    busy: busy().join(","),
    follow: follow ? "1" : "0",
    seen,
    room: room(),
  });
}

// Only the latest question counts: an answer to an older one would undo what was chosen since.
async function look() {
  const mine = ++asked;
  let response;
  let state;
  try {
    response = await fetch(`/state?${query()}`);
    state = response.status === 200 ? await response.json() : null;
  } catch {
    return lose();
  }
  lost.hidden = true;
  if (!state || mine !== asked) return;
  revision = state.revision;
  latest = state.latest;
  draw(state);
}

function lose() {
  revision = "";
  if (!lost.hidden) return;
  lost.querySelector("time").textContent = new Date().toLocaleTimeString([], { timeStyle: "short" });
  lost.hidden = false;
}

function draw(state) {
  drawPhones(state.phones);
  drawPart("people", state.people);
  drawPart("clock", state.clock);
  drawPart("trouble", state.trouble);
  if (hold.getAttribute("aria-pressed") !== "true") drawPart("wire", state.wire);
  const switchOf = document.getElementById("follow");
  if (switchOf) switchOf.checked = follow;
}

function drawPart(id, html) {
  if (parts[id] === html) return;
  const node = document.getElementById(id);
  // An open select is somebody's choice in the making.
  if (document.activeElement?.matches("select") && node.contains(document.activeElement)) return;
  const isOpen = node.querySelector("details")?.open;
  keepPlace(node, () => { node.innerHTML = html; });
  if (isOpen) node.querySelector("details").open = true;
  parts[id] = html;
}

function drawPhones(phones) {
  phones.forEach((phone, index) => {
    let place = stage.children[index];
    if (!place) {
      place = document.createElement("div");
      place.className = "place";
      stage.append(place);
    }
    place.dataset.phone = phone.id;
    if (place.stands !== phone.id) {
      place.stands = phone.id;
      place.innerHTML = phone.frame;
      place.drawn = undefined;
    }
    drawPhone(place, phone);
  });
  while (stage.children.length > phones.length) stage.lastElementChild.remove();
}

function drawPhone(place, phone) {
  const section = place.querySelector(".phone");
  section.classList.toggle("asleep", !phone.is_on);
  const head = place.querySelector("[data-part=head]");
  if (place.head !== phone.head && !head.contains(document.activeElement?.closest("select"))) {
    keepPlace(head, () => { head.innerHTML = phone.head; });
    place.head = phone.head;
  }
  drawCompose(place, phone.is_on);
  drawRows(place, phone);
}

function drawCompose(place, isOn) {
  const input = place.querySelector("input");
  const button = place.querySelector(".compose button");
  input.dataset.on ??= input.placeholder;
  input.placeholder = isOn ? input.dataset.on : input.dataset.off;
  input.disabled = button.disabled = !isOn;
}

function drawRows(place, phone) {
  const chat = place.querySelector("[data-part=chat]");
  const isFirst = place.drawn === undefined || place.number !== phone.number_id;
  if (isFirst) chat.replaceChildren();
  const before = isFirst ? new Map() : place.drawn;
  const now = new Map();
  const nodes = new Map([...chat.children].map((node) => [node.dataset.key, node]));
  let last = null;
  for (const { key, html } of phone.rows) {
    let node = nodes.get(key);
    if (!node) {
      node = document.createElement("div");
      node.className = isFirst ? "row" : "row is-new";
      node.dataset.key = key;
    }
    if (before.get(key) !== html) {
      keepPlace(node, () => { node.innerHTML = html; });
      node.classList.toggle("row-outside", Boolean(node.querySelector(".bubble-outside")));
    }
    const wanted = last ? last.nextSibling : chat.firstChild;
    if (wanted !== node) chat.insertBefore(node, wanted);
    now.set(key, html);
    nodes.delete(key);
    last = node;
  }
  for (const node of nodes.values()) node.remove();
  place.drawn = now;
  place.number = phone.number_id;
}

async function act(node, wish) {
  const number = placeOf(node).number;
  const answer = await post(`/control/phones/${phoneOf(node)}/act`, number ? { number_id: number, ...wish } : wish);
  await look();
  return answer;
}

stage.addEventListener("submit", async (event) => {
  event.preventDefault();
  const input = event.target.elements.body;
  const body = input.value.trim();
  if (!body) return;
  input.value = "";
  if (!(await act(input, { do: "text", body }))) input.value = body;
});

stage.addEventListener("click", async (event) => {
  const tap = event.target.closest("[data-tap]");
  if (tap) {
    const message = tap.closest(".row").querySelector(".bubble").dataset.message;
    await act(tap, { do: "tap", message, button: Number(tap.dataset.tap) });
    return;
  }
  const turnOn = event.target.closest("[data-turn-on]");
  if (turnOn) {
    await post("/trouble", { phone: turnOn.dataset.turnOn, to: "on" });
    await look();
    return;
  }
  const list = event.target.closest("[data-open-list]");
  if (list) openList(list);
});

stage.addEventListener("change", async (event) => {
  if (!event.target.matches("[data-clinic]")) return;
  clinics.set(event.target.dataset.clinic, event.target.value);
  event.target.blur();
  revision = "";
  await look();
});

initLists(stage, (sheet, row) => act(sheet, { do: "pick", message: sheet.dataset.message, row }));

function show(phone) {
  const standing = slots();
  if (standing.includes(phone)) {
    stage.querySelector(`[data-phone="${phone}"] .tiles`).focus();
    return;
  }
  const taken = busy();
  const places = [...stage.children];
  const place = places.findLast((one) => !taken.includes(one.dataset.phone)) ?? places.at(-1);
  if (place) place.dataset.phone = phone;
  follow = false;
  seen = latest;
  revision = "";
  look();
}

document.getElementById("people").addEventListener("click", (event) => {
  const face = event.target.closest("[data-show]");
  if (face) show(face.dataset.show);
});

document.getElementById("people").addEventListener("change", (event) => {
  if (event.target.matches("[data-show-select]") && event.target.value) {
    const phone = event.target.value;
    event.target.blur();
    show(phone);
  }
  if (event.target.id === "follow") {
    follow = event.target.checked;
    revision = "";
    look();
  }
});

document.getElementById("clock").addEventListener("click", async (event) => {
  const button = event.target.closest("[data-clock]");
  if (!button) return;
  button.setAttribute("aria-busy", "true");
  const answer = await post("/clock", JSON.parse(button.dataset.clock));
  if (answer && !answer.moved) say("The clinic has nothing planned.");
  button.removeAttribute("aria-busy");
  parts.clock = null;
  await look();
});

const trouble = document.getElementById("trouble");
trouble.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-trouble]");
  if (!button) return;
  const wish = JSON.parse(button.dataset.trouble);
  if ("template" in wish) {
    wish.template = document.getElementById("template").value;
    wish.status = document.getElementById("template-status").value;
  }
  if ((await post("/trouble", wish)) && wish.cut) say("The next message is taken, and the line goes before the answer.");
  await look();
});

trouble.addEventListener("change", async (event) => {
  const { troublePhone, troubleNetwork, troubleReceipts, troubleWindow, troubleAccount } = event.target.dataset;
  if (!Object.keys(event.target.dataset).length) return;
  event.target.blur();
  if (troublePhone) await post("/trouble", { phone: troublePhone, to: event.target.value });
  if (troubleNetwork !== undefined) await post("/trouble", { network: event.target.value });
  if (troubleWindow !== undefined) await post("/trouble", { window: event.target.value });
  if (troubleAccount !== undefined) await post("/trouble", { account: event.target.value });
  if (troubleReceipts) await post("/trouble", { receipts: troubleReceipts, on: event.target.checked });
  await look();
  document.getElementById(event.target.id)?.focus();
});

hold.addEventListener("click", () => {
  const holds = hold.getAttribute("aria-pressed") !== "true";
  hold.setAttribute("aria-pressed", String(holds));
  revision = "";
});

async function run() {
  await look();
  setTimeout(run, document.hidden ? EVERY_MS * 5 : EVERY_MS);
}

let wide = room();
addEventListener("resize", () => {
  if (room() === wide) return;
  wide = room();
  revision = "";
  look();
});
document.addEventListener("visibilitychange", () => document.hidden || look());
run();
