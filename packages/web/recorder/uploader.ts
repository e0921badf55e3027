import {
  beginUpload,
  openSpool,
  requestRetry,
  type Spool,
  type Take,
  type Upload,
  type UploadProgress,
} from './engine/index.ts';

/** Uploads takes: one left on this device by an earlier visit, or the one being recorded. */
export class Uploader {
  readonly #api: string;
  readonly #consent: string;
  readonly #spool: Promise<Spool>;
  readonly #onProgress: (progress: UploadProgress | null) => void;
  #upload: Upload | null = null;
  #takeId: string | null = null;

  constructor(
    { api, takes, consent }: { api: string; takes: string; consent: string },
    onProgress: (progress: UploadProgress | null) => void,
  ) {
    this.#api = api;
    this.#consent = consent;
    this.#onProgress = onProgress;
    this.#spool = openSpool(takes);
  }

  spool(): Promise<Spool> {
    return this.#spool;
  }

  async onNotDurable(listener: () => void): Promise<void> {
    (await this.#spool).onNotDurable(listener);
  }

  /** The unsent take of an earlier visit. A take the server already has (`arrivedId`) is deleted instead. */
  async findLeftover(arrivedId: string | null): Promise<Take | null> {
    const spool = await this.#spool;
    const kept = await spool.latest();
    if (kept === null || arrivedId === null || !spool.uploadUrl(kept.id)?.endsWith(arrivedId)) return kept;
    await spool.forget(kept.id);
    return null;
  }

  /** The server processes the refused take again. Returns false without its answer. */
  retryRefused(): Promise<boolean> {
    return requestRetry(this.#api);
  }

  /** Starts while the take is still being recorded. */
  async begin(takeId: string): Promise<void> {
    this.#follow(takeId, beginUpload(this.#api, await this.#spool, takeId, this.#consent));
  }

  /** Also retries a take that could not be sent. */
  async resume({ id }: Take): Promise<void> {
    const inFlight = this.#takeId === id && this.#upload?.progress.state !== 'failed';
    if (!inFlight) this.#follow(id, beginUpload(this.#api, await this.#spool, id, this.#consent));
  }

  /** Kept with the take on this device, and sent with it. */
  async keepTrim({ id, trim }: Take): Promise<void> {
    (await this.#spool).trim(id, trim);
  }

  #follow(takeId: string, upload: Upload): void {
    this.#takeId = takeId;
    this.#upload = upload;
    upload.onProgress((progress) => {
      if (this.#upload === upload) this.#onProgress(progress);
    });
  }

  get currentId(): string | null {
    return this.#takeId;
  }

  /** Resolves when the server has every byte. */
  async finish(): Promise<void> {
    await this.#upload?.finish();
  }

  /** The server deletes what it has; the device keeps the take. */
  async abandon(): Promise<void> {
    const upload = this.#upload;
    this.#upload = null;
    this.#takeId = null;
    this.#onProgress(null);
    // An abandoned upload expires on the server.
    await upload?.abort().catch(() => {});
  }

  /** The server has the current take, or it is no longer needed. */
  async forgetCurrent(): Promise<void> {
    const takeId = this.#takeId;
    this.#upload = null;
    this.#takeId = null;
    this.#onProgress(null);
    if (takeId !== null) await this.forget(takeId);
  }

  async forget(takeId: string): Promise<void> {
    await (await this.#spool).forget(takeId);
  }
}
