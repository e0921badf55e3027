import { jittered } from './chance.ts';
import { expireAfter, pause } from './clock.ts';
import { onComeback } from './comeback.ts';
import { Signal } from './signal.ts';
import { fetchState } from './state.ts';
import { askOffset, countIn, createUpload, discardUpload, sendPiece } from './tus.ts';
import type { ClosedReason, Spool, Upload, UploadProgress } from './types.ts';
import { FILE_GONE, judge, LINK_GONE, UploadFailed, type Verdict } from './verdict.ts';

const LARGEST_PIECE_BYTES = 524_288;
/** A weak signal that drops every few seconds still brings pieces of this size across. */
const SMALLEST_PIECE_BYTES = 32_768;
/** Until the member says Send, so that there is a last piece to tell the length with. */
const HELD_BACK_BYTES = 1_024;
const FIRST_RETRY_MS = 500;
/** Long enough for a server in trouble, short enough for a member who watches. */
const LAST_RETRY_MS = 8_000;
const DISCARD_TRIES = 3;
const DISCARD_RETRY_MS = 700;
const DISCARD_PATIENCE_MS = 4_000;

/** Begins while recording; fed from the spool. */
export function beginUpload(api: string, spool: Spool, takeId: string): Upload {
  return new SpoolUpload(api, spool, takeId);
}

type Phase = 'running' | 'done' | 'closed' | 'failed' | 'aborted';

class SpoolUpload implements Upload {
  readonly #api: string;
  readonly #spool: Spool;
  readonly #takeId: string;
  readonly #told = new Signal<[UploadProgress]>();
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  #phase: Phase = 'running';
  #url: string | null;
  /** Where the server is; null: ask it. */
  #offset: number | null = null;
  #inFlight = 0;
  #lengthTold = false;
  #handIn = false;
  /** Since the server last had more than before. */
  #failures = 0;
  #furthest = 0;
  #asked = false;
  #waiting = false;
  #pieceBytes = LARGEST_PIECE_BYTES / 2;
  #refusal: UploadFailed | null = null;
  #wake: () => void = () => undefined;
  #wakeRetry: () => void = () => undefined;

  constructor(api: string, spool: Spool, takeId: string) {
    this.#api = api;
    this.#spool = spool;
    this.#takeId = takeId;
    this.#url = spool.uploadUrl(takeId);
    this.#running = this.#run();
  }

