// While the teacher has everybody look up, nothing below the notice can be touched or reached by keys. Afterwards all of
// it is as it was, with the focus where it was.

const covered = new Set();
let focus = null;

export function cover() {
  const eyes = document.querySelector(".eyes.covers");
  if (eyes?.firstElementChild) {
    focus ??= document.activeElement;
    for (let part = eyes; part !== document.body; part = part.parentElement) {
      for (const other of part.parentElement.children) {
        if (other === part || other.inert) continue;
        other.inert = true;
        covered.add(other);
      }
    }
  } else if (covered.size) {
    for (const other of covered) other.inert = false;
    covered.clear();
    const before = focus;
    focus = null;
    // Only now do other scripts open the sheet again in which it was.
    queueMicrotask(() => document.activeElement === document.body && before?.focus({ preventScroll: true }));
  }
}

document.addEventListener("swapped", cover);
cover();
