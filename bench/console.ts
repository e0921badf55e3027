import type pg from 'pg';
import { stop } from './children.ts';
import { atMost, type Finding, info, ms, print, quantile } from './figures.ts';
import { writeRows } from './growth/rows.ts';
import { connectToDatabase, prepareDataDir, signInLink, startService } from './service.ts';

/** Six of ten belong to the busy organization: slightly more than a million. */
const MANY = 1_700_000;
const FEW = 85_000;
const SAMPLES = 60;
const MAX_MS = 100;

type Paths = ReadonlyMap<string, readonly string[]>;

/** Sends one request at a time, cycling through the paths. */
async function measure(url: string, cookie: string, paths: readonly string[], samples: number): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < samples; n++) {
    const started = performance.now();
    const response = await fetch(`${url}/console/api${paths[n % paths.length]}`, { headers: { cookie } });
    await response.text();
    times.push(performance.now() - started);
    if (response.status !== 200) throw new Error(`${paths[n % paths.length]} returned ${response.status}`);
  }
  return times;
}

interface SampleIntro {
  readonly id: string;
  readonly event_id: string;
  readonly member_id: string;
  readonly reference_id: string;
  readonly first: string;
  readonly last: string;
  readonly phone: string;
}

const sampleIntros = async (database: pg.Client, organization: string): Promise<SampleIntro[]> =>
  (
    await database.query<SampleIntro>(
      `select id, event_id, member_id, reference_id, recipient_first_name as first, recipient_last_name as last,
         recipient_phone as phone
       from intros where organization_id = $1 and id > $2 order by md5(id) limit $3`,
      [organization, 'int_', SAMPLES],
    )
  ).rows;

async function pathsOf(database: pg.Client, organization: string): Promise<Paths> {
  const samples = await sampleIntros(database, organization);
  const {
    rows: [middle],
  } = await database.query<{ id: string }>(
    `select id from intros where organization_id = $1 order by id
     offset (select count(*) / 2 from intros where organization_id = $1) limit 1`,
    [organization],
  );
  const list = (query: Record<string, string>) => `/intros?${new URLSearchParams(query)}`;
  const perIntro = (query: (row: SampleIntro) => Record<string, string>) => samples.map((row) => list(query(row)));
  const statuses = ['requested', 'ready', 'sent', 'cancelled', 'expired'];
  return new Map<string, readonly string[]>([
    ['list', ['/intros']],
    ...statuses.map((status) => [`list, ${status}`, [list({ status })]] as const),
    ['list, two statuses', [list({ status: 'cancelled,expired' })]],
    ['list, one member', perIntro(({ member_id: member }) => ({ member }))],
    ['list, one member, expired', perIntro(({ member_id: member }) => ({ member, status: 'expired' }))],
    ['list, one touchpoint', [list({ touchpoint: 'new_appointment' })]],
    ['list, a rare touchpoint', [list({ touchpoint: 'project_update' })]],
    ['list, one touchpoint, expired', [list({ touchpoint: 'new_appointment', status: 'expired' })]],
    [
      'list, one member and a rare touchpoint',
      perIntro(({ member_id: member }) => ({ member, touchpoint: 'project_update' })),
    ],
    ['list, one month', [list({ from: '2026-06-01', to: '2026-06-30' })]],
    ['list, a page from the middle', [list({ after: middle?.id ?? '' })]],
    ['search, a common first name', perIntro(({ first: q }) => ({ q }))],
    ['search, one character', ['d', 'm', 's', 'z'].map((q) => list({ q }))],
    ['search, a last name', perIntro(({ last }) => ({ q: last.slice(0, 5) }))],
    ['search, both names', perIntro(({ first, last }) => ({ q: `${first} ${last.slice(0, 2)}` }))],
    ['search, a phone', perIntro(({ phone: q }) => ({ q }))],
    ['search, part of a phone', perIntro(({ phone }) => ({ q: phone.slice(2, 6) }))],
    ['search, a reference', perIntro(({ reference_id: q }) => ({ q }))],
    ['search, an id', perIntro(({ id: q }) => ({ q }))],
    ['search, no match', [list({ q: 'No such name' })]],
    ['search, a common name, expired', perIntro(({ first: q }) => ({ q, status: 'expired' }))],
    ['search, a common name, one member', perIntro(({ first: q, member_id: member }) => ({ q, member }))],
    ['counts', ['/intro-counts']],
    ['an intro', samples.map(({ id }) => `/intros/${id}`)],
    ['events', ['/events']],
    ['events, failed', ['/events?status=failed']],
    ['events, a name', ['/events?q=Dana', '/events?q=Nosuchname']],
    ['an event', samples.map(({ event_id }) => `/events/${event_id}`)],
    ['outbox', ['/messages']],
  ]);
}

