import { elapsedMs } from './clock.ts';
import { Signal } from './signal.ts';
import { barLevel, type SoundFrame, summarizeLevels, summarizeSound } from './take-check.ts';
import type { MeasuredTake } from './types.ts';

const SOUND_EVERY_MS = 50;
const LIGHT_EVERY_MS = 250;
/** 43 ms at 48 kHz: nearly all of the sound between two measurements. */
const SAMPLES = 2_048;
const CLIPS_AT = 0.985;
const LIGHT_WIDTH = 24;
const LIGHT_HEIGHT = 32;
const GESTURES = ['pointerdown', 'keydown', 'touchend'] as const;

interface Trace {
  frames: SoundFrame[];
  lights: number[];
}

/** Measures the stream's sound and light. It never fails: measurements a browser does not support are left out. */
export class Meter {
  readonly #ear: Ear | null;
  readonly #eye: Eye;
  readonly #level = new Signal<[number, boolean]>();
  readonly #light = new Signal<[number]>();
  readonly #traces = new Set<Trace>();
  readonly #timers: number[];
  readonly #onGesture = (): void => this.wake();

  constructor(stream: MediaStream) {
    this.#ear = openEar(stream);
    this.#eye = new Eye(stream);
    this.#timers = [
      window.setInterval(() => this.#listen(), SOUND_EVERY_MS),
      window.setInterval(() => this.#look(), LIGHT_EVERY_MS),
    ];
    for (const gesture of GESTURES) document.addEventListener(gesture, this.#onGesture, { capture: true });
    this.wake();
  }

  /** About 20 times a second; `level` 0..1 is meant for a bar (decibels, not amplitude). */
  onLevel(listener: (level: number, clipped: boolean) => void): () => void {
    return this.#level.add(listener);
  }

  /** About 4 times a second; 0..1. */
  onLight(listener: (brightness: number) => void): () => void {
    return this.#light.add(listener);
  }

  /** Some phones measure sound only after a gesture: call it on the first tap. Taps anywhere also work. */
  wake(): void {
    this.#ear?.wake();
    this.#eye.wake();
  }

  /** Starts measuring for the take check. */
  measure(): { finish(durationMs: number): MeasuredTake } {
    const startMs = elapsedMs();
    const trace: Trace = { frames: [], lights: [] };
    this.#traces.add(trace);
    return {
      finish: (durationMs) => {
        this.#listen();
        this.#look();
        this.#traces.delete(trace);
        const { lights } = trace;
        const brightness = lights.length ? lights.reduce((sum, light) => sum + light, 0) / lights.length : null;
        const levels = summarizeLevels(trace.frames, startMs, durationMs);
        return { durationMs, sound: summarizeSound(trace.frames), brightness, levels };
      },
    };
  }

  close(): void {
    for (const timer of this.#timers) window.clearInterval(timer);
    for (const gesture of GESTURES) document.removeEventListener(gesture, this.#onGesture, { capture: true });
    this.#level.clear();
    this.#light.clear();
    this.#ear?.close();
    this.#eye.close();
  }

  #listen(): void {
    const frame = this.#ear?.hear();
    if (!frame) return;
    for (const { frames } of this.#traces) frames.push(frame);
    this.#level.emit(barLevel(frame.power), frame.clipped > 0);
  }

  #look(): void {
    const light = this.#eye.see();
    if (light === null) return;
    for (const { lights } of this.#traces) lights.push(light);
    this.#light.emit(light);
  }
}

function openEar(stream: MediaStream): Ear | null {
  if (stream.getAudioTracks().length === 0 || typeof AudioContext === 'undefined') return null;
  try {
    return new Ear(stream);
  } catch {
    return null;
  }
}

class Ear {
  readonly #context = new AudioContext({ latencyHint: 'interactive' });
  readonly #analyser: AnalyserNode;
  readonly #source: MediaStreamAudioSourceNode;
  readonly #samples = new Float32Array(SAMPLES);

  constructor(stream: MediaStream) {
    this.#analyser = this.#context.createAnalyser();
    this.#analyser.fftSize = SAMPLES;
    // Kept in a field: some browsers garbage-collect an unreferenced source, and the meter stops.
    this.#source = this.#context.createMediaStreamSource(stream);
    this.#source.connect(this.#analyser);
  }

  wake(): void {
    if (this.#context.state !== 'running' && this.#context.state !== 'closed') {
      this.#context.resume().catch(() => undefined);
    }
  }

  hear(): SoundFrame | null {
    if (this.#context.state !== 'running') return null;
    this.#analyser.getFloatTimeDomainData(this.#samples);
    let power = 0;
    let clipped = 0;
    for (const sample of this.#samples) {
      power += sample * sample;
      if (Math.abs(sample) >= CLIPS_AT) clipped += 1;
    }
    return { atMs: elapsedMs(), power: power / SAMPLES, clipped, samples: SAMPLES };
  }

  close(): void {
    this.#source.disconnect();
    this.#context.close().catch(() => undefined);
  }
}

/** Uses its own video element, because the page's may be hidden or gone. */
class Eye {
  readonly #video = document.createElement('video');
  readonly #canvas: CanvasRenderingContext2D | null;

  constructor(stream: MediaStream) {
    const canvas = document.createElement('canvas');
    canvas.width = LIGHT_WIDTH;
    canvas.height = LIGHT_HEIGHT;
    this.#canvas = canvas.getContext('2d', { willReadFrequently: true });
    this.#video.muted = true;
    this.#video.playsInline = true;
    this.#video.srcObject = stream;
  }

  wake(): void {
    if (this.#video.paused) this.#video.play().catch(() => undefined);
  }

  see(): number | null {
    if (!this.#canvas || this.#video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA) return null;
    this.#canvas.drawImage(this.#video, 0, 0, LIGHT_WIDTH, LIGHT_HEIGHT);
    const { data } = this.#canvas.getImageData(0, 0, LIGHT_WIDTH, LIGHT_HEIGHT);
    let luma = 0;
    for (let at = 0; at < data.length; at += 4) {
      luma += 0.299 * (data[at] ?? 0) + 0.587 * (data[at + 1] ?? 0) + 0.114 * (data[at + 2] ?? 0);
    }
    return luma / (LIGHT_WIDTH * LIGHT_HEIGHT * 255);
  }

  close(): void {
    this.#video.pause();
    this.#video.srcObject = null;
  }
}
