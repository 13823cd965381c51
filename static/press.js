// Nothing on the page changes while something on it is pressed, by a pointer or by the space bar: it would go, or get out
// from under the pointer, and the click would be lost.

const PRESSED = "a[href], button, input, select, textarea, summary, label, [data-name]";

/** Milliseconds that a click may take to come after the release: that of a finger is not at once. */
const CLICK = 400;
/** Pixels from which on it is no press any more, but a drag or a selection. */
const FAR = 7;

let held = null;
let clicking = 0;
const waiting = [];

function press(event) {
  clearTimeout(clicking);
  clicking = 0;
  // What waits for the release of the press before goes on waiting, or this one would be lost. (The space bar presses at
  // no point.)
  if (event.target.closest?.(PRESSED)) held = { x: event.clientX, y: event.clientY };
  else release();
}

function release() {
  clearTimeout(clicking);
  clicking = 0;
  held = null;
  for (const work of waiting.splice(0)) work();
}

function letGo(time) {
  clearTimeout(clicking);
  if (held) clicking = setTimeout(release, time);
}

/** Does it now, or, while something is pressed, once that is let go and the click has been followed. */
export function onRelease(work) {
  if (held) waiting.push(work);
  else work();
}

window.addEventListener("pointerdown", (event) => event.isPrimary && press(event), true);
window.addEventListener("pointerup", () => letGo(CLICK), true);
window.addEventListener("click", () => letGo(0), true);
window.addEventListener("pointercancel", release, true);
window.addEventListener("blur", release);
window.addEventListener(
  "pointermove",
  (event) => {
    if (held?.x === undefined) return;
    // A bar for scrolling does not say that it was let go.
    const isOver = event.pointerType === "mouse" && !event.buttons && !clicking;
    if (isOver || Math.hypot(event.clientX - held.x, event.clientY - held.y) > FAR) release();
  },
  true,
);
window.addEventListener("keydown", (event) => event.key === " " && !event.repeat && press(event), true);
window.addEventListener("keyup", (event) => event.key === " " && letGo(0), true);
