import type pg from 'pg';
import { stop } from './children.ts';
import { aside, atMost, type Finding, ms, print, quantile } from './figures.ts';
import { writeRows } from './growth/rows.ts';
import { connectBeside, prepareDataDir, signInLink, startService } from './service.ts';

/** Six of ten are the busy organization's: a million and a little. */
const MANY = 1_700_000;
const FEW = 85_000;
const SAMPLES = 60;
const WANTED_MS = 100;

type Paths = ReadonlyMap<string, readonly string[]>;

/** One after the other, as a person asks; each sample another page, name or intro where there is a choice. */
async function measure(url: string, cookie: string, paths: readonly string[], samples: number): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < samples; n++) {
    const begun = performance.now();
    const response = await fetch(`${url}/console/api${paths[n % paths.length]}`, { headers: { cookie } });
    await response.text();
    times.push(performance.now() - begun);
    if (response.status !== 200) throw new Error(`${paths[n % paths.length]} answered ${response.status}`);
  }
  return times;
}

interface Drawn {
  readonly id: string;
  readonly event_id: string;
  readonly member_id: string;
  readonly reference_id: string;
  readonly first: string;
  readonly last: string;
  readonly phone: string;
}

const draw = async (database: pg.Client, organization: string): Promise<Drawn[]> =>
  (
    await database.query<Drawn>(
      `select id, event_id, member_id, reference_id, recipient_first_name as first, recipient_last_name as last,
         recipient_phone as phone
       from intros where organization_id = $1 and id > $2 order by md5(id) limit $3`,
      [organization, 'int_', SAMPLES],
    )
  ).rows;

async function pathsOf(database: pg.Client, organization: string): Promise<Paths> {
  const drawn = await draw(database, organization);
  const {
    rows: [middle],
  } = await database.query<{ id: string }>(
    `select id from intros where organization_id = $1 order by id
     offset (select count(*) / 2 from intros where organization_id = $1) limit 1`,
    [organization],
  );
  const list = (query: Record<string, string>) => `/intros?${new URLSearchParams(query)}`;
  const ofEach = (query: (row: Drawn) => Record<string, string>) => drawn.map((row) => list(query(row)));
  const statuses = ['requested', 'ready', 'sent', 'cancelled', 'expired'];
  return new Map<string, readonly string[]>([
    ['list', ['/intros']],
    ...statuses.map((status) => [`list, ${status}`, [list({ status })]] as const),
    ['list, of two statuses', [list({ status: 'cancelled,expired' })]],
    ['list, of a member', ofEach(({ member_id: member }) => ({ member }))],
    ['list, expired of a member', ofEach(({ member_id: member }) => ({ member, status: 'expired' }))],
    ['list, of a touchpoint', [list({ touchpoint: 'new_appointment' })]],
    ['list, of a touchpoint that is rare', [list({ touchpoint: 'project_update' })]],
    ['list, expired of a touchpoint', [list({ touchpoint: 'new_appointment', status: 'expired' })]],
    [
      'list, of a member and a rare touchpoint',
      ofEach(({ member_id: member }) => ({ member, touchpoint: 'project_update' })),
    ],
    ['list, of a month', [list({ from: '2026-06-01', to: '2026-06-30' })]],
    ['list, a page from the middle', [list({ after: middle?.id ?? '' })]],
    ['search, a common first name', ofEach(({ first: q }) => ({ q }))],
    ['search, a letter', ['d', 'm', 's', 'z'].map((q) => list({ q }))],
    ['search, a last name', ofEach(({ last }) => ({ q: last.slice(0, 5) }))],
    ['search, both names', ofEach(({ first, last }) => ({ q: `${first} ${last.slice(0, 2)}` }))],
    ['search, a phone', ofEach(({ phone: q }) => ({ q }))],
    ['search, the beginning of a phone', ofEach(({ phone }) => ({ q: phone.slice(2, 6) }))],
    ['search, a reference', ofEach(({ reference_id: q }) => ({ q }))],
    ['search, an id', ofEach(({ id: q }) => ({ q }))],
    ['search, nothing that is there', [list({ q: 'Nobody at all' })]],
    ['search, a common name among expired ones', ofEach(({ first: q }) => ({ q, status: 'expired' }))],
    ['search, a common name of a member', ofEach(({ first: q, member_id: member }) => ({ q, member }))],
    ['counts', ['/intro-counts']],
    ['an intro', drawn.map(({ id }) => `/intros/${id}`)],
    ['events', ['/events']],
    ['events, failed', ['/events?status=failed']],
    ['events, a name', ['/events?q=Dana', '/events?q=Nobody']],
    ['an event', drawn.map(({ event_id }) => `/events/${event_id}`)],
    ['outbox', ['/messages']],
  ]);
}

const BETWEEN_EVENTS_MS = 20;
const EVENTS_AT_ONCE = 2;

/** A hundred events a second meanwhile, from their acceptance to their intros: what a busy integration sends. */
function startEvents(url: string, key: string): { stop(): Promise<number> } {
  const begun = performance.now();
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
    for (let n = 0; n < EVENTS_AT_ONCE; n++) {
      const asked = send(sent++).finally(() => open.delete(asked));
      open.add(asked);
    }
  }, BETWEEN_EVENTS_MS);
  return {
    async stop() {
      clearInterval(timer);
      const seconds = (performance.now() - begun) / 1000;
      await Promise.all(open);
      return accepted / seconds;
    },
  };
}

async function signIn(url: string, link: string): Promise<string> {
  const response = await fetch(url + new URL(link).pathname, {
    method: 'POST',
    headers: { origin: url, 'sec-fetch-site': 'same-origin' },
    redirect: 'manual',
  });
  const cookie = response.headers.get('set-cookie')?.split(';')[0];
  if (cookie === undefined) throw new Error(`signing in answered ${response.status}`);
  return cookie;
}

/** How long, beside events that come in, the console's lists, searches and details take with a million intros in the organization. */
export async function measureConsole(quick: boolean): Promise<Finding[]> {
  const { dataDir, key } = await prepareDataDir();
  const service = await startService({ dataDir });
  const database = await connectBeside(dataDir);
  const { rows } = await database.query<{ id: string }>('select id from organizations');
  const organization = rows[0]?.id ?? '';
  const begun = performance.now();
  await writeRows(database, quick ? FEW : MANY);
  await database.query(`update members set role = 'owner' where email = 'ana@acme.example'`);
  const { rows: counted } = await database.query<{ n: string }>(
    'select count(*) as n from intros where organization_id = $1',
    [organization],
  );
  const total = Number(counted[0]?.n).toLocaleString('en');
  print(`${total} intros in the organization, written in ${Math.round((performance.now() - begun) / 1000)} s`);
  const cookie = await signIn(service.url, await signInLink(dataDir, organization, 'ana@acme.example'));
  const findings: Finding[] = [];
  const events = startEvents(service.url, key);
  for (const [name, paths] of await pathsOf(database, organization)) {
    await measure(service.url, cookie, paths, 3);
    const times = await measure(service.url, cookie, paths, quick ? SAMPLES / 3 : SAMPLES);
    const finding = atMost(`${name}: ${ms(quantile(times, 0.5))}`, quantile(times, 0.95), WANTED_MS, ms);
    print(`  ${finding.what}, ${finding.measured}`);
    findings.push(finding);
  }
  const rate = Math.round(await events.stop());
  await database.end();
  await stop(service.child);
  return [aside('intros in the organization', total), aside('events accepted meanwhile', `${rate}/s`), ...findings];
}
