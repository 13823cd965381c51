// What a page says to its reader by itself.

export const GONE = "You can’t see this match any more. What you typed is still here, if you want to keep it.";

/** Shows an error: a text, or the content of an answer. */
export function say(...told) {
  const notice = document.createElement("div");
  notice.className = "notice bad";
  notice.setAttribute("role", "alert");
  notice.append(...told);
  const place = document.getElementById("notice");
  // Said twice it is not read out twice.
  if (!place || place.querySelector(".notice")?.innerHTML === notice.innerHTML) return;
  place.replaceChildren(notice);
  place.changed = true;
}

/** True if the reader has typed something that is not sent yet. */
const isTyped = () =>
  [...document.querySelectorAll("textarea, input:not([type]), input[type=text]")].some((field) => !field.readOnly && field.value !== field.defaultValue);

/** Loads the page again, unless its reader would lose what they have typed: then says `why`. */
export function renew(why) {
  if (isTyped()) say(why);
  else location.reload();
}

/** Takes back what was said. */
export function unsay(text) {
  const place = document.getElementById("notice");
  if (place?.textContent === text) place.replaceChildren();
}
