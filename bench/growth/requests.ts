import type pg from 'pg';

/** Both databases fill a page of this size for every filter, so both send equal amounts. */
const LIMIT = 10;
const SAMPLES = 2_000;

const ORGANIZATION = '(select organization_id from api_keys limit 1)';
const STATUSES = ['requested', 'ready', 'sent', 'cancelled', 'expired'].map((status) => `status=${status}`);

/** Lists with their filters. Words in braces are replaced by the values of sampled intros. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  [`/v1/intros?limit=${LIMIT}`]: [
    ...STATUSES,
    ...`status=requested,ready member={member_id} reference_id={reference_id} status=sent&member={member_id}
    member={member_id}&reference_id={reference_id} touchpoint=new_appointment touchpoint=new_appointment&status=expired
    touchpoint=project_update touchpoint=closing&status=sent member={member_id}&touchpoint=new_appointment
    recipient_phone={phone} recipient_phone={phone}&status=sent&touchpoint=new_appointment created_before={at}
    created_before={at}&status=expired metadata[branch]=north metadata[deal]={deal} metadata[deal]=none_{deal}
    metadata[deal]={deal}&metadata[branch]=north metadata[branch]=north&status=expired&member={member_id}
    starting_after={middle}`.split(/\s+/),
  ],
  [`/v1/events?limit=${LIMIT}`]: `status=processed status=failed status=accepted,failed touchpoint=new_appointment
    touchpoint=project_update touchpoint=new_appointment&status=failed reference_id={reference_id}
    reference_id={reference_id}&status=failed starting_after={event_id} status=failed&starting_after={event_id}`.split(
    /\s+/,
  ),
  '/console/api/intros?': [
    ...STATUSES,
    ...`member={member_id} member={member_id}&status=expired touchpoint=new_appointment&status=expired
    touchpoint=project_update from=2026-06-01&to=2026-06-30 q={first} q=d q={start} q={first}%20{start} q={digits}
    q={reference_id} q=No%20such%20name q={first}&member={member_id} after={middle}`.split(/\s+/),
  ],
  '/console/api/events?': ['status=failed', 'q=Dana'],
};
const SINGLE = `/v1/intros/{id} /v1/events/{event_id} /v1/events/{event_id}?wait=30 /console/api/intros/{id}
  /console/api/events/{event_id} /console/api/intro-counts /console/api/messages`.split(/\s+/);

/** Requests of every kind, sampled from the busy organization's rows across the whole table. */
export async function samplePaths(database: pg.Client): Promise<Map<string, string[]>> {
  const { rows } = await database.query<Record<string, string>>(
    `select id, event_id, member_id, reference_id, recipient_first_name as first, left(recipient_last_name, 5) as start,
       recipient_phone as phone, substr(recipient_phone, 3, 4) as digits, metadata ->> 'deal' as deal,
       to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as at
     from intros where organization_id = ${ORGANIZATION} and event_id is not null order by md5(id) limit ${SAMPLES}`,
  );
  const { rows: middle } = await database.query<{ middle: string }>(
    `select id as middle from intros where organization_id = ${ORGANIZATION} order by id
     offset (select count(*) / 2 from intros where organization_id = ${ORGANIZATION}) limit 1`,
  );
  const lists = Object.entries(LISTS).flatMap(([list, filters]) => [list, ...filters.map((one) => `${list}&${one}`)]);
  const fill = (path: string, values: Record<string, string>) =>
    path.replaceAll(/\{(\w+)\}/g, (_, word) => encodeURIComponent(values[word] ?? ''));
  return new Map([...SINGLE, ...lists].map((path) => [path, rows.map((row) => fill(path, { ...row, ...middle[0] }))]));
}
