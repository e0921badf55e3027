import type { Static, TObject, TSchema } from 'typebox';
import type { ErrorCode } from './errors.ts';
import { KEY_SCOPES, type KeyScope, type Role } from './plain/index.ts';

export const AGENT_GROUPS = ['test_clock', 'link_domains', 'webhook_logs'] as const;
export type AgentGroup = (typeof AGENT_GROUPS)[number];

/** What the operations of the API and those of the console alone have in common. */
export interface OperationForm {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /**
   * The lowest role in the console that may use it, below `/console/api`. Owners may do everything that managers may, and
   * managers everything that members may. Without it, sessions may not use it.
   */
  readonly role?: Role;
  readonly query?: TObject;
  /**
   * `required`: JSON with at least one required field. `optional`: no body, or JSON with any content type. `empty`: like
   * `optional`, without fields. `clip`: like `empty`, or a video with one of VIDEO_TYPES as content type.
   */
  readonly body?: { readonly kind: 'required' | 'optional' | 'empty' | 'clip'; readonly schema: TObject };
  readonly success: { readonly status: 200 | 201 | 202; readonly schema: TSchema };
}

export interface Operation extends OperationForm {
  readonly operationId: string;
  readonly tag:
    | 'Touchpoint events'
    | 'Intros'
    | 'Recipients'
    | 'Touchpoints'
    | 'Members'
    | 'Link domains'
    | 'Test helpers'
    | 'Webhooks';
  readonly summary: string;
  readonly description: string;
  /** Keys with the scope `events` may use the operation, too. */
  readonly allowsEventKeys?: true;
  /** A permission that the key needs in addition to the scope `full`. */
  readonly permission?: 'recording_links';
  readonly params?: TObject;
  readonly query: TObject;
  /** Agents get it as a tool only if the address of their connection asks for this group: it is for rare work. */
  readonly agentGroup?: AgentGroup;
  /** Agents never get it as a tool: it returns a secret, decides where data is sent, or erases a person. */
  readonly isClosedToAgents?: true;
  /** It ends or overwrites something that cannot be restored with another operation. Agents may ask a person first. */
  readonly isDestructive?: true;
  /** A POST that only reads: it needs no Idempotency-Key, ignores one, and counts as a read for the rate limit. */
  readonly changesNothing?: true;
  /** Requests are written in batches, whose statements bind the keys. */
  readonly isBatched?: true;
  readonly success: OperationForm['success'] & { readonly description: string };
  /** In addition to COMMON_ERRORS. */
  readonly errors: readonly ErrorCode[];
}

/** Decides who may use an operation, and which rate limit counts it. */
export type OperationAccess = Pick<Operation, 'method' | 'body' | 'changesNothing' | 'allowsEventKeys' | 'permission'>;

/** The scopes whose keys may use an operation. */
export const scopesOf = ({
  method,
  changesNothing,
  allowsEventKeys,
  permission,
}: Omit<OperationAccess, 'body'>): readonly KeyScope[] =>
  KEY_SCOPES.filter((scope) => {
    if (scope === 'full') return true;
    if (permission !== undefined) return false;
    return scope === 'read' ? method === 'GET' || changesNothing === true : allowsEventKeys === true;
  });

export const needsKey = ({ body, changesNothing }: OperationAccess): boolean =>
  body !== undefined && changesNothing !== true;

export const EVERY_POST: readonly ErrorCode[] = [
  'validation_failed',
  'idempotency_conflict',
  'payload_too_large',
  'unsupported_media_type',
];

export const define = <const T extends Record<string, Operation>>(operations: T) => operations;

export type QueryOf<O extends OperationForm> = O extends { query: infer Q extends TObject }
  ? Static<Q>
  : Record<never, never>;

/** `Clip` is the server's type of an uploaded video. */
export type BodyOf<O extends OperationForm, Clip = never> = O extends {
  body: { kind: infer Kind; schema: infer Schema extends TObject };
}
  ? Static<Schema> | (Kind extends 'clip' ? Clip : never)
  : undefined;

export type ResponseOf<O extends OperationForm> = Static<O['success']['schema']>;

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

export type ParamsOf<O extends OperationForm> = { readonly [Name in NamesIn<O['path']>]: string };
