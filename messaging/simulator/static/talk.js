// Speaking to the simulator, and to whoever looks.

const toast = document.getElementById("toast");
const SHOWN_MS = 6000;
let timer = 0;

export function say(words) {
  toast.textContent = words;
  toast.hidden = false;
  clearTimeout(timer);
  timer = setTimeout(() => { toast.hidden = true; }, SHOWN_MS);
}

// The answer, or null after saying what went wrong.
export async function post(path, body) {
  try {
    const response = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    const answer = await response.json();
    if (response.ok) return answer;
    say(answer.error.message);
  } catch {
    say("The network gives no answer. Nothing was sent.");
  }
  return null;
}

// Draw anew without taking the focus from what is under it.
export function keepPlace(node, change) {
  const active = document.activeElement;
  const mine = active && node.contains(active) && active !== node;
  const path = mine ? pathTo(node, active) : null;
  change();
  if (path) followPath(node, path)?.focus({ preventScroll: true });
}

function pathTo(node, inner) {
  const path = [];
  for (let one = inner; one !== node; one = one.parentElement) path.unshift([...one.parentElement.children].indexOf(one));
  return path;
}

function followPath(node, path) {
  return path.reduce((one, index) => one?.children[index], node);
}