  get progress(): UploadProgress {
    const size = this.#spool.size(this.#takeId);
    const totalBytes = size?.complete ? size.bytes : null;
    const progress: UploadProgress = {
      state: this.#state(),
      sentBytes: (this.#offset ?? this.#furthest) + this.#inFlight,
      // Also when the spool has let go of what was sent.
      totalBytes: totalBytes ?? (this.#phase === 'done' ? this.#furthest : null),
    };
    if (this.#refusal) progress.message = this.#refusal.message;
    if (this.#refusal?.closed) progress.closed = this.#refusal.closed;
    return progress;
  }

  onProgress(listener: (progress: UploadProgress) => void): () => void {
    const remove = this.#told.add(listener);
    listener(this.progress);
    return remove;
  }

  async finish(): Promise<void> {
    this.#handIn = true;
    this.#tell();
    this.#wake();
    this.#wakeRetry();
    await this.#running;
    if (this.#refusal) throw this.#refusal;
    if (this.#phase === 'aborted') throw new UploadFailed('The upload was stopped');
  }

  async abort(): Promise<void> {
    if (this.#phase === 'done') return;
    this.#end('aborted');
    await this.#running;
    const url = this.#url;
    if (!url) return;
    this.#spool.rememberUpload(this.#takeId, null);
    for (let tries = 0; tries < DISCARD_TRIES; tries += 1) {
      const verdict = judge(await discardUpload(url, { signal: expireAfter(DISCARD_PATIENCE_MS) }), [204]);
      // 423: it has not yet noticed that the last connection is gone. What stays behind expires there.
      if (verdict.kind !== 'retry' && verdict.kind !== 'ask_offset') return;
      await pause(DISCARD_RETRY_MS);
    }
  }

  #state(): UploadProgress['state'] {
    if (this.#phase !== 'running') return this.#phase;
    if (this.#waiting) return 'waiting_for_signal';
    const left = (this.#spool.size(this.#takeId)?.bytes ?? 0) - (this.#offset ?? 0);
    return this.#handIn && this.#offset !== null && left <= this.#pieceBytes ? 'finishing' : 'uploading';
  }

  async #run(): Promise<void> {
    const stopListening = [this.#spool.onGrowth(this.#takeId, () => this.#wake()), onComeback(() => this.#wakeRetry())];
    try {
      while (this.#phase === 'running') {
        await this.#step().catch((fault) => {
          // A fault of this code must not end the upload in silence; the next try begins where the server is.
          reportError(fault);
          this.#offset = null;
          return this.#waitToRetry();
        });
      }
    } finally {
      for (const stop of stopListening) stop();
      this.#tell();
    }
  }

  async #step(): Promise<void> {
    if (!this.#url) return this.#create(this.#api);
    if (this.#offset === null) return this.#locate(this.#url);
    return this.#send(this.#url, this.#offset);
  }

  async #create(api: string): Promise<void> {
    const type = this.#spool.size(this.#takeId)?.type;
    if (!type) return this.#end('aborted');
    const answer = await createUpload(api, type, { signal: this.#stop.signal });
    const verdict = judge(answer, [201]);
    const location = answer?.header('Location');
    if (verdict.kind === 'ask_offset' && answer?.status === 409) return this.#fail(LINK_GONE);
    // There is no upload yet that could be gone: somebody else answered.
    if (verdict.kind === 'gone') return this.#waitToRetry();
    if (verdict.kind !== 'ok' || !location) return this.#goOn(verdict.kind === 'ok' ? { kind: 'retry' } : verdict);
    this.#url = new URL(location, new URL(`${api}/uploads`, window.location.href)).href;
    this.#spool.rememberUpload(this.#takeId, this.#url);
    this.#furthest = 0;
    this.#lengthTold = false;
    this.#arriveAt(0);
  }

  async #locate(url: string): Promise<void> {
    const answer = await askOffset(url, { signal: this.#stop.signal });
    const verdict = judge(answer, [200, 204]);
    const offset = answer && verdict.kind === 'ok' ? countIn(answer, 'Upload-Offset') : null;
    if (!answer || offset === null) return this.#goOn(verdict.kind === 'ok' ? { kind: 'retry' } : verdict);
    const length = countIn(answer, 'Upload-Length');
    const size = this.#spool.size(this.#takeId);
    // Of another take, or of one whose last chunks a crash took: it would never fit.
    const fits = size !== null && offset <= size.bytes && (length === null || length === size.bytes);
    if (!fits) return this.#startAnew();
    this.#lengthTold = length !== null;
    this.#arriveAt(offset);
  }

  async #send(url: string, offset: number): Promise<void> {
    const size = this.#spool.size(this.#takeId);
    if (!size) return this.#end('aborted');
    const handIn = this.#handIn && size.complete;
    if (handIn && offset === size.bytes && this.#lengthTold) return this.#end('done');
    const available = Math.max(0, handIn ? size.bytes - offset : size.bytes - HELD_BACK_BYTES - offset);
    if (available === 0 && !handIn) return this.#untilMore();
    const bytes = await this.#read(offset, Math.min(available, this.#pieceBytes));
    if (!bytes) return this.#fail(FILE_GONE);
    const last = handIn && offset + bytes.byteLength === size.bytes;
    const onSent = (sent: number): void => {
      this.#inFlight = Math.min(sent, bytes.byteLength);
      this.#tell();
    };
    // Once: a server that knows it refuses to hear it again.
    const piece = { offset, bytes, totalBytes: last && !this.#lengthTold ? size.bytes : null };
    const answer = await sendPiece(url, piece, { signal: this.#stop.signal, onSent });
    this.#inFlight = 0;
    const verdict = judge(answer, [204]);
    const now = answer && verdict.kind === 'ok' ? countIn(answer, 'Upload-Offset') : null;
    if (now !== offset + bytes.byteLength) {
      this.#pieceBytes = Math.max(SMALLEST_PIECE_BYTES, this.#pieceBytes / 2);
      return this.#goOn(verdict.kind === 'ok' ? { kind: 'ask_offset', afterMs: 0 } : verdict);
    }
    this.#lengthTold ||= last;
    this.#pieceBytes = Math.min(LARGEST_PIECE_BYTES, this.#pieceBytes * 2);
    this.#arriveAt(now);
  }

  async #read(offset: number, maxBytes: number): Promise<ArrayBuffer | null> {
    return this.#spool.read(this.#takeId, offset, maxBytes).catch(() => null);
  }

  async #goOn(verdict: Exclude<Verdict, { kind: 'ok' }>): Promise<void> {
    if (this.#phase !== 'running') return;
    if (verdict.kind === 'closed') return this.#close(verdict.closed);
    if (verdict.kind === 'refused') return this.#fail(verdict.message);
    if (verdict.kind === 'unknown') return this.#fail(LINK_GONE);
    if (verdict.kind === 'gone') return this.#lookFor(verdict.inTus);
    this.#offset = null;
    // A server that says the same again and again is treated like one that does not answer.
    if (verdict.kind === 'ask_offset' && this.#failures === 0 && !this.#asked) {
      this.#asked = true;
      return pause(verdict.afterMs);
    }
    return this.#waitToRetry(verdict.kind === 'retry' ? verdict.afterMs : 0);
  }

  /** The server does not know the upload: perhaps because it has all of it, or because the intro is closed. */
  async #lookFor(isKnownGone: boolean): Promise<void> {
    const state = await fetchState(this.#api);
    if ('closed' in state) return this.#close(state.closed);
    if ('unknown' in state) return this.#fail(LINK_GONE);
    if ('offline' in state) return this.#waitToRetry();
    const { recording } = state;
    const arrived = recording !== null && recording.status !== 'uploading' && this.#url?.endsWith(`/${recording.id}`);
    if (arrived) {
      this.#furthest = this.#spool.size(this.#takeId)?.bytes ?? this.#furthest;
      return this.#end('done');
    }
    // Not at once: a server that forgets each upload must not be asked without end.
    await this.#waitToRetry();
    if (isKnownGone) this.#startAnew();
    else this.#offset = null;
  }

  #startAnew(): void {
    this.#spool.rememberUpload(this.#takeId, null);
    this.#url = null;
    this.#offset = null;
  }

  async #waitToRetry(atLeastMs = 0): Promise<void> {
    if (this.#phase !== 'running') return;
    this.#failures += 1;
    this.#waiting = true;
    this.#tell();
    const delayMs = atLeastMs + jittered(Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** (this.#failures - 1)));
    await new Promise<void>((resolve) => {
      this.#wakeRetry = resolve;
      window.setTimeout(resolve, delayMs);
    });
    this.#wakeRetry = () => undefined;
  }

  async #untilMore(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = () => undefined;
  }

  #arriveAt(offset: number): void {
    this.#offset = offset;
    this.#waiting = false;
    if (offset > this.#furthest) {
      this.#furthest = offset;
      this.#failures = 0;
      this.#asked = false;
    }
    this.#tell();
  }

  #close(closed: ClosedReason): void {
    this.#refusal = new UploadFailed('This message is no longer needed.', closed);
    this.#end('closed');
  }

  #fail(message: string): void {
    this.#refusal = new UploadFailed(message);
    this.#end('failed');
  }

  #end(phase: Phase): void {
    if (this.#phase !== 'running') return;
    this.#phase = phase;
    this.#stop.abort();
    this.#wake();
    this.#wakeRetry();
    this.#tell();
  }

  #tell(): void {
    this.#told.tell(this.progress);
  }
}
