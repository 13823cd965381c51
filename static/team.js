// The page of a team match: all boards live at once, one of them large; transfers by dragging; the clock. The browser
// knows no rules: the server says which boards can receive a piece, and why others cannot.

import { chime } from "./chime.js";
import { drags, follow } from "./drag.js";
import { go, isPlain, send, start as forms } from "./forms.js";
import "./eyes.js";
import { listen } from "./live.js";
import { onRelease } from "./press.js";
import { request } from "./request.js";
import { GONE, renew } from "./say.js";
import "./sheets.js";
import { here, rove, start as steps, walk } from "./steps.js";
import { home, load, loads, old, settled, swapParts, unseen } from "./swap.js";

const match = () => document.getElementById("match");
const boards = () => document.getElementById("boards");
const query = () => new URL(here(), location.href).search;

// --- Changed parts are fetched one by one.

let known = match().dataset.heads;
let shape = document.getElementById("status").dataset.shape;
const shown = (heads) => [...new URLSearchParams(heads).keys()].filter((key) => /^b\d/.test(key)).join();

async function whole() {
  const answer = await load(unseen(here()));
  if (!answer.ok) renew(GONE);
  known = match().dataset.heads;
  shape = document.getElementById("status").dataset.shape;
}

/** Fetches the parts that are older than the numbers. */
async function refresh(told) {
  await settled();
  // The page has slept, or the viewer may see other boards than before.
  if (!told || shown(told) !== shown(known)) return whole();
  const parts = old(told);
  // Whether a board can receive the piece depends on the board that the piece leaves, too.
  if (new URLSearchParams(query()).has("take")) parts.push(...document.querySelectorAll("[data-of^=b]"));
  const addresses = [...new Set(parts.map((part) => part.dataset.part))];
  const asked = query();
  const before = loads();
  if (addresses.length > 4) return whole();
  const texts = await Promise.all(
    addresses.map(async (address) => {
      const answer = await request(unseen(address + asked));
      return answer.ok ? answer.text() : null;
    }),
  );
  if (texts.includes(null)) return whole();
  // The reader has opened something else meanwhile, which these parts don't have, or has put a card away, which they have.
  if (query() !== asked || loads() !== before) return refresh(told);
  if (texts.length) swapParts(texts.join(""));
  known = told;
  // Another phase, or other duties: the page has other parts than before.
  if (document.getElementById("status").dataset.shape !== shape) await whole();
}

// The projector's page has no choices.
if (document.getElementById("notice")) steps();
forms();
listen(() => known, refresh);

const answer = () => document.querySelector(".tm-now:not(.taking) > .answers:not(:empty)");
const card = () => answer() ?? document.querySelector(".tm-cards form");

// What has the focus is not to lie under a card, even if either came there later; what is pressed stays under the pointer.
function uncover(target) {
  const over = card();
  if (!over || over.contains(target) || target.contains(over)) return;
  const [a, b] = [over, target].map((one) => one.getBoundingClientRect());
  const covers = a.top < b.bottom && b.top < a.bottom && a.left < b.right && b.left < a.right;
  if (covers) target.scrollIntoView({ block: "center" });
}
document.addEventListener("focusin", ({ target }) => onRelease(() => uncover(target)));
document.addEventListener("swapped", () =>
  onRelease(() => {
    const target = document.activeElement;
    if (target !== document.body && target?.matches(":focus-visible")) uncover(target);
  }),
);

// Who writes in a channel sees what is said there, and needs no card of it.
const talks = (place) => document.documentElement.toggleAttribute("data-talking", Boolean(place?.closest?.("#talk")));
document.addEventListener("focusin", ({ target }) => talks(target));
document.addEventListener("focusout", ({ relatedTarget }) => talks(relatedTarget));

// What a host unfolds at a board is in sight.
document.addEventListener(
  "toggle",
  ({ target }) => {
    if (target.open && target.matches(".control-tool details")) target.scrollIntoView({ block: "nearest" });
  },
  true,
);

// A card on the wall has gone by itself.
document.addEventListener("animationend", ({ target }) => {
  if (target.matches(".show-card")) target.remove();
});

let playing = false;
/** What is to be chosen for a transfer: the piece, or the board that it goes to. */
let asked = null;

