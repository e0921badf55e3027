import dns from 'node:dns/promises';
import type { LinkDomainFailureCode } from '@foreword/contract';
import type { Services } from '../../app/services.ts';
import { type Row, tenantOf } from '../../db/tenancy.ts';
import { randomBase62 } from '../../platform/ids.ts';
import { createOutbound, createResolver, type Fault, type Outbound } from '../../platform/outbound.ts';
import { every } from '../../platform/schedule.ts';
import { hmac } from '../../platform/seal.ts';
import type { ServerKey } from '../../platform/server-key.ts';
import { recordChange } from '../../privacy/audit/index.ts';
import { fileUrlOf, nextCheckAt, proofOf, REACH_PATH, recordNameOf } from './rules.ts';
import { claimDue, deleteAbandoned, type ServedHost, updateDomain, verifyDomain } from './store.ts';

const PURPOSE = 'reach of a link domain';

export const NONCE = /^[0-9A-Za-z]{22}$/;
const NONCE_LENGTH = 22;

/** The answer to a request for the host. Only this installation can give it, so it proves where the domain leads. */
export const answerTo = (key: ServerKey, { id, host }: Pick<ServedHost, 'id' | 'host'>, nonce: string): string =>
  hmac(key.at(PURPOSE, id), `${nonce}\n${host}`).toString('base64url');

/** The owner of a new domain waits for the result. */
const CHECK_INTERVAL_MS = 2_000;
const MAX_CONCURRENT = 10;
const REQUEST_TIMEOUT_MS = 10_000;
/** Longer than the requests of one check. */
const CLAIM_MS = 60_000;
const KEEP_BYTES = 1_000;
const DNS_TIMEOUT = { timeout: 3_000, tries: 2 };

type WorkerDeps = Pick<Services, 'db' | 'clock' | 'serverKey' | 'log'>;

interface CheckDeps extends WorkerDeps {
  readonly outbound: Outbound;
  readonly resolver: dns.Resolver;
  isStopping(): boolean;
}

const NONE = { failure_code: null, failure_message: null } as const;

const failure = (failure_code: LinkDomainFailureCode, failure_message: string) => ({ failure_code, failure_message });

type Failure = ReturnType<typeof failure>;

const CODES: Record<Fault['step'], LinkDomainFailureCode> = {
  address: 'address',
  name: 'name',
  connection: 'connection',
  certificate: 'certificate',
  timeout: 'timeout',
  response: 'wrong_server',
  // Never stored.
  stopped: 'connection',
};

/** The texts of the record, or why they could not be read. */
async function readRecord({ resolver }: CheckDeps, name: string): Promise<readonly string[] | string> {
  try {
    return (await resolver.resolveTxt(name)).map((parts) => parts.join('').trim());
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    return code === 'ENOTFOUND' || code === 'ENODATA' ? [] : code;
  }
}

/** Null when the domain is proven to be the organization's. */
async function prove(deps: CheckDeps, { host, challenge }: Row<'link_domains'>): Promise<Failure | null> {
  const proof = proofOf(challenge);
  const name = recordNameOf(host);
  const file = { method: 'GET', url: fileUrlOf(host), headers: {}, keepBytes: KEEP_BYTES } as const;
  const [texts, { response }] = await Promise.all([
    readRecord(deps, name),
    deps.outbound.request({ ...file, timeoutMs: REQUEST_TIMEOUT_MS }),
  ]);
  const hasRecord = typeof texts !== 'string' && texts.includes(proof);
  if (hasRecord || (response?.status === 200 && response.body.toString().trim() === proof)) return null;
  if (typeof texts === 'string')
    return failure('record_missing', `The DNS record ${name} could not be read (${texts}).`);
  const problem = texts.length === 0 ? 'does not exist' : 'has another value';
  return failure(
    'record_missing',
    `The TXT record ${name} ${problem}, and the file ${file.url} does not prove it either.`,
  );
}

