// Helps to fill in the forms for a new account and a new match.

// The time zone for a new account: the browser knows it, people need not type it.
for (const field of document.querySelectorAll("input[data-zone]")) {
  if (!field.value) field.value = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";
}

// A new match: only the sides of the chosen game; typing a name chooses "by name".
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
