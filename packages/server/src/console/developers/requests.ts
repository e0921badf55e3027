import { COMMON_ERRORS, type LoggedKey, type LoggedRequest, OPERATIONS } from '@foreword/contract';
import type { Db, Tenant } from '../../db/tenancy.ts';
import { listKeys } from '../../http/access/index.ts';
import { ApiError, invalid } from '../../platform/errors.ts';
import { ID_PATTERN } from '../../platform/ids.ts';
import { parseInstant } from '../../platform/instants.ts';
import { readDays } from '../../privacy/retention/index.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { ConsoleHandlers, ConsoleInput } from '../operations.ts';
import { PAGE_SIZE } from './request-log/rules.ts';
import {
  countNotLogged,
  findLastScanned,
  findRequest,
  type ListedRequest,
  type LogFilter,
  listRequests,
} from './request-log/store.ts';

type Keys = ReadonlyMap<string, LoggedKey>;

async function keysOf(db: Db, tenant: Tenant): Promise<Keys> {
  const rows = await listKeys(db, tenant.organizationId);
  return new Map(rows.map(({ id, name, ending }) => [id, { id, name, ending }]));
}

const presentRequest = (row: ListedRequest, keys: Keys): LoggedRequest => ({
  id: row.id,
  method: row.method,
  path: row.path,
  status: row.status,
  error: row.error_code,
  duration_ms: row.duration_ms,
  object_id: row.object_id,
  key: keys.get(row.key_id) ?? { id: row.key_id, name: '', ending: '' },
  created_at: row.created_at.toISOString(),
});

function readTime(name: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const at = parseInstant(text);
  if (at === null) throw invalid(name, 'must be a valid time');
  return at;
}

function readFilter({ query }: ConsoleInput<'searchRequests'>): LogFilter {
  const { before } = query;
  if (before !== undefined && !ID_PATTERN.test(before)) throw invalid('before', 'must be `next` of the previous page');
  return {
    method: query.method,
    pathPrefix: query.path,
    statusClass: query.status,
    keyId: query.key,
    errorCode: query.error,
    requestId: query.request_id,
    objectId: query.object_id,
    since: readTime('since', query.since),
    until: readTime('until', query.until),
    before,
  };
}

/** Every error code of the API. */
const ERROR_CODES = [
  ...new Set([...COMMON_ERRORS, ...Object.values(OPERATIONS).flatMap(({ errors }) => errors)]),
].sort();

export function createRequestHandlers({
  db: { kysely: db },
  clock,
}: ConsoleDeps): Pick<ConsoleHandlers, 'searchRequests' | 'readRequestChoices' | 'readRequest'> {
  return {
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
      const [rows, days] = await Promise.all([
        listKeys(db, tenant.organizationId),
        readDays(db, tenant, 'requests', clock()),
      ]);
      return {
        keys: rows.map(({ id, name, ending, revoked_at }) => ({ id, name, ending, is_revoked: revoked_at !== null })),
        error_codes: ERROR_CODES,
        retention_days: days,
      };
    },
    async readRequest({ tenant }, { params: { id } }) {
      const row = ID_PATTERN.test(id) ? await findRequest(db, tenant, id) : null;
      if (row === null) {
        const days = await readDays(db, tenant, 'requests', clock());
        const kept = days === 1 ? 'one day' : `${days} days`;
        throw new ApiError('not_found', `No request with this id. Requests are kept for ${kept}.`);
      }
      const { query, body, body_bytes, answer } = row;
      return {
        ...presentRequest(row, await keysOf(db, tenant)),
        query,
        body,
        body_bytes,
        is_cut: body !== null && body_bytes > Buffer.byteLength(body),
        answer,
      };
    },
  };
}
