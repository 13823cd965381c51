// Fetching a page again and taking over what is new in it, without disturbing who is typing.

/** The place on the board that had the focus last. */
let place = null;
document.addEventListener("focusin", ({ target }) => {
  place = target.closest("#board [data-name]")?.dataset.name ?? place;
});

/** What can have the focus by itself. */
const STOPS = "a[href], button, input, select, textarea, summary, [tabindex]";

/** What tells a stop of the focus from the others around it. */
const sign = (stop) => [stop.localName, stop.dataset.name, stop.name, stop.localName === "button" && stop.value, stop.textContent].join("\n");

/** The element that has the focus, in words that hold for the new page, too. */
function focused() {
  const active = document.activeElement;
  if (!active || active === document.body) return null;
  const { top, bottom } = active.getBoundingClientRect();
  const around = [];
  for (let part = active.closest("[id]"); part; part = part.parentElement.closest("[id]")) {
    around.push(part.id);
    // Where it goes on once nothing is left here.
    if (part.dataset.then) around.push(part.dataset.then);
  }
  return {
    // A player who has made a turn goes on where it was made.
    cell: active.closest("#board [data-name], #turn-form") && place,
    id: active.id,
    around,
    sign: sign(active),
    // What was in sight stays there, however much came before it.
    seen: top < innerHeight && bottom > 0,
    range: active.selectionStart === undefined ? null : [active.selectionStart, active.selectionEnd],
  };
}

/** The place on the board that has this name. */
const cell = (name) => document.querySelector(`#board [data-name="${CSS.escape(name)}"]`);

/** What had the focus, or what is left around it. */
function found({ cell: name, id, around, sign: known }) {
  const same = id && document.getElementById(id);
  if (same) return same;
  if (name && cell(name)) return cell(name);
  const isThere = (part) => part?.childElementCount && part.getClientRects().length;
  const part = document.getElementById(around.find((id) => isThere(document.getElementById(id))));
  return [...(part?.querySelectorAll(STOPS) ?? [])].find((stop) => sign(stop) === known) ?? part;
}

/** What was typed, ticked or opened in `part` and is not yet on the server. */
function typed(part) {
  const found = [];
  for (const field of part.querySelectorAll("input[id], textarea[id]")) {
    if (field.type === "checkbox" || field.type === "radio") {
      if (field.checked !== field.defaultChecked) found.push([field.id, "checked", field.checked]);
    } else if (field.value !== field.defaultValue) {
      found.push([field.id, "value", field.value]);
    }
  }
  for (const field of part.querySelectorAll("select[id]")) {
    const first = [...field.options].find((option) => option.defaultSelected) ?? field.options[0];
    if (first && field.value !== first.value) found.push([field.id, "value", field.value]);
  }
  for (const details of part.querySelectorAll("details[id]")) {
    if (details.open) found.push([details.id, "open", true]);
  }
  return found;
}

/** Takes over one part. Gives whether the focus was in it. */
function replace(part, fresh) {
  for (const { name, value } of fresh.attributes) part.setAttribute(name, value);
  // What the server said is compared with what it says now: scripts may have changed the rest.
  const source = fresh.innerHTML;
  if ((part.source ?? part.innerHTML) === source && !part.changed) return false;
  const kept = typed(part);
  const scrolled = scrolls(part);
  const lost = part.contains(document.activeElement);
  part.replaceChildren(...fresh.childNodes);
  part.source = source;
  part.changed = false;
  scroll(part, scrolled);
  restore(kept);
  return lost;
}

/** How far a part and the boxes in it are scrolled. */
function scrolls(part) {
  return [part, ...part.querySelectorAll("[data-scroll]")].map((box) => [box.dataset.scroll, box.scrollTop]);
}

function scroll(part, scrolled) {
  for (const [name, top] of scrolled) {
    const box = name ? part.querySelector(`[data-scroll="${name}"]`) : part;
    if (box) box.scrollTop = top;
  }
}

function restore(kept) {
  for (const [id, what, value] of kept) {
    const field = document.getElementById(id);
    if (field) field[what] = value;
  }
}

/** Gives the focus back to what had it. */
function refocus(focus) {
  const element = focus && found(focus);
  if (!element) return;
  if (!element.matches(STOPS)) element.setAttribute("tabindex", "-1");
  element.focus({ preventScroll: true });
  if (focus.seen) element.scrollIntoView({ block: "nearest" });
  if (focus.range?.[0] != null && element.setSelectionRange) {
    try {
      element.setSelectionRange(...focus.range);
    } catch {
      // Not a field for text.
    }
  }
}

