import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import type { ClosedReason, Language, RecorderNext, RecorderState } from '@foreword/contract';
import { encodeQR } from 'qr';
import { currentConsentText } from '../../server/src/privacy/likeness/texts.ts';
import { languageOf, renderShell } from '../../server/src/recordings/shell.ts';
import { listenLocally } from '../../server/test/harness/streams.ts';
import type { WebBuild } from '../build.ts';

/** Begins like an MP4 file. */
export const VIDEO = Buffer.concat([Buffer.from('\0\0\0 ftypisom'), Buffer.alloc(19_988, 7)]);

const TOKEN = 'a1B2c3D4e5F6g7H8i9J0k1';
const API = `/r/${TOKEN}`;
/** The tokens of further intros differ at the end. */
const apiOf = (index: number): string => (index === 0 ? API : `${API.slice(0, -1)}${index + 1}`);
export const NONCE = 'ZmFrZS1ub25jZQ';
const POLICY = `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${NONCE}'; connect-src 'self'; font-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; frame-src 'self'; worker-src 'self' blob:; base-uri 'none'; form-action 'none'`;
const UNKNOWN = { code: 'not_found', message: 'This link does not exist.' };
const STEP_MS = 250;
const STEP_PERCENT = 12;
const TYPES: Record<string, string> = { '.js': 'text/javascript', '.css': 'text/css', '.woff2': 'font/woff2' };

/** 2 PM in Chicago in three days, so that pictures of the page look plausible. */
function soon(): string {
  const dayMs = 86_400_000;
  const hourMs = 3_600_000;
  return new Date((Math.floor(performance.timeOrigin / dayMs) + 3) * dayMs + 20 * hourMs).toISOString();
}

export function exampleState(change: Partial<RecorderState['intro']> = {}): RecorderState {
  return {
    intro: {
      id: 'int_0',
      status: 'requested',
      title: 'Meet Ana before Tuesday',
      touchpoint: 'Appointment booked',
      recipient: { first_name: 'Dana', last_name: 'Reed', language: 'en' },
      appointment: { starts_at: soon(), timezone: 'America/Chicago' },
      script:
        'Hi Dana, this is Ana from Acme Exteriors. I’ll be at your place Tuesday at two to look at the roof. ' +
        'It takes about forty minutes, and you don’t need to prepare anything. See you then.',
      script_language: 'en',
      expires_at: null,
      delivery: 'integration',
      text: null,
      declined: false,
      opened: false,
      recipient_url: 'https://hi.acme.example/i/Qm3vX8pLr2Za',
      ...change,
    },
    member: { first_name: 'Ana', words_per_minute: null, language: 'en' },
    organization: { name: 'Acme Exteriors', logo_url: null, timezone: 'America/Chicago' },
    recording: null,
    consent: consentIn('en', 'Acme Exteriors'),
    limits: { soft_s: 15, hard_s: 30, max_bytes: 100_000_000 },
  };
}

export const consentIn = (language: Language, organization: string): RecorderState['consent'] => ({
  ...currentConsentText(language, organization),
  settings: '/console/profile',
});

type Recording = NonNullable<RecorderState['recording']>;

export const exampleTake = (status: Recording['status'], change: Partial<Recording> = {}): Recording => ({
  id: 'rec_0',
  status,
  progress: status === 'ready' ? 100 : 0,
  message: null,
  retryable: false,
  ...change,
});

/** One more intro to record, due tomorrow. */
export function exampleNext(left = 3): RecorderNext {
  const recipient = { first_name: 'Rosa', last_name: 'Silva', language: 'en' } as const;
  const expires_at = new Date(Date.parse(soon()) - 2 * 86_400_000).toISOString();
  const state = exampleState({ recipient, touchpoint: 'Estimate follow-up', appointment: null, expires_at });
  return { next: { api: '/r/b2C3d4E5f6G7h8I9j0K1l2', state }, left, has_more: false, home: null };
}

