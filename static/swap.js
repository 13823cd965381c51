// Fetches a page again and takes over its changes, without disturbing the reader.

import { STOPS, focused, found } from "./focus.js";
import { request } from "./request.js";
import { does, morph } from "./morph.js";
import { onRelease } from "./press.js";

/** Takes over one part. */
function replace(part, fresh) {
  for (const { name, value } of fresh.attributes) part.setAttribute(name, value);
  // The server's earlier version is compared with its present one: scripts may have changed the page.
  const source = fresh.innerHTML;
  if ((part.source ?? part.innerHTML) === source && !part.changed) return;
  morph(part, fresh);
  part.source = source;
  part.changed = false;
}

/** Changes the page, keeps the focus, and tells the scripts. */
function change(work) {
  onRelease(() => {
    const focus = focused();
    work();
    refocus(focus);
    document.dispatchEvent(new CustomEvent("swapped"));
  });
}

/** Moves the focus to an element left around the one that had it, if that has gone or has another effect now. */
function refocus(focus) {
  if (!focus) return;
  const stays = document.activeElement === focus.active && does(focus.active) === focus.does;
  const element = stays ? focus.active : found(focus);
  if (!element) return;
  if (!stays) {
    if (!element.matches(STOPS)) element.setAttribute("tabindex", "-1");
    element.focus({ preventScroll: true });
  }
  // An element that was in sight stays there, however much was added before it.
  const isMoved = focus.isWhole && Math.abs(element.getBoundingClientRect().top - focus.top) > 1;
  // What is larger than the screen is no place to look at.
  const fits = element.getBoundingClientRect().height <= innerHeight;
  if (stays ? isMoved : focus.seen && fits) element.scrollIntoView({ block: "nearest" });
}

const names = (page) => [...page.querySelectorAll("[data-live]")].map((part) => part.id);

const sync = (part, fresh) => {
  for (const name of part.getAttributeNames()) if (!fresh.hasAttribute(name)) part.removeAttribute(name);
  for (const { name, value } of fresh.attributes) part.setAttribute(name, value);
};

/** Takes over all parts marked `data-live` from another version of this page. */
export function swap(text) {
  const next = new DOMParser().parseFromString(text, "text/html");
  const match = document.getElementById("match");
  const other = next.getElementById("match");
  // The control panel, for example, is another page.
  if (!other || other.dataset.home !== match.dataset.home) return false;
  change(() => {
    // When the match begins, for example, the parts are others than before, or in another order.
    if (String(names(next)) !== String(names(document))) {
      const frame = document.querySelector("[data-frame]");
      const fresh = next.querySelector("[data-frame]").cloneNode(true);
      sync(frame, fresh);
      morph(frame, fresh);
    }
    for (const part of document.querySelectorAll("[data-live]")) {
      const fresh = next.getElementById(part.id);
      if (fresh) replace(part, fresh);
      else part.replaceChildren();
    }
    for (const part of document.querySelectorAll("[data-sync]")) {
      const fresh = next.getElementById(part.id);
      if (fresh) sync(part, fresh);
    }
    match.className = other.className;
    document.body.className = next.body.className;
    document.title = next.title;
  });
  return true;
}

/** The parts that are older than the numbers. */
export function old(told) {
  const now = new URLSearchParams(told);
  return [...document.querySelectorAll("[data-of]")].filter(({ dataset: { of, seen } }) => {
    const number = now.get(of);
    if (number === null || number === seen) return false;
    // What is no number is newer as soon as it differs.
    return !(Number(number) <= Number(seen));
  });
}

/** Takes over some parts that were fetched alone. */
export function swapParts(text) {
  const next = new DOMParser().parseFromString(text, "text/html");
  change(() => {
    for (const fresh of next.querySelectorAll("[data-live]")) {
      const part = document.getElementById(fresh.id);
      // The reader has another board open now, or a newer answer was quicker.
      if (!part || fresh.dataset.of !== part.dataset.of || Number(fresh.dataset.seen) < Number(part.dataset.seen)) continue;
      replace(part, fresh);
    }
  });
}

// Details that the reader has opened or closed stay so.
document.addEventListener("click", ({ target }) => {
  const details = target.closest?.("summary")?.parentElement;
  if (details) details.touched = true;
});

let leaving = false;

/** Goes to another page, unless this one is leaving already. */
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

/** Makes `address` that of the page; the browser can go back from there. In a sheet the way back closes the sheet. */
function keep(address) {
  const inSheet = history.state?.sheet && new URL(address).pathname === location.pathname;
  if (inSheet) history.replaceState(history.state, "", address);
  else history.pushState(null, "", address);
}

/** How often the whole page was asked for, by a form or without one. */
let latest = 0;
export const loads = () => latest;
/** The form in progress. Others wait for it, so they arrive in their order, and no later answer overtakes its own. */
let posting = null;

/** The server could not do it now, and has changed nothing. */
export class Later extends Error {}

/** The server has refused a form with a page of its own, whose sentence is in `told`. */
export class Refused extends Error {
  constructor(told) {
    super();
    this.told = told;
  }
}

async function get(address, options) {
  const answer = await request(address, options);
  if (answer.status === 503) throw new Later();
  // An error of the server is no page to go to.
  if (answer.status >= 500) throw new Error(answer.statusText);
  return [answer, await answer.text()];
}

/**
 * Fetches `address` and takes it over, or goes there like a link if that cannot be done. With `push` the browser can go
 * back from there; a refusal leaves the address as it is. Fails if no answer came, or an error of the server.
 */
export async function load(address, { push = false, ...options } = {}) {
  const before = posting;
  let done = () => {};
  if (options.method) posting = new Promise((resolve) => (done = resolve));
  await before;
  const mine = ++latest;
  // Whoever waits goes on once this answer has been taken over.
  const [answer, text] = await get(address, options).finally(() => setTimeout(done));
  // A later one has overtaken it, or the page is leaving already.
  if (mine !== latest || leaving) return answer;
  const elsewhere = answer.redirected && !new URL(answer.url).pathname.startsWith(home());
  // First: the choice on the board reads the address.
  if (push && answer.ok && !elsewhere && answer.url !== location.href) keep(answer.url);
  if (elsewhere || !swap(text)) {
    // Its page would take the place of this one, with all that is typed here.
    if (options.method && !answer.ok) throw new Refused(refusal(answer, text));
    if (options.method) leave(answer.url);
    else if (elsewhere) leave(address);
  }
  return answer;
}

/** What the page of a refusal says first. Whoever is signed in now can send what stands here, when they have read that. */
function refusal(answer, text) {
  const page = new DOMParser().parseFromString(text, "text/html");
  const fresh = page.querySelector("form.card [name=csrf]");
  if (fresh && answer.headers.get("perplex-account")) {
    for (const field of document.querySelectorAll("[name=csrf]")) field.value = fresh.value;
  }
  return page.querySelector(".lead")?.childNodes ?? [];
}

/** An address for parts that may be out of sight: the talk in them does not count as read. */
export function unseen(address) {
  const url = new URL(address, location.href);
  url.searchParams.set("unseen", "1");
  return url.pathname + url.search;
}

/** Waits until a form in progress has been answered, and the address is that of its result. */
export async function settled() {
  if (!posting) return;
  await posting;
  await new Promise((done) => setTimeout(done));
}

/** The beginning of the match's addresses. */
export function home() {
  return document.getElementById("match").dataset.home;
}
