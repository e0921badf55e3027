import type { ClosedReason } from '@foreword/contract';
import { expireAfter, jittered, pause } from './clock.ts';
import { fetchState } from './requests.ts';
import { onResume, Signal } from './signal.ts';
import type { Spool } from './spool.ts';
import { areDeclared, fitsUpload } from './spooled-take.ts';
import {
  askOffset,
  classifyResponse,
  countIn,
  createUpload,
  discardUpload,
  type Outcome,
  sendPiece,
  UploadFailed,
} from './tus.ts';
import type { UploadProblem, UploadProgress } from './types.ts';

const LARGEST_PIECE_BYTES = 524_288;
/** Small enough to upload over a signal that drops every few seconds. */
const SMALLEST_PIECE_BYTES = 32_768;
/** Held back until the member taps Send, so that a last piece remains to send the length with. */
export const HELD_BACK_BYTES = 1_024;
const FIRST_RETRY_MS = 500;
/** Long enough for an overloaded server, short enough for a waiting member. */
const LAST_RETRY_MS = 8_000;

const DISCARD_TRIES = 3;
const DISCARD_RETRY_MS = 700;
const DISCARD_PATIENCE_MS = 4_000;

/** Makes the server delete an upload. One that is left over expires there. */
async function discardOnServer(url: string): Promise<void> {
  for (let tries = 0; tries < DISCARD_TRIES; tries += 1) {
    const outcome = classifyResponse(await discardUpload(url, { signal: expireAfter(DISCARD_PATIENCE_MS) }), [204]);
    // 423: the server has not yet noticed that the last connection closed.
    if (outcome.kind !== 'retry' && outcome.kind !== 'ask_offset') return;
    await pause(DISCARD_RETRY_MS);
  }
}

type Phase = 'running' | 'done' | 'closed' | 'failed' | 'aborted';

/** Uploads a take from the spool, even while it is recorded. */
export class Upload {
  readonly #api: string;
  readonly #spool: Spool;
  readonly takeId: string;
  readonly #consent: string;
  readonly #progressSignal = new Signal<[UploadProgress]>();
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  #phase: Phase = 'running';
  #url: string | null;
  /** The server's offset; null: unknown, query it. */
  #offset: number | null = null;
  #inFlight = 0;
  #lengthSent = false;
  #finishing = false;
  /** Since the last progress. */
  #failures = 0;
  #furthest = 0;
  #queriedOffset = false;
  #waiting = false;
  #isServerFull = false;
  #pieceBytes = LARGEST_PIECE_BYTES / 2;
  #failure: UploadFailed | null = null;
  #wake: () => void = () => undefined;
  #wakeRetry: () => void = () => undefined;

  constructor(api: string, spool: Spool, takeId: string, consent: string) {
    this.#api = api;
    this.#spool = spool;
    this.takeId = takeId;
    this.#consent = consent;
    this.#url = spool.uploadUrl(takeId);
    this.#running = this.#run();
  }