const TICK_MS = 20;
const EVENTS_PER_TICK = 2;

/** Sends 100 events a second in the background, as a busy integration does. */
function startEvents(url: string, key: string): { stop(): Promise<number> } {
  const started = performance.now();
  let sent = 0;
  let accepted = 0;
  const open = new Set<Promise<void>>();
  const send = async (number: number) => {
    const response = await fetch(`${url}/v1/touchpoint-events`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'idempotency-key': `console:${number}`,
      },
      body: JSON.stringify({
        touchpoint: 'on_my_way',
        occurred_at: new Date().toISOString(),
        member: { external_id: 'rep_17' },
        recipient: { first_name: 'Dana', phone: '+14155550123' },
      }),
    });
    await response.text();
    if (response.status === 202) accepted += 1;
  };
  const timer = setInterval(() => {
    for (let n = 0; n < EVENTS_PER_TICK; n++) {
      const request = send(sent++).finally(() => open.delete(request));
      open.add(request);
    }
  }, TICK_MS);
  return {
    async stop() {
      clearInterval(timer);
      const seconds = (performance.now() - started) / 1000;
      await Promise.all(open);
      return accepted / seconds;
    },
  };
}

/** Returns the cookie. */
export async function signIn(url: string, link: string): Promise<string> {
  const response = await fetch(url + new URL(link).pathname, {
    method: 'POST',
    headers: { origin: url, 'sec-fetch-site': 'same-origin' },
    redirect: 'manual',
  });
  const cookie = response.headers.get('set-cookie')?.split(';')[0];
  if (cookie === undefined) throw new Error(`signing in returned ${response.status}`);
  return cookie;
}

/** Measures the console with a million intros in the organization while events arrive. */
export async function measureConsole(quick: boolean): Promise<Finding[]> {
  const { dataDir, key } = await prepareDataDir();
  const service = await startService({ dataDir });
  const database = await connectToDatabase(dataDir);
  const { rows } = await database.query<{ id: string }>('select id from organizations');
  const organization = rows[0]?.id ?? '';
  const started = performance.now();
  await writeRows(database, quick ? FEW : MANY);
  await database.query(`update members set role = 'owner' where email = 'ana@acme.example'`);
  const { rows: counted } = await database.query<{ n: string }>(
    'select count(*) as n from intros where organization_id = $1',
    [organization],
  );
  const total = Number(counted[0]?.n).toLocaleString('en');
  print(`${total} intros in the organization, written in ${Math.round((performance.now() - started) / 1000)} s`);
  const cookie = await signIn(service.url, await signInLink(dataDir, organization, 'ana@acme.example'));
  const findings: Finding[] = [];
  const events = startEvents(service.url, key);
  for (const [name, paths] of await pathsOf(database, organization)) {
    await measure(service.url, cookie, paths, 3);
    const times = await measure(service.url, cookie, paths, quick ? SAMPLES / 3 : SAMPLES);
    const finding = atMost(`${name}: ${ms(quantile(times, 0.5))}`, quantile(times, 0.95), MAX_MS, ms);
    print(`  ${finding.name}, ${finding.measured}`);
    findings.push(finding);
  }
  const rate = Math.round(await events.stop());
  await database.end();
  await stop(service.child);
  return [
    info('intros in the organization', total),
    info('events accepted during the measurement', `${rate}/s`),
    ...findings,
  ];
}
