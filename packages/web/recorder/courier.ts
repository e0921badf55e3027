import type { UploadProgress } from './engine/index.ts';
import { beginUpload, openSpool, type Spool, type Take, type Upload } from './engine/index.ts';

/** Brings takes to the server: the one that this device keeps, and the one that is under way. */
export class Courier {
  readonly #api: string;
  readonly #spool: Promise<Spool>;
  readonly #onProgress: (progress: UploadProgress | null) => void;
  #upload: Upload | null = null;
  #takeId: string | null = null;

  constructor(api: string, onProgress: (progress: UploadProgress | null) => void) {
    this.#api = api;
    this.#onProgress = onProgress;
    this.#spool = openSpool(api);
  }

  spool(): Promise<Spool> {
    return this.#spool;
  }

  async onNotDurable(listener: () => void): Promise<void> {
    (await this.#spool).onNotDurable(listener);
  }

  /** The take of an earlier visit that still has to be sent. One that the server has (`arrivedId`) is forgotten instead. */
  async findLeftover(arrivedId: string | null): Promise<Take | null> {
    const spool = await this.#spool;
    const kept = await spool.latest();
    if (kept === null || arrivedId === null || !spool.uploadUrl(kept.id)?.endsWith(arrivedId)) return kept;
    await spool.forget(kept.id);
    return null;
  }

  /** While it is being recorded. */
  async begin(takeId: string): Promise<void> {
    this.#carry(takeId, beginUpload(this.#api, await this.#spool, takeId));
  }

  /** Also one that could not be sent: what stood in its way may be over. */
  async resume({ id }: Take): Promise<void> {
    const underWay = this.#takeId === id && this.#upload?.progress.state !== 'failed';
    if (!underWay) this.#carry(id, beginUpload(this.#api, await this.#spool, id));
  }

  #carry(takeId: string, upload: Upload): void {
    this.#takeId = takeId;
    this.#upload = upload;
    upload.onProgress((progress) => {
      if (this.#upload === upload) this.#onProgress(progress);
    });
  }

  get carriedId(): string | null {
    return this.#takeId;
  }

  /** Resolves when the server has every byte. */
  async handIn(): Promise<void> {
    await this.#upload?.finish();
  }

  /** The server throws away what it has; the device keeps the take. */
  async abandon(): Promise<void> {
    const upload = this.#upload;
    this.#upload = null;
    this.#takeId = null;
    this.#onProgress(null);
    // An upload that is left lying expires on the server by itself.
    await upload?.abort().catch(() => {});
  }

  /** The server has the take under way, or nobody wants it any more. */
  async forgetCarried(): Promise<void> {
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
