import { type OperationForm, type Routed, splitRoute } from '../operation.ts';
import type { Role } from '../plain/index.ts';
import { ClosedObject, type TProperties, Type } from '../schema.ts';

/** An operation that only the console uses. Its path is below `/console/api`. */
export interface ConsoleOperation extends OperationForm {
  readonly role: Role;
  /** It creates an object, and needs an Idempotency-Key: resent after a lost response, it creates no second one. */
  readonly isKeyed?: true;
  /** Replaces the default limit of 64 KiB. */
  readonly maxBytes?: number;
}

/** The type of an operation's response. It is not validated: only our own server writes it. */
export const response = <T>() => ({ status: 200, schema: Type.Unsafe<T>({}) }) as const;

export const json = <T extends TProperties>(fields: T) => ({ kind: 'required', schema: ClosedObject(fields) }) as const;

/** The start or end of a period. */
export const Time = (description: string) =>
  Type.String({
    format: 'date-time',
    'x-problem': 'must be an ISO 8601 date-time with an offset or Z, such as 2026-03-10T09:15:00Z',
    description,
  });

interface Draft extends Omit<ConsoleOperation, 'method' | 'path'> {
  readonly route: `${OperationForm['method']} /${string}`;
}

type Defined<T extends Record<string, Draft>> = {
  readonly [K in keyof T]: Omit<T[K], 'route'> & Routed<T[K]['route']>;
};

export const define = <const T extends Record<string, Draft>>(operations: T) =>
  Object.fromEntries(
    Object.entries(operations).map(([id, { route, ...draft }]) => [id, { ...splitRoute(route), ...draft }]),
  ) as unknown as Defined<T>;