const QR = encodeQR('https://acme.example/r/a1B2c3D4e5F6g7H8i9J0k1', 'svg', { ecc: 'low', border: 4 });
const PREVIEW = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A video for Dana</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style nonce="${NONCE}">
body{margin:0;padding:24px;background:#faf8f4;color:#1d1b18;font:17px/1.5 system-ui,sans-serif}h1{font:600 28px/1.15 Georgia,serif;margin:16px 0}
div{height:480px;border-radius:14px;background:#2c6652}</style></head><body><main><p>Acme Exteriors</p><h1>Meet Ana before Tuesday</h1><div></div><p>Ana Ng, your project manager</p></main></body></html>`;

interface Preferences {
  words_per_minute?: number;
  language?: Language;
}

interface PartialUpload {
  id: string;
  bytes: number;
  length: number | null;
}

/** A server that accepts everything, for tests and pictures of the recorder: no database, no media. */
export class FakeServer {
  origin = '';
  /** The state sent to the recorder; tests change it. */
  state: RecorderState;
  readonly #api: string;
  /** All intros of the member, this one too. */
  readonly #intros: FakeServer[];
  closed: ClosedReason | null = null;
  /** Null: leads to the intros that were added; without any, the request fails. */
  next: RecorderNext | null = null;
  /** The link does not exist. */
  unknown = false;
  /** `offline`: connections break. `hold`: uploads get no response. `refuse`: no more takes today. */
  uploads: 'open' | 'offline' | 'hold' | 'refuse' = 'open';
  /** False: an uploaded take stays in `checking`. */
  processes = true;
  stop: () => Promise<void> = async () => undefined;
  /** `trims`, `captions`: sent with the length of each take; undefined when all of it is kept. `states`: how often it was asked for. */
  readonly received = {
    takes: 0,
    bytes: 0,
    discarded: 0,
    states: 0,
    paces: [] as number[],
    trims: [] as unknown[],
    captions: [] as unknown[],
    complaints: [] as string[],
  };
  readonly #build: WebBuild;
  readonly #server = http.createServer((request, response) => void this.#answer(request, response));
  readonly #uploads = new Map<string, PartialUpload>();

  constructor(build: WebBuild, intros: FakeServer[] = []) {
    this.#build = build;
    this.#intros = intros;
    this.#api = apiOf(intros.length);
    this.state = exampleState({ id: `int_${intros.length}` });
    intros.push(this);
  }

  /** One more intro of the same member, which `next` then leads to. */
  addIntro(firstName: string): FakeServer {
    const added = new FakeServer(this.#build, this.#intros);
    added.origin = this.origin;
    added.state.intro.recipient = { first_name: firstName, last_name: null, language: 'en' };
    return added;
  }

  get url(): string {
    return this.origin + this.#api;
  }

  async listen(): Promise<void> {
    const { url, close } = await listenLocally(this.#server);
    this.origin = url;
    this.stop = close;
  }

  async #answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', this.origin);
    const api = this.#api;
    const other = this.#intros.find((intro) => intro !== this && pathname.startsWith(intro.#api));
    if (other !== undefined) return other.#answer(request, response);
    if (pathname.startsWith('/assets/')) return sendAsset(this.#build, pathname, response);
    if (pathname === api) return this.#sendShell(response);
    if (pathname === `${api}/preview`) return sendHtml(PREVIEW, POLICY, response);
    if (this.unknown && pathname.startsWith(`${api}/`)) return sendJson({ error: UNKNOWN }, response, 404);
    if (pathname === `${api}/state`) return this.#sendState(response);
    if (pathname === `${api}/next`) return this.#sendNext(searchParams.get('skip') ?? '', response);
    if (pathname === `${api}/qr.svg`) return void response.writeHead(200, { 'content-type': 'image/svg+xml' }).end(QR);
    if (pathname === `${api}/preferences`) return this.#takePreferences(request, response);
    if (pathname.startsWith(`${api}/uploads`)) return this.#takeUpload(request, response, pathname);
    response.writeHead(404).end();
  }

  #sendShell(response: http.ServerResponse): void {
    const entry = this.#build.entries[`recorder-${languageOf(this.state)}`];
    if (entry === undefined) throw new Error('the recorder is not built');
    const [script, style, font] = [entry.script, entry.style, entry.font].map((name) => `/assets/${name}`);
    const parts = {
      api: this.#api,
      script: script ?? '',
      style: style ?? '',
      font: font ?? '',
      colors: '',
      nonce: NONCE,
    };
    sendHtml(renderShell(this.state, parts), POLICY, response);
  }

  #sendState(response: http.ServerResponse): void {
    this.received.states += 1;
    if (this.closed === null) sendJson(this.state, response);
    else sendJson({ closed: this.closed }, response, 410);
  }

  #sendNext(skip: string, response: http.ServerResponse): void {
    const open = this.#intros.filter(({ state: { intro, recording } }) => {
      const needsMember = recording === null || recording.status === 'uploading';
      return intro !== this.state.intro && needsMember && !skip.split(',').includes(intro.id);
    });
    const [first] = open;
    const isLast = first === undefined && this.#intros.length > 1;
    const home = null;
    if (this.next !== null) sendJson(this.next, response);
    else if (first !== undefined || isLast) {
      const next = first === undefined ? null : { api: first.#api, state: first.state };
      sendJson({ next, left: open.length, has_more: false, home }, response);
    } else response.writeHead(404).end();
  }

  async #takePreferences(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const { words_per_minute: pace, language } = JSON.parse((await readBody(request)).toString()) as Preferences;
    if (pace !== undefined) {
      this.received.paces.push(pace);
      this.state.member.words_per_minute = pace;
    }
    if (language !== undefined) this.state.member.language = language;
    response.writeHead(204).end();
  }

  async #takeUpload(request: http.IncomingMessage, response: http.ServerResponse, pathname: string): Promise<void> {
    if (this.uploads === 'offline') return void request.destroy();
    const body = await readBody(request);
    if (this.uploads === 'hold') return;
    if (this.uploads === 'refuse') return void response.writeHead(429).end();
    response.setHeader('tus-resumable', '1.0.0');
    if (this.closed !== null) return sendJson({ closed: this.closed }, response, 410);
    const upload = request.method === 'POST' ? this.#beginUpload() : this.#uploads.get(path.basename(pathname));
    if (upload === undefined) return void response.writeHead(404).end();
    const length = request.headers['upload-length'];
    if (length !== undefined) {
      upload.length = Number(length);
      this.received.trims.push(request.headers['foreword-trim']);
      const [, said] = /^:(.*):$/.exec(String(request.headers['foreword-captions'])) ?? [];
      this.received.captions.push(said === undefined ? undefined : Buffer.from(said, 'base64').toString());
    }
    upload.bytes += body.length;
    this.received.bytes += body.length;
    if (request.method === 'DELETE') this.#discard(upload);
    response.setHeader('upload-offset', upload.bytes);
    response.setHeader('location', `${this.#api}/uploads/${upload.id}`);
    response.writeHead(request.method === 'POST' ? 201 : request.method === 'HEAD' ? 200 : 204).end();
    if (request.method === 'PATCH' && upload.bytes === upload.length) this.#finishUpload(upload);
  }

  #beginUpload(): PartialUpload {
    const upload = { id: `rec_${this.#uploads.size + 1}`, bytes: 0, length: null };
    this.#uploads.set(upload.id, upload);
    this.state.recording = exampleTake('uploading', { id: upload.id });
    return upload;
  }

  #discard({ id }: PartialUpload): void {
    this.#uploads.delete(id);
    this.received.discarded += 1;
    if (this.state.recording?.id === id) this.state.recording = null;
  }

  #finishUpload({ id }: PartialUpload): void {
    this.received.takes += 1;
    this.state.recording = exampleTake('checking', { id });
    if (this.processes) setTimeout(() => this.#process(id, STEP_PERCENT), STEP_MS);
  }

  #process(id: string, progress: number): void {
    if (progress < 100) {
      this.state.recording = exampleTake('processing', { id, progress });
      setTimeout(() => this.#process(id, progress + STEP_PERCENT), STEP_MS);
    } else {
      this.state.recording = exampleTake('ready', { id });
      this.state.intro.status = 'ready';
    }
  }
}

export function sendAsset(build: WebBuild, pathname: string, response: http.ServerResponse): void {
  const file = path.join(build.folder, path.basename(pathname));
  if (!fs.existsSync(file)) return void response.writeHead(404).end();
  response.setHeader('content-type', TYPES[path.extname(file)] ?? 'application/octet-stream');
  fs.createReadStream(file).pipe(response);
}

export function sendHtml(html: string, policy: string, response: http.ServerResponse): void {
  const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy };
  response.writeHead(200, headers).end(html);
}

function sendJson(body: object, response: http.ServerResponse, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Empty if the page was closed during the request. */
export const readBody = async (request: http.IncomingMessage): Promise<Buffer> =>
  Buffer.concat(await request.toArray().catch(() => []));

export async function startFakeServer(build: WebBuild): Promise<FakeServer> {
  const backend = new FakeServer(build);
  await backend.listen();
  return backend;
}