/** Adjusts the page after new parts have come. */
function adorn() {
  // A complete turn can be played: on a narrow screen its button is in sight anyhow, and the board stays in sight.
  const play = document.getElementById("play");
  if (play && !playing && getComputedStyle(play.parentElement).position !== "fixed") play.scrollIntoView({ block: "nearest" });
  playing = !!play;
  // On a narrow screen the form of a transfer stays above the boards as they scroll.
  const chooser = document.querySelector(".transfer.taking");
  const asks = chooser && (chooser.querySelector("#targets") ? "board" : "piece");
  if (asks && asks !== asked && getComputedStyle(chooser).position === "sticky") boards().scrollIntoView({ block: "start" });
  asked = asks;
  document.title = document.getElementById("status")?.dataset.title ?? document.title;
  chime();
  document.body.classList.toggle("with-card", !!card());
  document.body.classList.toggle("with-urgent", !!document.querySelector("#called.urgent"));
  document.body.classList.toggle("with-answer", !!answer());
  document.body.classList.toggle("with-play", playing);
  for (const box of document.querySelectorAll(".board-box:not(#board)")) rove(undefined, box);
  const badge = document.getElementById("unread");
  const unread = Number(document.getElementById("talk")?.dataset.unread ?? 0);
  if (badge) {
    badge.hidden = !unread;
    badge.textContent = unread;
  }
  tick();
}

// --- The large board is chosen by its number, by its name, or by swiping.

function select(number) {
  const all = boards();
  if (!all || (number && !document.getElementById(`tb-${number}`))) return;
  const link = document.querySelector(`[data-select="${number}"]`);
  if (!link) return;
  all.dataset.large = number;
  for (const board of all.children) board.classList.toggle("large", board.dataset.board === String(number));
  history.replaceState(history.state, "", link.getAttribute("href"));
  go(link.getAttribute("href"), false);
}

document.addEventListener("click", (event) => {
  if (!isPlain(event)) return;
  const chooser = event.target.closest?.("[data-select]");
  if (chooser) {
    event.preventDefault();
    select(Number(chooser.dataset.select));
    return;
  }
  // A piece that is chosen for a transfer, then the board that it goes to.
  const place = event.target.closest?.(".tb a.cell.can[href]");
  const board = event.target.closest?.(".tb");
  const put = board?.querySelector(".tb-verdict button");
  if (put && !event.target.closest("button, header")) {
    event.preventDefault();
    put.click();
  } else if (place) {
    event.preventDefault();
    go(place.getAttribute("href"));
  } else if (board && !board.classList.contains("large") && !event.target.closest("a[href], button, form")) {
    select(Number(board.dataset.board));
  }
});

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.target.closest?.("input, textarea, select")) return;
  const place = event.target.closest?.(".board-box:not(#board) [data-name]");
  if (place && walk(event, place, place.closest(".board-box"))) return;
  if (event.key === " " && place?.getAttribute("href")) {
    event.preventDefault();
    go(place.getAttribute("href"));
  } else if (event.key === "Escape") {
    if (!endDrag()) (document.querySelector("[data-leave]") ?? card()?.querySelector("#card-ok, #call-ok"))?.click();
  } else if (/^[0-7]$/.test(event.key)) {
    event.preventDefault();
    select(Number(event.key));
  }
});

// --- Dragging a piece to another board, and swiping.

/** The piece that is being dragged. */
let drag = null;

/** The place under the pointer with a piece that may be taken. */
function takable(event) {
  // A finger drags a piece only once one is to be chosen; else it scrolls or turns to another board.
  if (event.pointerType === "touch" && !new URLSearchParams(location.search).has("take")) return null;
  const place = event.target.closest?.(".tb .board-box [data-name]");
  return place && match().hasAttribute("data-command") && piece(place) ? place : null;
}

/** The picture of the viewer's own piece on a place. */
function piece(place) {
  const own = `use.${match().dataset.side}`;
  return place.matches(own) ? place : place.querySelector(own);
}

/** Requests which boards can receive the piece, and shows it on each. */
async function ask(mine) {
  try {
    const answer = await request(`${home()}/receivers?take=${mine.take}`);
    if (!answer.ok) return;
    const said = await answer.json();
    // A piece that is gone can still be dragged: the reason is shown when it is let go.
    mine.receivers = { ...said, kind: said.kind ?? mine.receivers?.kind };
  } catch {
    return;
  }
  if (drag !== mine) return;
  const why = new Map(mine.receivers.boards);
  for (const board of boards().children) {
    const says = board.querySelector(".tb-drop");
    const reason = why.get(Number(board.dataset.board));
    const isSource = board.dataset.board === mine.from;
    board.classList.toggle("drop-yes", reason === null);
    board.classList.toggle("drop-no", reason !== null && !isSource);
    says.textContent = isSource ? "" : reason === null ? "Can go here" : (reason ?? "The piece is no longer there");
  }
}

/** A picture of the piece on a place that follows the pointer. */
function carry(place) {
  const size = place.closest("svg").getScreenCTM().a;
  const ghost = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  ghost.setAttribute("class", "board flexichess carried");
  ghost.setAttribute("viewBox", "-.5 -.5 1 1");
  const use = piece(place).cloneNode();
  for (const name of ["x", "y", "data-name"]) use.removeAttribute(name);
  use.setAttribute("class", match().dataset.side);
  ghost.append(use);
  document.body.append(ghost);
  ghost.style.width = ghost.style.height = `${Math.max(size, 44)}px`;
  return ghost;
}

