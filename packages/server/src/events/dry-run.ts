import { type CreateTouchpointEvent, OPERATIONS } from '@foreword/contract';
import type { IntroDraft } from '../intros/index.ts';
import { toSelector } from '../members/index.ts';
import type { Database } from '../platform/db.ts';
import { ApiError, invalid } from '../platform/errors.ts';
import { compileCheck } from '../platform/validate.ts';
import type { Tables, Tenant } from '../tables.ts';
import type { TemplateValues } from '../touchpoints/index.ts';
import { explainRefusal } from './acceptance.ts';
import { decide, type Failure, isFailure, valuesFor } from './decision.ts';
import { resolveEvent } from './store/acceptance.ts';
import { readDryRunContext } from './store/processing.ts';

const readShape = compileCheck(OPERATIONS.createTouchpointEvent.body.schema, 'body', { isApi: true });

/** The result of each step that an event would go through; null for steps that were not reached. */
export interface EventDryRun {
  /** Null if the event does not match the schema. */
  readonly request: CreateTouchpointEvent | null;
  /** The error response of the API, unless it would accept the event. */
  readonly refusal: ApiError | null;
  readonly touchpointId: string | null;
  readonly memberId: string | null;
  /** Why processing the accepted event would fail. */
  readonly failure: Failure | null;
  readonly draft: IntroDraft | null;
  readonly values: TemplateValues | null;
}

const NOTHING: EventDryRun = {
  request: null,
  refusal: null,
  touchpointId: null,
  memberId: null,
  failure: null,
  draft: null,
  values: null,
};

function readEvent(event: unknown): CreateTouchpointEvent | ApiError {
  try {
    if (typeof event !== 'object' || event === null || Array.isArray(event)) {
      throw invalid('body', 'must be a JSON object');
    }
    return readShape(event) as CreateTouchpointEvent;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** Runs every check of accepting and processing an event, and writes nothing. */
export async function dryRunEvent(db: Database<Tables>, tenant: Tenant, event: unknown): Promise<EventDryRun> {
  const request = readEvent(event);
  if (request instanceof ApiError) return { ...NOTHING, refusal: request };
  const found = await resolveEvent(db.pool, tenant, { slug: request.touchpoint, member: toSelector(request.member) });
  const { touchpoint_id: touchpointId, member_ids } = found;
  const memberId = member_ids?.length === 1 ? (member_ids[0] ?? null) : null;
  const refusal = explainRefusal(request, found);
  const matched = { ...NOTHING, request, refusal, touchpointId, memberId };
  if (refusal !== null || touchpointId === null || memberId === null) return matched;
  const inContext = await readDryRunContext(db.pool, tenant, {
    request: JSON.stringify(request),
    touchpointId,
    memberId,
  });
  if (inContext === null) throw new Error('the touchpoint or member of a dry run was deleted');
  const decision = decide(inContext);
  const values = valuesFor(inContext);
  if (isFailure(decision)) return { ...matched, failure: decision, values };
  return { ...matched, draft: decision, values };
}
