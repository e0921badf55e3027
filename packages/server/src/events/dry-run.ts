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
import { imagineEvent, resolveEvent } from './store.ts';

const checkShape = compileCheck(OPERATIONS.createTouchpointEvent.body.schema, 'body');

/** What would become of an event, step by step; what was not reached is null. */
export interface EventDryRun {
  /** Null when it does not even have the shape of one. */
  readonly request: CreateTouchpointEvent | null;
  /** The answer of the API, when that would be no 202. */
  readonly refusal: ApiError | null;
  readonly touchpointId: string | null;
  readonly memberId: string | null;
  /** Why it would be accepted, and yet make no intro. */
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

function findMisshape(event: unknown): ApiError | null {
  try {
    if (typeof event !== 'object' || event === null || Array.isArray(event)) {
      throw invalid('body', 'must be a JSON object');
    }
    checkShape(event);
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** Runs an event through everything that accepting and processing ask of it, and writes nothing. */
export async function dryRunEvent(db: Database<Tables>, tenant: Tenant, event: unknown): Promise<EventDryRun> {
  const misshape = findMisshape(event);
  if (misshape !== null) return { ...NOTHING, refusal: misshape };
  const request = event as CreateTouchpointEvent;
  const found = await resolveEvent(db.pool, tenant, { slug: request.touchpoint, member: toSelector(request.member) });
  const { touchpoint_id: touchpointId, member_ids } = found;
  const memberId = member_ids?.length === 1 ? (member_ids[0] ?? null) : null;
  const refusal = explainRefusal(request, found);
  const matched = { ...NOTHING, request, refusal, touchpointId, memberId };
  if (refusal !== null || touchpointId === null || memberId === null) return matched;
  const imagined = await imagineEvent(db.pool, tenant, { request: JSON.stringify(request), touchpointId, memberId });
  if (imagined === null) throw new Error('what an event was matched to is gone');
  const decision = decide(imagined);
  const values = valuesFor(imagined);
  if (isFailure(decision)) return { ...matched, failure: decision, values };
  return { ...matched, draft: decision, values };
}
