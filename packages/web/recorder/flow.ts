import type { RecorderState } from '@foreword/contract';
import { CAMERA, REFUSED } from '#recorder-texts';
import {
  pickedFile,
  type Recording,
  type StateAnswer,
  type Take,
  type Trim,
  UploadFailed,
  type UploadProgress,
  watchState,
} from './engine/index.ts';
import { beginRecording, CameraHolder, type Equipment } from './equipment.ts';
import type { FlowOptions } from './flow-model.ts';
import { type ClosedBy, firstModel, followState, keepsTakes, settledRecording, shownConsent } from './model.ts';
import { createPaceKeeper, firstPace } from './pace.ts';
import { clampPace } from './script.ts';
import { explainFile, explainUpload } from './take-problems.ts';
import { UnableFlow } from './unable-flow.ts';
import { Uploader } from './uploader.ts';

/** Combines the member's actions, the engine and the server's state into the model that the screens render. */
export class RecordingFlow extends UnableFlow {
  readonly api: string;
  readonly #uploader: Uploader;
  readonly #keepsCamera: () => boolean;
  #cameraHolder: CameraHolder;
  readonly #watch: { refresh(): void; stop(): void };
  readonly #keepPace: (wordsPerMinute: number) => void;
  #recording: Recording | null = null;
  #settledId: string | null = null;

  /** Resolves when the take of an earlier visit is found, if there is one. */
  readonly whenSearched: Promise<void>;

  constructor({ api, takes, camera, keepsCamera }: FlowOptions, state: RecorderState) {
    const wordsPerMinute = firstPace(state.member.words_per_minute);
    super(firstModel(state, { online: navigator.onLine, wordsPerMinute }));
    this.api = api;
    [this.#cameraHolder, this.#keepsCamera] = [camera, keepsCamera];
    this.#keepPace = createPaceKeeper(api);
    const link = { api, takes, consent: shownConsent(state) };
    this.#uploader = new Uploader(link, (progress) => this.#showUpload(progress));
    this.#watch = watchState(api, (answer) => this.#onState(answer));
    void this.#uploader.onNotDurable(() => this.set({ durable: false }));
    this.whenSearched = this.#findLeftover();
  }

  /** The camera for the next intro. This flow continues without one: its take is uploaded and processed. */
  handOver(): CameraHolder {
    const camera = this.#cameraHolder;
    this.#cameraHolder = new CameraHolder();
    return camera;
  }

  /** Stops following the server. */
  end(): void {
    this.#watch.stop();
    this.onChange(() => {});
  }

  // Updates from the server.

  #onState(answer: StateAnswer): void {
    if ('offline' in answer) this.set({ online: false });
    else if ('intro' in answer) this.#follow(answer);
    else if ('reassignedTo' in answer) void this.close('reassigned', answer.reassignedTo);
    else void this.close('closed' in answer ? answer.closed : 'unknown');
  }

  #follow(state: RecorderState): void {
    const { phase: before } = this.model;
    const phase = this.followDecline(followState(before, state, this.#settledId), state);
    this.set({ state, phase, online: true });
    if (phase.at === before.at) return;
    if (state.intro.status === 'sent') void this.#dropAll();
    // The server accepted or rejected the take: either way, nothing is left to send.
    else if (before.at === 'sending' || before.at === 'processing') void this.#forgetSent();
  }

  /** A cancellation ends every phase. */
  protected async close(why: ClosedBy, to: string | null = null): Promise<void> {
    if (this.isClosed) return;
    this.#watch.stop();
    const hadTake = this.#recording !== null || this.model.leftover !== null;
    const keeps = keepsTakes(why);
    this.go({ at: 'closed', why, take: keeps && this.model.leftover ? 'kept' : null, to });
    if (keeps) return this.#leaveAll();
    await this.#dropAll();
    if (hadTake) this.set({ phase: { at: 'closed', why, take: 'removed', to } });
  }

  async #leaveAll(): Promise<void> {
    await this.stop();
    this.#cameraHolder.release();
    await this.#uploader.abandon();
  }

