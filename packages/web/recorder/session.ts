import { Courier } from './courier.ts';
import {
  chooseType,
  type Facing,
  FileProblem,
  pickedFile,
  type RecordingSession,
  type StateAnswer,
  startRecording,
  type Take,
  UploadFailed,
  type UploadProgress,
  watchState,
} from './engine/index.ts';
import { type Equipment, openEquipment, putAway } from './equipment.ts';
import { firstPhase, followState, type Model, type Phase, settledRecording } from './model.ts';
import { createPaceKeeper, firstPace } from './pace.ts';
import { clampPace } from './script.ts';
import type { Closed, RecorderState } from './state.ts';
import { CAMERA, REFUSED, TROUBLE } from './texts.ts';
import { keepAwake } from './wake-lock.ts';

const AWAKE: Phase['at'][] = ['camera', 'countdown', 'recording', 'saving', 'sending'];
const BYTES_PER_MEGABYTE = 1_000_000;

/** What the member does, what the engine and the server tell, and the one model that the screens are drawn from. */
export class Session {
  #model: Model;
  #listener: () => void = () => {};
  readonly #courier: Courier;
  readonly #watch: { refresh(): void; stop(): void };
  readonly #keepPace: (wordsPerMinute: number) => void;
  #facing: Facing = 'user';
  #equipment: Equipment | null = null;
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
    // The server has the take, or will not have it: in both cases nothing is left to send.
    if (before.at === 'sending' || before.at === 'processing') void this.#forgetAll();
    else if (phase.at === 'done') void this.#dropAll();
  }

  /** The cancel wins, whatever goes on. */
  async #close(why: Closed | 'unknown'): Promise<void> {
    if (this.#closed) return;
    this.#watch.stop();
    const hadTake = this.#recording !== null || this.#model.leftover !== null;
    this.#go({ at: 'closed', why, takeRemoved: false });
    await this.#dropAll();
    if (hadTake) this.#set({ phase: { at: 'closed', why, takeRemoved: true } });
  }

  async #dropAll(): Promise<void> {
    const recording = this.#recording;
    this.#recording = null;
    await recording?.abort();
    this.#putAway();
    // Not one after the other: what lies on this device must go without waiting for a signal.
    await Promise.all([this.#courier.abandon(), this.#forgetAll()]);
  }

  async #forgetAll(): Promise<void> {
    const { leftover } = this.#model;
    this.#set({ leftover: null });
    await this.#courier.forgetCarried();
    if (leftover !== null) await this.#courier.forget(leftover.id);
  }

  async #findLeftover(): Promise<void> {
    const { recording } = this.#model.state;
    const arrivedId = recording === null || recording.status === 'uploading' ? null : recording.id;
    const leftover = await this.#courier.findLeftover(arrivedId);
    if (leftover === null) return;
    const { phase } = this.#model;
    if (phase.at === 'closed') {
      await this.#courier.forget(leftover.id);
      this.#set({ phase: { ...phase, takeRemoved: true } });
    } else {
      this.#set({ leftover });
    }
  }

  // The camera.

  async openCamera(): Promise<void> {
    this.#go({ at: 'opening' });
    await this.#takeCamera(null);
  }

  async #takeCamera(note: string | null): Promise<void> {
    const equipment = await openEquipment(this.#facing);
    if ('problem' in equipment) return this.#go({ at: 'trouble', kind: equipment.problem, note: null });
    if (this.#closed) return putAway(equipment);
    this.#equipment = equipment;
    equipment.camera.onLost(() => this.#retakeCamera(equipment));
    this.#go({ at: 'camera', equipment, note });
  }

  /** Phones take the camera away while the page is in the background; a recording ends by itself then. */
  #retakeCamera(lost: Equipment): void {
    const { at } = this.#model.phase;
    if (this.#equipment !== lost || (at !== 'camera' && at !== 'countdown')) return;
    this.#putAway();
    void this.#takeCamera(CAMERA.lost);
  }

  #putAway(): void {
    if (this.#equipment !== null) putAway(this.#equipment);
    this.#equipment = null;
  }

  async flip(): Promise<void> {
    const equipment = this.#equipment;
    if (equipment === null) return;
    await equipment.camera.flip().catch(() => {});
    this.#facing = equipment.camera.facing;
    if (this.#model.phase.at === 'camera') this.#go({ at: 'camera', equipment, note: null });
  }

  toRoom(): void {
    this.#putAway();
    this.#go({ at: 'room' });
  }

  changePace(step: number): void {
    const pace = clampPace(this.#model.wordsPerMinute + step);
    this.#keepPace(pace);
    this.#set({ wordsPerMinute: pace });
  }

  // The take.

  countDown(): void {
    const { phase } = this.#model;
    if (phase.at !== 'camera') return;
    phase.equipment.meter.wake();
    this.#go({ at: 'countdown', equipment: phase.equipment });
  }

  cancelCountdown(): void {
    const { phase } = this.#model;
    if (phase.at === 'countdown') this.#go({ at: 'camera', equipment: phase.equipment, note: null });
  }

  async record(): Promise<void> {
    const { phase, state } = this.#model;
    if (phase.at !== 'countdown') return;
    const { camera, meter } = phase.equipment;
    const spool = await this.#courier.spool();
    const type = chooseType(camera.stream);
    if (type === null || this.#model.phase !== phase) return;
    this.#settledId = settledRecording(state);
    const recording = startRecording(camera, meter, spool, {
      type,
      maxMs: state.limits.hard_s * 1000,
      onEnd: () => void this.stop(),
    });
    this.#recording = recording;
    this.#go({ at: 'recording', equipment: phase.equipment, startedAtMs: recording.startedAtMs });
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
      this.#go({ at: 'refused', message: REFUSED.fallback });
    } finally {
      // The camera's lamp goes out; and with an open microphone phones play the take through the earpiece.
      this.#putAway();
    }
  }

  async #show(take: Take): Promise<void> {
    if (this.#closed) return this.#courier.forget(take.id);
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

  async sendLeftover(): Promise<void> {
    const { leftover } = this.#model;
    if (leftover === null) return;
    await this.#carry(leftover);
    await this.send();
  }

  async pick(file: File): Promise<void> {
    const { phase, state } = this.#model;
    if (phase.at !== 'trouble') return;
    try {
      const take = await pickedFile(file, await this.#courier.spool(), state.limits);
      await this.#carry(take);
      await this.#show(take);
    } catch (problem) {
      const kind = problem instanceof FileProblem ? problem.kind : 'unreadable';
      this.#go({ ...phase, note: TROUBLE.file[kind](Math.floor(state.limits.max_bytes / BYTES_PER_MEGABYTE)) });
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

  async send(): Promise<void> {
    this.#go({ at: 'sending' });
    try {
      await this.#courier.handIn();
      if (this.#model.phase.at === 'sending') this.#go({ at: 'processing' });
      this.#watch.refresh();
    } catch (failure) {
      // The state was first with the news that the server has it.
      if (this.#model.phase.at !== 'sending') return;
      if (failure instanceof UploadFailed && failure.closed !== null) await this.#close(failure.closed);
      else this.#go({ at: 'refused', message: failure instanceof UploadFailed ? failure.message : REFUSED.fallback });
    }
  }
}
