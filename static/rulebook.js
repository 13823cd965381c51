// The rulebook of a Flexichess board. It knows no rules: links and forms of the editor lead to the same page with
// another address, and this script fetches it without loading the page anew. It also shows, at a piece whose movement
// was changed, how it moves.

import { isPlain } from "./forms.js";
import { load } from "./swap.js";

const EDITED = ["rule", "form", "betza", "way", "for", "mirror", "to", "set", "click", "words", "under", "deeds", "lift", "card", "edit", "card-name"];
const book = () => document.getElementById("rulebook");

/** The square of the diagram to focus once the page has come. */
let square = null;

/** How many pages of the editor are on their way. */
let coming = 0;

async function go(address, keep) {
  history.replaceState(history.state, "", address);
  // The fields shown are no longer being typed.
  if (!keep) for (const name of ["rule-betza", "deeds"]) {
    const field = document.getElementById(name);
    if (field) field.value = field.defaultValue;
  }
  coming += 1;
  try {
    await load(address);
  } catch {
    location.assign(address);
    return;
  } finally {
    coming -= 1;
  }
  tidy();
  const chosen = book()?.querySelector(".rule-card.chosen");
  if (!chosen) return;
  // On a narrow screen of a team match it lies below the board, elsewhere it is on the page.
  if (book().matches(".low[data-open]")) {
    document.getElementById("board").scrollIntoView();
    book().scrollTop = 0;
  } else chosen.scrollIntoView({ block: "nearest" });
}

document.addEventListener("click", (event) => {
  const edit = event.target.closest?.("#rulebook a[data-edit], #rule-diagram button, #under-board a[href]");
  if (!edit || !isPlain(event)) return;
  event.preventDefault();
  square = edit.value ?? null;
  if (edit.form) look(edit.form, edit);
  else go(edit.getAttribute("href"));
});

/** Unfolds the rules in force if the link leads among them. */
const unfold = (hash) => document.getElementById(hash.slice(1))?.closest("#in-force")?.setAttribute("open", "");

// From their pictures at a board, before the page scrolls there.
document.addEventListener(
  "click",
  (event) => {
    const link = event.target.closest?.(".tb-rules a");
    if (link) unfold(link.hash);
  },
  true,
);
unfold(location.hash);

// A card that is kept is seen in the deck.
let keeps = false;
document.addEventListener("submit", (event) => (keeps = event.submitter?.id === "rule-keep"), true);
document.addEventListener("swapped", () => {
  const kept = keeps && [...document.querySelectorAll("[id^=card-kept-]")].pop();
  if (!kept) return;
  keeps = false;
  kept.focus();
});

/** Fetches the preview of a form, with the button that sends it or, during typing, without one. */
function look(form, button) {
  const query = new URLSearchParams(new FormData(form));
  if (button) query.append(button.name, button.value);
  go(`${form.getAttribute("action").split("#")[0]}?${query}`, !button);
}

document.addEventListener("submit", (event) => {
  const form = event.target.closest("#rulebook form[data-edit]");
  if (!form) return;
  event.preventDefault();
  clearTimeout(timer);
  look(form);
});

// Typed or ticked input is previewed after a moment.
let timer = 0;
document.addEventListener("input", (event) => {
  const form = event.target.closest?.("#rulebook form[data-edit]");
  if (!form || event.target.id === "deeds") return;
  clearTimeout(timer);
  timer = setTimeout(() => form.isConnected && look(form), 350);
});

// The diagram: one square is in the tab order, the arrow keys reach the others.
const squares = () => [...document.querySelectorAll("#rule-diagram button")];
const WIDE = 9;

function rove(to) {
  const all = squares();
  const now = to ?? all.find((place) => place.value === square) ?? all[13];
  for (const place of all) place.tabIndex = place === now ? 0 : -1;
  return now;
}

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const place = event.target.closest?.("#rule-diagram button");
  if (!place) return;
  const all = squares();
  const at = all.indexOf(place);
  const column = at % WIDE;
  const step = {
    ArrowLeft: column > 0 && -1,
    ArrowRight: column < WIDE - 1 && 1,
    ArrowUp: at >= WIDE && -WIDE,
    ArrowDown: at < all.length - WIDE && WIDE,
  }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  if (!step) return;
  // The piece itself is in the middle.
  const to = all[at + step].disabled ? all[at + 2 * step] : all[at + step];
  rove(to);
  to.focus();
});

