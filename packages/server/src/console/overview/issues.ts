import { DAY_MS, iso, type OverviewIssue } from '@foreword/contract';
import type { Tenant } from '../../db/tenancy.ts';
import { readAccount } from '../../delivery/index.ts';
import { listFailingTouchpoints } from '../../intros/events/index.ts';
import { listBounced, listNeverRecorded, listSharedEmails } from '../../members/index.ts';
import { listEndpoints } from '../../webhooks/index.ts';
import type { ConsoleDeps } from '../deps.ts';

const WEEK_MS = 7 * DAY_MS;
/** A longer list has one cause to fix, so more lines would not help. */
const MAX_PER_KIND = 5;
const NEVER_RECORDED_LIMIT = 21;
const NEVER_RECORDED_SHOWN = 3;

type Deps = Pick<ConsoleDeps, 'db' | 'clock' | 'carrierWatch'>;

async function findCarrierIssues({ db, carrierWatch }: Deps, tenant: Tenant): Promise<OverviewIssue[]> {
  const { text, email } = carrierWatch.states();
  // Only the service's own carrier account is monitored, not an organization's.
  const usesOwn = (await readAccount(db.kysely, tenant)) !== null;
  const states = [
    { channel: 'text', status: usesOwn ? 'ok' : text },
    { channel: 'email', status: email },
  ] as const;
  return states.flatMap(({ channel, status }): OverviewIssue[] =>
    status === 'ok' || status === 'unknown' ? [] : [{ kind: 'carrier', channel, status }],
  );
}

async function findWebhookIssues({ db }: Deps, tenant: Tenant): Promise<OverviewIssue[]> {
  const endpoints = await listEndpoints(db.kysely, tenant);
  return endpoints
    .filter(({ active, disabled_reason, failing_since }) =>
      active ? failing_since !== null : disabled_reason !== null,
    )
    .slice(0, MAX_PER_KIND)
    .map(({ id, url, disabled_reason, failing_since }) => ({
      kind: 'webhook',
      id,
      host: new URL(url).host,
      disabled: disabled_reason,
      failing_since: iso(failing_since),
    }));
}

async function findMemberIssues({ db, clock }: Deps, tenant: Tenant): Promise<OverviewIssue[]> {
  const createdBefore = new Date(clock().getTime() - WEEK_MS);
  const never = await listNeverRecorded(db, tenant, { createdBefore, limit: NEVER_RECORDED_LIMIT });
  const members = never
    .slice(0, NEVER_RECORDED_SHOWN)
    .map(({ id, first_name, last_name }) => ({ id, first_name, last_name }));
  const shared = await listSharedEmails(db, tenant, MAX_PER_KIND);
  const bounced = await listBounced(db.kysely, tenant, MAX_PER_KIND);
  return [
    ...(never.length > 0 ? [{ kind: 'never_recorded', amount: never.length, members } as const] : []),
    ...bounced.map((member) => ({ kind: 'email_bounces', ...member }) as const),
    ...shared.map(({ email, amount }) => ({ kind: 'shared_email', email, amount }) as const),
  ];
}

async function findEventIssues({ db, clock }: Deps, tenant: Tenant): Promise<OverviewIssue[]> {
  const since = new Date(clock().getTime() - WEEK_MS);
  const failing = await listFailingTouchpoints(db, tenant, { since, limit: MAX_PER_KIND });
  return failing.map(({ slug, name, amount, last_event_id, last_code }) => ({
    kind: 'failed_events',
    slug,
    name,
    amount,
    last_event_id,
    last_code,
  }));
}

/** Problems that the team should look at, the most serious first. */
export async function findIssues(deps: Deps, tenant: Tenant): Promise<readonly OverviewIssue[]> {
  const found = await Promise.all([
    findCarrierIssues(deps, tenant),
    findWebhookIssues(deps, tenant),
    findEventIssues(deps, tenant),
    findMemberIssues(deps, tenant),
  ]);
  return found.flat();
}
