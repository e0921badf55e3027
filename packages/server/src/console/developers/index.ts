/** The developer pages: API keys, webhooks, dry runs and the request log. */

import {
  type ApiKey,
  COMMON_ERRORS,
  type DEVELOPERS_OPERATIONS,
  type LoggedKey,
  type LoggedRequest,
  OPERATIONS,
  WEBHOOK_EVENTS,
} from '@foreword/contract';
import type { Db, Row, Tenant, Tx } from '../../db/tenancy.ts';
import { changeKey, createKey, type KeyLimits, listKeys, revokeKey } from '../../http/access/index.ts';
import { once } from '../../http/idempotency/index.ts';
import { ApiError, invalid } from '../../platform/errors.ts';
import { ID_PATTERN } from '../../platform/ids.ts';
import { parseInstant } from '../../platform/instants.ts';
import { pick } from '../../platform/json.ts';
import { readDays } from '../../privacy/retention/index.ts';
import { countBacklog, MAX_ENDPOINTS } from '../../webhooks/index.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { ConsoleHandlers, ConsoleInput } from '../operations.ts';
import { dryRun } from './dry-run.ts';
import { PAGE_SIZE } from './request-log/rules.ts';
import {
  countNotLogged,
  findLastScanned,
  findRequest,
  type ListedRequest,
  type LogFilter,
  listRequests,
} from './request-log/store.ts';

const presentKey = (row: Row<'api_keys'>): ApiKey => ({
  ...pick(row, 'id', 'name', 'ending', 'created_at', 'last_used_at', 'revoked_at', 'expires_at'),
  allowed_ips: row.allowed_ips ?? [],
  ...pick(row, 'scope', 'recording_links', 'agent_writes'),
});

/** The limits that a request names. */
const readLimits = ({ expires_at, allowed_ips, ...access }: ConsoleInput<'changeKey'>['body']): Partial<KeyLimits> => ({
  ...access,
  ...(expires_at !== undefined && { expires_at: expires_at === null ? null : new Date(expires_at) }),
  ...(allowed_ips !== undefined && { allowed_ips: allowed_ips.length === 0 ? null : allowed_ips }),
});

const noKey = () => new ApiError('not_found', 'No API key with this id in this organization.');

type Keys = ReadonlyMap<string, LoggedKey>;

async function keysOf(db: Db, tenant: Tenant): Promise<Keys> {
  const rows = await listKeys(db, tenant.organizationId);
  return new Map(rows.map(({ id, name, ending }) => [id, { id, name, ending }]));
}

const presentRequest = (row: ListedRequest, keys: Keys): LoggedRequest => ({
  ...pick(row, 'id', 'method', 'path', 'status', 'duration_ms', 'object_id', 'created_at'),
  error: row.error_code,
  key: keys.get(row.key_id) ?? { id: row.key_id, name: '', ending: '' },
});

function readTime(name: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const at = parseInstant(text);
  if (at === null) throw invalid(name, 'must be a valid time');
  return at;
}

function readFilter({ query: { since, until, ...query } }: ConsoleInput<'searchRequests'>): LogFilter {
  const { before } = query;
  if (before !== undefined && !ID_PATTERN.test(before)) throw invalid('before', 'must be `next` of the previous page');
  return { ...query, since: readTime('since', since), until: readTime('until', until) };
}

/** Every error code of the API. */
const ERROR_CODES = [
  ...new Set([...COMMON_ERRORS, ...Object.values(OPERATIONS).flatMap(({ errors }) => errors)]),
].sort();

const EVENTS = Object.entries(WEBHOOK_EVENTS).map(([type, { description }]) => ({ type, says: description }));

export function createDeveloperHandlers(deps: ConsoleDeps): Pick<ConsoleHandlers, keyof typeof DEVELOPERS_OPERATIONS> {
  const { clock, cell, use } = deps;
  const { kysely: db } = deps.db;
  return {
    async listKeys({ tenant }) {
      return { keys: (await listKeys(db, tenant.organizationId)).map(presentKey) };
    },
    async createKey({ tenant }, { body, key }) {
      const { name, ...limits } = body;
      const request = { tenant, key, method: 'POST', path: '/console/keys', body } as const;
      // Only a key's hash is stored, so a secret lost with the response is gone. The retry replaces the key.
      const lost = { store: () => ({}), isOutdated: () => true };
      const create = async (tx: Tx, previousId: string | null) => {
        if (previousId !== null) await revokeKey(tx, clock, tenant, previousId);
        const { key: secret, row } = await createKey(tx, clock, tenant, name, { ...readLimits(limits), cell });
        return { id: row.id, key: presentKey(row), secret };
      };
      const { response } = await once(deps.db, request, create, lost);
      return { key: response.key, secret: response.secret };
    },
    async changeKey({ tenant }, { params: { id }, body }) {
      if (!ID_PATTERN.test(id)) throw noKey();
      const change = readLimits(body);
      const row = await db.transaction().execute((tx) => changeKey(tx, clock, tenant, id, change));
      if (row === null) throw noKey();
      return presentKey(row);
    },
    async revokeKey({ tenant }, { params: { id } }) {
      const row = ID_PATTERN.test(id) ? await db.transaction().execute((tx) => revokeKey(tx, clock, tenant, id)) : null;
      if (row === null) throw noKey();
      return presentKey(row);
    },
    // The endpoints of the API, with what the pages show beside them.
    async readWebhooks(user) {
      const { data } = await use('listWebhookEndpoints', user, { query: { limit: MAX_ENDPOINTS } });
      return { endpoints: data, events: EVENTS, limit: MAX_ENDPOINTS };
    },
    async readWebhook(user, { params }) {
      const endpoint = await use('retrieveWebhookEndpoint', user, { params });
      return { endpoint, events: EVENTS, backlog: await countBacklog(db, user.tenant, params.id) };
    },
    async searchRequests({ tenant }, input) {
      const filter = readFilter(input);
      const [rows, keys, not_logged] = await Promise.all([
        listRequests(db, tenant, filter, PAGE_SIZE + 1),
        keysOf(db, tenant),
        countNotLogged(db, tenant, filter),
      ]);
      const requests = rows.slice(0, PAGE_SIZE).map((row) => presentRequest(row, keys));
      if (rows.length > PAGE_SIZE)
        return { requests, next: requests.at(-1)?.id ?? null, scanned_back_to: null, not_logged };
      const last = await findLastScanned(db, tenant, filter);
      return { requests, next: last?.id ?? null, scanned_back_to: last?.created_at.toISOString() ?? null, not_logged };
    },
    async readRequestChoices({ tenant }) {
      const [keys, days] = await Promise.all([keysOf(db, tenant), readDays(db, tenant, 'requests', clock())]);
      return { keys: [...keys.values()], error_codes: ERROR_CODES, retention_days: days };
    },
    async readRequest({ tenant }, { params: { id } }) {
      const row = ID_PATTERN.test(id) ? await findRequest(db, tenant, id) : null;
      if (row === null) {
        const days = await readDays(db, tenant, 'requests', clock());
        const kept = days === 1 ? 'one day' : `${days} days`;
        throw new ApiError('not_found', `No request with this id. Requests are kept for ${kept}.`);
      }
      return {
        ...presentRequest(row, await keysOf(db, tenant)),
        ...pick(row, 'query', 'body', 'body_bytes', 'answer'),
        is_cut: row.body !== null && row.body_bytes > Buffer.byteLength(row.body),
      };
    },
    explainEvent: ({ tenant }, { body: { event } }) => dryRun(deps, tenant, event),
  };
}
