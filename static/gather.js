// The page of a match that gathers people: it shows those who join, and goes to the boards when play begins.

import { start } from "./forms.js";
import { listen } from "./live.js";
import { leave, load, old, settled, unseen } from "./swap.js";

let known = document.getElementById("match").dataset.heads;

start();
listen(
  () => known,
  async (told) => {
    await settled();
    // During play most events change nothing here.
    if (!told || old(told).length) await load(unseen(location.href));
    known = told ?? known;
  },
);

// The match has begun, perhaps by a form of this page: the boards need a page of their own.
document.addEventListener("swapped", () => {
  if (!document.getElementById("gather") || document.querySelector("[data-reload]")) leave(document.getElementById("match").dataset.home);
});