/** Takes over the parts in `next` that are older here. */
function take(next) {
  let lost = false;
  for (const fresh of next.querySelectorAll("[data-live]")) {
    const part = document.getElementById(fresh.id);
    if (!part) continue;
    // Another board is looked at now, or the answer was overtaken on its way.
    if (fresh.dataset.of !== part.dataset.of) continue;
    if (Number(fresh.dataset.seen) < Number(part.dataset.seen)) continue;
    lost = replace(part, fresh) || lost;
  }
  return lost;
}

const names = (page) => [...page.querySelectorAll("[data-live]")].map((part) => part.id);

/** Takes over all parts marked `data-live` from another version of this page. */
export function swap(text) {
  const next = new DOMParser().parseFromString(text, "text/html");
  const match = document.getElementById("match");
  const other = next.getElementById("match");
  // The desk, for example, is another page.
  if (!other || other.dataset.home !== match.dataset.home) return false;
  const focus = focused();
  // When the match begins, for example, there are other parts than before, or in another order.
  let lost = false;
  if (String(names(next)) !== String(names(document))) {
    const frame = document.querySelector("[data-frame]");
    const kept = typed(frame);
    const scrolled = scrolls(frame);
    lost = frame.contains(document.activeElement);
    const fresh = next.querySelector("[data-frame]").cloneNode(true);
    frame.replaceWith(fresh);
    scroll(fresh, scrolled);
    restore(kept);
  }
  for (const part of document.querySelectorAll("[data-live]")) {
    const fresh = next.getElementById(part.id);
    if (fresh) lost = replace(part, fresh) || lost;
    else part.replaceChildren();
  }
  for (const part of document.querySelectorAll("[data-sync]")) {
    const fresh = next.getElementById(part.id);
    if (!fresh) continue;
    for (const name of part.getAttributeNames()) if (!fresh.hasAttribute(name)) part.removeAttribute(name);
    for (const { name, value } of fresh.attributes) part.setAttribute(name, value);
  }
  match.className = other.className;
  document.body.className = next.body.className;
  document.title = next.title;
  if (lost) refocus(focus);
  document.dispatchEvent(new CustomEvent("swapped"));
  return true;
}

/** The parts that are older than the numbers say. */
export function old(told) {
  const now = new URLSearchParams(told);
  return [...document.querySelectorAll("[data-of]")].filter(({ dataset: { of, seen } }) => {
    const number = now.get(of);
    if (number === null || number === seen) return false;
    return of === "talk" || Number(number) > Number(seen);
  });
}

/** Takes over some parts, fetched by themselves. */
export function swapParts(text) {
  const focus = focused();
  if (take(new DOMParser().parseFromString(text, "text/html"))) refocus(focus);
  document.dispatchEvent(new CustomEvent("swapped"));
}

let leaving = false;

/** Goes to another page, unless this one is on its way to one. */
export function leave(address) {
  if (leaving) return;
  leaving = true;
  location.assign(address);
}

window.addEventListener("pageshow", () => (leaving = false));
// A form that the browser sends by itself leads elsewhere, too.
window.addEventListener("submit", (event) => {
  if (!event.defaultPrevented) leaving = true;
});

let latest = 0;
/** A form on its way: its answer is not to be overtaken. */
let posting = null;

async function get(address, options) {
  const answer = await fetch(address, options);
  return [answer, await answer.text()];
}

/**
 * Fetches `address` and takes it over; goes there as a link does if that cannot be done. With
 * `push` the browser can go back from there; what was refused leaves it where it is.
 */
export async function load(address, { push = false, ...options } = {}) {
  if (!options.method) await posting;
  const mine = ++latest;
  const fetched = get(address, options);
  if (options.method) {
    posting = fetched.then(
      () => {},
      () => {},
    );
  }
  const [answer, text] = await fetched;
  // A later one has overtaken it, or the page goes elsewhere already.
  if (mine !== latest || leaving) return answer;
  const elsewhere = answer.redirected && !new URL(answer.url).pathname.startsWith(home());
  // First: what is chosen on the board looks at the address.
  if (push && answer.ok && !elsewhere && answer.url !== location.href) history.pushState(null, "", answer.url);
  if (elsewhere || !swap(text)) {
    if (options.method) leave(answer.url);
    else if (elsewhere) leave(address);
  }
  return answer;
}

/** An address from which is fetched what may be out of sight: the talk in it does not count as read. */
export function unseen(address) {
  const url = new URL(address, location.href);
  url.searchParams.set("unseen", "1");
  return url.pathname + url.search;
}

/** Waits until a form that is on its way has been answered, and the address says what it led to. */
export async function settled() {
  if (!posting) return;
  await posting;
  await new Promise((done) => setTimeout(done));
}

/** What the addresses of the match begin with. */
export function home() {
  return document.getElementById("match").dataset.home;
}
