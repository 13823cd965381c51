// A page beside the lesson of a pupil, who practises there: it hears when the lesson begins, and goes to the boards; and
// it covers itself while the teacher has everybody look up.

import { ring } from "./chime.js";
import { cover } from "./eyes.js";
import { request } from "./request.js";

// Seconds that the server may hold a request until it has news.
const WAIT = 20;
const PAUSE = 3000;

const sleep = (time) => new Promise((done) => setTimeout(done, time));

/** What the lesson asks for, its page, and what the notice says. */
const read = (told) => {
  const [asks = "", home, title, says] = told.split("\n");
  return { asks, home, title, says };
};

function covers({ asks, title, says }) {
  document.querySelector(".eyes")?.remove();
  if (asks === "eyes") {
    const eyes = document.createElement("div");
    eyes.className = "eyes covers";
    const [text, strong, span] = ["p", "strong", "span"].map((name) => document.createElement(name));
    strong.textContent = title;
    span.textContent = says;
    text.setAttribute("role", "alert");
    text.append(strong, " ", span);
    eyes.append(text);
    document.body.append(eyes);
  }
  cover();
}

/** Resolves once the page is in front. A page behind others leaves its connection to them. */
function shown() {
  if (!document.hidden) return Promise.resolve();
  return new Promise((done) => document.addEventListener("visibilitychange", done, { once: true }));
}

let known = null;

async function ask() {
  const gone = new AbortController();
  const hides = () => document.hidden && gone.abort();
  document.addEventListener("visibilitychange", hides);
  try {
    const query = new URLSearchParams(known ? { wait: WAIT, after: known } : {});
    const answer = await request(`/me/called?${query}`, { signal: gone.signal });
    if (!answer.ok) throw new Error(answer.statusText);
    const told = await answer.text();
    const [before, now] = [read(known ?? ""), read(told)];
    // Whoever has come here since is left in peace.
    if (now.asks === "plays" && before.asks === "gathers") {
      ring();
      location.assign(now.home);
      return;
    }
    if (told !== known) covers(now);
    known = told;
    // There is no lesson that could hold the answer.
    if (!told) await sleep(WAIT * 1000);
  } catch {
    await sleep(PAUSE);
  } finally {
    document.removeEventListener("visibilitychange", hides);
  }
}

for (;;) {
  await shown();
  await ask();
}