function under(event) {
  return document.elementsFromPoint(event.clientX, event.clientY).find((element) => element.closest?.(".tb"))?.closest(".tb");
}

function clear() {
  document.body.classList.remove("dragging");
  for (const one of boards().children) {
    one.classList.remove("drop-yes", "drop-no", "over");
    one.querySelector(".tb-drop").textContent = "";
  }
}

/** Sends a transfer, once the server has said which piece is taken. */
async function transfer(mine, to) {
  await mine.asked;
  const form = document.getElementById("transfer-form");
  if (!form) return;
  const values = { take: mine.take, kind: mine.receivers?.kind ?? "", to, event: mine.event };
  for (const [name, value] of Object.entries(values)) form.elements[name].setAttribute("value", value);
  send(form);
}

const endDrag = drags({
  grab: takable,
  lift(place, event) {
    if (!place.isConnected) return null;
    const from = place.closest(".tb").dataset.board;
    const ghost = carry(place);
    const mine = { from, take: `${from}-${place.dataset.name}`, event: new URLSearchParams(known).get("event") };
    drag = mine;
    finger = null;
    document.body.classList.add("dragging");
    // Boards may be rendered anew meanwhile: the element around them stays.
    boards().setPointerCapture(event.pointerId);
    mine.asked = ask(mine);
    return {
      move(event) {
        follow(ghost, event);
        const over = under(event);
        for (const board of boards().children) board.classList.toggle("over", board === over && board.dataset.board !== from);
      },
      end(event) {
        drag = null;
        ghost.remove();
        clear();
        const to = event && under(event)?.dataset.board;
        if (to && to !== from) transfer(mine, to);
      },
    };
  },
});
document.addEventListener("swapped", () => drag && ask(drag));
document.addEventListener("dragstart", (event) => event.target.closest?.("#boards") && event.preventDefault());

/** The start of a touch that may turn to another board; a touch that drags a piece does not. */
let finger = null;

document.addEventListener("pointerdown", (event) => {
  const swipes = event.pointerType === "touch" && event.isPrimary && event.target.closest?.("#boards");
  finger = swipes && !event.target.closest("#board .can") ? [event.clientX, event.clientY] : null;
});
document.addEventListener("pointerup", (event) => {
  const [dx, dy] = finger ? [event.clientX - finger[0], event.clientY - finger[1]] : [0, 0];
  if (Math.abs(dx) > 50 && Math.abs(dx) > 2 * Math.abs(dy)) swipe(dx < 0 ? 1 : -1);
  finger = null;
});
document.addEventListener("pointercancel", () => {
  finger = null;
});

/** The next board, in the order of the page. */
function swipe(by) {
  const all = [...boards().children];
  const at = Math.max(0, all.findIndex((board) => board.classList.contains("large")));
  const next = all[(at + by + all.length) % all.length];
  select(Number(next.dataset.board));
}

// --- The clock.

const WARNINGS = [10, 5, 1];

function tick() {
  const clock = document.getElementById("clock");
  if (!clock) return;
  const runs = clock.hasAttribute("data-runs");
  // The server has sent the time left anew.
  const said = `${clock.dataset.left} ${runs}`;
  if (clock.said !== said) {
    clock.said = said;
    clock.since = performance.now();
  }
  const passed = runs ? (performance.now() - clock.since) / 1000 : 0;
  const left = Math.max(0, Math.ceil(Number(clock.dataset.left) - passed));
  clock.classList.toggle("soon", left <= 60);
  // Days are shown in words, which change seldom enough.
  if (left < 48 * 3600) {
    const two = (number) => String(number).padStart(2, "0");
    const [hours, minutes, seconds] = [Math.floor(left / 3600), Math.floor(left / 60) % 60, left % 60];
    const text = hours ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
    const face = clock.querySelector(".tm-time");
    if (face.textContent !== text) face.textContent = text;
  }
  const alarm = document.getElementById("alarm");
  if (runs) {
    for (const minutes of WARNINGS) {
      if (left <= minutes * 60 && tick.before > minutes * 60) {
        const text = minutes === 1 ? "One minute left." : `${minutes} minutes left.`;
        alarm.textContent = text;
        clock.classList.add("warned");
        clock.dataset.warning = text;
      }
    }
  }
  tick.before = left;
}
document.addEventListener("swapped", adorn);
adorn();
setInterval(tick, 250);

// What was said to everybody leaves the wall after its minute.
document.addEventListener("animationend", ({ target }) => target.matches("#aloud > li") && target.remove());
