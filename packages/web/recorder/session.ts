import { Courier } from './courier.ts';
import {
  FileProblem,
  pickedFile,
  type RecordingSession,
  type StateAnswer,
  type Take,
  UploadFailed,
  type UploadProgress,
  watchState,
} from './engine/index.ts';
import { beginRecording, CameraStand, type Equipment } from './equipment.ts';
import { firstPhase, followState, type Model, type Phase, settledRecording } from './model.ts';
import { createPaceKeeper, firstPace } from './pace.ts';
import { clampPace } from './script.ts';
import type { Closed, RecorderState } from './state.ts';
import { CAMERA, PICK, REFUSED } from './texts.ts';
import { keepAwake } from './wake-lock.ts';

const AWAKE: Phase['at'][] = ['camera', 'countdown', 'recording', 'saving', 'sending'];
const BYTES_PER_MEGABYTE = 1_000_000;

/** What the member does, what the engine and the server tell, and the one model that the screens are drawn from. */
export class Session {
  #model: Model;
  #listener: () => void = () => {};
  readonly #courier: Courier;
  readonly #stand = new CameraStand();
  readonly #watch: { refresh(): void; stop(): void };
  readonly #keepPace: (wordsPerMinute: number) => void;
  #recording: RecordingSession | null = null;
  #settledId: string | null = null;

