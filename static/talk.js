// Talk and people beside the boards: marking as read, mentions of squares, previews of changed duties.

import { go, isPlain, send } from "./forms.js";
import { request } from "./request.js";
import { leave } from "./sheets.js";
import { swapParts } from "./swap.js";
import { isTouched } from "./touch.js";

// --- The newest line stays in sight, unless the viewer reads further up.

let open = null;
let atEnd = true;

function reveal() {
  const box = document.querySelector("[data-end]");
  if (!box) return;
  if (box.id !== open || atEnd) box.scrollTop = box.scrollHeight;
  open = box.id;
}
reveal();
document.addEventListener("swapped", reveal);
document.addEventListener("sheet", reveal);
document.addEventListener(
  "scroll",
  ({ target }) => {
    if (target.matches?.("[data-end]") && target.id === open) atEnd = target.scrollHeight - target.scrollTop - target.clientHeight < 40;
  },
  true,
);

// --- Messages that have been on the screen count as read, if somebody is there.

let onScreen = false;

async function read() {
  const talk = document.getElementById("talk");
  const tab = talk?.querySelector(".channels [aria-current]");
  if (!onScreen || document.hidden || !isTouched() || !tab?.querySelector(".unread")) return;
  const answer = await request(talk.dataset.part + new URL(tab.href).search);
  const text = await answer.text();
  // The reader may look at another channel by now.
  if (answer.ok && document.querySelector("#talk .channels [aria-current]")?.href === tab.href) swapParts(text);
}
const eye = new IntersectionObserver((entries) => {
  onScreen = entries[entries.length - 1].isIntersecting;
  read();
});

function watch() {
  eye.disconnect();
  const lines = document.querySelector("#talk .scroll");
  if (lines) eye.observe(lines);
}
watch();
document.addEventListener("swapped", watch);
for (const type of ["visibilitychange", "touched"]) document.addEventListener(type, read);

// --- Enter sends the text; with Shift it begins a new line.

document.addEventListener("keydown", (event) => {
  // While an input method composes, Enter is its own.
  if (event.key !== "Enter" || event.shiftKey || event.altKey || event.isComposing) return;
  const field = event.target.closest?.("textarea[data-send]");
  if (!field) return;
  event.preventDefault();
  if (field.value.trim()) send(field.form);
});

// --- A mention shows its board and square.

let meant = null;

function mark() {
  for (const old of document.querySelectorAll(".mentioned")) old.classList.remove("mentioned");
  if (meant) document.getElementById(`tb-${meant}`)?.classList.add("mentioned");
}
document.addEventListener("swapped", mark);
document.addEventListener("click", async (event) => {
  const mention = event.target.closest?.("a.mention");
  if (!mention) {
    if (event.target.closest?.(".tb")) {
      meant = null;
      mark();
    }
    return;
  }
  const board = document.getElementById(`tb-${mention.dataset.board}`);
  if (!board || !isPlain(event)) return;
  event.preventDefault();
  leave();
  meant = mention.dataset.board;
  const address = new URL(mention.href);
  // If all boards are alike, they stay so.
  if (document.getElementById("boards").dataset.large === "0") address.searchParams.set("board", "0");
  await go(address.pathname + address.search);
  board.scrollIntoView({ block: "nearest" });
});

// --- The effect of a change is requested without leaving the page.

document.addEventListener("submit", (event) => {
  const form = event.target.closest("form[data-ask]");
  if (!form) return;
  event.preventDefault();
  const asked = new URL(location.href);
  for (const [name, value] of new FormData(form)) asked.searchParams.set(name, value);
  go(asked.pathname + asked.search);
});

// --- Ready-made phrases show the choices for their blanks.

function fill(event) {
  if (event.target.closest && !event.target.closest("[data-fills]")) return;
  for (const blank of document.querySelectorAll("[data-blank]")) {
    const field = document.querySelector(`[data-fills="${blank.dataset.blank}"]`);
    blank.textContent = field.selectedOptions[0].text;
  }
}
fill({ target: document });
document.addEventListener("swapped", fill);
document.addEventListener("change", fill);
