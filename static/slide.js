// Animates the pieces of the last turn when the page goes on to the next position. The server gives their origins
// (`data-came`).

const TIME = { duration: 420, easing: "cubic-bezier(.3, 0, .2, 1)" };

let shown = null;

export function slide() {
  const svg = document.querySelector("#board svg");
  const ply = Number(svg.dataset.ply ?? 0);
  const isNext = ply === shown + 1 && shown !== null;
  shown = ply;
  if (!isNext || !svg.animate || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  // Pieces move above all squares, so that none hides them on their way.
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
    // The piece's place is an attribute, which a style would override: a group around it has none.
    const moving = document.createElementNS(svg.namespaceURI, "g");
    moving.append(element.cloneNode());
    layer.append(moving);
    element.style.visibility = "hidden";
    const done = () => {
      moving.remove();
      element.style.visibility = "";
    };
    const animation = moving.animate(frames, TIME);
    animation.onfinish = done;
    animation.oncancel = done;
  }
}