  constructor(api: string, state: RecorderState) {
    this.#keepPace = createPaceKeeper(api);
    this.#model = {
      phase: firstPhase(state),
      state,
      leftover: null,
      upload: null,
      online: navigator.onLine,
      durable: true,
      wordsPerMinute: firstPace(state.member.words_per_minute),
    };
    this.#courier = new Courier(api, (progress) => this.#showUpload(progress));
    this.#watch = watchState(api, (answer) => this.#hear(answer));
    void this.#courier.onNotDurable(() => this.#set({ durable: false }));
    void this.#findLeftover();
  }

  get model(): Model {
    return this.#model;
  }

  onChange(listener: () => void): void {
    this.#listener = listener;
  }

  #set(change: Partial<Model>): void {
    this.#model = { ...this.#model, ...change };
    keepAwake(AWAKE.includes(this.#model.phase.at));
    this.#listener();
  }

  #go(phase: Phase): void {
    if (!this.#closed) this.#set({ phase });
  }

  get #closed(): boolean {
    return this.#model.phase.at === 'closed';
  }

  // What the server tells.

  #hear(answer: StateAnswer): void {
    if ('offline' in answer) this.#set({ online: false });
    else if ('closed' in answer) void this.#close(answer.closed);
    else if ('unknown' in answer) void this.#close('unknown');
    else this.#follow(answer);
  }

  #follow(state: RecorderState): void {
    const { phase: before } = this.#model;
    const phase = followState(before, state, this.#settledId);
    this.#set({ state, phase, online: true });
    if (phase.at === before.at) return;
    if (state.intro.status === 'sent') void this.#dropAll();
    // The server has the take, or will not have it: in both cases it is not left to send.
    else if (before.at === 'sending' || before.at === 'processing') void this.#forgetSent();
  }

  /** The cancel wins, whatever goes on. A link that leads nowhere may lead somewhere again: then the take stays. */
  async #close(why: Closed | 'unknown'): Promise<void> {
    if (this.#closed) return;
    this.#watch.stop();
    const { leftover } = this.#model;
    const hadTake = this.#recording !== null || leftover !== null;
    const keeps = why === 'unknown';
    this.#go({ at: 'closed', why, take: keeps && leftover ? 'kept' : null });
    if (keeps) return this.#leaveAll();
    await this.#dropAll();
    if (hadTake) this.#set({ phase: { at: 'closed', why, take: 'removed' } });
  }

  async #leaveAll(): Promise<void> {
    await this.stop();
    this.#stand.putAway();
    await this.#courier.abandon();
  }

  async #dropAll(): Promise<void> {
    const recording = this.#recording;
    this.#recording = null;
    await recording?.abort();
    this.#stand.putAway();
    const { leftover } = this.#model;
    this.#set({ leftover: null });
    // Not one after the other: what lies on this device must go without waiting for a signal.
    await Promise.all([this.#courier.abandon(), leftover && this.#courier.forget(leftover.id)]);
  }

  async #forgetSent(): Promise<void> {
    if (this.#model.leftover?.id === this.#courier.carriedId) this.#set({ leftover: null });
    await this.#courier.forgetCarried();
  }

  async #findLeftover(): Promise<void> {
    const { recording } = this.#model.state;
    const arrivedId = recording === null || recording.status === 'uploading' ? null : recording.id;
    const leftover = await this.#courier.findLeftover(arrivedId);
    if (leftover !== null && !(await this.#closeOver(leftover))) this.#set({ leftover });
  }

  /** For a take that comes to light when the link is closed already. */
  async #closeOver({ id }: Take): Promise<boolean> {
    const { phase } = this.#model;
    if (phase.at !== 'closed') return false;
    const keeps = phase.why === 'unknown';
    if (!keeps) await this.#courier.forget(id);
    this.#set({ phase: { ...phase, take: keeps ? 'kept' : 'removed' } });
    return true;
  }

  // The camera.

  async openCamera(): Promise<void> {
    this.#go({ at: 'opening' });
    await this.#takeCamera(null);
  }

  async #takeCamera(note: string | null): Promise<void> {
    const equipment = await this.#stand.open();
    if ('problem' in equipment) return this.#go({ at: 'trouble', kind: equipment.problem, note: null });
    if (this.#closed) return this.#stand.putAway();
    equipment.camera.onLost(() => this.#retakeCamera(equipment));
    this.#go({ at: 'camera', equipment, note });
  }

  /** Phones take the camera away while the page is in the background; a recording ends by itself then. */
  #retakeCamera(lost: Equipment): void {
    const { at } = this.#model.phase;
    if (!this.#stand.holds(lost) || (at !== 'camera' && at !== 'countdown')) return;
    this.#stand.putAway();
    void this.#takeCamera(CAMERA.lost);
  }

  async flip(): Promise<void> {
    const { phase } = this.#model;
    if (phase.at !== 'camera' || !(await this.#stand.flip(phase.equipment))) return;
    if (this.#model.phase.at === 'camera') this.#go({ ...phase, note: null });
  }

  toRoom(): void {
    this.#stand.putAway();
    this.#go({ at: 'room' });
  }

  changePace(step: number): void {
    const pace = clampPace(this.#model.wordsPerMinute + step);
    this.#keepPace(pace);
    this.#set({ wordsPerMinute: pace });
  }

  // The take.

  async countDown(): Promise<void> {
    const { phase } = this.#model;
    if (phase.at !== 'camera') return;
    const { equipment } = phase;
    equipment.meter.wake();
    await this.#stand.turned();
    if (this.#model.phase.at === 'camera' && this.#stand.holds(equipment)) this.#go({ at: 'countdown', equipment });
  }

  cancelCountdown(): void {
    const { phase } = this.#model;
    if (phase.at === 'countdown') this.#go({ at: 'camera', equipment: phase.equipment, note: null });
  }

  async record(): Promise<void> {
    const { phase, state } = this.#model;
    if (phase.at !== 'countdown') return;
    const { equipment } = phase;
    const spool = await this.#courier.spool();
    if (this.#model.phase !== phase || !this.#stand.holds(equipment)) return;
    const options = { maxMs: state.limits.hard_s * 1000, onEnd: () => void this.stop() };
    const recording = beginRecording(equipment, spool, options);
    if (recording === null) {
      this.#stand.putAway();
      return this.#go({ at: 'trouble', kind: 'unsupported', note: null });
    }
    this.#settledId = settledRecording(state);
    this.#recording = recording;
    this.#go({ at: 'recording', equipment, startedAtMs: recording.startedAtMs });
    await this.#courier.begin(recording.takeId);
  }

  async stop(): Promise<void> {
    const recording = this.#recording;
    if (recording === null) return;
    this.#recording = null;
    this.#go({ at: 'saving' });
    try {
      await this.#show(await recording.stop());
    } catch {
      await this.#courier.abandon();
      this.#go({ at: 'refused', message: REFUSED.fallback, note: null });
    } finally {
      // The camera's lamp goes out; and with an open microphone phones play the take through the earpiece.
      this.#stand.putAway();
    }
  }

  async #show(take: Take): Promise<void> {
    if (await this.#closeOver(take)) return;
    const { leftover } = this.#model;
    this.#set({ phase: { at: 'review', take }, leftover: take });
    // Kept until now, so that whoever changed their mind about a retake would find it again.
    if (leftover !== null && leftover.id !== take.id) await this.#courier.forget(leftover.id);
  }

  async retake(): Promise<void> {
    this.#go({ at: 'opening' });
    await Promise.all([this.#courier.abandon(), this.#takeCamera(null)]);
  }

  async watchLeftover(): Promise<void> {
    const { leftover } = this.#model;
    if (leftover === null) return;
    await this.#carry(leftover);
    await this.#show(leftover);
  }

  async pick(file: File): Promise<void> {
    const { phase, state } = this.#model;
    if (phase.at !== 'trouble' && phase.at !== 'refused') return;
    try {
      const take = await pickedFile(file, await this.#courier.spool(), state.limits);
      await this.#carry(take);
      await this.#show(take);
    } catch (problem) {
      const kind = problem instanceof FileProblem ? problem.kind : 'unreadable';
      this.#go({ ...phase, note: PICK.problem[kind](Math.floor(state.limits.max_bytes / BYTES_PER_MEGABYTE)) });
    }
  }

  // Sending.

  async #carry(take: Take): Promise<void> {
    this.#settledId = settledRecording(this.#model.state);
    await this.#courier.resume(take);
  }

  #showUpload(upload: UploadProgress | null): void {
    this.#set({ upload });
    if (upload?.closed !== undefined) void this.#close(upload.closed);
  }

  /** The take that was just looked at, or one from an earlier visit, or one that could not be sent before. */
  async send(): Promise<void> {
    const { leftover } = this.#model;
    if (leftover === null) return;
    this.#go({ at: 'sending' });
    try {
      await this.#carry(leftover);
      await this.#courier.handIn();
      if (this.#model.phase.at === 'sending') this.#go({ at: 'processing' });
      this.#watch.refresh();
    } catch (failure) {
      // The state was first with the news that the server has it.
      if (this.#model.phase.at !== 'sending') return;
      if (failure instanceof UploadFailed && failure.closed !== null) await this.#close(failure.closed);
      else {
        const message = failure instanceof UploadFailed ? failure.message : REFUSED.fallback;
        this.#go({ at: 'refused', message, note: null });
      }
    }
  }
}
