import { createHash } from 'node:crypto';
import http from 'node:http';
import type { Readable } from 'node:stream';
import type { ClosedReason } from '@foreword/contract';
import { DataStore, Server as TusServer, type Upload } from '@tus/server';
import { listenLocally } from '../../../server/test/harness/streams.ts';

const CSP =
  "default-src 'none'; script-src 'self'; connect-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:";

/** Keeps bytes in memory, including those that arrived before a connection broke, like the real store. */
class MemoryStore extends DataStore {
  readonly uploads = new Map<string, { upload: Upload; bytes: Buffer }>();

  constructor() {
    super();
    this.extensions = ['creation', 'creation-defer-length', 'termination'];
  }

  override async create(upload: Upload): Promise<Upload> {
    this.uploads.set(upload.id, { upload, bytes: Buffer.alloc(0) });
    return upload;
  }

  override async write(stream: Readable, id: string, _offset: number): Promise<number> {
    const entry = this.#find(id);
    try {
      for await (const chunk of stream) entry.bytes = Buffer.concat([entry.bytes, chunk]);
    } finally {
      entry.upload.offset = entry.bytes.length;
    }
    return entry.bytes.length;
  }

  override async getUpload(id: string): Promise<Upload> {
    return this.#find(id).upload;
  }

  override async declareUploadLength(id: string, length: number): Promise<void> {
    this.#find(id).upload.size = length;
  }

  override async remove(id: string): Promise<void> {
    this.#find(id);
    this.uploads.delete(id);
  }

  #find(id: string): { upload: Upload; bytes: Buffer } {
    const kept = this.uploads.get(id);
    if (!kept) throw { status_code: 404, body: 'The file for this url was not found\n' };
    return kept;
  }
}

/** `last`: only the request that sends the length. */
type Fault = { method: string; last?: true } /** Cuts the connection after this many bytes of the body. */ & (
  | { cutAfter: number }
  /** The server handles the request, but its response is lost. */
  | { loseAnswer: true }
  | { status: number; body?: unknown; retryAfter?: number }
);

export interface Seen {
  method: string;
  url: string;
  status: number;
  offset: string | null;
  length: string | null;
  trim: string | null;
  captions: string | null;
  bodyBytes: number;
  metadata: string | null;
}

/** One intro with its own link, as the recorder sees it. */
export class FakeIntro {
  readonly api: string;
  readonly seen: Seen[] = [];
  /** Applied in order to matching requests. */
  faults: Fault[] = [];
  closed: ClosedReason | null = null;
  recordingStatus = 'checking';
  readonly #store = new MemoryStore();
  readonly #tus: TusServer;

  constructor(api: string) {
    this.api = api;
    this.#tus = new TusServer({ path: `${api}/uploads`, datastore: this.#store, relativeLocation: true });
  }

  get uploads(): { id: string; bytes: number; complete: boolean; digest: string }[] {
    return [...this.#store.uploads].map(([id, { upload, bytes }]) => ({
      id,
      bytes: bytes.length,
      complete: upload.size === bytes.length,
      digest: createHash('sha256').update(bytes).digest('hex'),
    }));
  }

  /** Simulates expiry. */
  lose(): void {
    this.#store.uploads.clear();
  }

  async answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    this.#note(request, response);
    if (this.closed) return reply(response, 410, { closed: this.closed });
    const index = this.faults.findIndex(
      ({ method, last }) => method === request.method && (!last || request.headers['upload-length'] !== undefined),
    );
    const [fault] = index === -1 ? [] : this.faults.splice(index, 1);
    if (fault && 'status' in fault) {
      if (fault.retryAfter !== undefined) response.setHeader('Retry-After', fault.retryAfter);
      return reply(response, fault.status, fault.body ?? null);
    }
    if (request.url === `${this.api}/state`) return this.#state(response);
    if (fault && 'cutAfter' in fault) cut(request, fault.cutAfter);
    if (fault && 'loseAnswer' in fault) response.writeHead = () => response.destroy();
    await this.#tus.handle(request, response);
  }

  #note(request: http.IncomingMessage, response: http.ServerResponse): void {
    const header = (name: string): string | null => request.headers[name]?.toString() ?? null;
    const seen: Seen = {
      method: request.method ?? '',
      url: request.url ?? '',
      status: 0,
      offset: header('upload-offset'),
      length: header('upload-length'),
      trim: header('foreword-trim'),
      captions: header('foreword-captions'),
      bodyBytes: Number(header('content-length') ?? 0),
      metadata: header('upload-metadata'),
    };
    this.seen.push(seen);
    response.on('close', () => {
      seen.status = response.writableFinished ? response.statusCode : 0;
    });
  }

  #state(response: http.ServerResponse): void {
    const newest = this.uploads.at(-1);
    const status = newest?.complete ? this.recordingStatus : 'uploading';
    reply(response, 200, {
      intro: { status: 'requested' },
      member: {},
      limits: {},
      recording: newest ? { id: newest.id, status, progress: 0, message: null } : null,
    });
  }
}

export type TusService = Awaited<ReturnType<typeof startTusService>>;

/** Serves the driver page and any number of intros, with the same tus library as the service. */
export async function startTusService(script: string) {
  const intros: FakeIntro[] = [];
  const server = http.createServer((request, response) => {
    if (request.url === '/driver.js') return send(response, 'text/javascript', script);
    const intro = intros.find(({ api }) => request.url?.startsWith(`${api}/`));
    if (!intro)
      return send(
        response,
        'text/html',
        '<!doctype html><title>Engine</title><script type="module" src="/driver.js"></script>',
      );
    intro.answer(request, response).catch(() => response.destroy());
  });
  // On a reused connection the browser retries a request itself and hides the failure from the engine.
  server.maxRequestsPerSocket = 1;
  const { url, close } = await listenLocally(server);
  return {
    url,
    intro() {
      const intro = new FakeIntro(`/r/${intros.length + 1}`);
      intros.push(intro);
      return intro;
    },
    close,
  };
}

function cut(request: http.IncomingMessage, after: number): void {
  let arrived = 0;
  request.on('data', (chunk: Buffer) => {
    arrived += chunk.length;
    if (arrived >= after) request.socket.destroy();
  });
  // The tus library starts the stream again.
  request.pause();
}

function send(response: http.ServerResponse, type: string, body: string): void {
  response.writeHead(200, { 'Content-Type': type, 'Content-Security-Policy': CSP }).end(body);
}

function reply(response: http.ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

/** Random faults, the same for each seed. */
export function mixFaults(seed: number): FakeIntro['faults'] {
  let state = seed;
  const below = (limit: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  return Array.from({ length: 8 }, () => {
    const kinds: FakeIntro['faults'] = [
      { method: 'PATCH', cutAfter: below(150_000) },
      { method: 'PATCH', loseAnswer: true },
      { method: 'PATCH', status: 409 },
      { method: 'PATCH', status: 423 },
      { method: 'PATCH', status: 500 },
      { method: 'HEAD', status: 503 },
      { method: 'HEAD', loseAnswer: true },
      { method: 'POST', status: 502 },
    ];
    return kinds[below(kinds.length)] ?? { method: 'PATCH', status: 500 };
  });
}
