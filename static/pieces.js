// Dragging on the board: a piece to where it may go, or, from anywhere else, along the places that can be chosen; the
// nearest one previews its choice.

import { drags } from "./drag.js";

const board = () => document.getElementById("board");

/** A picture of the pieces on `place` that follows the pointer. */
function picture(place) {
  const svg = place.ownerSVGElement;
  const ghost = document.createElementNS(svg.namespaceURI, "g");
  ghost.setAttribute("class", "ghost");
  ghost.added = true;
  ghost.append(...[...place.querySelectorAll("use")].map((use) => use.cloneNode()));
  svg.append(ghost);
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

/** The place to choose if the pointer were let go here. */
function target(event, isLifted) {
  if (isLifted) return document.elementFromPoint(event.clientX, event.clientY)?.closest("#board .can") ?? null;
  const box = board().getBoundingClientRect();
  const { clientX: x, clientY: y } = event;
  const inside = x > box.left && x < box.right && y > box.top && y < box.bottom;
  return inside ? nearest(x, y) : null;
}

/** `take` takes the step `name` if more steps follow it, and says whether it did; `drop` takes a step. */
export function dragPieces(take, drop) {
  drags({
    grab: (event) => event.target.closest?.("#board [data-name]"),
    frame: document.getElementById("boards") ?? board()?.parentElement,
    holds: (start) => start.matches(".choosing .hand") || getComputedStyle(start).touchAction === "none",
    lift(start) {
      const slides = start.matches(".hand, .can");
      const ghost = take(start.dataset.name) ? picture(start) : null;
      if (!ghost && !slides) return null;
      let over = null;
      const aim = (place) => {
        over?.classList.remove("over");
        over = place;
        place?.classList.add("over");
      };
      return {
        move(event, dx, dy) {
          if (ghost) {
            // The board may be turned.
            const { a, b, c, d } = start.ownerSVGElement.getScreenCTM().inverse();
            ghost.setAttribute("transform", `translate(${a * dx + c * dy} ${b * dx + d * dy})`);
          }
          const place = target(event, !!ghost);
          if (place !== over) aim(place);
        },
        end(event) {
          const place = over;
          aim(null);
          ghost?.remove();
          start.classList.remove("lifted");
          if (place && event) drop(place.dataset.name);
        },
      };
    },
  });
}
