import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { datesUntil, recordingTimes, startOfDate } from '../../src/console/overview/rules.ts';
import { idBound } from '../../src/platform/ids.ts';
import { localDate } from '../../src/platform/instants.ts';
import {
  createTestDatabase,
  createTestOrganization,
  type Service,
  startService,
  type TestDatabase,
  type TestOrganization,
} from '../harness/index.ts';
import { type ConsoleClient, openConsole } from './console-client.ts';

const ZONE = 'America/Chicago';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let database: TestDatabase;
let service: Service;
let environment: Record<string, string>;
let organization: TestOrganization;
let owner: ConsoleClient;

beforeAll(async () => {
  database = await createTestDatabase();
  environment = { DATABASE_URL: database.url, FOREWORD_DEMO: 'off' };
  service = await startService({ ...environment, RATE_LIMIT: 'off' });
  organization = await createTestOrganization(environment, service.url);
  owner = await signIn(organization.id, 'olive@acme.example', 'owner');
});

afterAll(async () => {
  await service.stop();
  await database.drop();
});

let members = 0;

async function addMember(org: string, email: string, role = 'member', lastName = 'Diaz'): Promise<string> {
  const id = `${idBound('mem', new Date())}${String(++members).padStart(16, '0')}`;
  await database.query(
    `insert into members (organization_id, environment, id, first_name, last_name, email, role, created_at)
     values ($1, 'test', $2, 'Bo', $3, $4, $5, now())`,
    [org, id, lastName, email, role],
  );
  return id;
}

async function signIn(org: string, email: string, role: string): Promise<ConsoleClient> {
  await addMember(org, email, role);
  return openConsole({ url: service.url, environment }, { org, email });
}

interface Team {
  readonly id: string;
  readonly memberId: string;
  readonly client: ConsoleClient;
}

/** Another organization, with a manager who is signed in and a member who is asked. */
async function newTeam(): Promise<Team> {
  const id = `${idBound('org', new Date())}${String(++members).padStart(16, '0')}`;
  await database.query(
    `insert into organizations (id, name, industry, timezone, created_at)
     values ($1, 'Another', 'exterior_remodeling', $2, now())`,
    [id, ZONE],
  );
  await database.query(
    `insert into touchpoints
     select $1, environment, id, slug, name, context, lane, position, active, delivery, days_to_record, page_title, script,
       created_at, updated_at
     from touchpoints where organization_id = $2`,
    [id, organization.id],
  );
  const memberId = await addMember(id, 'ana@acme.example', 'member', 'Ng');
  return { id, memberId, client: await signIn(id, 'boss@acme.example', 'manager') };
}

interface Past {
  readonly askedAt: Date;
  readonly member?: string;
  readonly slug?: string | null;
  readonly status?: string;
  /** After it was asked for. */
  readonly recordedMs?: number;
  readonly sent?: boolean;
  readonly opened?: boolean;
  readonly watched?: boolean;
  readonly expiresAt?: Date;
  readonly firstName?: string;
}

let made = 0;

/** An intro of the past, which no call can ask for. */
async function addIntro(org: Pick<Team, 'id' | 'memberId'>, past: Past): Promise<string> {
  const { askedAt, member = org.memberId, slug = 'new_appointment', status = 'requested', firstName = 'Dana' } = past;
  const id = `${idBound('int', askedAt)}${String(++made).padStart(16, '0')}`;
  const after = (is: boolean | undefined) => (is === true ? new Date(askedAt.getTime() + 2 * HOUR) : null);
  const recordedAt = past.recordedMs === undefined ? null : new Date(askedAt.getTime() + past.recordedMs);
  await database.query(
    `insert into intros (organization_id, environment, id, status, touchpoint_slug, member_id, recipient_first_name,
       recipient_phone, instructed, responsibility, metadata, created_at, expires_at, recorded_at, sent_at, opened_at, watched_at)
     values ($1, 'test', $2, $3, $4, $5, $6, '+14155550123', false, 'integration', '{}', $7, $8, $9, $10, $11, $12)`,
    [
      ...[org.id, id, status, slug, member, firstName, askedAt, past.expiresAt ?? null, recordedAt],
      ...[after(past.sent), after(past.opened), after(past.watched)],
    ],
  );
  return id;
}