  async #dropAll(): Promise<void> {
    const recording = this.#recording;
    this.#recording = null;
    await recording?.abort();
    if (this.isClosed) this.#cameraHolder.release();
    else this.#restCamera();
    const { leftover } = this.model;
    this.set({ leftover: null });
    // In parallel: the copy on this device must be deleted without waiting for signal.
    await Promise.all([this.#uploader.abandon(), leftover && this.#uploader.forget(leftover.id)]);
  }

  async #forgetSent(): Promise<void> {
    if (this.model.leftover?.id === this.#uploader.currentId) this.set({ leftover: null });
    await this.#uploader.forgetCurrent();
  }

  async #findLeftover(): Promise<void> {
    const { recording } = this.model.state;
    const arrivedId = recording === null || recording.status === 'uploading' ? null : recording.id;
    const leftover = await this.#uploader.findLeftover(arrivedId);
    if (leftover !== null && !(await this.#closeOver(leftover))) this.set({ leftover });
  }

  /** For a take that is found after the link was closed. */
  async #closeOver({ id }: Take): Promise<boolean> {
    const { phase } = this.model;
    if (phase.at !== 'closed') return false;
    const keeps = keepsTakes(phase.why);
    if (!keeps) await this.#uploader.forget(id);
    this.set({ phase: { ...phase, take: keeps ? 'kept' : 'removed' } });
    return true;
  }

  // The camera.

  async openCamera(): Promise<void> {
    this.go({ at: 'opening' });
    await this.#takeCamera(null);
  }

  async #takeCamera(note: string | null): Promise<void> {
    const equipment = await this.#cameraHolder.open();
    if ('problem' in equipment) return this.go({ at: 'problem', kind: equipment.problem, note: null });
    if (this.isClosed) return this.#cameraHolder.release();
    equipment.camera.onLost(() => this.#retakeCamera(equipment));
    this.go({ at: 'camera', equipment, note });
  }

  /** Phones take the camera away while the page is in the background. A running recording ends on its own. */
  #retakeCamera(lost: Equipment): void {
    const { at } = this.model.phase;
    if (!this.#cameraHolder.holds(lost) || (at !== 'camera' && at !== 'countdown')) return;
    this.#cameraHolder.release();
    void this.#takeCamera(CAMERA.lost);
  }

  async flip(): Promise<void> {
    const { phase } = this.model;
    if (phase.at !== 'camera' || !(await this.#cameraHolder.flip(phase.equipment))) return;
    if (this.model.phase.at === 'camera') this.go({ ...phase, note: null });
  }

  toStart(): void {
    this.#cameraHolder.release();
    this.go({ at: 'start' });
  }

  changePace(step: number): void {
    const pace = clampPace(this.model.wordsPerMinute + step);
    this.#keepPace(pace);
    this.set({ wordsPerMinute: pace });
  }

  // The take.

  async countDown(): Promise<void> {
    const { phase } = this.model;
    if (phase.at !== 'camera') return;
    const { equipment } = phase;
    equipment.meter.wake();
    await this.#cameraHolder.flipFinished();
    if (this.model.phase.at === 'camera' && this.#cameraHolder.holds(equipment))
      this.go({ at: 'countdown', equipment });
  }

  cancelCountdown(): void {
    const { phase } = this.model;
    if (phase.at === 'countdown') this.go({ at: 'camera', equipment: phase.equipment, note: null });
  }

  async record(): Promise<void> {
    const { phase, state } = this.model;
    if (phase.at !== 'countdown') return;
    const { equipment } = phase;
    const spool = await this.#uploader.spool();
    if (this.model.phase !== phase || !this.#cameraHolder.holds(equipment)) return;
    const options = { maxMs: state.limits.hard_s * 1000, onEnd: () => void this.stop() };
    const recording = beginRecording(equipment, spool, options);
    if (recording === null) {
      this.#cameraHolder.release();
      return this.go({ at: 'problem', kind: 'unsupported', note: null });
    }
    this.#settledId = settledRecording(state);
    this.#recording = recording;
    this.go({ at: 'recording', equipment, startedAtMs: recording.startedAtMs });
    await this.#uploader.begin(recording.takeId);
  }

  async stop(): Promise<void> {
    const recording = this.#recording;
    if (recording === null) return;
    this.#recording = null;
    this.go({ at: 'saving' });
    try {
      await this.#show(await recording.stop());
    } catch {
      await this.#uploader.abandon();
      this.go({ at: 'refused', message: REFUSED.fallback, note: null });
    } finally {
      this.#restCamera();
    }
  }

  /** Turns off the camera light unless another intro follows. With an open microphone, phones may play through the earpiece. */
  #restCamera(): void {
    if (this.#keepsCamera()) this.#cameraHolder.pause();
    else this.#cameraHolder.release();
  }

  async #show(take: Take): Promise<void> {
    if (await this.#closeOver(take)) return;
    const { leftover } = this.model;
    this.set({ phase: { at: 'review', take }, leftover: take });
    // Kept until now, in case the member closes the page during the retake.
    if (leftover !== null && leftover.id !== take.id) await this.#uploader.forget(leftover.id);
  }

  async retake(): Promise<void> {
    this.go({ at: 'opening' });
    await Promise.all([this.#uploader.abandon(), this.#takeCamera(null)]);
  }

  trim(trim: Trim | null): void {
    const take = this.retrim(trim);
    if (take !== null) void this.#uploader.keepTrim(take);
  }

  async watchLeftover(): Promise<void> {
    const { leftover } = this.model;
    if (leftover === null) return;
    await this.#startUpload(leftover);
    await this.#show(leftover);
  }

  async pick(file: File): Promise<void> {
    const { phase, state } = this.model;
    if (phase.at !== 'problem' && phase.at !== 'refused') return;
    try {
      const take = await pickedFile(file, await this.#uploader.spool(), state.limits);
      await this.#startUpload(take);
      await this.#show(take);
    } catch (problem) {
      this.go({ ...phase, note: explainFile(problem, state.limits) });
    }
  }

  /** Processes the refused take again. The reloaded page follows it. */
  async retry(): Promise<void> {
    if (await this.#uploader.retryRefused()) return location.reload();
    const { phase } = this.model;
    if (phase.at === 'refused') this.go({ ...phase, note: REFUSED.offline });
  }

  async #startUpload(take: Take): Promise<void> {
    this.#settledId = settledRecording(this.model.state);
    await this.#uploader.resume(take);
  }

  #showUpload(upload: UploadProgress | null): void {
    this.set({ upload });
    if (upload?.closed !== undefined) void this.close(upload.closed);
  }

  /** Sends the reviewed take, one from an earlier visit, or one that could not be sent before. */
  async send(): Promise<void> {
    const { leftover } = this.model;
    if (leftover === null) return;
    this.go({ at: 'sending' });
    try {
      await this.#startUpload(leftover);
      await this.#uploader.finish();
      if (this.model.phase.at === 'sending') this.go({ at: 'processing' });
      this.#watch.refresh();
    } catch (failure) {
      // A state update already moved the flow on.
      if (this.model.phase.at !== 'sending') return;
      if (failure instanceof UploadFailed && failure.closed !== null) await this.close(failure.closed);
      else this.go({ at: 'refused', message: explainUpload(failure), note: null });
    }
  }
}
