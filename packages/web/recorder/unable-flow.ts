import type { Colleague, DeclineReason, RecorderState } from '@foreword/contract';
import { UNABLE } from '#recorder-texts';
import { fetchColleagues, type Refusal, sendDecline, sendHandOver } from './engine/index.ts';
import { FlowModel } from './flow-model.ts';
import { type ClosedBy, firstPhase, type Phase, type UnableStep } from './model.ts';

/** Declines an intro, or hands it over to a colleague. */
export abstract class UnableFlow extends FlowModel {
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
    this.#change({ note: null, busy: true });
    const found = await fetchColleagues(this.api);
    if ('kind' in found) await this.#refuse(found);
    else this.#change({ colleagues: found, busy: false });
  }

  async handIntroOver(colleague: Colleague): Promise<void> {
    const refusal = await this.#send(() => sendHandOver(this.api, colleague));
    if (refusal === null) await this.close('reassigned', colleague.name);
  }

  async decline(reason: DeclineReason, message: string | null): Promise<void> {
    const refusal = await this.#send(() => sendDecline(this.api, { reason, message }));
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

  /** Says on the form that something is missing. */
  complain(note: string): void {
    this.#change({ note });
  }

  async #send(send: () => Promise<Refusal | null>): Promise<Refusal | null | 'busy'> {
    const { phase } = this.model;
    if (phase.at !== 'unable' || phase.busy) return 'busy';
    this.#change({ note: null, busy: true });
    const refusal = await send();
    if (refusal !== null) await this.#refuse(refusal);
    return refusal;
  }

  async #refuse(refusal: Refusal): Promise<void> {
    if (refusal.kind === 'closed') return this.close(refusal.closed);
    if (refusal.kind === 'reassigned') return this.close('reassigned', refusal.to);
    this.#change({ note: UNABLE.problems[refusal.code ?? ''] ?? UNABLE.failed, busy: false });
  }

  /** Does nothing once the member has left the form. */
  #change(change: Partial<Omit<Extract<Phase, { at: 'unable' }>, 'at'>>): void {
    const { phase } = this.model;
    if (phase.at === 'unable') this.go({ ...phase, ...change });
  }
}
