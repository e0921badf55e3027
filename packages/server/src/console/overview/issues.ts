import type { OverviewIssue } from '@foreword/contract';
import { readAccount } from '../../delivery/index.ts';
import { listFailingTouchpoints } from '../../events/index.ts';
import { listNeverRecorded, listSharedEmails } from '../../members/index.ts';
import type { Tenant } from '../../tables.ts';
import { listEndpoints } from '../../webhooks/index.ts';
import type { ConsoleDeps } from '../deps.ts';

const WEEK_MS = 7 * 86_400_000;
/** A list that is longer is mended by its cause, not line by line. */
const MOST_OF_A_KIND = 5;
const NEVER_RECORDED_COUNTED = 21;
const NEVER_RECORDED_NAMED = 3;

type Deps = Pick<ConsoleDeps, 'db' | 'clock' | 'carrierWatch'>;

async function ofCarriers({ db, carrierWatch }: Deps, tenant: Tenant): Promise<OverviewIssue[]> {
  const { text, email } = carrierWatch.states();
  // What is known is the account of the service; that of an organization's own is not asked.
  const usesOwn = (await readAccount(db.kysely, tenant.organizationId)) !== null;
  const states = [
    { channel: 'text', status: usesOwn ? 'ok' : text },
    { channel: 'email', status: email },
  ] as const;
  return states.flatMap(({ channel, status }): OverviewIssue[] =>
    status === 'ok' || status === 'unknown' ? [] : [{ kind: 'carrier', channel, status }],
  );
}

async function ofWebhooks({ db }: Deps, tenant: Tenant): Promise<OverviewIssue[]> {
  const endpoints = await listEndpoints(db.kysely, tenant);
  return endpoints
    .filter(({ active, disabled_reason, failing_since }) =>
      active ? failing_since !== null : disabled_reason !== null,
    )
    .slice(0, MOST_OF_A_KIND)
    .map(({ id, url, disabled_reason, failing_since }) => ({
      kind: 'webhook',
      id,
      host: new URL(url).host,
      disabled: disabled_reason,
      failing_since: failing_since?.toISOString() ?? null,
    }));
}

async function ofMembers({ db, clock }: Deps, tenant: Tenant): Promise<OverviewIssue[]> {
  const createdBefore = new Date(clock().getTime() - WEEK_MS);
  const never = await listNeverRecorded(db, tenant, { createdBefore, limit: NEVER_RECORDED_COUNTED });
  const members = never
    .slice(0, NEVER_RECORDED_NAMED)
    .map(({ id, first_name, last_name }) => ({ id, first_name, last_name }));
  const shared = await listSharedEmails(db, tenant, MOST_OF_A_KIND);
  return [
    ...(never.length > 0 ? [{ kind: 'never_recorded', amount: never.length, members } as const] : []),
    ...shared.map(({ email, amount }) => ({ kind: 'shared_email', email, amount }) as const),
  ];
}

async function ofEvents({ db, clock }: Deps, tenant: Tenant): Promise<OverviewIssue[]> {
  const since = new Date(clock().getTime() - WEEK_MS);
  const failing = await listFailingTouchpoints(db, tenant, { since, limit: MOST_OF_A_KIND });
  return failing.map(({ slug, name, amount, last_event_id, last_code }) => ({
    kind: 'failed_events',
    slug,
    name,
    amount,
    last_event_id,
    last_code,
  }));
}

/** What somebody should look at, the gravest first. */
export async function findIssues(deps: Deps, tenant: Tenant): Promise<readonly OverviewIssue[]> {
  const found = await Promise.all([
    ofCarriers(deps, tenant),
    ofWebhooks(deps, tenant),
    ofEvents(deps, tenant),
    ofMembers(deps, tenant),
  ]);
  return found.flat();
}
