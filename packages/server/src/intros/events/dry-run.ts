import { type CreateTouchpointEvent, countWords, type DryRunResult, OPERATIONS, PACE } from '@foreword/contract';
import type { Database, Row, Tenant } from '../../db/tenancy.ts';
import { findMember } from '../../members/index.ts';
import { ApiError, invalid } from '../../platform/errors.ts';
import { compileCheck } from '../../platform/validate.ts';
import { onTestClock } from '../../testing/clock/index.ts';
import { findTouchpoint, speakingSeconds, type TemplateValues } from '../../touchpoints/index.ts';
import {
  decideIntro,
  type ErasedNumbers,
  type Failure,
  isFailure,
  type NewIntroRow,
  valuesFor,
  withErasedOptOuts,
} from '../index.ts';
import { explainRefusal } from './service.ts';
import { readDryRunContext } from './store/processing.ts';

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
  expires_at: row.expires_at.toISOString(),
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
