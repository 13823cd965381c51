// Putting a turn together on the board. The browser knows no rules: it follows the texts of the legal turns that the
// server has put into the page, the same way for every game.

import { go, isPlain, send } from "./forms.js";
import { morph } from "./morph.js";
import { dragPieces } from "./pieces.js";
import { Turns } from "./turns.js";

let data = null;
let turns = null;
let steps = [];
/** The address that was fetched last to take over the steps on an answer without them. */
let restored = "";
/** The steps that were sent as a turn. They are not sent again by themselves, whatever the answer says. */
let sent = "";

const board = () => document.getElementById("board");
const cell = (name) => board().querySelector(`[data-name="${CSS.escape(name)}"]`);
/** The address of this page with `taken` steps. */
function address(taken) {
  const query = new URLSearchParams(location.search);
  for (const name of ["ply", "step", "turn", "mark"]) query.delete(name);
  if (taken.length) {
    query.set("ply", data.ply);
    for (const step of taken) query.append("step", step);
  }
  const text = query.toString();
  return location.pathname + (text && `?${text}`);
}

/** A turn: its text and its steps. A text that consists only of the steps is sent as those alone. */
function told(turn) {
  if (typeof turn !== "string") return turn;
  const taken = turn.split(" ");
  return [taken.join(""), taken];
}

/** Reads the data that the server put into the page. */
function read() {
  const text = document.getElementById("choices")?.textContent;
  const [ply, taken] = [data?.ply, steps];
  data = text ? JSON.parse(text) : null;
  turns = data && new Turns(data.turns.map(told), new Map(data.labels));
  steps = data ? data.steps : [];
  board()?.classList.toggle("choosing", !!data);
  // An answer without the steps taken, after a line of talk for example, keeps them.
  if (data && data.ply === ply && taken.length && ![String(steps), sent].includes(String(taken))) {
    const whole = turns.whole(taken);
    // The server shows a whole turn. If it answers without, it does not want to: it is not asked for it twice.
    if (whole && restored !== address(taken)) {
      steps = taken;
      restored = address(taken);
      go(restored, false);
    } else if (!whole && turns.fitting(taken).length) {
      steps = taken;
      mark();
    }
  } else restored = "";
  sent = "";
  rove();
}

/** Marks the places that can be chosen after the steps taken so far. */
function mark() {
  const next = turns.after(steps);
  board().querySelector("svg").classList.toggle("begun", steps.length > 0);
  for (const place of board().querySelectorAll("[data-name]")) {
    const name = place.dataset.name;
    place.classList.toggle("chosen", steps.includes(name));
    place.classList.toggle("can", next.has(name));
    const outline = place.querySelector(".place");
    if ((next.has(name) || steps.includes(name)) && outline && !place.querySelector(".glow")) {
      const glow = outline.cloneNode();
      glow.setAttribute("class", "glow");
      place.append(glow);
    }
    if (next.has(name)) {
      place.setAttribute("href", address([...steps, name]));
      place.removeAttribute("role");
    } else {
      place.removeAttribute("href");
      place.setAttribute("role", "img");
    }
  }
  const button = (taken, isChosen) => {
    const step = taken[taken.length - 1];
    const link = document.createElement("a");
    link.className = "button step";
    link.href = address(taken);
    link.dataset.step = step;
    link.dataset.key = step;
    link.textContent = turns.labels.get(step);
    if (isChosen) link.setAttribute("aria-current", "true");
    return link;
  };
  const last = steps[steps.length - 1];
  const had = document.activeElement;
  const fill = (part, ...nodes) => {
    const fresh = document.createElement("div");
    fresh.append(...nodes);
    morph(part, fresh);
  };
  fill(
    document.getElementById("steps"),
    ...turns.instead(steps).map((step) => button([...steps.slice(0, -1), step], step === last)),
    ...[...next].filter((step) => !turns.isPlace(step)).map((step) => button([...steps, step], false)),
  );
  const say = document.getElementById("say");
  if (steps.length) {
    const chosen = document.createElement("strong");
    chosen.className = "turn";
    chosen.translate = false;
    chosen.textContent = steps.map((step) => turns.labels.get(step) ?? step).join(", ");
    const undo = document.createElement("a");
    undo.id = "undo";
    undo.className = "button small";
    undo.href = address(turns.before(steps));
    undo.textContent = "Take back";
    fill(say, "Chosen: ", chosen, ". What next? ", undo);
  } else {
    say.textContent = say.dataset.start;
  }
  for (const part of [board(), document.getElementById("making")]) part.closest("[data-live]").changed = true;
  rove();
  // The button with the focus is gone, as its choice is made: the focus goes to the board.
  if (had && !had.isConnected) board().querySelector("a[data-name][tabindex='0']")?.focus({ preventScroll: true });
}

