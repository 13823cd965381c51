// Animates the pieces of the last turn. The server gives their origins (`data-came`).

const TIME = { duration: 250, easing: "cubic-bezier(.3, 0, .2, 1)" };

const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

let shown = null;

/** Animates the board of the page when it goes on to the next position. */
export function slide() {
  const svg = document.querySelector("#board svg");
  const ply = Number(svg.dataset.ply ?? 0);
  const isNext = ply === shown + 1 && shown !== null;
  shown = ply;
  if (isNext) slideIn(svg);
}

/** A copy of a piece above all squares, in whose stead it moves, so that none hides it on its way. */
function move(element, layer, frames, time) {
  // The piece's place is an attribute, which a style would override: a group around it has none.
  const moving = document.createElementNS(element.namespaceURI, "g");
  moving.append(element.cloneNode());
  layer.append(moving);
  element.style.visibility = "hidden";
  const done = () => {
    moving.remove();
    element.style.visibility = "";
  };
  const animation = moving.animate(frames, time);
  animation.onfinish = done;
  animation.oncancel = done;
}

/** Animates the pieces of the last turn on a board. */
export function slideIn(svg) {
  if (!svg.animate || isStill()) return;
  const layer = document.createElementNS(svg.namespaceURI, "g");
  layer.setAttribute("pointer-events", "none");
  svg.append(layer);
  for (const element of svg.querySelectorAll("[data-came]")) {
    const [x, y] = element.dataset.came.split(" ");
    const frames = [{ transform: `translate(${x}px, ${y}px)` }, { transform: "translate(0px, 0px)" }];
    if (element.localName !== "use") {
      element.animate(frames, TIME);
      continue;
    }
    move(element, layer, frames, TIME);
  }
}

/** Lets a piece come from a place elsewhere on the page. */
export function fly(element, start) {
  const svg = element?.closest("svg");
  if (!svg?.animate || isStill()) return;
  const end = element.getBoundingClientRect();
  const scale = svg.viewBox.baseVal.width / svg.getBoundingClientRect().width;
  const [x, y] = [(start.left - end.left) * scale, (start.top - end.top) * scale];
  svg.style.overflow = "visible";
  const frames = [{ transform: `translate(${x}px, ${y}px)` }, { transform: `translate(${x / 2}px, ${y - 1}px)` }, { transform: "none" }];
  move(element, svg, frames, { ...TIME, duration: 1400 });
}
