// A conversation that is open: what is new is added to it, what has changed is changed in its place, and nothing is read aloud twice.
"use strict";
(() => {
  const log = () => document.getElementById("talk-log");
  const box = () => document.querySelector("[data-answer]");
  const isAtEnd = (one) => one.scrollHeight - one.scrollTop - one.clientHeight < 40;
  const hidden = (one, name) => one.querySelector(`input[name=${name}]`);
  const toEnd = (one) => { one.scrollTop = one.scrollHeight; };

  const noteSeen = (one) => {
    const until = one.dataset.heardUntil;
    if (!until || until === "None" || document.hidden || one.dataset.noted === until) return;
    one.dataset.noted = until;
    window.htmx.ajax("POST", one.dataset.seenUrl, { values: { until }, swap: "none", target: one });
  };

  // Each child is known by its id.
  const merge = (shown, fresh) => {
    const wasAtEnd = isAtEnd(shown);
    const wanted = new Set([...fresh.children].map((one) => one.id));
    for (const one of [...shown.children]) if (!wanted.has(one.id)) one.remove();
    let before = null;
    for (const one of [...fresh.children]) {
      const known = one.id && document.getElementById(one.id);
      const place = before ? before.nextElementSibling : shown.firstElementChild;
      if (known && known.parentElement === shown) {
        if (known.innerHTML !== one.innerHTML) known.innerHTML = one.innerHTML;
        known.className = one.className;
        if (known !== place) shown.insertBefore(known, place);
        before = known;
      } else {
        shown.insertBefore(one, place);
        before = one;
      }
    }
    if (wasAtEnd) toEnd(shown);
  };

  // Whose it is, and whether it is done; not while somebody is at work there. What was not read yet is not ended with it.
  const renew = (fresh) => {
    const shown = document.getElementById("talk-state");
    if (!shown || !fresh || shown.contains(document.activeElement) || shown.querySelector("details[open]")) return;
    const kept = { seen: log().dataset.seen, tasks: hidden(shown, "tasks")?.value ?? "" };
    for (const [name, value] of Object.entries(kept)) if (hidden(fresh, name)) hidden(fresh, name).value = value;
    if (shown.innerHTML === fresh.innerHTML) return;
    shown.replaceWith(fresh);
    window.htmx.process(fresh);
  };

  // What came last counts as seen once its end is on a page that is looked at; for words that are being written, when they are sent.
  let latest = null;
  const takeIn = () => {
    const shown = log();
    if (!latest || document.hidden || !isAtEnd(shown)) return;
    Object.assign(shown.dataset, { seen: latest.seen, heardUntil: latest.heardUntil });
    const state = document.getElementById("talk-state");
    for (const name of ["seen", "tasks"]) if (state && hidden(state, name)) hidden(state, name).value = latest[name];
    const field = document.querySelector("#compose input[name=seen]");
    if (field && !box()?.value.trim()) {
      field.value = latest.seen;
      const news = document.getElementById("talk-news");
      if (news) news.hidden = true;
    }
    noteSeen(shown);
  };

  const tellNews = (seen) => {
    const field = document.querySelector("#compose input[name=seen]");
    const news = document.getElementById("talk-news");
    if (!field || field.value === seen || !box()?.value.trim() || !news || !news.hidden) return;
    news.textContent = news.dataset.text;
    news.hidden = false;
  };

  document.addEventListener("htmx:afterRequest", (event) => {
    if (event.detail.elt !== log() || !event.detail.successful || event.detail.requestConfig.verb !== "get") return;
    const fresh = new DOMParser().parseFromString(event.detail.xhr.responseText, "text/html");
    const chat = fresh.getElementById("talk-log");
    if (!chat) return;
    const state = fresh.getElementById("talk-state");
    const tasks = (state && hidden(state, "tasks")?.value) ?? "";
    latest = { seen: chat.dataset.seen, heardUntil: chat.dataset.heardUntil, tasks };
    merge(log(), document.importNode(chat, true));
    renew(state && document.importNode(state, true));
    tellNews(latest.seen);
    takeIn();
  });

  // A saved text fills the box, or follows what stands there; nothing goes before the button.
  document.addEventListener("click", (event) => {
    const chip = event.target.closest("[data-fill]");
    const field = box();
    if (!chip || !field) return;
    field.value = field.value.trim() ? `${field.value.trimEnd()} ${chip.dataset.fill}` : chip.dataset.fill;
    field.focus();
    field.setSelectionRange(field.value.length, field.value.length);
  });

  // What was typed is not lost by a wrong click.
  let isSending = false;
  document.addEventListener("submit", (event) => { isSending = event.target.contains(box()); });
  window.addEventListener("beforeunload", (event) => {
    const field = box();
    if (field && !isSending && field.value.trim() && field.value !== field.defaultValue) event.preventDefault();
  });

  document.addEventListener("DOMContentLoaded", () => {
    const shown = log();
    if (!shown) return;
    toEnd(shown);
    noteSeen(shown);
    shown.addEventListener("scroll", takeIn, { passive: true });
  });
  document.addEventListener("visibilitychange", () => {
    if (!log()) return;
    noteSeen(log());
    takeIn();
  });
})();