const ago = (ms: number) => new Date(Date.now() - ms);

describe('spans', () => {
  const now = new Date('2026-03-09T04:30:00Z');

  test('are days of the calendar there, today included', () => {
    expect(localDate(now, ZONE)).toBe('2026-03-08');
    expect(datesUntil(now, 3, ZONE)).toEqual(['2026-03-06', '2026-03-07', '2026-03-08']);
    expect(datesUntil(now, 2, 'Pacific/Auckland')).toEqual(['2026-03-08', '2026-03-09']);
  });

  test('begin at midnight there, also when the clocks change that day', () => {
    expect(startOfDate('2026-03-08', ZONE).toISOString()).toBe('2026-03-08T06:00:00.000Z');
    expect(startOfDate('2026-03-09', ZONE).toISOString()).toBe('2026-03-09T05:00:00.000Z');
  });
});

describe('recording times', () => {
  const one = (bucket: number, seconds: number, recorded = 1) => ({ bucket, recorded, seconds: seconds * recorded });

  test('are exact for a few', () => {
    expect(recordingTimes([one(3, 60), one(1, 20), one(9, 600)])).toEqual({ median_ms: 60_000, p90_ms: 600_000 });
    expect(recordingTimes([one(1, 20)])).toEqual({ median_ms: 20_000, p90_ms: 20_000 });
  });

  test('put together what several touchpoints have in one bucket', () => {
    const times = recordingTimes([one(5, 100, 4), one(5, 110, 4), one(8, 900, 1)]);
    expect(times).toEqual({ median_ms: 105_000, p90_ms: 900_000 });
  });

  test('are none where nothing was recorded', () => {
    expect(recordingTimes([{ bucket: null, recorded: 0, seconds: null }])).toEqual({ median_ms: null, p90_ms: null });
  });
});

