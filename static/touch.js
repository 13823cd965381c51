// Whether the reader is there: what a page shows counts as seen for two minutes after it was touched, typed in or scrolled.

const LATELY = 120000;
// What scripts have scrolled says nothing of the reader.
const SCRIPTED = 1000;

let last = -Infinity;
let swapped = 0;

function note({ type }) {
  const now = performance.now();
  if (type === "scroll" && now - swapped < SCRIPTED) return;
  last = now;
  document.dispatchEvent(new CustomEvent("touched"));
}

for (const type of ["pointerdown", "keydown", "input", "wheel", "touchmove", "scroll"]) addEventListener(type, note, { capture: true, passive: true });
for (const type of ["swapped", "sheet"]) document.addEventListener(type, () => (swapped = performance.now()));

export const isTouched = () => performance.now() - last < LATELY;
