import { Readable } from 'node:stream';
import { type ObjectBody, ObjectsError } from './interface.ts';

/** A stream that was already read would silently be stored as an empty object. */
export function refuseSpentStream(body: Readable): void {
  if (body.errored !== null) throw body.errored;
  if (body.destroyed || body.readableEnded) throw new ObjectsError('misused', 'the stream was already read or closed');
}

/** An error of the source stream is thrown unchanged: a member's broken connection is not an error of the store. */
export const isFaultOf = (body: ObjectBody, error: unknown): boolean =>
  body instanceof Readable && body.errored !== null && body.errored === error;
