import { type CreateTouchpointEvent, countWords, type DryRunResult, OPERATIONS, PACE } from '@foreword/contract';
import { type IntroDraft, toRow } from '../intros/index.ts';
import { findMember, toSelector } from '../members/index.ts';
import type { Database, Queryable } from '../platform/db.ts';
import { ApiError, invalid } from '../platform/errors.ts';
import { compileCheck } from '../platform/validate.ts';
import type { MemberRow, Tables, Tenant, TouchpointRow } from '../tables.ts';
import { findTouchpoint, speakingSeconds, type TemplateValues } from '../touchpoints/index.ts';
import { explainRefusal } from './acceptance.ts';
import { decide, type Failure, isFailure, valuesFor } from './decision.ts';
import { resolveEvent } from './store/acceptance.ts';
import { readDryRunContext } from './store/processing.ts';

const readShape = compileCheck(OPERATIONS.createTouchpointEvent.body.schema, 'body', { isApi: true });

/** The intro that an event would create. */
export interface DryRunDraft {
  readonly draft: IntroDraft;
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
  readonly touchpoint: TouchpointRow | null;
  readonly member: MemberRow | null;
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

function measureScript({ instructions }: IntroDraft, { words_per_minute: pace }: MemberRow): DryRunDraft['script'] {
  const text = instructions?.script ?? '';
  const words = countWords(text);
  return { text, words, seconds: speakingSeconds(words, pace ?? PACE.usual) };
}

interface DryRunDeps {
  readonly db: Database<Tables>;
  /** Opt-outs of numbers whose data was erased; delivery has them. */
  readonly erasedOptOuts: { has(db: Queryable<Tables>, tenant: Tenant, phone: string): Promise<boolean> };
}

/** Runs every check of accepting and processing an event, and writes nothing. */
export async function dryRunEvent(
  { db, erasedOptOuts }: DryRunDeps,
  tenant: Tenant,
  event: unknown,
): Promise<EventDryRun> {
  const request = readEvent(event);
  if (request instanceof ApiError) return { ...NOTHING, refusal: request };
  const found = await resolveEvent(db.pool, tenant, { slug: request.touchpoint, member: toSelector(request.member) });
  const memberId = found.member_ids?.length === 1 ? (found.member_ids[0] ?? null) : null;
  const [touchpoint, member] = await Promise.all([
    found.touchpoint_id === null ? null : findTouchpoint(db.kysely, tenant, request.touchpoint),
    memberId === null ? null : findMember(db.kysely, tenant, memberId),
  ]);
  const refusal = explainRefusal(request, found);
  const matched = { ...NOTHING, request, refusal, touchpoint, member };
  if (refusal !== null || touchpoint === null || member === null) return matched;
  const [stored, hadOptedOut] = await Promise.all([
    readDryRunContext(db.pool, tenant, {
      request: JSON.stringify(request),
      touchpointId: touchpoint.id,
      memberId: member.id,
    }),
    erasedOptOuts.has(db.kysely, tenant, request.recipient.phone),
  ]);
  if (stored === null) throw new Error('the touchpoint or member of a dry run was deleted');
  const inContext = { ...stored, recipient_opted_out: stored.recipient_opted_out || hadOptedOut };
  const decision = decide(inContext);
  if (isFailure(decision)) return { ...matched, failure: decision };
  const intro = {
    draft: decision,
    values: valuesFor(inContext),
    isRecipientOptedOut: inContext.recipient_opted_out,
    script: measureScript(decision, member),
  };
  return { ...matched, intro };
}

function presentDraft(tenant: Tenant, { draft, isRecipientOptedOut, script }: DryRunDraft, now: Date) {
  const row = toRow(tenant, draft, now);
  type Drafted = NonNullable<DryRunResult['intro']>;
  return {
    recipient: {
      first_name: row.recipient_first_name,
      last_name: row.recipient_last_name,
      phone: row.recipient_phone,
      language: row.recipient_language,
    },
    reference: row.reference as Drafted['reference'],
    context: row.context as Drafted['context'],
    instructions: {
      script: script.text,
      script_language: row.script_language,
      words: script.words,
      seconds: script.seconds,
    },
    recipient_opted_out: isRecipientOptedOut,
    delivery: { responsibility: row.responsibility },
    metadata: row.metadata as Drafted['metadata'],
    expires_at: (row.expires_at ?? now).toISOString(),
  };
}

/** The result that an event would have now. Throws the error that the API would return for it. */
export async function answerDryRun(
  deps: DryRunDeps,
  tenant: Tenant,
  event: CreateTouchpointEvent,
  now: Date,
): Promise<DryRunResult> {
  const { refusal, touchpoint, member, failure, intro } = await dryRunEvent(deps, tenant, event);
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
    intro: intro && presentDraft(tenant, intro, now),
    error: failure && { code: failure.code, message: failure.message },
    environment: tenant.environment,
  };
}
