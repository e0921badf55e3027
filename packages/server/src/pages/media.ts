import { buffer } from 'node:stream/consumers';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Database, Tenant } from '../db/tenancy.ts';
import { matchesTag } from '../platform/encoding.ts';
import type { Objects } from '../platform/objects/index.ts';
import { toView } from './lookup.ts';
import { sendEmpty, setFileHeaders } from './responses.ts';
import { pageStateOf, readRange } from './rules.ts';
import { findByIntro } from './store.ts';
import type { PageView } from './view.ts';

/** Long enough to start a video on a slow connection; a later request goes to the page's own address again. */
const PRESIGNED_S = 300;

interface MediaFile {
  readonly key: string;
  readonly type: string;
}

/** Honors a range only if the client's part belongs to the current file (`If-Range`). */
function rangeOf(request: FastifyRequest, etag: string, size: number) {
  const { range, 'if-range': condition } = request.headers;
  if (request.method !== 'GET') return null;
  return condition === undefined || condition === etag ? readRange(range, size) : null;
}

export type FileSender = ReturnType<typeof createFileSender>;

export function createFileSender(objects: Pick<Objects, 'open'>) {
  return {
    async send(request: FastifyRequest, reply: FastifyReply, file: MediaFile): Promise<FastifyReply> {
      const object = await objects.open(file.key);
      if (object === null) return sendEmpty(reply, 404);
      const { size } = object;
      const etag = `"${object.etag}"`;
      setFileHeaders(reply, file.type).header('etag', etag).header('accept-ranges', 'bytes');
      if (matchesTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
      const range = rangeOf(request, etag, size);
      if (range === 'unsatisfiable') return reply.code(416).header('content-range', `bytes */${size}`).send();
      if (range !== null) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${size}`);
      reply.header('content-length', range === null ? size : range.end - range.start + 1);
      if (request.method === 'HEAD' || size === 0) return reply.send();
      // Fastify applies backpressure, and closes the stream when the client disconnects.
      return reply.send(await object.stream(range ?? undefined));
    },
  };
}

/** A small file; null if it does not exist. */
export async function readAll(objects: Pick<Objects, 'open'>, file: MediaFile): Promise<Buffer | null> {
  const object = await objects.open(file.key);
  return object === null ? null : buffer(await object.stream());
}

/** Redirects to a short-lived address of the object store; false when the store has none. */
export async function redirectToStore(reply: FastifyReply, objects: Objects, file: MediaFile): Promise<boolean> {
  const address = await objects.presign(file.key, { seconds: PRESIGNED_S, type: file.type });
  if (address === null) return false;
  reply.header('cache-control', 'private, no-store').header('referrer-policy', 'no-referrer').redirect(address, 302);
  return true;
}

/** The origin of those addresses, for the page's content security policy. */
export async function findMediaOrigin(objects: Objects): Promise<string | null> {
  const address = await objects.presign('origin', { seconds: PRESIGNED_S, type: 'video/mp4' });
  return address === null ? null : new URL(address).origin;
}

/** Files that show only the organization, and stay available after the member left. */
export const isBrandFile = (name: string): boolean => name === 'icon.svg' || name === 'logo.png';

/** The face in a square, for lists. */
export const THUMBNAIL = 'thumbnail.jpg';

/** Finds a file below a page by name; null when it does not exist. */
export function findFile(view: PageView, name: string): MediaFile | null {
  const { video, member, organization } = view;
  const videoFile = (file: string, type: string): MediaFile => ({ key: video.folder + file, type });
  const picture = (key: string | null, type: string): MediaFile | null => (key === null ? null : { key, type });
  switch (name) {
    case `${video.name}.mp4`:
      return videoFile('video.mp4', 'video/mp4');
    case 'poster.jpg':
      return videoFile('poster.jpg', 'image/jpeg');
    case 'card.jpg':
      return videoFile('card.jpg', 'image/jpeg');
    case THUMBNAIL:
      return videoFile(THUMBNAIL, 'image/jpeg');
    case 'preview.webp':
      // Its address is part of intros before it is made.
      return video.hasPreview ? videoFile('preview.webp', 'image/webp') : findFile(view, 'poster.jpg');
    case 'captions.vtt':
      return video.captionsLanguage !== null ? videoFile('captions.vtt', 'text/vtt; charset=utf-8') : null;
    case 'logo.png':
      return picture(organization.logo, 'image/png');
    case 'photo.jpg':
      return picture(member.photo, 'image/jpeg');
    default:
      return null;
  }
}

async function findView(db: Database, tenant: Tenant, introId: string, now: Date): Promise<PageView | null> {
  const row = await findByIntro(db, tenant, introId);
  // The caller builds the addresses of the files, and needs no number.
  const view = row !== null && pageStateOf(row, now) === 'open' ? toView(row, '', () => null, now) : null;
  return view?.replacedFor === 'taken_down' || view?.replacedFor === 'likeness_withdrawn' ? null : view;
}

/** File names of an intro's video; null when there is none or the recipient cannot see it either. */
export async function listVideoFiles(
  db: Database,
  tenant: Tenant,
  introId: string,
  now: Date,
): Promise<{ video: string; poster: string; captions: string | null } | null> {
  const view = await findView(db, tenant, introId, now);
  if (view === null) return null;
  return {
    video: `${view.video.name}.mp4`,
    poster: 'poster.jpg',
    captions: view.video.captionsLanguage !== null ? 'captions.vtt' : null,
  };
}

/** For the console; watching here does not count as the recipient's view. */
export async function findVideoFile(
  db: Database,
  intro: { tenant: Tenant; introId: string; name: string },
  now: Date,
): Promise<MediaFile | null> {
  const view = await findView(db, intro.tenant, intro.introId, now);
  return view && findFile(view, intro.name);
}
