// Fetching a page again and taking over what is new in it, without disturbing who is typing.

/** The element that has the focus, in words that hold for the new page, too. */
function focused() {
  const active = document.activeElement;
  if (!active || active === document.body) return null;
  const cell = active.closest?.("#board [data-name]");
  return {
    find: cell ? `#board [data-name="${CSS.escape(cell.dataset.name)}"]` : active.id && `#${CSS.escape(active.id)}`,
    range: active.selectionStart === undefined ? null : [active.selectionStart, active.selectionEnd],
  };
}

/** What was typed, ticked or opened in `part` and is not yet on the server. */
function typed(part) {
  const found = [];
  for (const field of part.querySelectorAll("input[id], textarea[id]")) {
    if (field.type === "checkbox" || field.type === "radio") {
      if (field.checked !== field.defaultChecked) found.push([field.id, "checked", field.checked]);
    } else if (field.value !== field.defaultValue) {
      found.push([field.id, "value", field.value]);
    }
  }
  for (const details of part.querySelectorAll("details[id]")) {
    if (details.open) found.push([details.id, "open", true]);
  }
  return found;
}

/** Takes over all parts marked `data-live` from another version of this page. */
export function swap(text) {
  const next = new DOMParser().parseFromString(text, "text/html");
  if (!next.getElementById("match")) return false;
  const focus = focused();
  // When the match begins, there are parts that were not on the page before.
  const isWhole = [...next.querySelectorAll("[data-live]")].every((part) => document.getElementById(part.id));
  if (!isWhole) {
    document.querySelector(".panel").replaceWith(next.querySelector(".panel").cloneNode(true));
  }
  let lost = false;
  for (const part of document.querySelectorAll("[data-live]")) {
    const fresh = next.getElementById(part.id);
    if (!fresh) {
      part.replaceChildren();
      continue;
    }
    for (const { name, value } of fresh.attributes) part.setAttribute(name, value);
    // What the server said is compared with what it says now: scripts may have changed the rest.
    const source = fresh.innerHTML;
    if ((part.source ?? part.innerHTML) === source && !part.changed) continue;
    const kept = typed(part);
    const scroll = part.scrollTop;
    lost = lost || part.contains(document.activeElement);
    part.replaceChildren(...fresh.childNodes);
    part.source = source;
    part.changed = false;
    part.scrollTop = scroll;
    for (const [id, what, value] of kept) {
      const field = document.getElementById(id);
      if (field) field[what] = value;
    }
  }
  const match = document.getElementById("match");
  match.className = next.getElementById("match").className;
  document.body.className = next.body.className;
  document.title = next.title;
  if (lost && focus?.find) {
    const element = document.querySelector(focus.find);
    // A place that is no link can't have the focus by itself.
    if (element?.dataset.name && !element.hasAttribute("href")) element.setAttribute("tabindex", "-1");
    element?.focus({ preventScroll: true });
    if (focus.range?.[0] != null && element?.setSelectionRange) {
      try {
        element.setSelectionRange(...focus.range);
      } catch {
        // Not a field for text.
      }
    }
  }
  document.dispatchEvent(new CustomEvent("swapped"));
  return true;
}

let latest = 0;
/** A form on its way: its answer is not to be overtaken. */
let posting = null;

async function get(address, options) {
  const answer = await fetch(address, options);
  return [answer, await answer.text()];
}

/**
 * Fetches `address` and takes it over; goes there as a link does if that cannot be done. With
 * `push` the browser can go back from there; what was refused leaves it where it is.
 */
export async function load(address, { push = false, ...options } = {}) {
  if (!options.method) await posting;
  const mine = ++latest;
  const fetched = get(address, options);
  if (options.method) {
    posting = fetched.then(
      () => {},
      () => {},
    );
  }
  const [answer, text] = await fetched;
  // A later one has overtaken it.
  if (mine !== latest) return answer;
  const { home } = document.getElementById("match").dataset;
  const elsewhere = answer.redirected && !new URL(answer.url).pathname.startsWith(home);
  // First: what is chosen on the board looks at the address.
  if (push && answer.ok && !elsewhere && answer.url !== location.href) history.pushState(null, "", answer.url);
  if (elsewhere || !swap(text)) {
    if (options.method) location.assign(answer.url);
    else if (elsewhere) location.assign(address);
  }
  return answer;
}
