import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Objects } from '../platform/objects.ts';
import { markFile, sendNothing } from './answers.ts';
import { matchesTag, readRange } from './rules.ts';

/** Long enough to begin a video on a bad line; a player that comes later asks our address again. */
const PRESIGNED_S = 300;
/** When the service stops, players are cut off after this; they go on, by a range, wherever it answers next. */
const LAST_MS = 3_000;

export interface MediaFile {
  readonly key: string;
  readonly type: string;
}

/** A range is given only for the very bytes that the asker already has some of. */
function rangeOf(request: FastifyRequest, etag: string, size: number) {
  const { range, 'if-range': condition } = request.headers;
  if (request.method !== 'GET') return null;
  return condition === undefined || condition === etag ? readRange(range, size) : null;
}

export interface Player {
  send(request: FastifyRequest, reply: FastifyReply, file: MediaFile): Promise<FastifyReply>;
  /** A slow client must not keep the service from stopping. */
  stopSoon(): void;
}

export function createPlayer(objects: Pick<Objects, 'open'>): Player {
  const playing = new Set<Readable>();
  return {
    async send(request, reply, file) {
      const object = await objects.open(file.key);
      if (object === null) return sendNothing(reply, 404);
      const { size } = object;
      const etag = `"${object.etag}"`;
      markFile(reply, file.type).header('etag', etag).header('accept-ranges', 'bytes');
      if (matchesTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
      const range = rangeOf(request, etag, size);
      if (range === 'unsatisfiable') return reply.code(416).header('content-range', `bytes */${size}`).send();
      if (range !== null) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${size}`);
      reply.header('content-length', range === null ? size : range.end - range.start + 1);
      if (request.method === 'HEAD' || size === 0) return reply.send();
      const stream = await object.stream(range ?? undefined);
      playing.add(stream);
      stream.once('close', () => playing.delete(stream));
      // Fastify reads it as fast as the client takes it, and closes it when the client goes away.
      return reply.send(stream);
    },
    stopSoon() {
      setTimeout(() => {
        for (const stream of playing) stream.destroy();
      }, LAST_MS).unref();
    },
  };
}

/** To a short-lived address of the store; false when the store has none. */
export async function redirectToStore(reply: FastifyReply, objects: Objects, file: MediaFile): Promise<boolean> {
  const address = await objects.presign(file.key, { seconds: PRESIGNED_S, type: file.type });
  if (address === null) return false;
  reply.header('cache-control', 'private, no-store').header('referrer-policy', 'no-referrer').redirect(address, 302);
  return true;
}

/** Where such addresses lead, for the page's policy. */
export async function findMediaOrigin(objects: Objects): Promise<string | null> {
  const address = await objects.presign('origin', { seconds: PRESIGNED_S, type: 'video/mp4' });
  return address === null ? null : new URL(address).origin;
}
