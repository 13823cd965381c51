// Hearing that the match has gone on: by a stream of events, or by asking where that is blocked.

import { home } from "./swap.js";

const POLL = 3000;

/** Calls `refresh` with the numbers whenever the match has gone further than the page shows: than `known` says. */
export function listen(known, refresh) {
  let source = null;
  let failures = 0;
  let timer = 0;
  let busy = false;
  let waiting = false;

  async function changed(heads) {
    if (heads === known()) return;
    if (busy) {
      waiting = true;
      return;
    }
    busy = true;
    try {
      await refresh(heads);
    } catch {
      // The next number, or the next look, brings it.
    }
    busy = false;
    if (waiting) {
      waiting = false;
      look();
    }
  }

  async function look() {
    try {
      const answer = await fetch(`${home()}/heads`);
      if (answer.ok) await changed((await answer.text()).trim());
    } catch {
      // Offline; the stream or the next look will tell.
    }
  }

  function poll() {
    clearInterval(timer);
    timer = setInterval(() => document.hidden || look(), POLL);
  }

  function open() {
    source?.close();
    source = new EventSource(`${home()}/live?after=${encodeURIComponent(known())}`);
    source.onopen = () => {
      failures = 0;
      clearInterval(timer);
    };
    source.onmessage = (event) => changed(event.data);
    source.onerror = () => {
      failures += 1;
      // Streams may be blocked on the way: after some failures the page asks instead, and tries
      // the stream now and then.
      if (failures >= 3) {
        source.close();
        poll();
        setTimeout(open, 60000);
      } else if (source.readyState === EventSource.CLOSED) {
        setTimeout(open, 2000 * failures);
      }
    };
  }

  if ("EventSource" in window) open();
  else poll();
  document.addEventListener("visibilitychange", () => document.hidden || look());
  window.addEventListener("online", look);
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) {
      open();
      look();
    }
  });
  window.addEventListener("pagehide", () => source?.close());
}
