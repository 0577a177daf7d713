// Two synthesised sounds; off by default.

import { preferences } from "./preferences.js";

/** @type {AudioContext | null} */
let audio = null;

/** @param {"mark" | "end"} what */
export function sound(what) {
  if (!preferences().sound) return;
  audio ??= new AudioContext();
  // Browsers suspend audio until the user interacts with the page.
  if (audio.state === "suspended") void audio.resume();
  const notes =
    what === "mark"
      ? [[520, 0]]
      : [
          [520, 0],
          [660, 0.09],
          [780, 0.18],
        ];
  for (const [pitch, after] of notes) note(audio, pitch ?? 520, audio.currentTime + (after ?? 0));
}

/** @param {AudioContext} out @param {number} pitch @param {number} at */
function note(out, pitch, at) {
  const tone = out.createOscillator();
  const loud = out.createGain();
  tone.frequency.value = pitch;
  tone.type = "triangle";
  loud.gain.setValueAtTime(0.08, at);
  loud.gain.exponentialRampToValueAtTime(0.0001, at + 0.12);
  tone.connect(loud).connect(out.destination);
  tone.start(at);
  tone.stop(at + 0.13);
}
