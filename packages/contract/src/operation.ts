import type { ErrorCode } from './errors.ts';
import { AnyId, Instant } from './fields.ts';
import { KEY_SCOPES, type KeyScope, type Role } from './plain/index.ts';
import { ClosedObject, RequestComponent, type Static, type TObject, type TSchema, Type } from './schema.ts';

export const AGENT_GROUPS = ['test_clock', 'link_domains', 'webhook_logs'] as const;
export type AgentGroup = (typeof AGENT_GROUPS)[number];

/** The common part of the API's operations and of those that only the console has. */
export interface OperationForm {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /**
   * The lowest role in the console that may use it, below `/console/api`. Owners may do everything that managers may, and
   * managers everything that members may. Without it, sessions may not use it.
   */
  readonly role?: Role;
  /** Members of a lower role may use it for themselves: the id in its path is theirs. */
  readonly forSelf?: true;
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
  readonly body?: OperationForm['body'] & {
    /** By their summaries. Samples send the first one. Every one succeeds in the demo organization, in any order. */
    readonly examples?: Readonly<Record<string, object>>;
  };
  /** The example of an Idempotency-Key, where the general one does not do. */
  readonly keyExample?: string;
  /** The filter that the samples of a list use. */
  readonly filterExample?: Readonly<Record<string, string>>;
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
  readonly success: OperationForm['success'] & {
    readonly description: string;
    /** Derived from the example object of a resource. Several have summaries. */
    readonly example: object | { readonly examples: Readonly<Record<string, object>> };
  };
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

const errorsOf = ({ params, body, changesNothing }: Omit<Operation, 'errors'>): readonly ErrorCode[] => [
  'validation_failed',
  ...(body === undefined || changesNothing ? [] : (['idempotency_conflict'] as const)),
  ...(body === undefined ? [] : (['payload_too_large', 'unsupported_media_type'] as const)),
  ...(params === undefined ? [] : (['not_found'] as const)),
];

const NoQuery = ClosedObject({});

const EmptyBody = RequestComponent('EmptyBody', 'No fields. The body can also be omitted.', {});
const NO_BODY = { kind: 'empty', schema: EmptyBody } as const;
export const CLIP_BODY = { kind: 'clip', schema: EmptyBody } as const;

/** The id in the path: that of the resource's example. */
export const idParams = (description: string, example: { readonly id: string }) =>
  ClosedObject({ id: AnyId(description, example.id) });

export const DEFAULT_PAGE_SIZE = 20;
export const MAX_PAGE_SIZE = 100;

export const paging = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_PAGE_SIZE,
      default: DEFAULT_PAGE_SIZE,
      'x-problem': `must be a whole number from 1 to ${MAX_PAGE_SIZE}`,
      description: 'Page size.',
    }),
  ),
  starting_after: Type.Optional(Type.String({ minLength: 1, description: 'The last id of the previous page.' })),
};

export const PageQuery = ClosedObject(paging);
export type PageQuery = Static<typeof PageQuery>;

/** The period of a list; `readPeriod` reads it. */
export const createdPeriod = {
  created_after: Type.Optional(Instant('Only objects created at this time or later')),
  created_before: Type.Optional(Instant('Only objects created before this time')),
};

const WAIT_MAX_S = 30;

export const wait = (until: string) => ({
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: WAIT_MAX_S,
      default: 0,
      'x-problem': `must be a whole number of seconds from 0 to ${WAIT_MAX_S}`,
      description: `Waits up to this many seconds until ${until}, then responds with the current state.`,
    }),
  ),
});

/** Lists of a component are components, too. */
function listOptions(item: TSchema) {
  const { 'x-component': name } = item as { 'x-component'?: string };
  return name === undefined ? {} : { 'x-component': `${name}List`, description: 'One page of a list.' };
}

export const ListOf = <T extends TSchema>(item: T) =>
  Type.Object(
    {
      object: Type.Literal('list'),
      data: Type.Array(item, { description: 'The objects of this page.' }),
      has_more: Type.Boolean({ description: 'True when more objects follow; request them with `starting_after`.' }),
    },
    listOptions(item),
  );

export type List<T> = { object: 'list'; data: T[]; has_more: boolean };

export const listExample = <T>(...data: T[]): List<T> => ({ object: 'list', data, has_more: false });

/** The response of an operation that succeeds. */
export const returns = <const Status extends Operation['success']['status'], Schema extends TSchema>(
  status: Status,
  schema: Schema,
  description: string,
  example: Operation['success']['example'],
) => ({ status, schema, description, example });

/** The method and path of a route such as `GET /v1/intros`. */
export type Routed<Route extends string> = Route extends `${infer Method} ${infer Path}`
  ? { readonly method: Method; readonly path: Path }
  : never;

export function splitRoute(route: string): Pick<OperationForm, 'method' | 'path'> {
  const [method, path] = route.split(' ') as [OperationForm['method'], string];
  return { method, path };
}

interface Draft extends Omit<Operation, 'operationId' | 'tag' | 'method' | 'path' | 'query' | 'errors'> {
  readonly route: `${OperationForm['method']} /v1/${string}`;
  readonly query?: TObject;
  /** Besides those that every operation of its form has. */
  readonly errors?: readonly ErrorCode[];
}

type Defined<T extends Record<string, Draft>> = {
  readonly [K in keyof T & string]: Omit<T[K], 'route' | 'query' | 'errors'> &
    Routed<T[K]['route']> &
    (T[K] extends { body: object } | { route: `GET ${string}` } ? unknown : { readonly body: typeof NO_BODY }) & {
      readonly operationId: K;
      readonly tag: Operation['tag'];
      readonly query: T[K] extends { query: infer Query extends TObject } ? Query : typeof NoQuery;
      readonly errors: readonly ErrorCode[];
    };
};

function complete(operationId: string, tag: Operation['tag'], { route, errors = [], ...draft }: Draft): Operation {
  const { method, path } = splitRoute(route);
  const body = method === 'GET' ? undefined : (draft.body ?? NO_BODY);
  const operation = { query: NoQuery, ...draft, operationId, tag, method, path, ...(body && { body }) };
  return { ...operation, errors: [...errorsOf(operation), ...errors] };
}

/** The operations of a resource, by their ids. Without a body, a POST or DELETE accepts an empty object. */
export const define = <const T extends Record<string, Draft>>(tag: Operation['tag'], operations: T): Defined<T> =>
  Object.fromEntries(
    Object.entries(operations).map(([operationId, draft]) => [operationId, complete(operationId, tag, draft)]),
  ) as unknown as Defined<T>;

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
