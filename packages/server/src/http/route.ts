import { isUtf8 } from 'node:buffer';
import type { TObject } from '@foreword/contract';
import { ERRORS, VIDEO_TYPES } from '@foreword/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendConditionally } from '../platform/encoding.ts';
import { ApiError, invalid } from '../platform/errors.ts';
import type { QueuedClient, Slot } from '../platform/fair-queue.ts';
import { parseJson } from '../platform/json.ts';
import { type Origin, withRequest } from '../platform/origin.ts';
import { withSpan } from '../platform/tracing.ts';
import { compileCheck, readQuery } from '../platform/validate.ts';
import { BODY_LIMIT_BYTES, tooLarge } from './server.ts';

/** The uploaded video of an operation that accepts one. */
export class Clip {
  readonly mediaType: string;
  readonly bytes: Buffer;

  constructor(mediaType: string, bytes: Buffer) {
    this.mediaType = mediaType;
    this.bytes = bytes;
  }
}

const EMPTY_OBJECT = Buffer.from('{}');
const JSON_MEDIA_TYPE = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

const isJson = (mediaType: string | undefined): boolean => JSON_MEDIA_TYPE.test(mediaType ?? '');

/** A JSON object, or 422. */
export function readJson(bytes: Buffer): object {
  const body = isUtf8(bytes) ? parseJson(bytes.toString('utf8')) : undefined;
  if (body === undefined) throw invalid('body', 'is not valid JSON in UTF-8');
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw invalid('body', 'must be a JSON object');
  return body;
}

export function requireJson(mediaType: string | undefined, bytes: Buffer): object {
  if (!isJson(mediaType)) throw new ApiError('unsupported_media_type', ERRORS.unsupported_media_type.example);
  return readJson(bytes);
}

function readClip(mediaType: string | undefined, bytes: Buffer): Clip | null {
  const [type = ''] = (mediaType ?? '').toLowerCase().split(';');
  const videoType = VIDEO_TYPES.find((known) => known === type.trim());
  if (videoType === undefined) return null;
  if (bytes.length === 0) throw invalid('body', 'is an empty video');
  return new Clip(videoType, bytes);
}

export function readClipOrObject(mediaType: string | undefined, bytes: Buffer): object {
  const clip = readClip(mediaType, bytes);
  if (clip !== null) return clip;
  if (bytes.length === 0) return {};
  if (isJson(mediaType) && bytes.length > BODY_LIMIT_BYTES) throw tooLarge(BODY_LIMIT_BYTES);
  if (isJson(mediaType) || bytes.equals(EMPTY_OBJECT)) return readJson(bytes);
  throw new ApiError('unsupported_media_type', `Declare the video as one of ${VIDEO_TYPES.join(', ')}.`);
}

/** A route whose query and JSON body follow a schema. The API and the console are built from these. */
export interface Route {
  /** Names the operation in logs and metrics. */
  readonly name: string;
  readonly method: string;
  readonly url: string;
  /** Overrides the usual limit. */
  readonly maxBytes?: number | undefined;
  readonly query: TObject;
  readonly body: TObject | undefined;
  /** Responses have an ETag and are compressed. */
  readonly isConditional?: boolean;
  /** Null and empty text in optional fields of the body count as not sent, and errors name every problem. */
  readonly isApi?: boolean;
  /** Who is allowed to make the request, for the audit log. Routes without it record the service as the actor. */
  actorOf?(request: FastifyRequest): Origin['actor'];
  /** Runs before the body is read. Throws when the request is not allowed. */
  authorize(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** For routes that organizations share fairly. */
  openSlot?(request: FastifyRequest, client: QueuedClient): Slot;
  /** Checks that schemas cannot express. */
  checkInput?(params: object, query: Record<string, unknown>): void;
  /** A JSON object, or a clip where the operation accepts one. */
  parseBody(mediaType: string | undefined, bytes: Buffer): object;
  /** Returns an object, or JSON as text. */
  handle(request: FastifyRequest, input: { query: unknown; body: unknown }, reply: FastifyReply): Promise<unknown>;
}

const connectionOf = ({ raw }: FastifyRequest, reply: FastifyReply): QueuedClient => ({
  get isConnected() {
    return !raw.socket.destroyed;
  },
  onDisconnect(listener) {
    reply.raw.once('close', listener);
    return () => reply.raw.off('close', listener);
  },
});

export function registerRoute(app: FastifyInstance, route: Route): void {
  const { query, maxBytes } = route;
  const isApi = route.isApi ?? false;
  // An empty filter is not "no filter": a caller would act on objects that it did not mean.
  const checkQuery = compileCheck(query, 'query', { isApi });
  const readBody = route.body && compileCheck(route.body, 'body', { isApi, acceptsEmpty: isApi });
  app.route({
    method: route.method,
    url: route.url,
    config: { operation: route.name },
    ...(maxBytes !== undefined && { bodyLimit: maxBytes }),
    onRequest: (request, reply) => route.authorize(request, reply),
    async handler(request, reply) {
      const values = readQuery(query, request.query as Record<string, unknown>);
      checkQuery(values);
      route.checkInput?.(request.params as object, values);
      let body: object | undefined;
      if (readBody !== undefined) {
        const sent = route.parseBody(request.state.mediaType, (request.body as Buffer | undefined) ?? Buffer.alloc(0));
        body = sent instanceof Clip ? sent : readBody(sent);
      }
      const slot = route.openSlot?.(request, connectionOf(request, reply));
      request.state.slot = slot;
      const entering = slot?.enter();
      if (entering !== undefined) await entering;
      try {
        const work = () => withSpan(request.state.span, () => route.handle(request, { query: values, body }, reply));
        // Nothing that only reads is recorded.
        const response = await (route.actorOf === undefined || route.method === 'GET'
          ? work()
          : withRequest(request, route.actorOf(request), work));
        reply.type('application/json; charset=utf-8');
        const text = typeof response === 'string' ? response : JSON.stringify(response);
        return route.isConditional === true ? await sendConditionally(request, reply, text) : text;
      } finally {
        slot?.leave();
      }
    },
  });
}
