// Putting a turn together on the board. The browser knows no rules: it walks through the texts of
// the legal turns that the server has put into the page, the same way for every game.

import { load } from "./swap.js";

let data = null;
let steps = [];

const board = () => document.getElementById("board");
const cell = (name) => board().querySelector(`[data-name="${CSS.escape(name)}"]`);
const startsWith = (turn, begin) => begin.every((step, i) => turn[1][i] === step);

/** The address of this page with `taken` steps. */
function address(taken) {
  const query = new URLSearchParams(location.search);
  for (const name of ["ply", "step", "turn"]) query.delete(name);
  if (taken.length) {
    query.set("ply", data.ply);
    for (const step of taken) query.append("step", step);
  }
  const text = query.toString();
  return location.pathname + (text && `?${text}`);
}

/** Reads what the server put into the page. */
function read() {
  const text = document.getElementById("choices")?.textContent;
  const [ply, taken] = [data?.ply, steps];
  data = text ? JSON.parse(text) : null;
  steps = data ? data.steps : [];
  // An answer that knows nothing of the steps taken, to a line of talk for example, keeps them.
  if (data && data.ply === ply && taken.length && String(taken) !== String(steps)) {
    const fitting = data.turns.filter((turn) => startsWith(turn, taken));
    if (fitting.length) {
      steps = taken;
      if (fitting.some((turn) => turn[1].length === taken.length)) load(address(taken));
      else mark();
    }
  }
  rove();
}

/** Marks what can be chosen after the steps taken so far. */
function mark() {
  const next = new Set();
  for (const turn of data.turns) {
    if (startsWith(turn, steps) && turn[1].length > steps.length) next.add(turn[1][steps.length]);
  }
  for (const place of board().querySelectorAll("[data-name]")) {
    const name = place.dataset.name;
    place.classList.toggle("chosen", steps.includes(name));
    place.classList.toggle("can", next.has(name));
    if (next.has(name)) {
      place.setAttribute("href", address([...steps, name]));
      place.removeAttribute("role");
    } else {
      place.removeAttribute("href");
      place.setAttribute("role", "img");
    }
  }
  const buttons = data.labels.filter(([step]) => next.has(step)).map(([step, label]) => {
    const button = document.createElement("a");
    button.className = "button step";
    button.href = address([...steps, step]);
    button.dataset.step = step;
    button.textContent = label;
    return button;
  });
  document.getElementById("steps").replaceChildren(...buttons);
  const say = document.getElementById("say");
  const labels = new Map(data.labels);
  if (steps.length) {
    const chosen = document.createElement("strong");
    chosen.className = "turn";
    chosen.textContent = steps.map((step) => labels.get(step) ?? step).join(", ");
    const undo = document.createElement("a");
    undo.id = "undo";
    undo.className = "button small";
    undo.href = address(steps.slice(0, -1));
    undo.textContent = "Take back";
    say.replaceChildren("Chosen: ", chosen, ". What next? ", undo);
  } else {
    say.textContent = say.dataset.start;
  }
  for (const part of [board(), document.getElementById("making")]) part.closest("[data-live]").changed = true;
  rove();
}

/** Takes one more step. */
async function choose(step) {
  const taken = [...steps, step];
  const fitting = data.turns.filter((turn) => startsWith(turn, taken));
  if (!fitting.length) return;
  steps = taken;
  const whole = fitting.find((turn) => turn[1].length === taken.length);
  if (!whole) {
    mark();
    return;
  }
  const form = document.getElementById("turn-form");
  if (!data.confirm && fitting.length === 1 && form?.elements.turn) {
    form.elements.turn.value = whole[0];
    form.requestSubmit();
    return;
  }
  mark();
  await load(address(taken));
  document.getElementById("play")?.focus({ preventScroll: true });
}

/** Takes the last step back. */
async function undo() {
  if (!steps.length) return;
  steps = steps.slice(0, -1);
  // Where the board shows the turn as if it were played, the server shows it as it is.
  if (document.getElementById("play")) await load(address(steps));
  else mark();
}

/** The page again, with the steps taken so far; they fall away if the position is another. */
export const here = () => (data ? address(steps) : location.pathname + location.search);

/** One place of the board is in the tab order, the arrow keys go to the others. */
function rove(to, box = board()) {
  const places = [...(box?.querySelectorAll("[data-name]") ?? [])];
  if (!places.length) return;
  const now =
    to ??
    places.find((place) => place === document.activeElement) ??
    places.find((place) => place.classList.contains("chosen")) ??
    places.find((place) => place.classList.contains("can")) ??
    places[0];
  for (const place of places) place.setAttribute("tabindex", place === now ? "0" : "-1");
}

const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** The nearest place from `from` in the direction of a key. */
function neighbour(from, [dx, dy], box) {
  const middle = (place) => {
    const box = place.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  const [x, y] = middle(from);
  let best = null;
  for (const place of box.querySelectorAll("[data-name]")) {
    const [px, py] = middle(place);
    const along = (px - x) * dx + (py - y) * dy;
    const across = Math.abs((px - x) * dy) + Math.abs((py - y) * dx);
    const far = along + 2 * across;
    if (place !== from && along > 1 && along >= across * 0.8 && (!best || far < best.far)) best = { place, far };
  }
  return best?.place;
}

/** Goes to the neighbouring place of a board by an arrow key. Gives whether it was one. */
export function walk(event, place, box) {
  if (!WAYS[event.key]) return false;
  event.preventDefault();
  const next = neighbour(place, WAYS[event.key], box);
  if (next) {
    rove(next, box);
    next.focus();
  }
  return true;
}

export { rove };

export function start() {
  read();
  document.addEventListener("swapped", read);
  document.addEventListener("click", (event) => {
    if (!data || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const place = event.target.closest?.("#board .can, #steps [data-step]");
    const back = event.target.closest?.("#undo");
    if (place) {
      event.preventDefault();
      choose(place.dataset.name ?? place.dataset.step);
    } else if (back) {
      event.preventDefault();
      undo();
    } else if (steps.length === 1 && event.target.closest?.("#board .chosen")) {
      event.preventDefault();
      undo();
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const place = event.target.closest?.("#board [data-name]");
    if (event.key === "Escape" && data && steps.length) {
      event.preventDefault();
      undo();
    } else if (place && walk(event, place, board())) {
      // Gone there.
    } else if (place && (event.key === " " || event.key === "Enter") && place.classList.contains("can")) {
      event.preventDefault();
      choose(place.dataset.name);
    }
  });
}
