// Seating a lesson: a name is dragged to a place, with a mouse, a pen or a finger. Without dragging a click chooses
// the name and another one the place; that are links and buttons.

import { say } from "./forms.js";
import { home, load } from "./swap.js";

const NEAR = 8;
let down = null;
let drag = null;
let dropped = 0;

const place = (event) =>
  document
    .elementsFromPoint(event.clientX, event.clientY)
    .find((element) => element.closest?.("[data-place]"))
    ?.closest("[data-place]");

function mark(found) {
  for (const marked of document.querySelectorAll(".drop-here")) if (marked !== found) marked.classList.remove("drop-here");
  found?.classList.add("drop-here");
}

function lift(event) {
  const { chip } = down;
  const ghost = chip.cloneNode(true);
  ghost.removeAttribute("id");
  ghost.classList.add("carried-chip");
  document.body.append(ghost);
  drag = { member: chip.dataset.member, ghost };
  document.body.classList.add("dragging");
  event.target.releasePointerCapture?.(event.pointerId);
}

function move(event) {
  const { ghost } = drag;
  ghost.style.left = `${event.clientX - ghost.offsetWidth / 2}px`;
  ghost.style.top = `${event.clientY - ghost.offsetHeight / 2}px`;
  // Near an edge the page goes on.
  const edge = 60;
  if (event.clientY < edge) window.scrollBy(0, -12);
  else if (event.clientY > window.innerHeight - edge) window.scrollBy(0, 12);
  mark(place(event));
}

function end() {
  drag?.ghost.remove();
  mark(null);
  document.body.classList.remove("dragging");
  down = drag = null;
}

async function drop(event) {
  const { member } = drag;
  const to = place(event)?.dataset.place;
  end();
  if (!to) return;
  const csrf = document.querySelector("#floor [name=csrf]").value;
  const here = new URL(location.href);
  here.searchParams.delete("move");
  try {
    await load(`${home()}/place${here.search}`, { method: "POST", body: new URLSearchParams({ csrf, member, place: to }) });
    history.replaceState(history.state, "", here);
  } catch {
    say("That did not get through. Please try again.");
  }
}

document.addEventListener("pointerdown", (event) => {
  const chip = event.target.closest?.("[data-member]");
  if (chip && event.isPrimary && event.button === 0) down = { chip, x: event.clientX, y: event.clientY, id: event.pointerId };
});
document.addEventListener("pointermove", (event) => {
  if (!down || event.pointerId !== down.id) return;
  if (!drag && Math.hypot(event.clientX - down.x, event.clientY - down.y) > NEAR) lift(event);
  if (drag) move(event);
});
document.addEventListener("pointerup", (event) => {
  if (drag && event.pointerId === down.id) {
    dropped = Date.now();
    drop(event);
  } else end();
});
// The click that follows chooses no member.
window.addEventListener(
  "click",
  (event) => {
    if (Date.now() - dropped > 200 || !event.target.closest?.("[data-member]")) return;
    event.preventDefault();
    event.stopPropagation();
  },
  { capture: true },
);
document.addEventListener("pointercancel", end);
document.addEventListener("dragstart", (event) => event.target.closest?.("[data-member]") && event.preventDefault());
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && drag) end();
});
