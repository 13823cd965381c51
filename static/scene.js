// The scene on the landing page: goes on from the moment that the page shows, and begins again after the last. A reader
// who wants less motion starts it; everybody can stop it.

import { request } from "./request.js";
import { fly, slideIn } from "./slide.js";

/** Milliseconds for which a moment is shown. */
const PACE = 5500;

const scene = document.getElementById("scene");
const pause = document.getElementById("scene-pause");
const caption = document.getElementById("scene-caption");

let moments = [];
let number = Number(scene.dataset.number);
let timer = 0;
let inSight = true;

const board = (name) => scene.querySelector(`[data-board="${name}"]`);

function show() {
  number = (number + 1) % moments.length;
  // The first moment only sets the boards up for the next.
  const steps = number === 0 ? [moments[0], moments[(number = 1)]] : [moments[number]];
  for (const moment of steps) {
    const { square, from } = moment.dataset;
    const start = square && board(from).querySelector(`[data-name="${square}"]`)?.getBoundingClientRect();
    for (const fresh of moment.querySelectorAll("[data-board]")) {
      const svg = fresh.querySelector("svg").cloneNode(true);
      board(fresh.dataset.board).querySelector("svg").replaceWith(svg);
      if (!start) slideIn(svg);
      else if (fresh.dataset.board !== from) fly(svg.querySelector(`use[data-name="${square}"], [data-name="${square}"] use`), start);
    }
    caption.replaceChildren(...[...moment.querySelector(".caption").childNodes].map((node) => node.cloneNode(true)));
  }
}

const goOn = () => {
  clearInterval(timer);
  timer = pause.dataset.runs && inSight && !document.hidden ? setInterval(show, PACE) : 0;
};

function run(runs) {
  pause.dataset.runs = runs ? "yes" : "";
  pause.textContent = runs ? "Pause" : "Play";
  goOn();
}

async function begin() {
  const answer = await request(scene.dataset.moments);
  if (!answer.ok) return;
  moments = [...new DOMParser().parseFromString(await answer.text(), "text/html").querySelectorAll("section")];
  pause.hidden = false;
  pause.addEventListener("click", () => {
    const runs = !pause.dataset.runs;
    run(runs);
    if (runs) show();
  });
  document.addEventListener("visibilitychange", goOn);
  new IntersectionObserver(([{ isIntersecting }]) => {
    inSight = isIntersecting;
    goOn();
  }).observe(scene);
  run(!matchMedia("(prefers-reduced-motion: reduce)").matches);
}

begin();
