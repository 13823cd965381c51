// Which element had the focus, and where it goes when that one is gone.

import { does } from "./morph.js";

/** The last place on the board that had the focus. */
let place = null;
document.addEventListener("focusin", ({ target }) => {
  place = target.closest("#board [data-name]")?.dataset.name ?? place;
});

/** Elements that can have the focus by themselves. */
export const STOPS = "a[href], button, input, select, textarea, summary, [tabindex]";

/** The features that tell a focusable element from the others around it. */
const sign = (stop) => [stop.localName, stop.dataset.name, stop.name, stop.localName === "button" && stop.value, stop.textContent].join("\n");

/** The element that has the focus, and those around it in case it goes. */
export function focused() {
  const active = document.activeElement;
  if (!active || active === document.body) return null;
  const { top, bottom } = active.getBoundingClientRect();
  const around = [];
  for (let part = active.closest("[id]"); part; part = part.parentElement.closest("[id]")) {
    around.push(part.id);
    // The part where the focus goes once no element is left here.
    if (part.dataset.then) around.push(part.dataset.then);
  }
  return {
    active,
    does: does(active),
    // After a turn the focus goes to the place where the player made it.
    cell: active.closest("#board [data-name], #turn-form") && place,
    id: active.id,
    around,
    sign: sign(active),
    top,
    seen: top < innerHeight && bottom > 0,
    isWhole: top >= 0 && bottom <= innerHeight,
  };
}

/** The place on the board with this name. */
const cell = (name) => document.querySelector(`#board [data-name="${CSS.escape(name)}"]`);

/** The element that had the focus, or the next one left around it. */
export function found({ cell: name, id, around, sign: known }) {
  const same = id && document.getElementById(id);
  if (same) return same;
  if (name && cell(name)) return cell(name);
  const isThere = (part) => part?.childElementCount && part.getClientRects().length;
  const part = document.getElementById(around.find((id) => isThere(document.getElementById(id))));
  return [...(part?.querySelectorAll(STOPS) ?? [])].find((stop) => sign(stop) === known) ?? part;
}
