// Changes a piece of the page, in place, to the server's present version. An element that is in both versions stays, so
// that typed text, selection, scrolling and focus are not disturbed. Elements are told apart by their id, `data-key` or
// `data-name`, and by their effect; the others by their order.

/** Hidden fields that change with every event, while their form stays the same to the reader. */
const PASSING = ["csrf", "event", "ply", "after"];

const own = (element) => element.getAttribute("id") || element.dataset.key || element.dataset.name || "";

const hidden = (form) => [...form.querySelectorAll("input[type=hidden]")].map(({ name, value }) => [name, value]);

const ticks = ({ type }) => type === "checkbox" || type === "radio";

/** The effect of an element, as far as the reader tells it from its neighbours by that. */
export function does(element) {
  switch (element.localName) {
    case "form":
      return [element.getAttribute("action"), ...hidden(element).filter(([name]) => !PASSING.includes(name))].join("\n");
    case "a":
      return own(element) || `${(element.getAttribute("href") ?? "").split("?")[0]}\n${element.textContent}`;
    case "button":
      return `${element.name}\n${element.value}`;
    case "input":
      return `${element.type}\n${element.name}\n${ticks(element) ? element.value : ""}`;
    case "select":
    case "textarea":
      return element.name;
    case "option":
      return element.value;
    default:
      return "";
  }
}

/** The name by which an element is found again: its own, or that of the first element in it with one. */
function named(element) {
  const name = "[id], [data-key], [data-name], form, button[value]";
  const bearer = element.matches(name) ? element : element.querySelector(name);
  return bearer ? `${element.localName}\n${own(bearer) || does(bearer)}` : "";
}

/** True if one can become the other where only their order tells them apart. */
function alike(one, next) {
  if (one.nodeType !== next.nodeType) return false;
  if (one.nodeType !== Node.ELEMENT_NODE) return one.nodeType === Node.TEXT_NODE;
  if (one.localName !== next.localName || own(one) !== own(next)) return false;
  const what = one.localName === "form" ? (form) => form.getAttribute("action") : does;
  return what(one) === what(next);
}

/** For each child of `fresh` the child of `old` that becomes it, if there is one. */
function pairs(old, fresh) {
  const found = new Map();
  const ours = [...old.childNodes].filter((node) => !node.added);
  const theirs = [...fresh.childNodes];
  // Most children have not changed.
  while (ours.length && theirs.length && ours[0].isEqualNode(theirs[0])) found.set(theirs.shift(), ours.shift());
  while (ours.length && theirs.length && ours[ours.length - 1].isEqualNode(theirs[theirs.length - 1])) found.set(theirs.pop(), ours.pop());
  const left = new Set(ours);
  const byName = new Map();
  for (const one of ours) {
    const name = one.nodeType === Node.ELEMENT_NODE && named(one);
    if (name) byName.set(name, [...(byName.get(name) ?? []), one]);
  }
  const pair = (next, one) => {
    found.set(next, one);
    left.delete(one);
  };
  for (const next of theirs) {
    const one = next.nodeType === Node.ELEMENT_NODE && byName.get(named(next))?.shift();
    if (one) pair(next, one);
  }
  for (const next of theirs) {
    if (found.has(next)) continue;
    for (const one of left) {
      if (!alike(one, next)) continue;
      pair(next, one);
      break;
    }
  }
  return found;
}

function attributes(one, next) {
  const isDetails = one.localName === "details";
  for (const name of one.getAttributeNames()) {
    // Details that the reader has opened stay open.
    if (!next.hasAttribute(name) && !(isDetails && name === "open")) one.removeAttribute(name);
  }
  for (const { name, value } of next.attributes) {
    // And those that the reader has closed stay closed.
    if (one.getAttribute(name) !== value && !(isDetails && name === "open" && one.touched)) one.setAttribute(name, value);
  }
}

/** Gives a function that updates a field once its attributes are new, if any: typed text and choices stay. */
function field(one, next) {
  if (one.localName === "select") {
    const first = [...one.options].find((option) => option.defaultSelected) ?? one.options[0];
    const value = !first || one.value === first.value ? next.value : one.value;
    return () => [...one.options].some((option) => option.value === value) && (one.value = value);
  }
  if (one.localName === "input" && ticks(one)) {
    return one.checked === one.defaultChecked ? () => (one.checked = next.checked) : null;
  }
  if ((one.localName !== "input" && one.localName !== "textarea") || one.value !== one.defaultValue) return null;
  const { value } = next;
  return () => one.value !== value && (one.value = value);
}

function become(one, next) {
  if (one.isEqualNode(next)) return;
  if (one.nodeType !== Node.ELEMENT_NODE) {
    one.data = next.data;
    return;
  }
  const then = field(one, next);
  attributes(one, next);
  morph(one, next);
  then?.();
}

/** Makes the children of `old` those of `fresh`, reusing old ones; nodes that scripts have `added` stay. */
export function morph(old, fresh) {
  const found = pairs(old, fresh);
  const wanted = [...fresh.childNodes].map((next) => {
    const one = found.get(next);
    if (one) become(one, next);
    return one ?? next;
  });
  const staying = new Set(wanted);
  // Not by `child.remove()`: a form with a button of that name has none.
  for (const child of [...old.childNodes]) if (!staying.has(child) && !child.added) old.removeChild(child);
  // An element that is moved loses its focus: the others make way.
  const still = wanted.find((child) => old.contains(child) && child.contains(document.activeElement));
  let at = old.firstChild;
  for (const child of wanted) {
    while (at && (at.added || (child === still && at !== still))) {
      const passed = at;
      at = at.nextSibling;
      if (!passed.added) old.append(passed);
    }
    if (child === at) at = at.nextSibling;
    else old.insertBefore(child, at);
  }
}
