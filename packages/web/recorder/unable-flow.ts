import type { Colleague, DeclineReason, RecorderState } from '@foreword/contract';
import { DONE, UNABLE } from '#recorder-texts';
import { fetchColleagues, type Refusal, sendUnable } from './engine/requests.ts';
import type { Edits, Take } from './engine/types.ts';
import { type ClosedBy, firstPhase, type Model, type Phase, type UnableStep } from './model.ts';

/** Holds the model of one intro, and notifies its screen; declines the intro, or hands it over to a colleague. */
export abstract class UnableFlow {
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

  /** Shows the take in review with other edits, and returns it. Null outside of the review. */
  protected change(edits: Partial<Edits>): Take | null {
    const { phase } = this.#model;
    if (phase.at !== 'review') return null;
    const take = { ...phase.take, ...edits };
    this.set({ phase: { at: 'review', take }, leftover: take });
    return take;
  }

  protected get isClosed(): boolean {
    return this.#model.phase.at === 'closed';
  }

  abstract readonly api: string;
  /** The member declined earlier and wants to record now. */
  #recordsAnyway = false;

  protected abstract close(why: ClosedBy, to?: string): Promise<void>;

  /** Keeps up with a decline in the console or on another phone. */
  protected followDecline(phase: Phase, state: RecorderState): Phase {
    const isDeclined = state.intro.declined;
    if (phase.at === 'declined') return isDeclined ? phase : firstPhase(state);
    const isIdle = phase.at === 'start' || phase.at === 'unable';
    return isIdle && isDeclined && !this.#recordsAnyway ? { at: 'declined' } : phase;
  }

  /** Only while there is no video on its way. */
  get mayDecline(): boolean {
    const { intro, recording } = this.model.state;
    const isOnItsWay = recording?.status === 'checking' || recording?.status === 'processing';
    return intro.status === 'requested' && !isOnItsWay;
  }

  showUnable(step: UnableStep): void {
    this.go({ at: 'unable', step, note: null, busy: false, colleagues: null });
    if (step === 'colleague') void this.loadColleagues();
  }

  async loadColleagues(): Promise<void> {
    this.#update({ note: null, busy: true });
    const found = await fetchColleagues(this.api);
    if (!('length' in found)) await this.#refuse(found);
    else this.#update({ colleagues: found, busy: false });
  }

  async handIntroOver(colleague: Colleague): Promise<void> {
    const refusal = await this.#send(() => sendUnable(this.api, { member: colleague.id }));
    if (refusal === null) await this.close('reassigned', colleague.name);
  }

  async decline(reason: DeclineReason, message: string | null): Promise<void> {
    const refusal = await this.#send(() => sendUnable(this.api, { reason, message }));
    if (refusal !== null) return;
    const { state } = this.model;
    this.#recordsAnyway = false;
    this.set({ state: { ...state, intro: { ...state.intro, declined: true } } });
    this.go({ at: 'declined' });
  }

  recordAnyway(): void {
    this.#recordsAnyway = true;
    this.go({ at: 'start' });
  }

  async #send(send: () => Promise<Refusal | null>): Promise<Refusal | null | 'busy'> {
    const { phase } = this.model;
    if (phase.at !== 'unable' || phase.busy) return 'busy';
    this.#update({ note: null, busy: true });
    const refusal = await send();
    if (refusal !== null) await this.#refuse(refusal);
    return refusal;
  }

  async #refuse(refusal: Refusal): Promise<void> {
    if ('closed' in refusal) return this.close(refusal.closed);
    if ('reassignedTo' in refusal) return this.close('reassigned', refusal.reassignedTo);
    this.#update({ note: UNABLE.problems[refusal.code ?? ''] ?? DONE.sendFailed, busy: false });
  }

  /** Does nothing once the member has left the form. */
  #update(change: Partial<Omit<Extract<Phase, { at: 'unable' }>, 'at'>>): void {
    const { phase } = this.model;
    if (phase.at === 'unable') this.go({ ...phase, ...change });
  }
}