  get progress(): UploadProgress {
    const size = this.#spool.size(this.takeId);
    const totalBytes = size?.complete ? size.bytes : null;
    const progress: UploadProgress = {
      state: this.#state(),
      sentBytes: (this.#offset ?? this.#furthest) + this.#inFlight,
      // Also when the spool has already deleted the take.
      totalBytes: totalBytes ?? (this.#phase === 'done' ? this.#furthest : null),
    };
    if (this.#waiting && this.#isServerFull) progress.isServerFull = true;
    if (this.#failure) progress.problem = this.#failure.problem;
    if (this.#failure?.closed) progress.closed = this.#failure.closed;
    return progress;
  }

  /** Called at once with the current state, then at each change. */
  onProgress(listener: (progress: UploadProgress) => void): void {
    this.#progressSignal.add(listener);
    listener(this.progress);
  }

  /**
   * The member tapped Send. Until then data is uploaded, but the take is not complete. Resolves when the server has every
   * byte; rejects with `UploadFailed` if it never will. Without signal it waits.
   */
  async finish(): Promise<void> {
    this.#finishing = true;
    this.#emitProgress();
    this.#wake();
    this.#wakeRetry();
    await this.#running;
    if (this.#failure) throw this.#failure;
    if (this.#phase === 'aborted') throw new UploadFailed('refused');
  }

  /** For a retake: stops, and makes the server delete what it has. The take stays in the spool. */
  async abort(): Promise<void> {
    if (this.#phase === 'done') return;
    this.#end('aborted');
    await this.#running;
    const url = this.#url;
    if (!url) return;
    this.#spool.rememberUpload(this.takeId, null);
    await discardOnServer(url);
  }

  #state(): UploadProgress['state'] {
    if (this.#phase !== 'running') return this.#phase;
    if (this.#waiting) return 'waiting_for_signal';
    const left = (this.#spool.size(this.takeId)?.bytes ?? 0) - (this.#offset ?? 0);
    return this.#finishing && this.#offset !== null && left <= this.#pieceBytes ? 'finishing' : 'uploading';
  }

  async #run(): Promise<void> {
    const stopListening = [this.#spool.onGrowth(this.takeId, () => this.#wake()), onResume(() => this.#wakeRetry())];
    try {
      while (this.#phase === 'running') {
        await this.#step().catch((fault) => {
          // A bug here must not end the upload silently; the retry starts at the server's offset.
          reportError(fault);
          this.#offset = null;
          return this.#waitToRetry();
        });
      }
    } finally {
      for (const stop of stopListening) stop();
      this.#emitProgress();
    }
  }

  async #step(): Promise<void> {
    if (!this.#url) return this.#create(this.#api);
    if (this.#offset === null) return this.#locate(this.#url);
    return this.#send(this.#url, this.#offset);
  }

  async #create(api: string): Promise<void> {
    const type = this.#spool.size(this.takeId)?.type;
    if (!type) return this.#end('aborted');
    const answer = await createUpload(api, { type, consent: this.#consent }, { signal: this.#stop.signal });
    const outcome = classifyResponse(answer, [201]);
    const location = answer?.header('Location');
    if (outcome.kind === 'ask_offset' && answer?.status === 409) return this.#fail('link_gone');
    // No upload exists yet that could be gone: something between us and the server answered.
    if (outcome.kind === 'gone') return this.#waitToRetry();
    if (outcome.kind !== 'ok' || !location) return this.#handle(outcome.kind === 'ok' ? { kind: 'retry' } : outcome);
    this.#url = new URL(location, new URL(`${api}/uploads`, window.location.href)).href;
    this.#spool.rememberUpload(this.takeId, this.#url);
    this.#furthest = 0;
    this.#lengthSent = false;
    this.#setOffset(0);
  }

  async #locate(url: string): Promise<void> {
    const answer = await askOffset(url, { signal: this.#stop.signal });
    const outcome = classifyResponse(answer, [200, 204]);
    const offset = answer && outcome.kind === 'ok' ? countIn(answer, 'Upload-Offset') : null;
    if (!answer || offset === null) return this.#handle(outcome.kind === 'ok' ? { kind: 'retry' } : outcome);
    const length = countIn(answer, 'Upload-Length');
    const size = this.#spool.size(this.takeId);
    if (size === null || !fitsUpload(size, { offset, length })) return this.#restart();
    this.#lengthSent = length !== null;
    this.#setOffset(offset);
  }

  async #send(url: string, offset: number): Promise<void> {
    const size = this.#spool.size(this.takeId);
    if (!size) return this.#end('aborted');
    const complete = this.#finishing && size.complete;
    if (complete && offset === size.bytes && this.#lengthSent) return this.#end('done');
    const available = Math.max(0, complete ? size.bytes - offset : size.bytes - HELD_BACK_BYTES - offset);
    if (available === 0 && !complete) return this.#waitForData();
    const wanted = Math.min(available, this.#pieceBytes);
    const bytes = await this.#spool.read(this.takeId, offset, wanted).catch(() => null);
    if (!bytes) return this.#fail('file_gone');
    const last = complete && offset + bytes.byteLength === size.bytes;
    const onSent = (sent: number): void => {
      this.#inFlight = Math.min(sent, bytes.byteLength);
      this.#emitProgress();
    };
    // Sent once: the server rejects a repeated length.
    const declared = last && !this.#lengthSent ? size : null;
    if (declared && !areDeclared(size)) await this.#spool.rememberDeclared(this.takeId);
    const answer = await sendPiece(url, { offset, bytes, declared }, { signal: this.#stop.signal, onSent });
    this.#inFlight = 0;
    const outcome = classifyResponse(answer, [204]);
    const now = answer && outcome.kind === 'ok' ? countIn(answer, 'Upload-Offset') : null;
    if (now !== offset + bytes.byteLength) {
      this.#pieceBytes = Math.max(SMALLEST_PIECE_BYTES, this.#pieceBytes / 2);
      return this.#handle(outcome.kind === 'ok' ? { kind: 'ask_offset', afterMs: 0 } : outcome);
    }
    this.#lengthSent ||= last;
    this.#pieceBytes = Math.min(LARGEST_PIECE_BYTES, this.#pieceBytes * 2);
    this.#setOffset(now);
  }

  async #handle(outcome: Exclude<Outcome, { kind: 'ok' }>): Promise<void> {
    if (this.#phase !== 'running') return;
    // The upload may have started with an earlier link, while the present one still works.
    if (outcome.kind === 'closed' && outcome.closed === 'link_expired' && this.#url) return this.#findLostUpload(true);
    if (outcome.kind === 'closed') return this.#close(outcome.closed);
    if (outcome.kind === 'refused') return this.#fail(outcome.problem);
    if (outcome.kind === 'unknown') return this.#fail('link_gone');
    if (outcome.kind === 'gone') return this.#findLostUpload(outcome.inTus);
    this.#offset = null;
    this.#isServerFull = outcome.kind === 'retry' && outcome.isServerFull === true;
    // A server that repeats the same response is treated like one that does not respond.
    if (outcome.kind === 'ask_offset' && this.#failures === 0 && !this.#queriedOffset) {
      this.#queriedOffset = true;
      return pause(outcome.afterMs);
    }
    return this.#waitToRetry(outcome.kind === 'retry' ? outcome.afterMs : 0);
  }

  /** The server does not know the upload: it may have completed, or the intro may be closed. */
  async #findLostUpload(isKnownGone: boolean): Promise<void> {
    const state = await fetchState(this.#api);
    if ('closed' in state) return this.#close(state.closed);
    if ('unknown' in state || 'reassignedTo' in state) return this.#fail('link_gone');
    if ('offline' in state) return this.#waitToRetry();
    const { recording } = state;
    const arrived = recording !== null && recording.status !== 'uploading' && this.#url?.endsWith(`/${recording.id}`);
    if (arrived) {
      this.#furthest = this.#spool.size(this.takeId)?.bytes ?? this.#furthest;
      return this.#end('done');
    }
    // Not at once: a server that forgets every upload must not be queried endlessly.
    await this.#waitToRetry();
    if (isKnownGone) this.#restart();
    else this.#offset = null;
  }

  #restart(): void {
    this.#spool.rememberUpload(this.takeId, null);
    this.#url = null;
    this.#offset = null;
  }

  async #waitToRetry(atLeastMs = 0): Promise<void> {
    if (this.#phase !== 'running') return;
    this.#failures += 1;
    this.#waiting = true;
    this.#emitProgress();
    const delayMs = atLeastMs + jittered(Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** (this.#failures - 1)));
    await new Promise<void>((resolve) => {
      this.#wakeRetry = resolve;
      window.setTimeout(resolve, delayMs);
    });
    this.#wakeRetry = () => undefined;
  }

  async #waitForData(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = () => undefined;
  }

  #setOffset(offset: number): void {
    this.#offset = offset;
    this.#waiting = false;
    if (offset > this.#furthest) {
      this.#furthest = offset;
      this.#failures = 0;
      this.#queriedOffset = false;
    }
    this.#emitProgress();
  }

  #close(closed: ClosedReason): void {
    this.#failure = new UploadFailed('link_gone', closed);
    this.#end('closed');
  }

  #fail(problem: UploadProblem): void {
    this.#failure = new UploadFailed(problem);
    this.#end('failed');
  }

  #end(phase: Phase): void {
    if (this.#phase !== 'running') return;
    this.#phase = phase;
    this.#stop.abort();
    this.#wake();
    this.#wakeRetry();
    this.#emitProgress();
  }

  #emitProgress(): void {
    this.#progressSignal.emit(this.progress);
  }
}
