import {
  type AcceptedEvent,
  type CreateTouchpointEvent,
  countWords,
  type DryRunResult,
  iso,
  type List,
  type ListEventsQuery,
  OPERATIONS,
  PACE,
  type TouchpointEvent,
} from '@foreword/contract';
import type { Services } from '../../app/services.ts';
import { readPage, readPeriod } from '../../db/lists.ts';
import type { Database, Db, Row, Tenant } from '../../db/tenancy.ts';
import { type Answer, conflict, createKeyedBatch, type Keyed, type KeyedBatch } from '../../http/idempotency/index.ts';
import { explainMismatch, findMember } from '../../members/index.ts';
import { ApiError, invalid } from '../../platform/errors.ts';
import { createdAtOf, ID_PATTERN, newId } from '../../platform/ids.ts';
import { parseInstant, toRfc3339 } from '../../platform/instants.ts';
import { compileCheck } from '../../platform/validate.ts';
import { onTestClock } from '../../testing/clock/index.ts';
import { findTouchpoint, speakingSeconds, type TemplateValues } from '../../touchpoints/index.ts';
import type { ReadObjects } from '../../webhooks/index.ts';
import {
  completeReference,
  decideIntro,
  type ErasedNumbers,
  type Failure,
  failure,
  isFailure,
  type NewIntroRow,
  valuesFor,
  withErasedOptOuts,
} from '../index.ts';
import { type AcceptanceResult, acceptEvents, type IncomingEvent } from './store/acceptance.ts';
import { readDryRunContext, readEventContext } from './store/processing.ts';
import { type EventRow, findEvent, findEvents, moveToAccepted, readEvents } from './store.ts';

/** The fields of an event that are known when it is accepted. */
function presentReceipt<Status extends string>(
  event: Pick<EventRow, 'id' | 'environment' | 'created_at' | 'request'>,
  status: Status,
): Omit<AcceptedEvent, 'status'> & { status: Status } {
  const { touchpoint, reference, metadata = {}, occurred_at } = event.request;
  return {
    id: event.id,
    object: 'touchpoint_event',
    status,
    touchpoint,
    reference: completeReference(reference),
    metadata,
    // Validated before it was stored.
    occurred_at: iso(parseInstant(occurred_at)) ?? occurred_at,
    environment: event.environment,
    created_at: iso(event.created_at),
  };
}

function presentEvent(row: EventRow): TouchpointEvent {
  const { error_code: code, error_message: message } = row;
  return {
    ...presentReceipt(row, row.status),
    resolved: {
      touchpoint: { slug: row.touchpoint_slug, name: row.touchpoint_name },
      member: { id: row.member_id, external_id: row.member_external_id },
    },
    intro: row.intro_id,
    ...(code !== null && { error: { code, message: message ?? '' } }),
  };
}

async function requireEvent(db: Db, tenant: Tenant, id: string): Promise<EventRow> {
  const row = ID_PATTERN.test(id) ? await findEvent(db, tenant, id) : null;
  if (row === null) throw new ApiError('not_found', 'No event with this id in this organization and environment.');
  return row;
}

export const retrieveEvent = async (db: Db, tenant: Tenant, id: string): Promise<TouchpointEvent> =>
  presentEvent(await requireEvent(db, tenant, id));

const isErased = ({ request }: Pick<EventRow, 'request'>): boolean => request.recipient.phone === '';

/** For webhooks. */
export const readEventObjects: ReadObjects = async (db, events) =>
  (await readEvents(db, events)).map((row) => ({
    organization_id: row.organization_id,
    object: presentEvent(row),
  }));

export const listEvents = (db: Db, tenant: Tenant, query: ListEventsQuery): Promise<List<TouchpointEvent>> =>
  readPage(query, {
    exists: async (id) => (await findEvent(db, tenant, id)) !== null,
    rows: (page) =>
      findEvents(db, tenant, {
        ...page,
        ...readPeriod(query),
        statuses: query.status ?? [],
        touchpoint: query.touchpoint,
        referenceId: query.reference_id,
      }),
    present: presentEvent,
  });

/** Why processing the event would fail at this time; null if it would create an intro. */
export async function explainRetry({ pool }: Database, tenant: Tenant, id: string, now: Date): Promise<Failure | null> {
  const event = await readEventContext(pool, tenant, id);
  if (event === null) throw new Error('the event does not exist');
  if (isErased(event)) return failure('recipient_erased');
  const outcome = decideIntro(event, now);
  return isFailure(outcome) ? outcome : null;
}

