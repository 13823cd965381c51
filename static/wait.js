// At the door of a lesson: looks now and then whether the teacher has answered.

import { morph } from "./morph.js";
import { leave } from "./swap.js";

const OFTEN = 2000;

async function look() {
  try {
    const answer = await fetch(location.pathname.replace("/join/", "/wait/"));
    if (answer.redirected) return leave(answer.url);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const said = page.getElementById("waiting");
    const known = document.getElementById("waiting");
    // The lesson is over, say.
    if (!said) return location.reload();
    // What is being typed stays where it is.
    if (said.dataset.refused !== known.dataset.refused) {
      known.dataset.refused = said.dataset.refused;
      morph(known, said);
    }
  } catch {
    // The next look brings it.
  }
  setTimeout(look, OFTEN);
}

setTimeout(look, OFTEN);
