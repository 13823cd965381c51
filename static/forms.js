// Forms and links that leave the page of a match in place.

import { Another, Stopped } from "./request.js";
import { say } from "./say.js";
import { Later, Refused, load } from "./swap.js";

/** For each form in progress: the content that it sent last, and a promise of its answer. */
const sending = new WeakMap();

// Forms: text that was sent is cleared; refused text comes back from the server.
async function submit(event) {
  const form = event.target.closest("form[data-swap]");
  // Browsers that don't tell which button was pressed send forms with several themselves.
  if (!form || (!event.submitter && form.querySelector("button[name]"))) return;
  event.preventDefault();
  const body = new URLSearchParams(new FormData(form));
  if (event.submitter?.name) body.append(event.submitter.name, event.submitter.value);
  const action = event.submitter?.getAttribute("formaction") ?? form.getAttribute("action");
  // The same content is sent once. The button stays enabled: disabled it would lose the focus. Another one waits.
  const deed = body.toString();
  const before = sending.get(form);
  if (before?.deed === deed) return;
  let done;
  const mine = { deed, sent: new Promise((resolve) => (done = resolve)) };
  sending.set(form, mine);
  event.submitter?.setAttribute("aria-busy", "true");
  if (before) await before.sent;
  const typed = [...form.elements].map((field) => [field, field.value, field.checked]);
  try {
    clear(form);
    const part = form.closest("[data-live]");
    if (part) part.changed = true;
    if (form.method === "get") await load(`${action}?${body}`, { push: true });
    else await post(form, action, body, typed);
    // The action may have led to another view of the match.
    const here = document.querySelector("[data-here]")?.dataset.here;
    if (here && form.method === "post") history.replaceState(history.state, "", here);
    document.querySelector("#match [aria-invalid]")?.focus();
  } catch (error) {
    refill(typed);
    lost(error);
  } finally {
    event.submitter?.removeAttribute("aria-busy");
    if (sending.get(form) === mine) sending.delete(form);
    done();
  }
}

const AGAIN = 3000;

/** Sends a form; while the server can save nothing, again and again. The typed text stays in place meanwhile. */
async function post(form, action, body, typed) {
  for (let again = false; ; again = true) {
    try {
      await load(action, { method: "POST", body });
      const stays = ([field, value]) => field.type === "hidden" || field.value === value;
      // The first time it was cleared before; and whoever goes on typing keeps that.
      if (again && typed.every(stays)) clear(form);
      return;
    } catch (error) {
      if (!(error instanceof Later)) throw error;
      if (!again) refill(typed);
      say("Perplex can’t save that right now. Stay on this page: it is sent again by itself.");
      await new Promise((done) => setTimeout(done, AGAIN));
    }
  }
}

/** Makes a form as it was before it was filled in. */
function clear(form) {
  form.reset();
  for (const details of form.querySelectorAll("details[open]:not([data-stay])")) close(details);
  close(form.closest("details"));
}

function refill(typed) {
  for (const [field, value, checked] of typed) {
    // What the page has put into its form may have been renewed meanwhile.
    if (field.type === "hidden") continue;
    field.value = value;
    field.checked = checked;
  }
}

/** Reports that an answer did not come, or a refusal, or that nothing was asked. */
export function lost(error) {
  if (error instanceof Another) return;
  if (error instanceof Refused) say(...error.told);
  else if (error instanceof Stopped) say("This page asked for the same thing again and again, and has stopped. Please load it again.");
  else say("That did not get through. Please try again.");
}

/** True if a click is to be followed here: one with another button or with a key opens a page of its own. */
export const isPlain = (event) => !(event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0);

/** Closes a part that was opened. The focus in it goes to its summary. */
function close(details) {
  if (!details?.open) return;
  // The server may open it again, to show an error.
  details.touched = false;
  const within = details.contains(document.activeElement);
  details.open = false;
  if (within) details.querySelector("summary").focus({ preventScroll: true });
}

/** Sends a form as its button does. Browsers from 2020 on have `requestSubmit` for that. */
export function send(form) {
  const button = form.querySelector("button");
  if (form.requestSubmit) form.requestSubmit();
  else if (button) button.click();
  else form.submit();
}

/** Follows a link to another view of the match. */
export async function go(address, push = true) {
  try {
    await load(address, { push });
  } catch (error) {
    lost(error);
  }
}

export function start() {
  document.addEventListener("submit", submit);
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[data-go]");
    if (!link || !isPlain(event)) return;
    event.preventDefault();
    go(link.getAttribute("href"));
  });
  // A sheet that is closed again leaves the page as it is.
  const address = () => location.pathname + location.search;
  let shown = address();
  document.addEventListener("swapped", () => (shown = address()));
  window.addEventListener("popstate", () => shown !== address() && go(address(), false));
  // The arrow keys step through the positions, unless the element in focus needs them.
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.target.closest?.("input, textarea, select, summary, .board [data-name]")) return;
    const link = document.querySelector(`a[data-key="${CSS.escape(event.key)}"]`);
    if (!link) return;
    event.preventDefault();
    go(link.getAttribute("href"));
  });
}
