import { type TObject, Type } from 'typebox';

export const ROLES = ['member', 'manager', 'owner'] as const;
export type Role = (typeof ROLES)[number];

type Method = 'GET' | 'POST' | 'DELETE';

declare const ANSWER: unique symbol;
/** What an operation answers. Only the type counts: it is our own server that writes it. */
export interface Answers<T> {
  readonly [ANSWER]?: T;
}
export const answers = <T>(): Answers<T> => ({});

/** One thing that the console asks of its server. Method and path, below `/console/api`, are its name in the table. */
export interface ConsoleOperation {
  /** The least that a signed-in person has to be. Owners may do all that managers may, and those all that members may. */
  readonly role: Role;
  readonly query?: TObject;
  /** What a POST brings, as JSON. Without it: nothing, or `{}`. */
  readonly body?: TObject;
  /** Larger than the usual 64 KiB. */
  readonly maxBytes?: number;
  readonly answers: Answers<unknown>;
}

/** Of what is made: without it, a request that is sent again because its answer was lost would make it twice. */
export const AttemptKey = Type.String({
  pattern: '^[A-Za-z0-9_-]{16,64}$',
  'x-problem': 'must be 16 to 64 letters, digits, dashes or underscores',
  description: 'Made by the page, once for each thing that is wanted: pressed twice, it is made once.',
});

export const define = <const T extends Record<`${Method} /${string}`, ConsoleOperation>>(operations: T) => operations;
