// One stream for all pages of a browser, which opens no more than six connections to a server: a form needs one, too. Of
// the pages in front one leads: it has the stream, and tells the others what it hears. They agree on it by messages
// alone, since locks need https.

// The time between two signs of life of the leader, and until it counts as gone.
const BEAT = 1000;
const LOST = 3500;
// The server sends something at once: a stream that stays silent is held back on its way.
const SILENT = 5000;
// Until a blocked stream is tried again.
const AGAIN = 60000;

const soon = () => 50 + Math.random() * 150;

/**
 * Takes part in the one stream, for the page whose addresses begin with `home`. `heard` gets its numbers; `ask` is told
 * how they come: `""` by the stream, `"held"` if this page has to ask and the answer may be held, `"short"` if it may not.
 */
export function share(home, heard, ask) {
  const me = `${Date.now()}-${Math.random()}`;
  // Without messages each page would need a stream of its own.
  const channel = "BroadcastChannel" in window && "EventSource" in window ? new BroadcastChannel("live") : null;
  const say = (message) => channel.postMessage({ from: me, ...message });
  let leader = null;
  let isIn = false;
  let timer = 0;
  // Of the leader: the other pages, and what the stream brings.
  const pages = new Map();
  const told = new Map();
  let source = null;
  let homes = [];
  let silence = 0;
  let opening = 0;
  let beating = 0;

  function later(work, time) {
    clearTimeout(timer);
    timer = setTimeout(work, time);
  }

  /** Looks for the page that leads, or else leads. */
  function seek() {
    leader = null;
    say({ here: home });
    later(lead, soon());
  }

  function lead() {
    leader = me;
    pages.clear();
    beating = setInterval(beat, BEAT);
    beat();
    open();
  }

  function beat() {
    for (const [page, { at }] of pages) if (performance.now() - at > LOST) pages.delete(page);
    say({ leads: [...told.keys()] });
  }

  function close() {
    clearInterval(beating);
    clearTimeout(silence);
    clearTimeout(opening);
    source?.close();
    source = null;
    told.clear();
  }

  function hear(of, heads) {
    if (heads) told.set(of, heads);
    else told.delete(of);
    say({ of, heads });
    if (of !== home) return;
    ask(heads ? "" : "short");
    if (heads) heard(heads);
  }

  function blocked() {
    source?.close();
    source = null;
    told.clear();
    ask("held");
    beat();
    clearTimeout(silence);
    silence = setTimeout(open, AGAIN);
  }

  function open() {
    clearTimeout(silence);
    clearTimeout(opening);
    source?.close();
    homes = [...new Set([home, ...[...pages.values()].map((page) => page.home)])];
    const isAlone = homes.length === 1;
    source = new EventSource(isAlone ? `${home}/live` : `/live?${new URLSearchParams(homes.map((of) => ["of", of]))}`);
    silence = setTimeout(blocked, SILENT);
    source.onmessage = ({ data }) => {
      clearTimeout(silence);
      const [of, heads] = isAlone ? [home, data] : data.split(" ");
      hear(of, heads);
    };
    source.onerror = () => {
      clearTimeout(silence);
      if (source.readyState === EventSource.CLOSED) blocked();
      else silence = setTimeout(blocked, SILENT);
    };
  }

  /** Notes that another page is there, and tells a new one who leads. */
  function note(page, at) {
    const isNew = !pages.has(page);
    pages.set(page, { home: at, at: performance.now() });
    if (isNew) say({ leads: [...told.keys()], to: page });
    if (isNew && told.has(at)) say({ of: at, heads: told.get(at) });
    if (homes.includes(at) || !source) return;
    clearTimeout(opening);
    opening = setTimeout(open, 50);
  }

  function take({ from, to, here, renew, leads, of, heads, bye }) {
    if (!isIn || (to && to !== me)) return;
    if (leader === me) {
      if (here) note(from, here);
      if (renew) open();
      if (bye) pages.delete(from);
      // Of two that lead one goes on.
      if (leads && from > me) beat();
      if (!leads || from > me) return;
      close();
    }
    if (leads) {
      leader = from;
      say({ here: home });
      if (!leads.includes(home)) ask("short");
      later(seek, LOST + soon());
    }
    if (of === home && from === leader) {
      ask(heads ? "" : "short");
      if (heads) heard(heads);
    }
    if (bye && from === leader) seek();
  }

  if (channel) channel.onmessage = ({ data }) => take(data);

  return {
    /** The page is in front. */
    join() {
      if (!channel) ask("short");
      else if (!isIn) {
        isIn = true;
        seek();
      }
    },
    /** The page is no longer in front: what it held is free for the others. */
    leave() {
      ask("none");
      if (!isIn) return;
      isIn = false;
      clearTimeout(timer);
      if (leader === me) close();
      say({ bye: true });
    },
    /** The stream has not told what the server says: perhaps it is dead. */
    renew() {
      if (leader === me) open();
      else if (leader) say({ renew: true });
    },
    /** Other pages of the same match need not ask what the one that leads was answered. */
    pass(heads) {
      if (leader !== me || source) return;
      told.set(home, heads);
      say({ of: home, heads });
    },
  };
}
