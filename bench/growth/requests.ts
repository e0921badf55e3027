import type pg from 'pg';

/** Both databases fill a page of this size for every filter, so both send equal amounts. */
const LIMIT = 10;
const SAMPLES = 2_000;

/** Requests of every kind, sampled from the busy organization's rows across the whole table. */
export async function samplePaths(database: pg.Client): Promise<Map<string, string[]>> {
  const { rows } = await database.query<{ id: string; event_id: string; member_id: string; reference_id: string }>(
    `select id, event_id, member_id, reference_id from intros
     where organization_id = (select organization_id from api_keys limit 1) order by md5(id) limit ${SAMPLES}`,
  );
  const { rows: middle } = await database.query<{ id: string }>(
    `select id from intros where organization_id = (select organization_id from api_keys limit 1) order by id
     offset (select count(*) / 2 from intros where organization_id = (select organization_id from api_keys limit 1)) limit 1`,
  );
  const list = (query: string) => `/v1/intros?limit=${LIMIT}${query}`;
  const paths = new Map<string, string[]>([
    ['retrieve an intro', rows.map(({ id }) => `/v1/intros/${id}`)],
    ['retrieve an event', rows.map(({ event_id }) => `/v1/events/${event_id}`)],
    ['list', [list('')]],
  ]);
  for (const status of ['requested', 'ready', 'sent', 'cancelled', 'expired']) {
    paths.set(`list, ${status}`, [list(`&status=${status}`)]);
  }
  paths.set(
    'list, one member',
    rows.map((row) => list(`&member=${row.member_id}`)),
  );
  paths.set(
    'list, one reference',
    rows.map((row) => list(`&reference_id=${row.reference_id}`)),
  );
  paths.set(
    'list, one member, sent',
    rows.map((row) => list(`&status=sent&member=${row.member_id}`)),
  );
  paths.set(
    'list, member and reference',
    rows.map((row) => list(`&member=${row.member_id}&reference_id=${row.reference_id}`)),
  );
  paths.set('list, a page from the middle', [list(`&starting_after=${middle[0]?.id}`)]);
  return paths;
}
