// A soft sound and a short vibration when it becomes the reader's turn.

/** Milliseconds in which a new page stays quiet. */
const QUIET = 3000;

let before = true;
let audio = null;

/** Two short tones that swell and fade, and a vibration, if the page may be heard: not before it was touched. */
export function ring() {
  if (!navigator.userActivation?.hasBeenActive) return;
  navigator.vibrate?.(60);
  audio ??= new AudioContext();
  const now = audio.currentTime;
  for (const [start, pitch] of [[0, 659], [0.14, 880]]) {
    const [tone, volume] = [audio.createOscillator(), audio.createGain()];
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(0, now + start);
    volume.gain.linearRampToValueAtTime(0.08, now + start + 0.03);
    volume.gain.linearRampToValueAtTime(0, now + start + 0.3);
    tone.connect(volume).connect(audio.destination);
    tone.start(now + start);
    tone.stop(now + start + 0.3);
  }
}

/** Tells that it has become the reader's turn, if it was not before and the page may be heard. */
export function chime() {
  const status = document.getElementById("status")?.classList;
  // Who looks at an earlier moment comes back to the same turn.
  if (!status || status.contains("then")) return;
  const mine = status.contains("yours");
  const may = document.getElementById("match")?.dataset.chimes !== undefined && performance.now() > QUIET;
  if (mine && !before && may) ring();
  before = mine;
}
