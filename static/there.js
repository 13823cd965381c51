// Who is there, for the host of a match: looked at now and then, since no event says that a member goes.

import { swapParts } from "./swap.js";

const OFTEN = 10000;

async function look() {
  if (document.hidden) return;
  const parts = [...document.querySelectorAll("[data-often]")].map((part) => part.dataset.part);
  for (const address of new Set(parts)) {
    try {
      const answer = await fetch(address + location.search);
      if (answer.ok) swapParts(await answer.text());
    } catch {
      // The next look brings it.
    }
  }
}

setInterval(look, OFTEN);
document.addEventListener("visibilitychange", look);
