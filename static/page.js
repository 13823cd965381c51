// Small improvements of all pages. Every page works without a script.

// Switches between light and dark without loading the page again, so that no typed text is lost.
document.querySelector("form.themes")?.addEventListener("submit", async (event) => {
  const button = event.submitter;
  if (!button) return;
  event.preventDefault();
  const form = event.currentTarget;
  const data = new URLSearchParams(new FormData(form));
  data.set("theme", button.value);
  document.documentElement.dataset.theme = button.value;
  for (const other of form.querySelectorAll("button")) {
    other.setAttribute("aria-pressed", String(other === button));
  }
  try {
    await fetch(form.action, { method: "POST", body: data, redirect: "manual" });
  } catch {
    // Not saved: the theme holds for this page only.
  }
});

// A button that was pressed shows it until the next page is there.
window.addEventListener("submit", (event) => {
  if (!event.defaultPrevented && event.target.method === "post") event.submitter?.setAttribute("aria-busy", "true");
});
window.addEventListener("pageshow", () => {
  for (const button of document.querySelectorAll("button[aria-busy]")) button.removeAttribute("aria-busy");
});

// Pages made for printing.
for (const button of document.querySelectorAll("[data-print]")) {
  button.hidden = false;
  button.addEventListener("click", () => print());
}

// A link to hand on: one click selects and copies it.
document.addEventListener("click", async (event) => {
  const field = event.target.closest?.("input[data-copy]");
  if (!field) return;
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    // Selecting it is good enough.
  }
});
