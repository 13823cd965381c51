// Requests that scripts make. A page that asks for the same thing again and again, though nobody touches it, has a
// fault: it stops, so that the server and the other readers do not suffer from it.

import { renew, unsay } from "./say.js";

const MOST = 3;
const WITHIN = 1000;

/** For each request: when it was made lately. */
const made = new Map();
for (const touch of ["pointerdown", "keydown", "input"]) addEventListener(touch, () => made.clear(), true);

/** The page made this request too often, so it was not made. */
export class Stopped extends Error {}

/** Somebody else is signed in now, or nobody: what came is not for the reader of this page. */
export class Another extends Error {}

const SIGNED_OUT =
  "You are not signed in any more, or as somebody else. What you typed is still here: sign in again in another window, then send it.";
const reader = document.documentElement.dataset.account;

/**
 * Fetches an address. Fails with `Stopped` if the page has just asked the same several times by itself, and with `Another`
 * if what came is for another reader than the page: then the page is loaded again, unless something is typed in it. Where
 * the reader `mayCome` in by the answer, it is for whom they have become.
 */
export async function request(address, { mayCome = false, ...options } = {}) {
  const what = [options.method ?? "GET", new URL(address, location.href), options.body ?? ""].join(" ");
  const now = performance.now();
  const lately = (made.get(what) ?? []).filter((time) => now - time < WITHIN);
  if (lately.length >= MOST) {
    console.error(`asked too often: ${what}`);
    throw new Stopped(what);
  }
  for (const [other, times] of made) if (now - times[times.length - 1] >= WITHIN) made.delete(other);
  made.set(what, [...lately, now]);
  const answer = await fetch(address, options);
  const account = answer.headers.get("perplex-account");
  if (mayCome || account === null || account === (reader ?? account)) {
    unsay(SIGNED_OUT);
  } else if (!options.method) {
    renew(SIGNED_OUT);
    throw new Another(address);
  }
  return answer;
}
