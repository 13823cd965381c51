// Hears that the match has gone on: by a stream of events, or by requests where streams do not get through.

import { request } from "./request.js";
import { home } from "./swap.js";

// The server sends something at once: a stream that stays silent is held back on its way.
const SILENT = 5000;
// Seconds that the server may hold a request until it has news.
const WAIT = 20;
const PAUSE = 3000;
// Milliseconds between two checks of a stream, which also tell the server that the viewer is present, and until a
// blocked one is tried again.
const CHECK = 20000;
const AGAIN = 60000;
// Milliseconds from one fetching of news to the next: in a lively match the page takes several events together.
const PACE = 350;

const sleep = (time) => new Promise((done) => setTimeout(done, time));

/**
 * Calls `refresh` with the numbers whenever the match has gone further than `known` says of the page; without numbers
 * when the page has slept, and all of it may be old.
 */
export function listen(known, refresh) {
  let source = null;
  let silence = 0;
  let told = "";
  let asking = null;
  let busy = false;
  let waiting = false;
  let last = Date.now();

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

  async function question(query = "", options = {}) {
    const answer = await request(`${home()}/heads${query}`, options);
    // The reloaded page tells a viewer who may no longer watch.
    if (answer.status === 403 || answer.status === 404) location.reload();
    if (!answer.ok) throw new Error(answer.statusText);
    return (await answer.text()).trim();
  }

  /** Checks once. A stream that does not report the same soon is dead. */
  async function look() {
    const before = told;
    try {
      const heads = await question(`?after=${encodeURIComponent(known())}`);
      if (source && heads !== before) setTimeout(() => source && told === before && open(), PAUSE);
      await changed(heads);
    } catch {
      // Offline; the stream or the next check will tell.
    }
  }

  /** Sends requests until a stream gets through. The server answers as soon as there is news. */
  async function ask() {
    if (asking) return;
    const mine = new AbortController();
    asking = mine;
    // A request that is held too long may be cut off on its way: then requests are not held for a while.
    let short = 0;
    while (asking === mine) {
      while (document.hidden) await new Promise((done) => document.addEventListener("visibilitychange", done, { once: true }));
      try {
        const after = encodeURIComponent(known());
        const heads = await question(short ? "" : `?wait=${WAIT}&after=${after}`, { signal: mine.signal });
        await changed(heads);
        if (short || heads !== known()) await sleep(PAUSE);
        short = Math.max(0, short - 1);
      } catch {
        short = 20;
        await sleep(PAUSE);
      }
    }
  }

  function stopAsking() {
    asking?.abort();
    asking = null;
  }

  function blocked() {
    source?.close();
    source = null;
    ask();
    clearTimeout(silence);
    silence = setTimeout(open, AGAIN);
  }

  function open() {
    clearTimeout(silence);
    if (!("EventSource" in window)) return ask();
    source?.close();
    source = new EventSource(`${home()}/live`);
    silence = setTimeout(blocked, SILENT);
    source.onmessage = ({ data }) => {
      clearTimeout(silence);
      stopAsking();
      told = data;
      changed(data);
    };
    source.onerror = () => {
      clearTimeout(silence);
      if (source.readyState === EventSource.CLOSED) blocked();
      else silence = setTimeout(blocked, SILENT);
    };
  }

  function check() {
    if (document.hidden) return;
    const slept = Date.now() - last > 2 * CHECK;
    last = Date.now();
    if (slept) changed();
    else if (source) look();
  }

  open();
  setInterval(check, CHECK);
  document.addEventListener("visibilitychange", check);
  window.addEventListener("online", check);
  window.addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    open();
    changed();
  });
  window.addEventListener("pagehide", () => {
    clearTimeout(silence);
    source?.close();
    stopAsking();
  });
}
