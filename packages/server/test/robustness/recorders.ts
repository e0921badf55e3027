import { randomInt } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { createLinks } from '../../src/intros/links/index.ts';
import type { ServerKey } from '../../src/platform/server-key.ts';
import type { AcceptedMessage } from '../delivery/carrier-services.ts';
import { type Api, sleep } from '../harness/index.ts';
import { forEachOf } from './ledger.ts';

const CLIP = fs.readFileSync(path.join(import.meta.dirname, '../../src/recordings/media/clip.mp4'));
const PIECES = 4;
const PIECE_PAUSE_MS = 120;
const RETRY_PAUSE_MS = 200;
const POLL_MS = 500;
const TUS = { 'tus-resumable': '1.0.0' };

/** One intro that a member records, and that the service texts to the recipient. */
export interface Take {
  readonly key: string;
  readonly phone: string;
  intro?: string;
  /** The address of the upload. */
  upload?: string;
  /** Its last byte was acknowledged. */
  isUploaded: boolean;
}

export type Recorders = ReturnType<typeof openRecorders>;

/** Members who record one intro after the other, through every interruption, like phones with a bad signal. */
export function openRecorders(api: Api, options: { url: string; serverKey: ServerKey; pauseMs: number }) {
  const { url, serverKey, pauseMs } = options;
  const links = createLinks(serverKey, url);
  const takes: Take[] = [];
  let isOver = false;
  let running: Promise<void>[] = [];

  async function record(take: Take): Promise<void> {
    while (!take.isUploaded) {
      const isDone = await advance(api, take, url, links).catch(() => false);
      if (!isDone) await sleep(RETRY_PAUSE_MS);
    }
  }

  async function work(): Promise<void> {
    while (!isOver) {
      const number = takes.length;
      const take: Take = {
        key: `app:take_${number}:record`,
        phone: `+1312555${String(1000 + number)}`,
        isUploaded: false,
      };
      takes.push(take);
      await record(take);
      await sleep(randomInt(pauseMs));
    }
  }

  return {
    takes,
    /** Starts recording, until `stop`. */
    start(count: number) {
      isOver = false;
      running = Array.from({ length: count }, work);
    },
    /** Lets each member finish the current take, and waits for that. */
    async stop() {
      isOver = true;
      await Promise.all(running);
    },
  };
}

type Links = ReturnType<typeof createLinks>;

/** Does everything that is left to do. Rejects or returns false when the service does not answer. */
async function advance(api: Api, take: Take, url: string, links: Links): Promise<boolean> {
  take.intro ??= await createIntro(api, take);
  const recorder = new URL(links.recordUrl(take.intro, 0)).pathname;
  take.upload ??= await beginUpload(`${url}${recorder}/uploads`, url);
  for (;;) {
    const head = await fetch(take.upload, { method: 'HEAD', headers: TUS });
    if (head.status !== 200) return false;
    const offset = Number(head.headers.get('upload-offset'));
    if (offset === CLIP.length) break;
    const size = Math.ceil(CLIP.length / PIECES);
    const response = await fetch(take.upload, {
      method: 'PATCH',
      headers: { ...TUS, 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' },
      body: new Uint8Array(CLIP.subarray(offset, offset + size)),
    });
    if (response.status !== 204) return false;
    await sleep(randomInt(PIECE_PAUSE_MS));
  }
  take.isUploaded = true;
  return true;
}

async function createIntro(api: Api, { key, phone }: Take): Promise<string> {
  const body = {
    member: { external_id: 'rep_17' },
    recipient: { first_name: 'Dana', phone },
    reference: { id: key },
    delivery: { responsibility: 'service' },
  };
  const reply = await api.post('/v1/intros', body, { key });
  if (reply.status !== 201) throw new Error(`no intro: ${reply.status}`);
  return reply.body.id;
}

async function beginUpload(at: string, url: string): Promise<string> {
  const begun = await fetch(at, {
    method: 'POST',
    headers: { ...TUS, 'upload-length': String(CLIP.length), 'upload-metadata': `filetype ${btoa('video/mp4')}` },
  });
  const location = begun.headers.get('location');
  if (begun.status !== 201 || location === null) throw new Error(`no upload: ${begun.status}`);
  return url + location;
}

/**
 * Waits until each take was encoded and its text sent. Then each recipient got exactly one text, whose link opens the page with
 * the video.
 */
export async function expectEachSentOnce(
  api: Api,
  url: string,
  takes: readonly Take[],
  texts: readonly AcceptedMessage[],
  withinMs: number,
): Promise<void> {
  let open: string[] = [];
  for (const startedMs = performance.now(); performance.now() - startedMs < withinMs; await sleep(POLL_MS)) {
    open = [];
    await forEachOf(takes, async ({ key, intro }) => {
      const { body } = await api.get(`/v1/intros/${intro}`);
      if (body.status !== 'sent')
        open.push(`${key}: ${body.status} ${JSON.stringify(body.recording ?? body.delivery)}`);
    });
    if (open.length === 0) break;
  }
  expect(open).toEqual([]);
  const perPhone = Map.groupBy(texts, ({ to }) => to);
  expect([...perPhone].filter(([, sent]) => sent.length > 1).map(([to]) => to)).toEqual([]);
  const problems: string[] = [];
  await forEachOf(takes, async ({ key, phone }) => {
    const [link] = /https?:\/\/\S+/.exec(perPhone.get(phone)?.[0]?.body ?? '') ?? [];
    const page = await (await fetch(url + new URL(link ?? url).pathname)).text();
    const [, video = ''] = /src="([^"]*\.mp4)"/.exec(page) ?? [];
    const { status } = await fetch(url + video);
    if (video === '' || status !== 200) problems.push(`${key}: the text has no link to the video (${link})`);
  });
  expect(problems).toEqual([]);
}
