import { setTimeout as sleep } from 'node:timers/promises';
import { idBound } from '../../src/platform/ids.ts';
import type { Api } from '../harness/api.ts';

// Used by tests and by the screenshot script, so nothing here may depend on the test runner.

/** A running service with its database, and an organization whose only member is Ana (rep_17). */
export interface SampleTarget {
  readonly organizationId: string;
  readonly api: Api;
  readonly now: Date;
  /** Receives the webhooks. */
  readonly receiverUrl: string;
  /** Runs the `foreword` command. */
  run(...args: string[]): Promise<unknown>;
  query(text: string, values?: unknown[]): Promise<unknown>;
}

/** The ids that the screens use. */
export interface SampleCompany {
  readonly ana: string;
  readonly ben: string;
  readonly sent: string;
  readonly requested: string;
  readonly cancelled: string;
  readonly failedEvent: string;
  readonly endpoint: string;
  /** A request that the API rejected. */
  readonly request: string;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const ZONE = 'America/Chicago';
const DAYS_BACK = 38;
const PROCESSED_WITHIN_MS = 10_000;
const POLL_MS = 20;

const PEOPLE = [
  { id: 'olive', first_name: 'Olive', last_name: 'Brandt', title: 'owner', role: 'owner', lanes: [] },
  { id: 'ben', first_name: 'Ben', last_name: 'Okafor', title: 'estimator', role: 'manager', lanes: ['retail'] },
  {
    id: 'cleo',
    first_name: 'Cleo',
    last_name: 'Marsh',
    title: 'claims specialist',
    role: 'member',
    lanes: ['insurance'],
  },
  { id: 'dev', first_name: 'Dev', last_name: 'Patel', title: 'project manager', role: 'member', lanes: [] },
  { id: 'ella', first_name: 'Ella', last_name: 'Lindqvist', title: 'estimator', role: 'member', lanes: ['retail'] },
  { id: 'finn', first_name: 'Finn', last_name: 'Castellanos', title: 'inspector', role: 'member', lanes: [] },
  { id: 'gus', first_name: 'Gus', last_name: 'Abbott', title: 'crew lead', role: 'member', lanes: [] },
] as const;
/** Gus and Finn share one email address. */
const SHARED_EMAIL = 'crew@acme.example';

const FIRST_NAMES = 'Dana Marcus Priya Tom Lucia Owen Hannah Jerome Mei Rosa Kurt Ivy'.split(' ');
const LAST_NAMES = 'Reyes Whitfield Nair Baker Moreno Doyle Stein Hall Tan Silva Vance'.split(' ');
const TOUCHPOINTS = [
  ...['new_appointment', 'new_appointment', 'new_appointment', 'appointment_confirmation', 'estimate_follow_up'],
  ...['new_inspection', 'claim_follow_up', 'project_kickoff', 'project_kickoff', 'project_complete', null],
] as const;
/** Intros per weekday, from Sunday. */
const INTROS_PER_WEEKDAY = [1, 6, 8, 7, 9, 6, 2];

/** Deterministic, so that every run creates the same company. */
function pick<T>(list: readonly T[], n: number, salt: number): T {
  const found = list[(n * 7919 + salt * 104_729 + ((n * salt) % 13)) % list.length];
  if (found === undefined) throw new Error('the list is empty');
  return found;
}
const pseudoRandom = (n: number, salt: number): number => ((n * 48_271 + salt * 16_807) % 997) / 997;

const idOf = (prefix: string, at: Date, n: number) => `${idBound(prefix, at)}w00${String(n).padStart(13, '0')}`;

async function addMembers({ query, organizationId, now }: SampleTarget): Promise<Record<string, string>> {
  const ids: Record<string, string> = {};
  for (const [n, person] of PEOPLE.entries()) {
    const { id, first_name, last_name, title, role, lanes } = person;
    const createdAt = new Date(now.getTime() - (60 - n) * DAY);
    ids[id] = idOf('mem', createdAt, n);
    const email = id === 'finn' || id === 'gus' ? SHARED_EMAIL : `${id}@acme.example`;
    await query(
      `insert into members (organization_id, environment, id, external_id, first_name, last_name, email, phone, lanes, role,
         title, words_per_minute, created_at)
       values ($1, 'test', $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
      [
        ...[organizationId, ids[id], `rep_${20 + n}`, first_name, last_name, email, `+1415555013${n}`],
        ...[lanes, role, title, n % 2 === 0 ? 130 + 10 * n : null, createdAt],
      ],
    );
  }
  return ids;
}

/** Picks a plausible status for an intro of this age. */
function statusOf(n: number, at: Date, now: Date) {
  const luck = pseudoRandom(n, 3);
  const age = now.getTime() - at.getTime();
  if (luck < 0.05) return { status: 'cancelled', cancelled_at: new Date(at.getTime() + 2 * HOUR) };
  if ((luck < 0.08 || luck > 0.97) && age > 5 * DAY) return { status: 'expired' };
  const recorded = new Date(at.getTime() + (8 + 340 * pseudoRandom(n, 5) ** 3) * MINUTE);
  if (recorded > now || luck > 0.9 + age / (20 * DAY)) {
    return { status: 'requested', expires_at: new Date(now.getTime() + (4 + 60 * pseudoRandom(n, 7)) * HOUR) };
  }
  const sent = new Date(recorded.getTime() + 4 * MINUTE);
  if (sent > now) return { status: 'ready', recorded_at: recorded };
  const opened =
    pseudoRandom(n, 11) < 0.82 ? new Date(sent.getTime() + (3 + 200 * pseudoRandom(n, 13)) * MINUTE) : null;
  const isOpened = opened !== null && opened < now;
  const watched = isOpened && pseudoRandom(n, 17) < 0.78 ? 100 : 0;
  return {
    ...{ status: 'sent', recorded_at: recorded, sent_at: sent, opened_at: isOpened ? opened : null },
    ...{ watched_percent: watched, watched_at: watched > 0 ? opened : null },
  };
}

/** Five weeks of growing activity, quieter on weekends, for the list and the charts. */
async function addPastIntros({ query, organizationId, now }: SampleTarget, members: readonly string[]): Promise<void> {
  const rows: object[] = [];
  for (let day = DAYS_BACK; day >= 0; day -= 1) {
    const dayEnd = new Date(now.getTime() - day * DAY);
    const planned = Math.round((INTROS_PER_WEEKDAY[dayEnd.getUTCDay()] ?? 0) * (1.15 - day / (2 * DAYS_BACK)));
    // Recent days have activity even if they fall on a weekend.
    const count = day < 2 ? Math.max(planned, 5) : planned;
    for (let i = 0; i < count; i += 1) {
      const n = rows.length + 1;
      const at = new Date(dayEnd.getTime() - Math.round((9 * HOUR * i) / count) - HOUR);
      const slug = pick(TOUCHPOINTS, n, 2);
      rows.push({
        ...{ organization_id: organizationId, environment: 'test', id: idOf('int', at, n), touchpoint_slug: slug },
        member_id: pick(members, n, 5),
        recipient_first_name: pick(FIRST_NAMES, n, 3),
        recipient_last_name: pick(LAST_NAMES, n, 4),
        recipient_phone: `+1415555${String(1000 + n)}`,
        ...{
          reference: { source: 'acme_crm', type: 'appointment', id: `appt_${8000 + n}` },
          reference_id: `appt_${8000 + n}`,
        },
        context: { title: 'Before we meet', appointment: null, trade: 'roofing', lane: null },
        script: 'Hi, this is your project manager at Acme. I look forward to meeting you; call me with any question.',
        ...{ instructed: slug === null, responsibility: 'integration', metadata: {}, created_at: at },
        ...{ version: 1, watched_percent: 0, watched_times: {}, link_generation: 0, ...statusOf(n, at, now) },
      });
    }
  }
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].join(', ');
  await query(
    `insert into intros (${columns}) select ${columns} from json_populate_recordset(null::intros, $1::json)`,
    [JSON.stringify(rows.map((row) => ({ watched_percent: 0, ...row })))],
  );
}

const appointmentIn = (now: Date, days: number, time: string) => ({
  starts_at: `${new Date(now.getTime() + days * DAY).toISOString().slice(0, 10)}T${time}`,
  timezone: ZONE,
});

async function sendEvent(api: Api, fields: { touchpoint: string; recipient: object; context?: object }) {
  const occurred_at = '2026-03-10T09:15:00Z';
  const event = { occurred_at, member: { external_id: 'rep_17' }, ...fields };
  const { status, body } = await api.post('/v1/touchpoint-events', event);
  if (status !== 202) throw new Error(`the event was rejected with ${status}: ${JSON.stringify(body)}`);
  for (let waited = 0; waited < PROCESSED_WITHIN_MS; waited += POLL_MS) {
    const current = (await api.get(`/v1/events/${body.id}`)).body;
    if (current.status !== 'accepted') return current;
    await sleep(POLL_MS);
  }
  throw new Error('the event was not processed in time');
}

const EARLIER_SCRIPTS = [
  { daysAgo: 24, before: 'Hi {{ recipient.first_name }}, we will inspect your roof soon.' },
  {
    daysAgo: 6,
    before: 'Hi {{ recipient.first_name }}, this is {{ member.first_name }}. I will inspect your roof soon.',
  },
];

/** Two changes of the script of the most used touchpoint, so that its results have versions to compare. */
async function addScriptChanges({ query, organizationId, now }: SampleTarget, author: string): Promise<void> {
  for (const [n, { daysAgo, before }] of EARLIER_SCRIPTS.entries()) {
    const at = new Date(now.getTime() - daysAgo * DAY);
    await query(
      `insert into touchpoint_changes (organization_id, environment, id, touchpoint_id, member_id, kind, version, fields, created_at)
       select organization_id, environment, $2, id, $3, 'changed', $4,
         jsonb_build_array(jsonb_build_object('field', 'script', 'before', $5::text, 'after', coalesce($6, script))), $7
       from touchpoints where organization_id = $1 and slug = 'new_appointment'`,
      [organizationId, idOf('tc', at, n), author, n + 2, before, EARLIER_SCRIPTS[n + 1]?.before ?? null, at],
    );
  }
  await query("update touchpoints set version = 3 where organization_id = $1 and slug = 'new_appointment'", [
    organizationId,
  ]);
}

/** Today's activity, created through the API so that it has messages, requests and webhooks. */
async function addTodaysActivity(target: SampleTarget): Promise<Omit<SampleCompany, 'ana' | 'ben'>> {
  const { api, now, organizationId, query, receiverUrl } = target;
  const { id: endpoint } = (await api.post('/v1/webhook_endpoints', { url: receiverUrl, events: ['*'] })).body;
  const person = (first_name: string, last_name: string, phone: string) => ({ first_name, last_name, phone });
  const meet = (recipient: object, days: number, time: string) =>
    sendEvent(api, {
      touchpoint: 'new_appointment',
      recipient,
      context: { trade: 'roofing', appointment: appointmentIn(now, days, time) },
    });
  const requested = await meet(person('Dana', 'Reyes', '+14155550123'), 2, '14:30:00');
  await meet(person('Marcus', 'Whitfield', '+14155550124'), 1, '09:00:00');
  await sendEvent(api, { touchpoint: 'project_kickoff', recipient: person('Lucia', 'Moreno', '+14155550125') });
  const sent = await meet(person('Priya', 'Nair', '+15005550126'), 3, '11:15:00');
  const cancelled = await meet(person('Tom', 'Baker', '+14155550127'), 4, '16:00:00');
  await api.post(`/v1/intros/${cancelled.intro}/cancel`);
  await query(
    `insert into opt_outs (organization_id, environment, phone, source, opted_out_at)
     values ($1, 'test', '+14155550128', 'text', now())`,
    [organizationId],
  );
  const failed = await sendEvent(api, {
    touchpoint: 'project_update',
    recipient: person('Kurt', 'Vance', '+14155550128'),
  });
  // Rejected requests for the request log.
  const refused = await api.post('/v1/touchpoint-events', {
    touchpoint: 'new_apointment',
    occurred_at: '2026-03-10T09:15:00Z',
    member: { external_id: 'rep_17' },
    recipient: person('Dana', 'Reyes', '+14155550123'),
  });
  await api.get('/v1/intros/int_00000000000000000000000000');
  await api.get('/v1/touchpoints');
  return {
    ...{ sent: sent.intro, requested: requested.intro, cancelled: cancelled.intro, failedEvent: failed.id, endpoint },
    request: refused.headers.get('request-id') ?? '',
  };
}

/** Fills the organization with a team and a month of activity. */
export async function createSampleCompany(target: SampleTarget): Promise<SampleCompany> {
  const { organizationId, query, api, run } = target;
  await query(
    `insert into delivery_settings (organization_id, environment, texts_from, texts_until, updated_at)
     values ($1, 'test', 0, 1440, now())`,
    [organizationId],
  );
  await query(
    `update members set title = 'project manager', phone = '+14155550117' where external_id = 'rep_17'
     and organization_id = $1`,
    [organizationId],
  );
  const added = await addMembers(target);
  const { data } = (await api.get('/v1/members')).body;
  const ana: string = data.find((member: { external_id: string | null }) => member.external_id === 'rep_17').id;
  // The owner does not record, and Gus and Finn have no intros.
  const { olive: _owner, gus: _new, finn: _idle, ben = '', ...others } = added;
  await addPastIntros(target, [ana, ben, ...Object.values(others)]);
  await addScriptChanges(target, ben);
  const set = (slug: string, ...options: string[]) =>
    run('touchpoint', 'set', '--org', organizationId, slug, ...options);
  await set('project_complete', '--name', 'Job well done', '--delivery', 'integration');
  await set('adjuster_meeting', '--active', 'false');
  await run('key', 'create', '--org', organizationId, '--name', 'Billing export');
  return { ana, ben, ...(await addTodaysActivity(target)) };
}
