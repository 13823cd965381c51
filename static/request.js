// Requests that scripts make. A page that asks for the same thing again and again, though nobody touches it, has a
// fault: it stops, so that the server and the other readers do not suffer from it.

const MOST = 3;
const WITHIN = 1000;

/** For each request: when it was made lately. */
const made = new Map();
for (const touch of ["pointerdown", "keydown", "input"]) addEventListener(touch, () => made.clear(), true);

/** The page made this request too often, so it was not made. */
export class Stopped extends Error {}

/** Fetches an address. Fails with `Stopped` if the page has just asked the same several times by itself. */
export async function request(address, options = {}) {
  const what = [options.method ?? "GET", new URL(address, location.href), options.body ?? ""].join(" ");
  const now = performance.now();
  const lately = (made.get(what) ?? []).filter((time) => now - time < WITHIN);
  if (lately.length >= MOST) {
    console.error(`asked too often: ${what}`);
    throw new Stopped(what);
  }
  for (const [other, times] of made) if (now - times[times.length - 1] >= WITHIN) made.delete(other);
  made.set(what, [...lately, now]);
  return fetch(address, options);
}
