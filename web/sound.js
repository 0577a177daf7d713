// Synthesised sounds; off by default.

import { preferences } from "./preferences.js";

/** @type {AudioContext | null} */
let audio = null;

/** The notes of each sound: pitch in Hz, and start in seconds. @type {Record<string, [number, number][]>} */
const SOUNDS = {
  mark: [[520, 0]],
  turn: [
    [520, 0],
    [590, 0.08],
  ],
  joined: [
    [660, 0],
    [880, 0.12],
  ],
  won: [
    [520, 0],
    [660, 0.09],
    [780, 0.18],
  ],
  lost: [
    [520, 0],
    [440, 0.12],
  ],
  drawn: [
    [520, 0],
    [520, 0.15],
  ],
};

/** @param {"mark" | "turn" | "joined" | "won" | "lost" | "drawn"} what */
export function sound(what) {
  if (!preferences().sound) return;
  audio ??= new AudioContext();
  // Browsers suspend audio until the user interacts with the page.
  if (audio.state === "suspended") void audio.resume();
  for (const [pitch, after] of SOUNDS[what] ?? []) note(audio, pitch, audio.currentTime + after);
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
