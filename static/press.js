// The page does not change while the pointer or the space bar presses something on it: that would go, or get out from
// under the pointer, and the click would be lost.

const PRESSED = "a[href], button, input, select, textarea, summary, label, [data-name]";

/** Milliseconds that a click may take to come after the release: a finger's is not at once. */
const CLICK = 400;
/** Pixels after which it is no longer a press, but a drag or a selection. */
const FAR = 7;

let held = null;
let clicking = 0;
const waiting = [];

function press(event) {
  clearTimeout(clicking);
  clicking = 0;
  // Work that waits for the release of an earlier press goes on waiting, or this press would be lost. (The space bar
  // has no coordinates.)
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

/** Runs `work` now, or, during a press, after the release and its click. */
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
    // A scroll bar does not report its release.
    const isOver = event.pointerType === "mouse" && !event.buttons && !clicking;
    if (isOver || Math.hypot(event.clientX - held.x, event.clientY - held.y) > FAR) release();
  },
  true,
);
window.addEventListener("keydown", (event) => event.key === " " && !event.repeat && press(event), true);
window.addEventListener("keyup", (event) => event.key === " " && letGo(0), true);
