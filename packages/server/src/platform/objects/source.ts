import { Readable } from 'node:stream';
import { type ObjectBody, ObjectsError } from './interface.ts';

/** A stream that was read before would be stored as an empty object, and nobody would notice. */
export function refuseSpentStream(body: Readable): void {
  if (body.errored !== null) throw body.errored;
  if (body.destroyed || body.readableEnded) throw new ObjectsError('misused', 'the stream was read or closed before');
}

/** The stream's own fault, which is told as it is: a member's broken connection is not one to the store. */
export const isFaultOf = (body: ObjectBody, error: unknown): boolean =>
  body instanceof Readable && body.errored !== null && body.errored === error;
