// Seating a lesson: a name is dragged to a place, with a mouse, a pen or a finger. Without dragging a click chooses the
// name and another one the place; these are links and buttons.

import { drags, follow } from "./drag.js";
import { lost } from "./forms.js";
import { home, load } from "./swap.js";

const place = (event) =>
  document
    .elementsFromPoint(event.clientX, event.clientY)
    .find((element) => element.closest?.("[data-place]"))
    ?.closest("[data-place]");

function mark(found) {
  for (const marked of document.querySelectorAll(".drop-here")) if (marked !== found) marked.classList.remove("drop-here");
  found?.classList.add("drop-here");
}

async function put(member, to) {
  const csrf = document.querySelector("#floor [name=csrf]").value;
  const here = new URL(location.href);
  here.searchParams.delete("move");
  try {
    await load(`${home()}/place${here.search}`, { method: "POST", body: new URLSearchParams({ csrf, member, place: to }) });
    history.replaceState(history.state, "", here);
  } catch (error) {
    lost(error);
  }
}

const end = drags({
  grab: (event) => event.target.closest?.("[data-member]"),
  lift(chip, event) {
    const { member } = chip.dataset;
    const ghost = chip.cloneNode(true);
    ghost.removeAttribute("id");
    ghost.classList.add("carried-chip");
    document.body.append(ghost);
    document.body.classList.add("dragging");
    event.target.releasePointerCapture?.(event.pointerId);
    return {
      move(event) {
        follow(ghost, event);
        // Near an edge the page scrolls.
        const edge = 60;
        if (event.clientY < edge) window.scrollBy(0, -12);
        else if (event.clientY > window.innerHeight - edge) window.scrollBy(0, 12);
        mark(place(event));
      },
      end(event) {
        ghost.remove();
        mark(null);
        document.body.classList.remove("dragging");
        const to = event && place(event)?.dataset.place;
        if (to) put(member, to);
      },
    };
  },
});
document.addEventListener("keydown", (event) => event.key === "Escape" && end());
