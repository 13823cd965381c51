// The page of a match, and the try board: live, with forms and links that leave the page standing.

import { listen } from "./live.js";
import { slide } from "./slide.js";
import { here, start } from "./steps.js";
import { load } from "./swap.js";

start();
slide();
document.addEventListener("swapped", slide);
// The try board is nobody's match: there is nothing to hear.
const { match } = document.getElementById("match").dataset;
if (match) listen(match, () => load(here()));

/** Scrolls long lists to what matters: the turn that is shown, the newest line. */
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

// Forms: what was sent is no longer typed; what was refused comes back from the server.
document.addEventListener("submit", async (event) => {
  const form = event.target.closest("form[data-swap]");
  // Browsers that don't tell which button it was send forms with several themselves.
  if (!form || (!event.submitter && form.querySelector("button[name]"))) return;
  event.preventDefault();
  const body = new URLSearchParams(new FormData(form));
  if (event.submitter?.name) body.append(event.submitter.name, event.submitter.value);
  const action = form.getAttribute("action");
  const buttons = [...form.querySelectorAll("button")];
  for (const button of buttons) button.disabled = true;
  try {
    const before = [...form.elements].map((field) => [field, field.value, field.checked]);
    form.reset();
    for (const details of form.querySelectorAll("details[open]")) details.open = false;
    form.closest("details")?.removeAttribute("open");
    const part = form.closest("[data-live]");
    if (part) part.changed = true;
    try {
      if (form.method === "get") await load(`${action}?${body}`, { push: true });
      else await load(action, { method: "POST", body });
      document.querySelector("#match [aria-invalid]")?.focus();
    } catch (error) {
      for (const [field, value, checked] of before) {
        field.value = value;
        field.checked = checked;
      }
      throw error;
    }
  } catch {
    say("That did not get through. Please try again.");
  } finally {
    for (const button of buttons) button.disabled = false;
  }
});

function say(text) {
  const notice = document.createElement("div");
  notice.className = "notice bad";
  notice.setAttribute("role", "alert");
  notice.textContent = text;
  const place = document.getElementById("notice");
  place.replaceChildren(notice);
  place.changed = true;
}

// Links to other positions.
async function go(address, push = true) {
  try {
    await load(address, { push });
  } catch {
    location.assign(address);
  }
}
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
