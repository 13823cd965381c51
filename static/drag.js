// Dragging with a mouse, a pen or a finger: pieces over the board and to other boards, names to seats.

const FAR = 7;

/**
 * Lets people drag. `grab` gives what could be dragged from where the pointer went down, or nothing. `lift` is called
 * with that once the pointer has gone far enough, and gives what carries it: `move(event, dx, dy)`, and `end(event)` when
 * it is let go, without an event when nothing becomes of it. A finger on `frame` that has grabbed what `holds` says does not
 * scroll the page. Gives a function that ends a drag and says whether there was one.
 */
export function drags({ grab, lift, frame, holds }) {
  let down = null;
  let carried = null;
  /** When a drag ended: the click that follows at once is none. */
  let ended = -Infinity;

  function end(event) {
    const was = carried;
    down = carried = null;
    if (was && event) ended = event.timeStamp;
    was?.end(event);
    return !!was;
  }

  document.addEventListener("pointerdown", (event) => {
    ended = -Infinity;
    const grabbed = event.button === 0 && event.isPrimary && grab(event);
    down = grabbed ? { grabbed, x: event.clientX, y: event.clientY, holds: holds?.(grabbed) } : null;
  });
  document.addEventListener("pointermove", (event) => {
    if (!down || !event.isPrimary) return;
    const [dx, dy] = [event.clientX - down.x, event.clientY - down.y];
    if (!carried) {
      if (Math.hypot(dx, dy) < FAR) return;
      carried = lift(down.grabbed, event) ?? null;
      if (!carried) down = null;
      if (!carried) return;
    }
    event.preventDefault();
    carried.move(event, dx, dy);
  });
  document.addEventListener("pointerup", (event) => end(event));
  document.addEventListener("pointercancel", () => end());
  // A finger on the board scrolls the page, but not one that takes something from a hand, or a piece where the game's style
  // says that pieces are drawn along. (Not every browser knows that of parts of a picture.)
  frame?.addEventListener(
    "touchmove",
    (event) => {
      if (down?.holds && event.cancelable) event.preventDefault();
    },
    { passive: false },
  );
  document.addEventListener(
    "click",
    (event) => {
      if (event.timeStamp - ended > 200) return;
      event.preventDefault();
      event.stopPropagation();
    },
    true,
  );
  // What is dragged are links; their addresses are not to be dragged.
  document.addEventListener("dragstart", (event) => {
    if (grab(event)) event.preventDefault();
  });
  return end;
}

/** Puts what is carried under the pointer. */
export function follow(ghost, event) {
  const { width, height } = ghost.getBoundingClientRect();
  ghost.style.left = `${event.clientX - width / 2}px`;
  ghost.style.top = `${event.clientY - height / 2}px`;
}
