import type { Static, TSchema } from 'typebox';
import type { OPERATIONS, OperationId } from '../operations.ts';

export interface Example<T> {
  /** One short line, which tools show as the name of the example. */
  readonly summary: string;
  readonly value: T;
}

/** By name, in camel case. Tools show the first one, and mock servers respond with it. */
export type NamedExamples<T> = Readonly<Record<string, Example<T>>>;

type Of<K extends OperationId> = (typeof OPERATIONS)[K];

type RequestExamples<K extends OperationId> =
  Of<K> extends { body: { kind: infer Kind; schema: infer Schema } }
    ? (Of<K> extends { changesNothing: true } ? object : { readonly idempotencyKey: string }) & {
        /** Every one succeeds in the demo organization, in any order. */
        readonly requests: Kind extends 'required'
          ? NamedExamples<Static<Schema & object>>
          : NamedExamples<Static<Schema & object>> | null;
      }
    : object;

/** Examples of one operation. Ids of requests and responses belong to the same story: see `objects/`. */
export type OperationExamples<K extends OperationId> = RequestExamples<K> & {
  /** In the path, if the first response has another id or none. */
  readonly id?: string;
  /** The filter that the code samples of a list use. */
  readonly query?: Of<K> extends { query: infer Query extends TSchema }
    ? { readonly [Name in keyof Static<Query>]?: string }
    : never;
  readonly responses: NamedExamples<Static<Of<K>['success']['schema']>>;
};

export type Examples = { readonly [K in OperationId]: OperationExamples<K> };