describe('the overview', () => {
  test('counts what became of the intros of the span, by day, touchpoint and member, and of nobody else', async () => {
    const acme = await newTeam();
    const { client } = acme;
    const bo = await addMember(acme.id, 'bo@acme.example');
    const done = { status: 'sent', sent: true, opened: true, watched: true };
    await addIntro(acme, { askedAt: ago(HOUR), ...done, recordedMs: 10 * MINUTE });
    await addIntro(acme, { askedAt: ago(2 * DAY), status: 'ready', recordedMs: 20 * MINUTE });
    await addIntro(acme, { askedAt: ago(3 * DAY), member: bo, slug: null, status: 'expired' });
    await addIntro(acme, { askedAt: ago(4 * DAY), member: bo, slug: 'gone', status: 'cancelled' });
    await addIntro(acme, { askedAt: ago(20 * DAY), ...done, opened: false, watched: false, recordedMs: 5 * HOUR });
    await addIntro(acme, { askedAt: ago(40 * DAY), ...done, recordedMs: MINUTE });
    await addIntro(organization, { askedAt: ago(HOUR), ...done, recordedMs: MINUTE });

    const { status, body } = await client.call('GET /overview', { query: { days: 7 } });
    expect(status).toBe(200);
    expect(body).toMatchObject({ days: 7, timezone: ZONE });
    expect(body.total).toEqual({
      ...{ requested: 4, recorded: 2, sent: 1, opened: 1, watched: 1, cancelled: 1, expired: 1 },
      ...{ median_ms: 10 * MINUTE, p90_ms: 20 * MINUTE },
    });
    expect(body.by_day.map(({ date }) => date)).toEqual(datesUntil(new Date(), 7, ZONE));
    expect(body.by_day.find(({ date }) => date === localDate(ago(2 * DAY), ZONE))).toMatchObject({
      requested: 1,
      recorded: 1,
      sent: 0,
    });
    expect(body.by_touchpoint).toEqual([
      expect.objectContaining({ slug: 'new_appointment', name: expect.any(String), requested: 2, recorded: 2 }),
      expect.objectContaining({ slug: null, name: null, requested: 1 }),
      expect.objectContaining({ slug: 'gone', name: null, requested: 1 }),
    ]);
    expect(body.by_member).toEqual([
      expect.objectContaining({
        id: acme.memberId,
        last_name: 'Ng',
        active: true,
        requested: 2,
        median_ms: 10 * MINUTE,
      }),
      expect.objectContaining({ id: bo, last_name: 'Diaz', requested: 2, recorded: 0, median_ms: null }),
    ]);
    expect((await client.call('GET /overview', { query: { days: 30 } })).body.total).toMatchObject({
      requested: 5,
      sent: 2,
    });
    expect((await client.call('GET /overview', { query: { days: 90 } })).body.total).toMatchObject({
      requested: 6,
      sent: 3,
    });
  });

  test('refuses other spans, and members', async () => {
    const bad = await owner.call('GET /overview', { query: { days: 8 as 7 } });
    expect([bad.status, bad.error.field]).toEqual([422, 'days']);
    const member = await openConsole(
      { url: service.url, environment },
      { org: organization.id, email: 'ana@acme.example' },
    );
    for (const key of [
      'GET /overview',
      'GET /overview/waiting',
      'GET /overview/issues',
      'GET /overview/first-steps',
    ] as const) {
      expect((await member.call(key)).status, key).toBe(403);
    }
    expect((await member.get('/console/export/intros.csv?days=7')).status).toBe(403);
    expect((await fetch(`${service.url}/console/export/intros.csv?days=7`)).status).toBe(401);
  });

  test('shows what waits, the oldest first, and how much of it is due soon', async () => {
    const acme = await newTeam();
    const { client } = acme;
    const soon = new Date(Date.now() + 3 * HOUR);
    const newer = await addIntro(acme, { askedAt: ago(HOUR), expiresAt: soon });
    const older = await addIntro(acme, {
      askedAt: ago(5 * DAY),
      expiresAt: new Date(Date.now() + 5 * DAY),
      slug: null,
    });
    await addIntro(acme, { askedAt: ago(DAY), status: 'ready', recordedMs: MINUTE });
    await addIntro(acme, { askedAt: ago(DAY), status: 'cancelled' });
    const { body } = await client.call('GET /overview/waiting');
    expect(body).toMatchObject({ to_record: 2, due_soon: 1, to_send: 1 });
    expect(body.oldest.map(({ id }) => id)).toEqual([older, newer]);
    expect(body.oldest[1]).toMatchObject({
      recipient: 'Dana',
      touchpoint: expect.any(String),
      member: { id: acme.memberId, first_name: 'Bo', last_name: 'Ng' },
      expires_at: soon.toISOString(),
    });
  });

  test('knows how far a new organization has come', async () => {
    const acme = await newTeam();
    const { client } = acme;
    expect((await client.call('GET /overview/first-steps')).body).toEqual({
      ...{ has_members: true, has_event: false, has_intro: false },
    });
    await addIntro(acme, { askedAt: ago(HOUR) });
    expect((await client.call('GET /overview/first-steps')).body).toMatchObject({ has_intro: true });
  });
});

describe('what needs attention', () => {
  test('names carriers that are not set up, members who never recorded, shared addresses, failing events and webhooks', async () => {
    const acme = await newTeam();
    const { client } = acme;
    await addMember(acme.id, 'Two@acme.example');
    const late = await addMember(acme.id, 'two@acme.example');
    await database.query('update members set created_at = $2 where organization_id = $1', [acme.id, ago(8 * DAY)]);
    await database.query('update members set created_at = $2 where id = $1', [late, ago(DAY)]);
    await addIntro(acme, { askedAt: ago(8 * DAY) });
    await addIntro(acme, { askedAt: ago(HOUR), member: late });
    const [touchpoint] = await database.query<{ id: string }>(
      `select id from touchpoints where organization_id = $1 and slug = 'new_appointment'`,
      [acme.id],
    );
    const event = `${idBound('evt', ago(HOUR))}0000000000000001`;
    await database.query(
      `insert into touchpoint_events (organization_id, environment, id, status, touchpoint_id, member_id, request, created_at,
         settled_at, error_code, error_message)
       values ($1, 'test', $2, 'failed', $3, $4, '{}', now(), now(), 'member_not_found', 'Gone.')`,
      [acme.id, event, touchpoint?.id, acme.memberId],
    );
    await database.query(
      `insert into webhook_endpoints (organization_id, environment, id, url, events, active, disabled_reason, secret, created_at)
       values ($1, 'test', 'whk_1', 'https://hooks.example/a', array['intro.ready'], false, 'gone', '', now()),
         ($1, 'test', 'whk_2', 'https://hooks.example/b', array['intro.ready'], false, null, '', now())`,
      [acme.id],
    );
    const { body } = await client.call('GET /overview/issues');
    expect(body.issues.filter(({ kind }) => kind !== 'carrier')).toEqual([
      { kind: 'webhook', id: 'whk_1', host: 'hooks.example', disabled: 'gone', failing_since: null },
      {
        ...{ kind: 'failed_events', slug: 'new_appointment', name: expect.any(String), amount: 1 },
        ...{ last_event_id: event, last_code: 'member_not_found' },
      },
      { kind: 'never_recorded', amount: 1, members: [{ id: acme.memberId, first_name: 'Bo', last_name: 'Ng' }] },
      { kind: 'shared_email', email: 'two@acme.example', amount: 2 },
    ]);
    // The carriers are asked behind the first answer; this service has none.
    const other = (await newTeam()).client;
    const { issues } = (await other.call('GET /overview/issues')).body;
    expect(issues.map(({ kind }) => kind)).toEqual(['carrier', 'carrier']);
  });
});

