// On a narrow screen the parts around the boards are sheets over them: one at a time, one tap away and back. The back
// button closes them, too. A sheet stands in the state of the history.

import { isPlain } from "./forms.js";

const root = document.documentElement;
const narrow = matchMedia("(max-width: 63.99rem)");

/** The part that can be opened as a sheet, by its id or that of a place in it. */
function part(id) {
  return document.getElementById(id ?? "")?.closest(".sheet") ?? null;
}

/** Shows the sheet of the history's state. */
function show() {
  // Before the match has begun the page has no sheets.
  if (!document.getElementById("jump")) {
    delete root.dataset.sheet;
    return;
  }
  const sheet = narrow.matches ? part(history.state?.sheet) : null;
  const before = root.dataset.sheet;
  const within = document.activeElement?.closest(".sheet");
  root.dataset.sheet = sheet?.id ?? "";
  for (const one of document.querySelectorAll(".sheet")) one.toggleAttribute("data-open", one === sheet);
  for (const tab of document.querySelectorAll("#jump a")) {
    if (sheet && tab.hash === `#${sheet.id}`) tab.setAttribute("aria-current", "true");
    else tab.removeAttribute("aria-current");
  }
  if (root.dataset.sheet === before) return;
  if (sheet) {
    sheet.setAttribute("tabindex", "-1");
    sheet.focus({ preventScroll: true });
  } else if (within) {
    document.querySelector(`#jump a[href$="#${before}"]`)?.focus({ preventScroll: true });
  }
  document.dispatchEvent(new Event("sheet"));
}

/** Opens the sheet at this place. */
function open(id) {
  const sheet = part(id);
  if (root.dataset.sheet) history.replaceState({ sheet: sheet.id }, "");
  else history.pushState({ sheet: sheet.id }, "");
  show();
  if (id !== sheet.id) document.getElementById(id).scrollIntoView();
}

/** Closes the sheet for good: the way on leads elsewhere. */
export function leave() {
  if (!root.dataset.sheet) return;
  history.replaceState(null, "");
  show();
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  if (!link || !isPlain(event) || !narrow.matches || root.dataset.sheet === undefined) return;
  // Places on a board are links without one.
  const id = link.hash?.slice(1);
  const goes = link.matches("[data-go]");
  const within = link.closest(".sheet");
  if (part(id) && part(id).id !== root.dataset.sheet) {
    if (!goes) event.preventDefault();
    open(id);
  } else if (goes) {
    if (!within) leave();
  } else if (id && !within && root.dataset.sheet) {
    event.preventDefault();
    history.back();
  }
});

document.addEventListener("keydown", (event) => {
  // A card lies over the sheet, and goes first.
  const card = [...document.querySelectorAll("#card-ok, #call-ok")].some((button) => button.getClientRects().length);
  if (event.key !== "Escape" || event.defaultPrevented || !root.dataset.sheet || card) return;
  event.preventDefault();
  history.back();
});

/** True while the viewer may move, or change a rule. */
const mayPlay = () => !!document.getElementById("turn-form");
let played = mayPlay();

window.addEventListener("popstate", show);
narrow.addEventListener?.("change", show);
document.addEventListener("swapped", () => {
  // A rule was changed: its effect is on the board. After "Eyes up!" the reader goes on with what was begun.
  if (played && !mayPlay() && !document.querySelector("#eyes > *") && root.dataset.sheet === "rulebook") leave();
  played = mayPlay();
  show();
});

// A link to a part, from a mail for example.
const linked = location.hash.slice(1);
const begins = narrow.matches && part(linked);
if (begins) history.replaceState({ sheet: begins.id }, "", location.pathname + location.search);
show();
if (begins && linked !== begins.id) document.getElementById(linked).scrollIntoView();
