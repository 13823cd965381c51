// Dragging on the board: a piece to where it may go, or, from anywhere else, along the places that
// can be chosen, of which the nearest shows what it would do.

const FAR = 7;

let drag = null;
/** A click that only ends a drag. */
let ended = false;

const board = () => document.getElementById("board");

function over(place) {
  if (drag.over === place) return;
  drag.over?.classList.remove("over");
  drag.over = place;
  place?.classList.add("over");
}

/** The picture of the pieces on `place`, to follow the pointer. */
function picture(place) {
  const svg = place.ownerSVGElement;
  const ghost = document.createElementNS(svg.namespaceURI, "g");
  ghost.setAttribute("class", "ghost");
  ghost.append(...[...place.querySelectorAll("use")].map((use) => use.cloneNode()));
  svg.append(ghost);
  place.classList.add("lifted");
  return ghost;
}

function nearest(x, y) {
  let best = null;
  for (const place of board().querySelectorAll(".can")) {
    const box = place.firstElementChild.getBoundingClientRect();
    const far = Math.hypot(box.x + box.width / 2 - x, box.y + box.height / 2 - y);
    if (!best || far < best.far) best = { place, far };
  }
  return best?.place ?? null;
}

function end() {
  if (!drag) return null;
  const place = drag.over;
  over(null);
  drag.ghost?.remove();
  drag.start?.classList.remove("lifted");
  drag = null;
  return place;
}

/**
 * Lets people drag. `lift` takes the step `name` if more steps follow it, and says whether it did;
 * `drop` takes a step.
 */
export function drags(lift, drop) {
  document.addEventListener("pointerdown", (event) => {
    ended = false;
    const start = event.target.closest?.("#board [data-name]");
    if (!start || event.button !== 0 || !event.isPrimary) return;
    const holds = start.matches(".choosing .hand") || getComputedStyle(start).touchAction === "none";
    drag = { start, holds, x: event.clientX, y: event.clientY, on: false, over: null, ghost: null };
  });
  document.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
    if (!drag.on) {
      if (Math.hypot(dx, dy) < FAR) return;
      const { start } = drag;
      const slides = start.matches(".hand, .can");
      drag.on = true;
      if (lift(start.dataset.name)) drag.ghost = picture(start);
      else if (!slides) drag = null;
      if (!drag) return;
      ended = true;
    }
    event.preventDefault();
    if (drag.ghost) {
      const { a } = drag.start.ownerSVGElement.getScreenCTM();
      drag.ghost.setAttribute("transform", `translate(${dx / a} ${dy / a})`);
      over(document.elementFromPoint(event.clientX, event.clientY)?.closest("#board .can") ?? null);
    } else {
      const box = board().getBoundingClientRect();
      const inside =
        event.clientX > box.left && event.clientX < box.right && event.clientY > box.top && event.clientY < box.bottom;
      over(inside ? nearest(event.clientX, event.clientY) : null);
    }
  });
  document.addEventListener("pointerup", () => {
    const place = end();
    if (place) drop(place.dataset.name);
  });
  document.addEventListener("pointercancel", end);
  // A finger on the board scrolls the page, but not one that takes something from a hand, or a piece where the game's style
  // says that pieces are drawn along. (Not every browser knows that of parts of a picture.)
  const frame = document.getElementById("boards") ?? board()?.parentElement;
  frame?.addEventListener(
    "touchmove",
    (event) => {
      if (drag?.holds && event.cancelable) event.preventDefault();
    },
    { passive: false },
  );
  document.addEventListener(
    "click",
    (event) => {
      if (!ended) return;
      ended = false;
      event.preventDefault();
      event.stopPropagation();
    },
    true,
  );
  // Places are links; their addresses are not to be dragged.
  document.addEventListener("dragstart", (event) => {
    if (event.target.closest?.("#board")) event.preventDefault();
  });
}