describe('the export', () => {
  test('has a line for each intro of the span, the oldest first, and only of this organization', async () => {
    const acme = await newTeam();
    const { client } = acme;
    await addIntro(acme, { askedAt: ago(40 * DAY) });
    const first = await addIntro(acme, { askedAt: ago(6 * DAY), status: 'sent', sent: true, recordedMs: MINUTE });
    const second = await addIntro(acme, { askedAt: ago(HOUR), slug: null });
    const response = await client.get('/console/export/intros.csv?days=30');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-disposition')).toMatch(
      /^attachment; filename="intros-[-\d]+-to-[-\d]+\.csv"$/,
    );
    expect(response.headers.get('cache-control')).toBe('no-store');
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.subarray(0, 3).toString('hex')).toBe('efbbbf');
    const lines = bytes.toString().slice(1).split('\r\n');
    expect(lines[0]).toMatch(/^id,status,touchpoint,.*recipient_phone.*,cancelled_at$/);
    expect(lines.slice(1, -1).map((line) => line.split(',')[0])).toEqual([first, second]);
    expect(lines[1]).toContain(',Bo,Ng,ana@acme.example,Dana,,+14155550123,');
    expect(lines.at(-1)).toBe('');
  });

  test('lets no cell become a formula, and keeps quotes and commas in their cells', async () => {
    const acme = await newTeam();
    const { client } = acme;
    for (const firstName of ['=HYPERLINK("http://evil.example")', '@sum', '+1+1', '-2+3', 'Dana "D", the 2nd']) {
      await addIntro(acme, { askedAt: ago(HOUR), firstName });
    }
    const text = await (await client.get('/console/export/intros.csv?days=7')).text();
    expect(text).toContain(`,"'=HYPERLINK(""http://evil.example"")",`);
    for (const cell of [`,'@sum,`, `,'+1+1,`, `,'-2+3,`, ',"Dana ""D"", the 2nd",']) expect(text).toContain(cell);
  });

  test('gives every line of thousands, once', async () => {
    const acme = await newTeam();
    const { client } = acme;
    const bound = idBound('int', ago(HOUR));
    await database.query(
      `insert into intros (organization_id, environment, id, status, member_id, recipient_first_name, recipient_phone,
         instructed, responsibility, metadata, created_at)
       select $1, 'test', $2 || lpad(n::text, 16, '0'), 'requested', $3, 'Dana', '+14155550123', false, 'integration', '{}', now()
       from generate_series(1, 3500) n`,
      [acme.id, bound, acme.memberId],
    );
    const text = await (await client.get('/console/export/intros.csv?days=7')).text();
    const ids = text
      .split('\r\n')
      .slice(1, -1)
      .map((line) => line.split(',')[0]);
    expect([ids.length, new Set(ids).size]).toEqual([3500, 3500]);
    const bad = await client.get('/console/export/intros.csv?days=365');
    expect(bad.status).toBe(422);
  });
});
