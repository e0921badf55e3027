import type pg from 'pg';

/** Both databases fill a page of this size for every filter, so both send equal amounts. */
const LIMIT = 10;
const SAMPLES = 2_000;

interface Sample {
  readonly id: string;
  readonly event_id: string;
  readonly member_id: string;
  readonly reference_id: string;
  readonly recipient_phone: string;
  readonly created_at: Date;
  readonly deal: string;
}

/** Requests of every kind, sampled from the busy organization's rows across the whole table. */
export async function samplePaths(database: pg.Client): Promise<Map<string, string[]>> {
  const { rows } = await database.query<Sample>(
    `select id, event_id, member_id, reference_id, recipient_phone, created_at, metadata ->> 'deal' as deal from intros
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
  const each = (query: (row: Sample) => string) => rows.map((row) => list(query(row)));
  const number = (row: Sample) => `&recipient_phone=${encodeURIComponent(row.recipient_phone)}`;
  const until = (row: Sample) => `&created_before=${row.created_at.toISOString()}`;
  const rest: [string, string[]][] = [
    ['list, two statuses', [list('&status=requested,ready')]],
    ['list, a touchpoint', [list('&touchpoint=new_appointment')]],
    ['list, a touchpoint, expired', [list('&touchpoint=new_appointment&status=expired')]],
    ['list, a rare touchpoint', [list('&touchpoint=project_update')]],
    ['list, a touchpoint without intros', [list('&touchpoint=closing&status=sent')]],
    ['list, a member and a touchpoint', each((row) => `&member=${row.member_id}&touchpoint=new_appointment`)],
    ['list, a number', each(number)],
    ['list, a number, sent, of a touchpoint', each((row) => `${number(row)}&status=sent&touchpoint=new_appointment`)],
    ['list, until a time', each(until)],
    ['list, until a time, expired', each((row) => `${until(row)}&status=expired`)],
    ['list, a frequent pair', [list('&metadata[branch]=north')]],
    ['list, a pair of two intros', each((row) => `&metadata[deal]=${row.deal}`)],
    ['list, a pair of no intro', each((row) => `&metadata[deal]=none_${row.deal}`)],
    ['list, two pairs', each((row) => `&metadata[deal]=${row.deal}&metadata[branch]=north`)],
    [
      'list, a pair, expired, of a member',
      each((row) => `&metadata[branch]=north&status=expired&member=${row.member_id}`),
    ],
  ];
  for (const [name, requests] of rest) paths.set(name, requests);
  paths.set('list, a page from the middle', [list(`&starting_after=${middle[0]?.id}`)]);
  for (const [name, some] of sampleEventPaths(rows)) paths.set(name, some);
  return paths;
}

function sampleEventPaths(rows: readonly { event_id: string; reference_id: string }[]): Map<string, string[]> {
  const list = (query: string) => `/v1/events?limit=${LIMIT}${query}`;
  const middle = rows[0]?.event_id;
  const byReference = (query: string) => rows.map((row) => list(`&reference_id=${row.reference_id}${query}`));
  return new Map([
    ['list events', [list('')]],
    ['list events, processed', [list('&status=processed')]],
    ['list events, failed', [list('&status=failed')]],
    ['list events, accepted or failed', [list('&status=accepted,failed')]],
    ['list events, one touchpoint', [list('&touchpoint=new_appointment')]],
    ['list events, a touchpoint without events', [list('&touchpoint=project_update')]],
    ['list events, one touchpoint, failed', [list('&touchpoint=new_appointment&status=failed')]],
    ['list events, one reference', byReference('')],
    ['list events, one reference, failed', byReference('&status=failed')],
    ['list events, a page from the middle', [list(`&starting_after=${middle}`)]],
    ['list events, failed, a page from the middle', [list(`&status=failed&starting_after=${middle}`)]],
    ['wait for a settled event', rows.map(({ event_id }) => `/v1/events/${event_id}?wait=30`)],
  ]);
}