document.addEventListener("swapped", () => {
  const now = rove();
  if (square && now && (document.activeElement === document.body || !document.activeElement)) now.focus({ preventScroll: true });
  square = null;
  tidy();
});

/** Once the editor is closed, the address drops its fields; not while it is about to be opened. */
function tidy() {
  if (coming || book()?.querySelector("#editor-open, #under-look")) return;
  const query = new URLSearchParams(location.search);
  const before = String(query);
  for (const name of EDITED) query.delete(name);
  const text = String(query);
  if (text !== before) history.replaceState(history.state, "", location.pathname + (text && `?${text}`));
}
rove();

// Movement cards: of changed pieces on hover, on focus, on a long touch; of any piece on a tap. The squares that the
// piece reaches are marked.
let card = null;
/** The place that the card is of, and whether any piece there has one. */
let shown = { name: "", any: false };

function hide() {
  card?.remove();
  card = null;
  for (const cell of document.querySelectorAll("#board .reach")) cell.classList.remove("reach");
}

function mark(from) {
  const all = document.getElementById("in-force").dataset.reach.split(" ");
  const squares = all.find((one) => one.startsWith(`${from}:`))?.split(":")[1].split(",") ?? [];
  for (const name of squares) document.querySelector(`#board [data-name="${name}"]`)?.classList.add("reach");
}

function show(cell, any) {
  hide();
  const glyphs = [...cell.querySelectorAll("use")].map((use) => use.getAttribute("href").slice(1));
  // Pieces with a changed movement have a glyph of their own.
  const is = ({ dataset: { glyph } }) => glyphs.includes(`${glyph}c`) || (any && glyphs.includes(glyph));
  const about = [...document.querySelectorAll("#in-force .card-of")].find(is);
  if (!about) return;
  shown = { name: cell.dataset.name, any };
  mark(shown.name);
  card = document.createElement("ul");
  card.className = "hover-card";
  if (any) card.setAttribute("role", "status");
  else card.setAttribute("aria-hidden", "true");
  card.append(about.cloneNode(true));
  document.body.append(card);
  const box = cell.getBoundingClientRect();
  const { width, height } = card.getBoundingClientRect();
  const beside = box.right + width + 8 < innerWidth ? box.right + 8 : box.left - width - 8;
  const left = Math.min(Math.max(8, beside), innerWidth - width - 8);
  const over = beside < 8 || left !== beside;
  const top = over ? box.top - height - 8 : box.top + box.height / 2 - height / 2;
  card.style.left = `${left}px`;
  card.style.top = `${Math.min(Math.max(8, top < 8 && over ? box.bottom + 8 : top), innerHeight - height - 8)}px`;
}

// The board may be fetched again below the card: it says how the piece moves now.
document.addEventListener("swapped", () => {
  if (!card) return;
  const cell = document.querySelector(`#board [data-name="${shown.name}"]`);
  if (cell) show(cell, shown.any);
  else hide();
});

/** True if the focus came by keys, or if the browser cannot tell. */
function byKeys(cell) {
  try {
    return cell.matches(":focus-visible");
  } catch {
    return true;
  }
}

// While a change is looked at, the board shows what it does.
const cellOf = (event) => !document.getElementById("rule-preview") && event.target.closest?.("#board .cell");
document.addEventListener("click", (event) => {
  const cell = cellOf(event);
  // A tap on a place that can be chosen chooses it.
  if (cell && !cell.matches(".can, .chosen")) show(cell, true);
});
let touch = 0;
document.addEventListener("pointerover", (event) => {
  if (event.pointerType === "touch") return;
  const cell = cellOf(event);
  if (cell) show(cell);
  else hide();
});
document.addEventListener("focusin", (event) => {
  const cell = cellOf(event);
  if (cell && byKeys(cell)) show(cell);
  else hide();
});
document.addEventListener("pointerdown", (event) => {
  clearTimeout(touch);
  hide();
  const cell = event.pointerType === "touch" && cellOf(event);
  if (cell) touch = setTimeout(() => show(cell), 450);
});
for (const end of ["pointerup", "pointercancel", "pointermove"]) {
  document.addEventListener(end, (event) => {
    if (event.pointerType === "touch" && (end !== "pointermove" || Math.hypot(event.movementX, event.movementY) > 4)) clearTimeout(touch);
  });
}
document.addEventListener("contextmenu", (event) => {
  if (card && cellOf(event)) event.preventDefault();
});
document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
addEventListener("scroll", hide, { passive: true });
