// Waiting to join a lesson: checks at intervals if the teacher has answered.

import { morph } from "./morph.js";
import { request } from "./request.js";
import { leave } from "./swap.js";

const OFTEN = 2000;

async function look() {
  try {
    const answer = await request(location.pathname.replace("/join/", "/wait/"), { mayCome: true });
    if (answer.redirected) return leave(answer.url);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const said = page.getElementById("waiting");
    const known = document.getElementById("waiting");
    // The lesson may be over.
    if (!said) return location.reload();
    // Typed text stays in place.
    if (said.dataset.refused !== known.dataset.refused) {
      known.dataset.refused = said.dataset.refused;
      morph(known, said);
    }
  } catch {
    // The next request brings it.
  }
  setTimeout(look, OFTEN);
}

setTimeout(look, OFTEN);