/** Null when requests for the domain reach this installation. */
async function reach({ serverKey, outbound }: CheckDeps, row: Row<'link_domains'>): Promise<Failure | null> {
  const nonce = randomBase62(NONCE_LENGTH);
  const { response, fault } = await outbound.request({
    method: 'GET',
    url: `https://${row.host}${REACH_PATH}?nonce=${nonce}`,
    // A kept connection would still lead to where the domain led before.
    headers: { connection: 'close' },
    timeoutMs: REQUEST_TIMEOUT_MS,
    keepBytes: KEEP_BYTES,
  });
  if (fault !== null) return failure(CODES[fault.step], fault.message);
  if (response?.status === 200 && response.body.toString() === answerTo(serverKey, row, nonce)) return null;
  return failure('wrong_server', `Another server responded, with status ${response?.status}.`);
}

/** Stores the result, unless the domain was removed in the meantime, or the requests failed because this process stops. */
async function settle(
  { db, clock, isStopping }: CheckDeps,
  row: Row<'link_domains'>,
  state: Row<'link_domains'>['state'],
  result: Failure | typeof NONE,
): Promise<void> {
  if (isStopping()) return;
  const now = clock();
  const since = { active_at: row.active_at, failing_since: row.failing_since };
  if (state === 'active') Object.assign(since, { active_at: row.active_at ?? now, failing_since: null });
  if (state === 'failing') since.failing_since ??= now;
  const next = { ...row, ...since, state };
  await updateDomain(db.kysely, row, {
    ...since,
    ...result,
    state,
    checked_at: now,
    check_at: nextCheckAt(next, now),
  });
}

/** Takes the domain over from an organization that removed it, or for which it fails. */
function verify({ db, clock }: CheckDeps, row: Row<'link_domains'>): Promise<Row<'link_domains'> | null> {
  return db.kysely.transaction().execute(async (tx) => {
    for (const abandoned of await deleteAbandoned(tx, row)) {
      await recordChange(tx, tenantOf(abandoned), { action: 'link_domain.removed', object: abandoned.id });
    }
    const verified = await verifyDomain(tx, row, clock());
    if (verified !== null) await recordChange(tx, tenantOf(row), { action: 'link_domain.verified', object: row.id });
    return verified;
  });
}

const TAKEN = failure('taken', 'Another organization of this service uses the domain. It must remove it first.');

/** Proves a claim, then checks whether requests reach this installation. */
async function check(deps: CheckDeps, claimed: Row<'link_domains'>): Promise<void> {
  let row = claimed;
  if (row.state === 'pending') {
    const problem = await prove(deps, row);
    if (problem !== null) return settle(deps, row, 'pending', problem);
    const verified = await verify(deps, row);
    if (verified === null) return settle(deps, row, 'pending', TAKEN);
    row = verified;
  }
  const problem = await reach(deps, row);
  if (problem === null) return settle(deps, row, 'active', NONE);
  return settle(deps, row, row.state === 'verified' ? 'verified' : 'failing', problem);
}

/** Checks the domains that are due. A repeated check changes nothing but times. */
async function checkDue(deps: CheckDeps): Promise<void> {
  const now = deps.clock();
  const until = new Date(now.getTime() + CLAIM_MS);
  const rows = await claimDue(deps.db.kysely, { now, until, limit: MAX_CONCURRENT });
  await Promise.all(
    rows.map((row) =>
      check(deps, row).catch((err) => deps.log.warn({ err, link_domain: row.id }, 'link domain could not be checked')),
    ),
  );
}

/** Runs until it is stopped. Requests in flight then end at once. */
export function startDomainChecks(
  deps: WorkerDeps & { readonly allowPrivate: boolean; readonly dnsServers: readonly string[] | undefined },
): { stop(): Promise<void> } {
  const { allowPrivate, dnsServers, log } = deps;
  const outbound = createOutbound({
    allowPrivate,
    connectionsPerOrigin: MAX_CONCURRENT,
    ...(dnsServers !== undefined && { resolve: createResolver(dnsServers) }),
  });
  const resolver = new dns.Resolver(DNS_TIMEOUT);
  if (dnsServers !== undefined) resolver.setServers(dnsServers);
  let isStopping = false;
  const checking = every(CHECK_INTERVAL_MS, 'check link domains', log, () =>
    checkDue({ ...deps, outbound, resolver, isStopping: () => isStopping }),
  );
  return {
    async stop() {
      isStopping = true;
      const stopped = checking.stop();
      resolver.cancel();
      await outbound.close();
      await stopped;
    },
  };
}
