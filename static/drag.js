// Dragging with a mouse, a pen or a finger: pieces over the board and to other boards, names to seats.

const FAR = 7;

/**
 * Lets people drag. `grab` gives the draggable thing under the pointer as it goes down, or nothing. `lift` is called
 * with that once the pointer has gone far enough, and gives its carrier: `move(event, dx, dy)`, and `end(event)` when
 * it is let go, without an event when the drag is cancelled. A finger on `frame` does not scroll the page if `holds` is
 * true for what it has grabbed. Gives a function that ends a drag and says whether there was one.
 */
export function drags({ grab, lift, frame, holds }) {
  let down = null;
  let carried = null;
  /** The time when a drag ended: a click that follows at once does not count. */
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
  // A finger on the board scrolls the page, except one that drags from a hand, or a piece where the game's style says
  // that pieces are drawn along. (Not every browser applies that style to parts of a picture.)
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
  // Links are dragged here, but the browser must not drag their addresses.
  document.addEventListener("dragstart", (event) => {
    if (grab(event)) event.preventDefault();
  });
  return end;
}

/** Moves the carried picture under the pointer. */
export function follow(ghost, event) {
  const { width, height } = ghost.getBoundingClientRect();
  ghost.style.left = `${event.clientX - width / 2}px`;
  ghost.style.top = `${event.clientY - height / 2}px`;
}
