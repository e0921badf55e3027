import type { Tenant, Tx } from '../db/tenancy.ts';
import { type ApiError, invalid } from '../platform/errors.ts';
import { ID_PATTERN } from '../platform/ids.ts';
import { recordChange } from '../privacy/audit/index.ts';
import type { Links } from './links/index.ts';
import type { IntroEvents } from './publishing.ts';
import { explainNotRequested, noLongerTheirs, noSuchIntro } from './rules.ts';
import { findReassignmentState, type Reassignment, reassignIntro } from './store/reassignment.ts';

const noSuchMember = () => invalid('member', 'must be an active member of this organization');

async function explain(tx: Tx, tenant: Tenant, wanted: Reassignment, now: Date): Promise<ApiError> {
  const row = await findReassignmentState(tx, tenant, wanted);
  if (row === null) return noSuchIntro();
  if (wanted.from !== undefined && row.member_id !== wanted.from) return noLongerTheirs();
  if (row.new_member_id === null) return noSuchMember();
  if (row.member_id === wanted.memberId) return invalid('member', 'is already the member who records this intro');
  const isExpired = row.expires_at !== null && row.expires_at <= now;
  return explainNotRequested(isExpired && row.status === 'requested' ? 'expired' : row.status);
}

interface ReassignDeps {
  readonly links: Links;
  readonly introEvents: IntroEvents;
  /** Discards what the previous member is uploading. Passed in, because recordings and delivery import this module. */
  discardUploads(tx: Tx, tenant: Tenant, introId: string, now: Date): Promise<void>;
  /** Drops the messages to the previous member and schedules one to the new member. */
  notifyNewMember(tx: Tx, tenant: Tenant, intro: ReassignedIntro, now: Date): Promise<void>;
}

export interface ReassignedIntro {
  readonly id: string;
  readonly generation: number;
}

/** Runs in the caller's transaction. Returns null, or why the intro was not reassigned. */
export type Reassign = (tx: Tx, tenant: Tenant, wanted: Reassignment, now: Date) => Promise<ApiError | null>;

/** Gives an unrecorded intro to another member. The link of the previous member stops working. */
export function createReassign({ links, introEvents, discardUploads, notifyNewMember }: ReassignDeps): Reassign {
  return async (tx, tenant, wanted, now) => {
    const { introId, memberId } = wanted;
    if (!ID_PATTERN.test(introId)) return noSuchIntro();
    if (!ID_PATTERN.test(memberId)) return noSuchMember();
    const generation = await reassignIntro(tx, tenant, wanted, now);
    if (generation === null) return explain(tx, tenant, wanted, now);
    await discardUploads(tx, tenant, introId, now);
    await notifyNewMember(tx, tenant, { id: introId, generation }, now);
    await links.renewRecord(tx, { tenant, introId, generation });
    await introEvents.publish(tx, [{ tenant, introId, type: 'intro.reassigned' }], now);
    await recordChange(tx, tenant, { action: 'intro.reassigned', object: introId, related: memberId, by: wanted.by });
    return null;
  };
}