/** Goes to these steps. */
async function take(taken) {
  const wasWhole = !!document.getElementById("play");
  taken = turns.extended(taken);
  const fitting = turns.fitting(taken);
  if (!fitting.length) return;
  steps = taken;
  const turn = turns.whole(taken);
  if (!turn) {
    // If the board shows a turn as if it were played, the server has to render it without.
    if (wasWhole) await go(address(taken), false);
    else mark();
    return;
  }
  const form = document.getElementById("turn-form");
  if (!data.confirm && fitting.length === 1 && form?.elements.turn) {
    form.elements.turn.value = turn[0];
    send(form);
    return;
  }
  if (!wasWhole) mark();
  await go(address(taken), false);
  // If the turn can go on, the board keeps the focus.
  if (fitting.length === 1) document.getElementById("play")?.focus({ preventScroll: true });
}

/** Takes one more step, or, if the last one is a choice, replaces it. */
const choose = (step) => take([...(turns.instead(steps).includes(step) ? steps.slice(0, -1) : steps), step]);

/** Takes the last step back. */
const undo = () => take(turns.before(steps));

/** Handles a chosen place of the board: the next step, the same again, or the first of another turn. */
function pick(name) {
  if (turns.after(steps).has(name)) {
    choose(name);
  } else if (name === steps.filter((step) => turns.isPlace(step)).pop()) {
    const play = document.getElementById("play");
    if (play) {
      play.focus({ preventScroll: true });
      return;
    }
    const others = turns.instead(steps);
    if (others.length) choose(others[(others.indexOf(steps[steps.length - 1]) + 1) % others.length]);
    else undo();
  } else if (turns.after([]).has(name)) {
    take([name]);
  }
}

/** Lifts a piece from a place, if turns go on from there. */
function lift(name) {
  if (!data) return false;
  const from = turns.after(steps).has(name) && !document.getElementById("play") ? steps : [];
  const taken = turns.extended([...from, name]);
  if (!data || !turns.after(from).has(name) || !turns.after(taken).size || turns.whole(taken)) return steps.includes(name);
  take(taken);
  return true;
}

/** The page again, with the steps taken so far; they are dropped if the position is another. */
export const here = () => (data ? address(steps) : location.pathname + location.search);

/** One place of the board is in the tab order, the arrow keys reach the others. */
function rove(to, box = board()) {
  const places = [...(box?.querySelectorAll("a[data-name]") ?? [])];
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
    const box = place.firstElementChild.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  const [x, y] = middle(from);
  let best = null;
  for (const place of box.querySelectorAll("a[data-name]")) {
    const [px, py] = middle(place);
    const along = (px - x) * dx + (py - y) * dy;
    const across = Math.abs((px - x) * dy) + Math.abs((py - y) * dx);
    const far = along + across;
    // Of two in the same spot the upper one.
    const isBest = !best || far <= best.far + 0.5;
    if (place !== from && along > 1 && along >= across * 0.8 && isBest) best = { place, far };
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
  document.addEventListener("submit", ({ target }) => {
    if (target.id === "turn-form") sent = String(steps);
  });
  dragPieces(lift, (name) => data && turns.after(steps).has(name) && choose(name));
  document.addEventListener("click", (event) => {
    if (!data || !isPlain(event)) return;
    const place = event.target.closest?.("#board [data-name]");
    const button = event.target.closest?.("#steps [data-step]");
    const back = event.target.closest?.("#undo");
    if (!place && !button && !back) return;
    event.preventDefault();
    if (place) pick(place.dataset.name);
    else if (button) choose(button.dataset.step);
    else undo();
  });
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const place = event.target.closest?.("#board [data-name]");
    if (event.key === "Escape" && data && steps.length) {
      event.preventDefault();
      undo();
    } else if (place && walk(event, place, board())) {
      // The focus has moved.
    } else if (place && data && (event.key === " " || event.key === "Enter")) {
      event.preventDefault();
      pick(place.dataset.name);
    } else if (data && !event.target.closest?.("input, textarea, select")) {
      // Short choices, such as a number, by their last letter.
      const letter = (step) => step.length < 3 && step.slice(-1).toLowerCase() === event.key.toLowerCase();
      const button = [...document.querySelectorAll("#steps [data-step]")].find(({ dataset }) => letter(dataset.step));
      if (button) {
        event.preventDefault();
        choose(button.dataset.step);
      }
    }
  });
}
