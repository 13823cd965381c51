// Presence, for the host of a match: fetched at intervals, since no event says that a member goes.

import { request } from "./request.js";
import { swapParts } from "./swap.js";

const OFTEN = 10000;

async function look() {
  if (document.hidden) return;
  const parts = [...document.querySelectorAll("[data-often]")].map((part) => part.dataset.part);
  for (const address of new Set(parts)) {
    try {
      const asked = location.search;
      const answer = await request(address + asked);
      const text = await answer.text();
      // The reader may have opened something else meanwhile.
      if (answer.ok && location.search === asked) swapParts(text);
    } catch {
      // The next request brings it.
    }
  }
}

setInterval(look, OFTEN);
document.addEventListener("visibilitychange", look);
