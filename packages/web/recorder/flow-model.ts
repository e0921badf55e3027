import type { Take, Trim } from './engine/index.ts';
import type { CameraHolder } from './equipment.ts';
import type { Model, Phase } from './model.ts';

export interface FlowOptions {
  readonly api: string;
  /** Names this intro's takes in the browser's storage. */
  readonly takes: string;
  readonly camera: CameraHolder;
  /** Whether the camera stays on after a take, because another intro follows. */
  keepsCamera(): boolean;
}

/** Holds the model of one intro, and notifies its screen. */
export class FlowModel {
  #model: Model;
  #listener: () => void = () => {};

  constructor(model: Model) {
    this.#model = model;
  }

  get model(): Model {
    return this.#model;
  }

  onChange(listener: () => void): void {
    this.#listener = listener;
  }

  protected set(change: Partial<Model>): void {
    this.#model = { ...this.#model, ...change };
    this.#listener();
  }

  /** A closed link stays closed. */
  protected go(phase: Phase): void {
    if (!this.isClosed) this.set({ phase });
  }

  /** Shows the take in review with another trim, and returns it. Null outside of the review. */
  protected retrim(trim: Trim | null): Take | null {
    const { phase } = this.#model;
    if (phase.at !== 'review') return null;
    const take = { ...phase.take, trim };
    this.set({ phase: { at: 'review', take }, leftover: take });
    return take;
  }

  protected get isClosed(): boolean {
    return this.#model.phase.at === 'closed';
  }
}
