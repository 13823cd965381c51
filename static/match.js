// The page of a match, and the try board: live, with forms and links that leave the page in place.

import { start as forms } from "./forms.js";
import { listen } from "./live.js";
import { slide } from "./slide.js";
import { here, start } from "./steps.js";
import { load, settled } from "./swap.js";

start();
forms();
slide();
document.addEventListener("swapped", slide);

const isOver = () => !!document.querySelector("#headed .status.over");
let wasOver = isOver();
/** Who ends the match below the board sees how it ended. */
function ended() {
  if (isOver() && !wasOver) document.querySelector("#headed .status").scrollIntoView({ block: "nearest" });
  wasOver = isOver();
}
document.addEventListener("swapped", ended);
// The try board is no match: it has no news.
if ("match" in document.getElementById("match").dataset) {
  const refresh = async () => {
    // The address may be another one after a form in progress.
    await settled();
    await load(here());
  };
  listen(() => document.getElementById("headed").dataset.heads, refresh);
}

/** Scrolls long lists to the turn that is shown, and to the newest line. */
function reveal() {
  const turns = document.getElementById("turns");
  const current = turns?.querySelector("[aria-current]") ?? turns?.querySelector("li:last-child");
  if (current) {
    const { offsetTop, offsetHeight } = current;
    turns.scrollTop = offsetTop - turns.offsetTop - (turns.clientHeight - offsetHeight) / 2;
  }
  const talk = document.getElementById("talk");
  if (talk && talk.dataset.lines !== String(talk.querySelectorAll("li").length)) {
    talk.scrollTop = talk.scrollHeight;
    talk.dataset.lines = talk.querySelectorAll("li").length;
  }
}
reveal();
document.addEventListener("swapped", reveal);
