// The boards of the games on the landing page, which play by themselves: only those in sight, and not for a reader who
// wants less motion. Everybody else can stop them.

const boards = [...document.querySelectorAll("img.living")];
const pause = document.getElementById("living-pause");
const inSight = new Set();
let runs = true;

function show() {
  for (const board of boards) {
    const [address] = board.src.split("#");
    const wanted = runs && inSight.has(board) ? address : `${address}#still`;
    if (board.src !== wanted) board.src = wanted;
  }
  pause.textContent = runs ? "Pause the boards" : "Play the boards";
}

if (!matchMedia("(prefers-reduced-motion: reduce)").matches) {
  pause.hidden = false;
  pause.addEventListener("click", () => {
    runs = !runs;
    show();
  });
  const sight = new IntersectionObserver((changes) => {
    for (const { target, isIntersecting } of changes) inSight[isIntersecting ? "add" : "delete"](target);
    show();
  });
  for (const board of boards) sight.observe(board);
}
