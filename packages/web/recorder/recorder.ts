import type { RecorderNext, RecorderState } from '@foreword/contract';
import { TITLE } from '#recorder-texts';
import { fetchNext } from './engine/requests.ts';
import { CameraHolder, keepAwake } from './equipment.ts';
import { RecordingFlow } from './flow.ts';
import type { Phase } from './model.ts';

/** Phases in which the screen must stay on. */
const AWAKE: readonly Phase['at'][] = ['camera', 'countdown', 'recording', 'saving', 'sending'];
/** Phases in which the next intro should be known: it decides whether the camera stays on, and what the page offers. */
const LEADS_ON: readonly Phase['at'][] = ['camera', 'sending', 'processing', 'done', 'unable', 'declined', 'closed'];
/** A take that is being recorded or reviewed would be lost to the member if another intro came to the front. */
const BUSY: readonly Phase['at'][] = ['countdown', 'recording', 'saving', 'review'];

interface RecorderView {
  readonly flow: RecordingFlow;
  /** Earlier intros of this visit, whose takes are still being sent or need the member. */
  readonly earlier: readonly RecordingFlow[];
  /** Null: not known, or the link is for this intro only. */
  readonly next: RecorderNext | null;
}

/** The intros that this page records one after another, with one camera. */
export class Recorder {
  readonly #camera = new CameraHolder();
  #view: RecorderView;
  #listener: () => void = () => {};
  #lastPhase: Phase['at'] | null = null;
  #fetches = 0;

  constructor(link: { api: string; takes: string }, state: RecorderState) {
    this.#view = { flow: this.#open(link, state, this.#camera), earlier: [], next: null };
    this.#onFlow(this.#view.flow);
    this.#showTitle();
    window.addEventListener('beforeunload', (event) => {
      if (this.#flows.some((flow) => isUploading(flow) || isOnlyHere(flow))) event.preventDefault();
    });
  }

  get view(): RecorderView {
    return this.#view;
  }

  onChange(listener: () => void): void {
    this.#listener = listener;
  }

  /** Whether another intro may come to the front. */
  get mayChange(): boolean {
    return !BUSY.includes(this.#view.flow.model.phase.at);
  }

  /** Opens the next intro. This one's take is still being sent and processed. */
  async recordNext(): Promise<void> {
    const next = this.#view.next?.next ?? null;
    if (next === null || !this.mayChange) return;
    const { flow: before } = this.#view;
    const earlier = [...this.#view.earlier.filter(needsAttention), before];
    const flow = this.#open({ api: next.api, takes: next.api }, next.state, before.handOver());
    this.#bringToFront(flow, earlier);
    await flow.whenSearched;
    const { phase, leftover } = flow.model;
    if (this.#view.flow === flow && phase.at === 'start' && leftover === null) await flow.openCamera();
  }

  /** Returns to an earlier intro. The present one is offered again as the next, unless its take is on its way. */
  show(flow: RecordingFlow): void {
    const { flow: before, earlier } = this.#view;
    if (!this.mayChange || !earlier.includes(flow)) return;
    before.handOver().release();
    const others = earlier.filter((one) => one !== flow);
    const keeps = ['sending', 'processing', 'refused', 'done'].includes(before.model.phase.at);
    if (!keeps) before.end();
    this.#bringToFront(flow, keeps ? [...others, before] : others);
  }

  #open(link: { api: string; takes: string }, state: RecorderState, camera: CameraHolder): RecordingFlow {
    const keepsCamera = () => (this.#view.next?.next ?? null) !== null;
    const flow = new RecordingFlow({ ...link, camera, keepsCamera }, state);
    flow.onChange(() => this.#onFlow(flow));
    return flow;
  }

  #bringToFront(flow: RecordingFlow, earlier: readonly RecordingFlow[]): void {
    for (const left of this.#view.earlier) if (left !== flow && !earlier.includes(left)) left.end();
    this.#view = { flow, earlier, next: null };
    this.#lastPhase = null;
    // A reload shows the same intro, and Back leaves the recorder.
    window.history.replaceState(null, '', flow.api);
    this.#showTitle();
    this.#onFlow(flow);
  }

  #showTitle(): void {
    const { intro, organization } = this.#view.flow.model.state;
    document.title = TITLE(intro.recipient.first_name, organization.name);
  }

  get #flows(): readonly RecordingFlow[] {
    return [this.#view.flow, ...this.#view.earlier];
  }

  #onFlow(flow: RecordingFlow): void {
    keepAwake(this.#flows.some(({ model }) => AWAKE.includes(model.phase.at)));
    if (flow === this.#view.flow) {
      const { at } = flow.model.phase;
      if (at !== this.#lastPhase && LEADS_ON.includes(at)) void this.#findNext();
      this.#lastPhase = at;
    }
    this.#listener();
  }

  async #findNext(): Promise<void> {
    const { flow, earlier } = this.#view;
    this.#fetches += 1;
    const fetchNumber = this.#fetches;
    const next = await fetchNext(
      flow.api,
      earlier.map(({ model }) => model.state.intro.id),
    );
    // Without an answer, what was known before is the best guess.
    if (next === null || fetchNumber !== this.#fetches || this.#view.flow !== flow) return;
    this.#view = { ...this.#view, next };
    this.#listener();
  }
}

const isUploading = ({ model: { phase, upload } }: RecordingFlow): boolean =>
  phase.at === 'sending' && upload?.state !== 'done';

/** The take would be lost with the page. */
const isOnlyHere = ({ model: { phase, durable, leftover } }: RecordingFlow): boolean =>
  !durable && (leftover !== null || BUSY.includes(phase.at));

/** Earlier intros leave the list once their video is processed. */
const needsAttention = ({ model }: RecordingFlow): boolean =>
  !['done', 'closed', 'declined', 'unable'].includes(model.phase.at);
