// The try board: every turn is a page of its own, and this one goes there without loading anew.

import { start } from "./steps.js";
import { swap } from "./swap.js";

start();

let latest = 0;

/** Shows the board that stands at `address`. */
async function go(address, push = true) {
  const mine = ++latest;
  try {
    const answer = await fetch(address);
    const text = await answer.text();
    if (mine !== latest) return;
    // What was refused leaves the page where it is.
    if (push && answer.ok && answer.url !== location.href) history.pushState(null, "", answer.url);
    if (!swap(text)) location.assign(address);
  } catch {
    location.assign(address);
  }
}

document.addEventListener("submit", (event) => {
  const form = event.target.closest("#turn-form");
  if (!form) return;
  event.preventDefault();
  const query = new URLSearchParams(new FormData(form, event.submitter));
  // What is on its way is no longer typed.
  form.reset();
  form.closest("[data-live]").changed = true;
  go(`${form.getAttribute("action")}?${query}`);
});

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[data-go]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  go(link.getAttribute("href"));
});
window.addEventListener("popstate", () => go(location.pathname + location.search, false));

// The arrow keys step through the positions, unless they are needed where the focus is.
document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (event.target.closest?.("input, textarea, select, summary, #board [data-name]")) return;
  const link = document.querySelector(`a[data-key="${CSS.escape(event.key)}"]`);
  if (!link) return;
  event.preventDefault();
  go(link.getAttribute("href"));
});
