// What all pages do a little better with a script. Every page works without.

// The zone for a new account: the browser knows it, people need not type it.
for (const field of document.querySelectorAll("input[data-zone]")) {
  if (!field.value) field.value = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";
}

// Light or dark without loading the page again, so that nothing typed is lost.
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
    // It holds for this page; next time it will be asked again.
  }
});

// A new match: only the sides of the game that is chosen; typing a name chooses "by name".
const game = document.querySelector("form.new select[name=game]");
if (game) {
  const side = game.form.elements.side;
  const all = [...side.querySelectorAll("optgroup")];
  const fit = () => {
    for (const group of all) group.remove();
    const fitting = all.find((group) => group.dataset.game === game.value);
    if (fitting) side.append(fitting);
    if (side.selectedIndex < 0) side.selectedIndex = 0;
  };
  game.addEventListener("change", () => {
    side.selectedIndex = 0;
    fit();
  });
  fit();
  for (const field of document.querySelectorAll("[data-picks]")) {
    field.addEventListener("input", () => {
      document.getElementById(field.dataset.picks).checked = true;
    });
  }
}

// A link to hand on: one touch selects and copies it.
document.addEventListener("click", async (event) => {
  const field = event.target.closest?.("input[data-copy]");
  if (!field) return;
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    // Selected is good enough.
  }
});