/** Queues a failed event again. A second request changes nothing. */
export async function retryEvent(db: Db, tenant: Tenant, id: string): Promise<TouchpointEvent> {
  const isQueued = ID_PATTERN.test(id) && (await moveToAccepted(db, tenant, id));
  const row = await requireEvent(db, tenant, id);
  if (isQueued) return presentEvent(row);
  const messages = {
    accepted: 'This event is already waiting to be processed.',
    processed: 'This event did not fail. It created an intro.',
    failed: isErased(row)
      ? 'The recipient of this event was erased.'
      : 'This event was just retried, and failed again.',
  };
  const message = messages[row.status];
  throw new ApiError('event_not_failed', message);
}

type KeyedEvent = Keyed<CreateTouchpointEvent>;

/** The fingerprint covers the times as sent; what is stored can be read by every version. */
function withStandardTimes(body: CreateTouchpointEvent): CreateTouchpointEvent {
  const { occurred_at, context } = body;
  const appointment = context?.appointment;
  return {
    ...body,
    occurred_at: toRfc3339(occurred_at),
    ...(appointment !== undefined && {
      context: { ...context, appointment: { ...appointment, starts_at: toRfc3339(appointment.starts_at) } },
    }),
  };
}

/** Checks are in the documented order of precedence. Null: retry, because a concurrent request bound the key. */
function toAnswer(item: IncomingEvent, result: AcceptanceResult): Answer | ApiError | null {
  const { id, createdAt: created_at, body: request, tenant } = item;
  const { environment } = tenant;
  if (result.created) return { body: presentReceipt({ id, environment, created_at, request }, 'accepted') };
  if (result.bound_fingerprint !== null) {
    const { bound_id: boundId } = result;
    // The event may have been removed. Its id has the time of its creation.
    const createdAt = result.bound_at ?? (boundId === null ? null : createdAtOf(boundId));
    if (!result.bound_fingerprint.equals(item.fingerprint) || boundId === null || createdAt === null)
      return conflict(boundId);
    const bound = { id: boundId, environment, created_at: createdAt, request };
    return { body: presentReceipt(bound, 'duplicate'), replayed: true };
  }
  return explainRefusal(request, result);
}

/** Why the event is rejected, given what it resolved to; null if it is accepted. */
function explainRefusal(
  request: CreateTouchpointEvent,
  matched: Pick<AcceptanceResult, 'touchpoint_context' | 'members'>,
): ApiError | null {
  if (matched.touchpoint_context === null) {
    const message = `No active touchpoint has the slug "${request.touchpoint}". GET /v1/touchpoints lists them.`;
    return new ApiError('touchpoint_not_found', message, { field: 'touchpoint' });
  }
  if (matched.touchpoint_context === 'appointment' && request.context?.appointment === undefined) {
    return invalid('context.appointment', `is required by the touchpoint "${request.touchpoint}"`);
  }
  return explainMismatch(request.member, matched.members);
}

export type EventAcceptor = KeyedBatch<CreateTouchpointEvent>;

export function createEventAcceptor(deps: Pick<Services, 'db' | 'testClocks' | 'traces'>): EventAcceptor {
  const { db, testClocks, traces } = deps;

  async function flush(items: KeyedEvent[]): Promise<(Answer | ApiError | null)[]> {
    const batch = items.map((item): IncomingEvent => {
      const createdAt = testClocks.now(item.tenant);
      return { ...item, createdAt, id: newId('evt', createdAt), request: JSON.stringify(withStandardTimes(item.body)) };
    });
    // Before the events exist, because a worker takes them within milliseconds.
    await traces.remember(db.pool, batch);
    const results = await acceptEvents(db.pool, batch);
    return batch.map((item, i) => toAnswer(item, results[i] as AcceptanceResult));
  }

  return createKeyedBatch({ name: 'events', path: '/v1/touchpoint-events', traces, flush });
}

const readShape = compileCheck(OPERATIONS.createTouchpointEvent.body.schema, 'body', { isApi: true });

/** The intro that an event would create. */
export interface DryRunDraft {
  readonly row: NewIntroRow;
  readonly values: TemplateValues;
  readonly isRecipientOptedOut: boolean;
  readonly script: { readonly text: string; readonly words: number; readonly seconds: number };
}

