// Hears that the match has gone on: by a stream of events that all pages of the browser share, or by requests where
// streams do not get through.

import { request } from "./request.js";
import { GONE, renew } from "./say.js";
import { share } from "./share.js";
import { home } from "./swap.js";
import { isTouched } from "./touch.js";

// Seconds that the server may hold a request until it has news.
const WAIT = 20;
const PAUSE = 3000;
// Milliseconds between two checks of the stream, which also tell the server that the viewer is present, and touched the
// page lately.
const CHECK = 20000;
// Milliseconds from one fetching of news to the next: in a lively match the page takes several events together.
const PACE = 350;

const sleep = (time) => new Promise((done) => setTimeout(done, time));

/**
 * Calls `refresh` with the numbers whenever the match has gone further than `known` says of the page; without numbers
 * when the page has slept, and all of it may be old.
 */
export function listen(known, refresh) {
  let told = "";
  let mode = "none";
  let asking = null;
  let busy = false;
  let waiting = false;
  let last = Date.now();
  let reported = -Infinity;

  async function changed(heads) {
    if (heads === known()) return;
    if (busy) {
      waiting = true;
      return;
    }
    busy = true;
    const pace = sleep(PACE);
    try {
      await refresh(heads);
    } catch {
      // The next number, or the next check, brings it.
    }
    await pace;
    busy = false;
    if (waiting) {
      waiting = false;
      look();
    }
  }

  async function question(wait, options = {}) {
    const query = new URLSearchParams(wait ? { wait } : {});
    query.set("after", known());
    if (isTouched()) {
      query.set("touched", 1);
      reported = performance.now();
    }
    const answer = await request(`${home()}/heads?${query}`, options);
    // The reloaded page tells a viewer who may no longer watch.
    if (answer.status === 403 || answer.status === 404) renew(GONE);
    if (!answer.ok) throw new Error(answer.statusText);
    return (await answer.text()).trim();
  }

  /** Checks once. A stream that does not report the same soon is dead. */
  async function look() {
    const before = told;
    try {
      const heads = await question(0);
      if (!mode && heads !== before) setTimeout(() => !mode && told === before && shared.renew(), PAUSE);
      await changed(heads);
    } catch {
      // Offline; the stream or the next check will tell.
    }
  }

  function heard(heads) {
    told = heads;
    changed(heads);
  }

  /** Sends requests while no stream tells. The server answers as soon as there is news, if the answer may be held. */
  async function ask(how) {
    if (how === mode) return;
    mode = how;
    asking?.abort();
    asking = null;
    if (how !== "held" && how !== "short") return;
    const mine = new AbortController();
    asking = mine;
    // A request that is held too long may be cut off on its way: then requests are not held for a while.
    let short = 0;
    while (asking === mine) {
      const isHeld = how === "held" && !short;
      try {
        const heads = await question(isHeld ? WAIT : 0, { signal: mine.signal });
        shared.pass(heads);
        await changed(heads);
        if (!isHeld || heads !== known()) await sleep(PAUSE);
        short = Math.max(0, short - 1);
      } catch {
        short = 20;
        await sleep(PAUSE);
      }
    }
  }

  function check() {
    if (document.hidden) return;
    const slept = Date.now() - last > 2 * CHECK;
    last = Date.now();
    if (slept) changed();
    else if (!asking) look();
  }

  const shared = share(home(), heard, ask);
  // A page behind others leaves its connection to them, and is there again as soon as it is shown.
  function shown() {
    if (document.hidden) return shared.leave();
    shared.join();
    check();
  }

  if (!document.hidden) shared.join();
  setInterval(check, CHECK);
  document.addEventListener("visibilitychange", shown);
  document.addEventListener("touched", () => {
    if (!document.hidden && performance.now() - reported > CHECK) look();
  });
  window.addEventListener("online", check);
  window.addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    shared.join();
    changed();
  });
  window.addEventListener("pagehide", () => shared.leave());
}
