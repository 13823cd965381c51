// While the teacher has everybody look up, nothing below the notice can be touched or reached by keys. Afterwards all of
// it is as it was, with the focus where it was.

import { focused, found } from "./focus.js";

const covered = new Set();
let focus = null;

export function cover() {
  const eyes = document.querySelector(".eyes.covers");
  if (eyes?.firstElementChild) {
    focus ??= focused();
    for (let part = eyes; part !== document.body; part = part.parentElement) {
      for (const other of part.parentElement.children) {
        if (other === part || other.inert) continue;
        other.inert = true;
        covered.add(other);
      }
    }
    return;
  }
  for (const other of covered) other.inert = false;
  covered.clear();
  // Only now do other scripts open the sheet again in which it was; its part may still be on the way.
  if (focus) queueMicrotask(giveBack);
}

function giveBack() {
  const isFree = () => document.activeElement === document.body;
  if (covered.size) return;
  if (isFree()) found(focus)?.focus({ preventScroll: true });
  if (!isFree()) focus = null;
}

document.addEventListener("swapped", cover);
cover();