/** The result of each step that an event would go through; null for steps that were not reached. */
export interface EventDryRun {
  /** Null if the event does not match the schema. */
  readonly request: CreateTouchpointEvent | null;
  /** The error response of the API, unless it would accept the event. */
  readonly refusal: ApiError | null;
  readonly touchpoint: Row<'touchpoints'> | null;
  readonly member: Row<'members'> | null;
  /** Why processing the accepted event would fail. */
  readonly failure: Failure | null;
  readonly intro: DryRunDraft | null;
}

const NOTHING: EventDryRun = {
  request: null,
  refusal: null,
  touchpoint: null,
  member: null,
  failure: null,
  intro: null,
};

function readEvent(event: unknown): CreateTouchpointEvent | ApiError {
  try {
    if (typeof event !== 'object' || event === null || Array.isArray(event)) {
      throw invalid('body', 'must be a JSON object');
    }
    return readShape(event);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

function measureScript(script: string | null, { words_per_minute: pace }: Row<'members'>): DryRunDraft['script'] {
  const text = script ?? '';
  const words = countWords(text);
  return { text, words, seconds: speakingSeconds(words, pace ?? PACE.usual) };
}

interface DryRunDeps {
  readonly db: Database;
  readonly erasedOptOuts: Pick<ErasedNumbers, 'findOptedOut'>;
}

/** Runs every check of accepting and processing an event, and writes nothing. */
export async function dryRunEvent(
  { db, erasedOptOuts }: DryRunDeps,
  tenant: Tenant,
  event: unknown,
  now: Date,
): Promise<EventDryRun> {
  const request = readEvent(event);
  if (request instanceof ApiError) return { ...NOTHING, refusal: request };
  const [found] = await withErasedOptOuts(erasedOptOuts, db.pool, await readDryRunContext(db.pool, tenant, request));
  if (found === undefined) throw new Error('the organization of a dry run was deleted');
  const [touchpoint, member] = await Promise.all([
    found.touchpoint_context === null ? null : findTouchpoint(db.kysely, tenant, request.touchpoint),
    found.members === 1 ? findMember(db.kysely, tenant, found.member_id) : null,
  ]);
  const refusal = explainRefusal(request, found);
  const matched = { ...NOTHING, request, refusal, touchpoint, member };
  if (refusal !== null || member === null) return matched;
  const row = decideIntro(found, onTestClock(now, found.clock_offset_s));
  if (isFailure(row)) return { ...matched, failure: row };
  const intro = {
    row,
    values: valuesFor(found),
    isRecipientOptedOut: found.recipient_opted_out,
    script: measureScript(row.script, member),
  };
  return { ...matched, intro };
}

const presentDraft = ({ row, isRecipientOptedOut, script }: DryRunDraft): DryRunResult['intro'] => ({
  recipient: {
    first_name: row.recipient_first_name,
    last_name: row.recipient_last_name,
    phone: row.recipient_phone,
    language: row.recipient_language,
  },
  reference: row.reference,
  context: row.context,
  instructions: {
    script: script.text,
    script_language: row.script_language,
    words: script.words,
    seconds: script.seconds,
  },
  recipient_opted_out: isRecipientOptedOut,
  delivery: { responsibility: row.responsibility },
  metadata: row.metadata,
  expires_at: iso(row.expires_at),
});

/** The result that an event would have now. Throws the error that the API would return for it. */
export async function answerDryRun(
  deps: DryRunDeps,
  tenant: Tenant,
  event: CreateTouchpointEvent,
  now: Date,
): Promise<DryRunResult> {
  const { refusal, touchpoint, member, failure, intro } = await dryRunEvent(deps, tenant, event, now);
  if (refusal !== null) throw refusal;
  if (touchpoint === null || member === null)
    throw new Error('an event without a refusal has a touchpoint and a member');
  return {
    object: 'dry_run',
    status: failure === null ? 'processed' : 'failed',
    touchpoint: { slug: touchpoint.slug, name: touchpoint.name },
    member: {
      id: member.id,
      external_id: member.external_id,
      first_name: member.first_name,
      last_name: member.last_name,
    },
    intro: intro && presentDraft(intro),
    error: failure && { code: failure.code, message: failure.message },
    environment: tenant.environment,
  };
}
