import type { Colleague, DeclineReason, RecorderState } from '@foreword/contract';
import { DEFAULT_LANGUAGE, LANGUAGES } from '@foreword/contract/plain';
import { CAMERA, DONE, PICK, REFUSED, UNABLE, UPLOAD_PROBLEMS } from '#recorder-texts';
import { captionsOf } from './captions.ts';
import { FileProblem, pickedFile } from './engine/file.ts';
import type { Recording } from './engine/recording.ts';
import { fetchColleagues, type Refusal, requestRetry, sendPreferences, sendUnable } from './engine/requests.ts';
import { Spool } from './engine/spool.ts';
import { StateWatch } from './engine/state.ts';
import { UploadFailed } from './engine/tus.ts';
import type { Edits, StateAnswer, Take, UploadProgress } from './engine/types.ts';
import { Upload } from './engine/upload.ts';
import { beginRecording, CameraHolder, type Equipment } from './equipment.ts';
import {
  type ClosedBy,
  firstPhase,
  followState,
  keepsTakes,
  type Model,
  type Phase,
  settledRecording,
  shownConsent,
  type UnableStep,
} from './model.ts';
import { createPaceKeeper, firstPace } from './preferences.ts';
import { clampPace } from './script.ts';

interface FlowOptions {
  readonly api: string;
  /** Names this intro's takes in the browser's storage. */
  readonly takes: string;
  readonly camera: CameraHolder;
  /** Whether the camera stays on after a take, because another intro follows. */
  keepsCamera(): boolean;
}

const WANTS_CAMERA: readonly Phase['at'][] = ['opening', 'camera', 'countdown'];

/** Why a picked file cannot be sent. */
const explainFile = (problem: unknown): string =>
  PICK.problem[problem instanceof FileProblem ? problem.kind : 'unreadable'];

/** Why a take could not be uploaded. */
const explainUpload = (failure: unknown): string =>
  failure instanceof UploadFailed ? UPLOAD_PROBLEMS[failure.problem] : REFUSED.fallback;

/** Combines the member's actions, the engine and the server's state into the model that the screens render. */
export class RecordingFlow {
  readonly api: string;
  #model: Model;
  #listener: () => void = () => {};
  readonly #consent: string;
  readonly #spool: Spool;
  /** The take that an earlier visit left on this device, or the one being recorded. */
  #upload: Upload | null = null;
  readonly #keepsCamera: () => boolean;
  #cameraHolder: CameraHolder;
  readonly #watch: StateWatch;
  readonly #keepPace: (wordsPerMinute: number) => void;
  #recording: Recording | null = null;
  #settledId: string | null = null;
  /** The member declined earlier and wants to record now. */
  #recordsAnyway = false;

  /** Resolves when the take of an earlier visit is found, if there is one. */
  readonly whenSearched: Promise<void>;

  constructor({ api, takes, camera, keepsCamera }: FlowOptions, state: RecorderState) {
    const wordsPerMinute = firstPace(state.member.words_per_minute);
    const unsent = { leftover: null, upload: null, durable: true };
    this.#model = { phase: firstPhase(state), state, ...unsent, online: navigator.onLine, wordsPerMinute };
    this.api = api;
    [this.#cameraHolder, this.#keepsCamera] = [camera, keepsCamera];
    this.#keepPace = createPaceKeeper(api);
    this.#consent = shownConsent(state);
    this.#spool = new Spool(takes, () => this.#set({ durable: false }));
    this.#watch = new StateWatch(api, (answer) => this.#onState(answer));
    this.whenSearched = this.#findLeftover();
  }

  get model(): Model {
    return this.#model;
  }

  onChange(listener: () => void): void {
    this.#listener = listener;
  }

  #set(change: Partial<Model>): void {
    this.#model = { ...this.#model, ...change };
    this.#listener();
  }

  /** A closed link stays closed. */
  #go(phase: Phase): void {
    if (!this.#isClosed) this.#set({ phase });
  }

