import type pg from 'pg';

/** Both databases fill a page of this size for every filter, so both send equal amounts. */
const LIMIT = 10;
const SAMPLES = 2_000;

interface Sample {
  readonly id: string;
  readonly event_id: string;
  readonly member_id: string;
  readonly reference_id: string;
  readonly first: string;
  readonly last: string;
  readonly phone: string;
  readonly created_at: Date;
  readonly deal: string;
}

const ORGANIZATION = '(select organization_id from api_keys limit 1)';

/** Requests of every kind, sampled from the busy organization's rows across the whole table. */
export async function samplePaths(database: pg.Client): Promise<Map<string, string[]>> {
  const { rows } = await database.query<Sample>(
    `select id, event_id, member_id, reference_id, recipient_first_name as first, recipient_last_name as last,
       recipient_phone as phone, created_at, metadata ->> 'deal' as deal
     from intros where organization_id = ${ORGANIZATION} and event_id is not null order by md5(id) limit ${SAMPLES}`,
  );
  const { rows: middle } = await database.query<{ id: string }>(
    `select id from intros where organization_id = ${ORGANIZATION} order by id
     offset (select count(*) / 2 from intros where organization_id = ${ORGANIZATION}) limit 1`,
  );
  const after = middle[0]?.id ?? '';
  const paths = new Map<string, string[]>([
    ['retrieve an intro', rows.map(({ id }) => `/v1/intros/${id}`)],
    ['retrieve an event', rows.map(({ event_id }) => `/v1/events/${event_id}`)],
    ['wait for a settled event', rows.map(({ event_id }) => `/v1/events/${event_id}?wait=30`)],
    ['console: an intro', rows.map(({ id }) => `/console/api/intros/${id}`)],
    ['console: an event', rows.map(({ event_id }) => `/console/api/events/${event_id}`)],
    ['console: counts', ['/console/api/intro-counts']],
    ['console: outbox', ['/console/api/messages']],
  ]);
  /** Adds a list with each filter; filters of a sample are sent with the values of many. */
  const add = (name: string, path: string, filters: Record<string, string | ((row: Sample) => string)>) => {
    const separator = path.includes('?') ? '&' : '?';
    for (const [what, filter] of Object.entries(filters)) {
      const queries = typeof filter === 'string' ? [filter] : rows.map(filter);
      paths.set(
        what === '' ? name : `${name}, ${what}`,
        queries.map((query) => (query === '' ? path : path + separator + query)),
      );
    }
  };
  add('list', `/v1/intros?limit=${LIMIT}`, INTROS);
  add('list', `/v1/intros?limit=${LIMIT}`, { 'a page from the middle': `starting_after=${after}` });
  add('list events', `/v1/events?limit=${LIMIT}`, EVENTS);
  add('list events', `/v1/events?limit=${LIMIT}`, {
    'a page from the middle': `starting_after=${rows[0]?.event_id}`,
    'failed, a page from the middle': `status=failed&starting_after=${rows[0]?.event_id}`,
  });
  add('console: list', '/console/api/intros', { ...CONSOLE_INTROS, 'a page from the middle': `after=${after}` });
  add('console: events', '/console/api/events', { '': '', failed: 'status=failed', 'a name': 'q=Dana' });
  return paths;
}

type Filters = Record<string, string | ((row: Sample) => string)>;

const text = encodeURIComponent;
const STATUSES = ['requested', 'ready', 'sent', 'cancelled', 'expired'];
const BY_STATUS: Filters = Object.fromEntries(STATUSES.map((status) => [status, `status=${status}`]));

const INTROS: Filters = {
  '': '',
  ...BY_STATUS,
  'two statuses': 'status=requested,ready',
  'one member': (row) => `member=${row.member_id}`,
  'one reference': (row) => `reference_id=${row.reference_id}`,
  'one member, sent': (row) => `status=sent&member=${row.member_id}`,
  'member and reference': (row) => `member=${row.member_id}&reference_id=${row.reference_id}`,
  'a touchpoint': 'touchpoint=new_appointment',
  'a touchpoint, expired': 'touchpoint=new_appointment&status=expired',
  'a rare touchpoint': 'touchpoint=project_update',
  'a touchpoint without intros': 'touchpoint=closing&status=sent',
  'a member and a touchpoint': (row) => `member=${row.member_id}&touchpoint=new_appointment`,
  'a number': (row) => `recipient_phone=${text(row.phone)}`,
  'a number, sent, of a touchpoint': (row) =>
    `recipient_phone=${text(row.phone)}&status=sent&touchpoint=new_appointment`,
  'until a time': (row) => `created_before=${row.created_at.toISOString()}`,
  'until a time, expired': (row) => `created_before=${row.created_at.toISOString()}&status=expired`,
  'a frequent pair': 'metadata[branch]=north',
  'a pair of two intros': (row) => `metadata[deal]=${row.deal}`,
  'a pair of no intro': (row) => `metadata[deal]=none_${row.deal}`,
  'two pairs': (row) => `metadata[deal]=${row.deal}&metadata[branch]=north`,
  'a pair, expired, of a member': (row) => `metadata[branch]=north&status=expired&member=${row.member_id}`,
};

const EVENTS: Filters = {
  '': '',
  processed: 'status=processed',
  failed: 'status=failed',
  'accepted or failed': 'status=accepted,failed',
  'one touchpoint': 'touchpoint=new_appointment',
  'a touchpoint without events': 'touchpoint=project_update',
  'one touchpoint, failed': 'touchpoint=new_appointment&status=failed',
  'one reference': (row) => `reference_id=${row.reference_id}`,
  'one reference, failed': (row) => `reference_id=${row.reference_id}&status=failed`,
};

const CONSOLE_INTROS: Filters = {
  '': '',
  ...BY_STATUS,
  'one member': (row) => `member=${row.member_id}`,
  'one member, expired': (row) => `member=${row.member_id}&status=expired`,
  'one touchpoint, expired': 'touchpoint=new_appointment&status=expired',
  'a rare touchpoint': 'touchpoint=project_update',
  'one month': 'from=2026-06-01&to=2026-06-30',
  'search, a common first name': (row) => `q=${row.first}`,
  'search, one character': 'q=d',
  'search, a last name': (row) => `q=${row.last.slice(0, 5)}`,
  'search, both names': (row) => `q=${text(`${row.first} ${row.last.slice(0, 2)}`)}`,
  'search, part of a phone': (row) => `q=${text(row.phone.slice(2, 6))}`,
  'search, a reference': (row) => `q=${row.reference_id}`,
  'search, no match': `q=${text('No such name')}`,
  'search, a common name, one member': (row) => `q=${row.first}&member=${row.member_id}`,
};