  get #isClosed(): boolean {
    return this.#model.phase.at === 'closed';
  }

  /** The camera for the next intro. This flow continues without one: its take is uploaded and processed. */
  handOver(): CameraHolder {
    const camera = this.#cameraHolder;
    this.#cameraHolder = new CameraHolder();
    return camera;
  }

  /** Stops following the server, and turns off a camera that opens only then. */
  end(): void {
    this.#watch.stop();
    this.onChange(() => {});
    this.toStart();
  }

  // Updates from the server.

  #onState(answer: StateAnswer): void {
    if ('offline' in answer) this.#set({ online: false });
    else if ('intro' in answer) this.#follow(answer);
    else if ('reassignedTo' in answer) void this.#close('reassigned', answer.reassignedTo);
    else void this.#close('closed' in answer ? answer.closed : 'unknown');
  }

  #follow(state: RecorderState): void {
    const { phase: before } = this.model;
    const followed = this.#followDecline(followState(before, state, this.#otherTake(state)), state);
    const isSent = state.intro.status === 'sent' && followed !== before;
    const phase = isSent && followed.at === 'done' ? { ...followed, isLate: this.#isLate(state) } : followed;
    this.#set({ state, phase, online: true });
    if (phase.at === before.at) return;
    if (state.intro.status === 'sent') void this.#dropAll();
    // The server accepted or rejected the take: either way, nothing is left to send.
    else if (before.at === 'sending' || before.at === 'processing') void this.#forgetSent();
  }

  /** Whether the video that was sent is another take than the one on this page. */
  #isLate({ recording }: RecorderState): boolean {
    const { phase, leftover, state } = this.model;
    const processed = phase.at === 'processing' ? state.recording?.id : undefined;
    const own = leftover === null ? processed : (this.#spool.uploadUrl(leftover.id) ?? '');
    if (this.#recording === null && own === undefined) return false;
    return recording?.status !== 'ready' || own?.endsWith(recording.id) !== true;
  }

  /** A take whose updates say nothing about this one: an earlier one or, while this one is sent, that of another tab. */
  #otherTake({ recording }: RecorderState): string | null {
    const { phase, leftover } = this.model;
    if (phase.at !== 'sending' || recording === null || leftover === null) return this.#settledId;
    return this.#spool.uploadUrl(leftover.id)?.endsWith(recording.id) ? null : recording.id;
  }

  /** A cancellation ends every phase. */
  async #close(why: ClosedBy, to: string | null = null): Promise<void> {
    if (this.#isClosed) return;
    this.#watch.stop();
    const hadTake = this.#recording !== null || this.model.leftover !== null;
    const keeps = keepsTakes(why);
    this.#go({ at: 'closed', why, take: keeps && this.model.leftover ? 'kept' : null, to });
    if (keeps) return this.#leaveAll();
    await this.#dropAll();
    if (hadTake) this.#set({ phase: { at: 'closed', why, take: 'removed', to } });
  }

  async #leaveAll(): Promise<void> {
    await this.stop();
    this.#cameraHolder.release();
    await this.#abandon();
  }

  async #dropAll(): Promise<void> {
    const recording = this.#recording;
    this.#recording = null;
    await recording?.abort();
    if (this.#isClosed) this.#cameraHolder.release();
    else this.#restCamera();
    const { leftover } = this.model;
    this.#set({ leftover: null });
    // In parallel: the copy on this device must be deleted without waiting for signal.
    await Promise.all([this.#abandon(), leftover && this.#spool.forget(leftover.id)]);
  }

  async #forgetSent(): Promise<void> {
    const upload = this.#releaseUpload();
    if (this.model.leftover?.id === upload?.takeId) this.#set({ leftover: null });
    if (upload !== null) await this.#spool.forget(upload.takeId);
  }

  async #findLeftover(): Promise<void> {
    const { recording } = this.model.state;
    const arrivedId = recording === null || recording.status === 'uploading' ? null : recording.id;
    const leftover = await this.#spool.latest();
    if (leftover === null) return;
    // The server already has it.
    if (arrivedId !== null && this.#spool.uploadUrl(leftover.id)?.endsWith(arrivedId))
      return this.#spool.forget(leftover.id);
    if (await this.#closeOver(leftover)) return;
    this.#set({ leftover });
    // The member tapped Send without signal, and then the page was closed or loaded again.
    const { phase, state } = this.model;
    const isIdle = phase.at === 'start' || phase.at === 'refused' || phase.at === 'done';
    if (leftover.isSent && isIdle && state.intro.status !== 'sent') await this.send();
  }

  /** For a take that is found after the link was closed. */
  async #closeOver({ id }: Take): Promise<boolean> {
    const { phase } = this.model;
    if (phase.at !== 'closed') return false;
    const keeps = keepsTakes(phase.why);
    if (!keeps) await this.#spool.forget(id);
    this.#set({ phase: { ...phase, take: keeps ? 'kept' : 'removed' } });
    return true;
  }

  // The camera.

  async openCamera(): Promise<void> {
    this.#go({ at: 'opening' });
    await this.#takeCamera(null);
  }

  async #takeCamera(note: string | null): Promise<void> {
    const holder = this.#cameraHolder;
    const equipment = await holder.open();
    // The member may have gone on while the browser asked for permission.
    if (!WANTS_CAMERA.includes(this.model.phase.at)) return holder.release();
    if ('problem' in equipment) return this.#go({ at: 'problem', kind: equipment.problem, note: null });
    equipment.camera.onLost(() => this.#retakeCamera(equipment));
    this.#go({ at: 'camera', equipment, note });
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
    if (this.model.phase.at === 'camera') this.#go({ ...phase, note: null });
  }

  /** The other language, for all links of this member. Its texts are another page. Returns false without a connection. */
  async switchLanguage(): Promise<boolean> {
    const language = LANGUAGES.find((one) => one !== this.model.state.member.language) ?? DEFAULT_LANGUAGE;
    const isStored = await sendPreferences(this.api, { language });
    if (isStored) location.reload();
    return isStored;
  }

  toStart(): void {
    this.#cameraHolder.release();
    this.#go({ at: 'start' });
  }

  changePace(step: number): void {
    const pace = clampPace(this.model.wordsPerMinute + step);
    this.#keepPace(pace);
    this.#set({ wordsPerMinute: pace });
  }

  // The take.

  async countDown(): Promise<void> {
    const { phase } = this.model;
    if (phase.at !== 'camera') return;
    const { equipment } = phase;
    equipment.meter.wake();
    await this.#cameraHolder.flipFinished();
    if (this.model.phase.at === 'camera' && this.#cameraHolder.holds(equipment))
      this.#go({ at: 'countdown', equipment });
  }

  cancelCountdown(): void {
    const { phase } = this.model;
    if (phase.at === 'countdown') this.#go({ at: 'camera', equipment: phase.equipment, note: null });
  }

  record(): void {
    const { phase, state } = this.model;
    if (phase.at !== 'countdown' || !this.#cameraHolder.holds(phase.equipment)) return;
    const { equipment } = phase;
    const options = { maxMs: state.limits.hard_s * 1000, onEnd: () => void this.stop() };
    const recording = beginRecording(equipment, this.#spool, options);
    if (recording === null) {
      this.#cameraHolder.release();
      this.#go({ at: 'problem', kind: 'unsupported', note: null });
      return;
    }
    this.#settledId = settledRecording(state);
    this.#recording = recording;
    this.#go({ at: 'recording', equipment, startedAtMs: recording.startedAtMs });
    this.#uploadTake(recording.takeId);
  }

  async stop(): Promise<void> {
    const recording = this.#recording;
    if (recording === null) return;
    this.#recording = null;
    this.#go({ at: 'saving' });
    try {
      // Before the review, from which a retake opens the camera again.
      const take = await recording.stop().finally(() => this.#restCamera());
      await this.#show(take);
    } catch {
      await this.#abandon();
      this.#go({ at: 'refused', message: REFUSED.fallback, note: null });
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
    this.#set({ phase: { at: 'review', take }, leftover: take });
    // Kept until now, in case the member closes the page during the retake.
    if (leftover !== null && leftover.id !== take.id) await this.#spool.forget(leftover.id);
  }

  async retake(): Promise<void> {
    this.#go({ at: 'opening' });
    await Promise.all([this.#abandon(), this.#takeCamera(null)]);
  }

  edit(edits: Partial<Edits>): void {
    const { phase } = this.model;
    if (phase.at !== 'review') return;
    const take = { ...phase.take, ...edits };
    this.#set({ phase: { at: 'review', take }, leftover: take });
    this.#spool.edit(take.id, edits);
  }

  async watchLeftover(): Promise<void> {
    const { leftover } = this.model;
    if (leftover === null) return;
    this.#startUpload(leftover);
    await this.#show(leftover);
  }

  async pick(file: File): Promise<void> {
    const { phase, state } = this.model;
    if (phase.at !== 'problem' && phase.at !== 'refused') return;
    try {
      const take = await pickedFile(file, this.#spool, state.limits);
      // The member may have opened the camera while the file was read.
      if (this.model.phase.at !== phase.at) return await this.#spool.forget(take.id);
      this.#startUpload(take);
      await this.#show(take);
    } catch (problem) {
      if (this.model.phase.at === phase.at) this.#go({ ...phase, note: explainFile(problem) });
    }
  }

  /** Processes the refused take again. The reloaded page follows it. */
  async retry(): Promise<void> {
    if (await requestRetry(this.api)) return location.reload();
    const { phase } = this.model;
    if (phase.at === 'refused') this.#go({ ...phase, note: REFUSED.offline });
  }

  #startUpload({ id }: Take): void {
    this.#settledId = settledRecording(this.model.state);
    this.#uploadTake(id);
  }

  /** Also retries a take that could not be sent. */
  #uploadTake(id: string): void {
    if (this.#upload?.takeId === id && this.#upload.progress.state !== 'failed') return;
    const upload = new Upload(this.api, this.#spool, id, this.#consent);
    this.#upload = upload;
    upload.onProgress((progress) => {
      if (this.#upload === upload) this.#showUpload(progress);
    });
  }

  #releaseUpload(): Upload | null {
    const upload = this.#upload;
    this.#upload = null;
    this.#showUpload(null);
    return upload;
  }

  /** The server deletes what it has; the device keeps the take. An abandoned upload expires on the server. */
  async #abandon(): Promise<void> {
    await this.#releaseUpload()
      ?.abort()
      .catch(() => {});
  }

  #showUpload(upload: UploadProgress | null): void {
    this.#set({ upload });
    if (upload?.closed !== undefined) void this.#close(upload.closed);
    // The state says whether another member records the intro now.
    if (upload?.problem === 'link_gone') this.#watch.refresh();
  }

  /** Sends the reviewed take, one from an earlier visit, or one that could not be sent before. */
  async send(): Promise<void> {
    const { leftover, state } = this.model;
    if (leftover === null) return;
    this.#spool.edit(leftover.id, { captions: captionsOf(leftover, state.intro.script) });
    this.#spool.markSent(leftover.id, true);
    this.#go({ at: 'sending' });
    try {
      this.#startUpload(leftover);
      await this.#upload?.finish();
      if (this.model.phase.at === 'sending') this.#go({ at: 'processing' });
      this.#watch.refresh();
    } catch (failure) {
      // A state update already moved the flow on.
      if (this.model.phase.at !== 'sending') return;
      this.#spool.markSent(leftover.id, false);
      if (failure instanceof UploadFailed && failure.closed !== null) await this.#close(failure.closed);
      else this.#go({ at: 'refused', message: explainUpload(failure), note: null });
    }
  }

  // Declining and handing over.

  /** Keeps up with a decline in the console or on another phone. */
  #followDecline(phase: Phase, state: RecorderState): Phase {
    const isDeclined = state.intro.declined;
    if (phase.at === 'declined') return isDeclined ? phase : firstPhase(state);
    const isIdle = phase.at === 'start' || phase.at === 'unable';
    return isIdle && isDeclined && !this.#recordsAnyway ? { at: 'declined' } : phase;
  }

  /** Not while a take is checked or processed. */
  get mayDecline(): boolean {
    const { intro, recording } = this.model.state;
    const isOnItsWay = recording?.status === 'checking' || recording?.status === 'processing';
    return intro.status === 'requested' && !isOnItsWay;
  }

  showUnable(step: UnableStep): void {
    this.#go({ at: 'unable', step, note: null, busy: false, colleagues: null });
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
    if (refusal === null) await this.#close('reassigned', colleague.name);
  }

  async decline(reason: DeclineReason, message: string | null): Promise<void> {
    const refusal = await this.#send(() => sendUnable(this.api, { reason, message }));
    if (refusal !== null) return;
    const { state } = this.model;
    this.#recordsAnyway = false;
    this.#set({ state: { ...state, intro: { ...state.intro, declined: true } } });
    this.#go({ at: 'declined' });
  }

  recordAnyway(): void {
    this.#recordsAnyway = true;
    this.#go({ at: 'start' });
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
    if ('closed' in refusal) return this.#close(refusal.closed);
    if ('reassignedTo' in refusal) return this.#close('reassigned', refusal.reassignedTo);
    this.#update({ note: UNABLE.problems[refusal.code ?? ''] ?? DONE.sendFailed, busy: false });
  }

  /** Does nothing once the member has left the form. */
  #update(change: Partial<Omit<Extract<Phase, { at: 'unable' }>, 'at'>>): void {
    const { phase } = this.model;
    if (phase.at === 'unable') this.#go({ ...phase, ...change });
  }
}
