import type { ConsoleQuery } from '@foreword/contract';
import { describe, expect, test } from 'vitest';
import { datesUntil } from '../../src/console/overview/rules.ts';
import { idBound } from '../../src/platform/ids.ts';
import { localDate } from '../../src/platform/instants.ts';
import { eventually } from '../acceptance/support/actions.ts';
import { forFile } from '../harness/index.ts';
import type { ConsoleClient } from './console-client.ts';
import { ago, DAY, HOUR, MINUTE, type OverviewTeam, openOverview, type Past, ZONE } from './overview-fixture.ts';

const fixture = await forFile(openOverview());

/** An intro with further columns. */
async function addWith(team: OverviewTeam, past: Past, changes: string): Promise<string> {
  const id = await fixture.addIntro(team, past);
  if (changes !== '') await fixture.database.query(`update intros set ${changes} where id = $1`, [id]);
  return id;
}

describe('the overview', () => {
  test('counts results of the period by day, touchpoint and member, only for this organization', async () => {
    const acme = await fixture.newTeam();
    const { client } = acme;
    const bo = await fixture.addMember(acme.id, 'bo@acme.example');
    const done = { status: 'sent', sent: true, opened: true, watched: true };
    await fixture.addIntro(acme, { requestedAt: ago(HOUR), ...done, recordedMs: 10 * MINUTE });
    await fixture.addIntro(acme, { requestedAt: ago(2 * DAY), status: 'ready', recordedMs: 20 * MINUTE });
    await fixture.addIntro(acme, { requestedAt: ago(3 * DAY), member: bo, slug: null, status: 'expired' });
    await fixture.addIntro(acme, { requestedAt: ago(4 * DAY), member: bo, slug: 'gone', status: 'cancelled' });
    await fixture.addIntro(acme, {
      requestedAt: ago(20 * DAY),
      ...done,
      opened: false,
      watched: false,
      recordedMs: 5 * HOUR,
    });
    await fixture.addIntro(acme, { requestedAt: ago(40 * DAY), ...done, recordedMs: MINUTE });
    await fixture.addIntro(fixture.organization, { requestedAt: ago(HOUR), ...done, recordedMs: MINUTE });

    const { status, body } = await client.call('GET /overview', { query: { days: 7 } });
    expect(status).toBe(200);
    expect(body).toMatchObject({ days: 7 });
    const bad = await client.call('GET /overview', { query: { days: 8 as 7 } });
    expect([bad.status, bad.error.field]).toEqual([422, 'days']);
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

  test('counts exactly what the lists behind its figures show', async () => {
    const acme = await fixture.newTeam();
    const { client } = acme;
    const add = (past: Partial<Past>, changes = '') => addWith(acme, { requestedAt: ago(2 * DAY), ...past }, changes);
    const sent = { status: 'sent', sent: true, recordedMs: MINUTE };
    await add({});
    await add({ status: 'ready', recordedMs: MINUTE });
    await add({ ...sent, opened: true, watched: true });
    await add(sent);
    // Neither delivered nor sent, and not of this period.
    await add(sent, "delivery_error_code = 'unreachable_number', delivery_error_message = 'No.'");
    await add({ ...sent, watched: true }, "responsibility = 'service', recipient_phone = '+15005550123'");
    await add({ ...sent, opened: true }, "delivery_error_code = 'expired', delivery_error_message = 'Late.'");
    await add({ ...sent, requestedAt: ago(40 * DAY) });
    const { total, by_day } = (await client.call('GET /overview', { query: { days: 30 } })).body;
    const { intros } = (await client.call('GET /intro-counts', { query: {} })).body;
    const listed = async (query: ConsoleQuery<'GET /intros'>) =>
      (await client.call('GET /intros', { query })).body.rows.length;
    const period = { delivery: 'sent,delivered', from: by_day[0]?.date ?? '' };
    expect([intros.requested, intros.ready, total.sent, total.watched]).toEqual([1, 1, 3, 1]);
    expect([
      await listed({ status: 'requested' }),
      await listed({ status: 'ready' }),
      await listed(period),
      await listed({ ...period, watched: 'yes' }),
    ]).toEqual([1, 1, 3, 1]);
  });

  test('lists what needs attention for the team, and for a member only what is theirs', async () => {
    const acme = await fixture.newTeam();
    const bo = await fixture.addMember(acme.id, 'bo@acme.example');
    const failed = (code: string) => `delivery_error_code = '${code}', delivery_error_message = 'Because of ${code}.'`;
    const done = { requestedAt: ago(DAY), recordedMs: MINUTE };
    const notSent = await addWith(acme, { ...done, status: 'ready', member: bo }, failed('no_text_provider'));
    const notDelivered = await addWith(acme, { ...done, status: 'sent', sent: true }, failed('unreachable_number'));
    const soon = new Date(Date.now() + 3 * HOUR);
    const declined = await addWith(acme, { requestedAt: ago(HOUR), expiresAt: soon }, 'declined_generation = 0');
    await fixture.database
      .sql`insert into intro_declines (organization_id, environment, intro_id, generation, member_id, reason, created_at)
      values (${acme.id}, 'test', ${declined}, 0, ${acme.memberId}, 'away', now())`;
    // Not a problem: nothing can be done, or nothing happened.
    await addWith(acme, { ...done, status: 'ready' }, failed('recipient_opted_out'));
    await addWith(acme, { ...done, status: 'ready' }, 'delivery_error_code = null');
    const read = async (client: ConsoleClient) =>
      (await client.call('GET /overview/attention')).body.items.filter((item) => item.kind === 'intro');
    const items = await read(acme.client);
    expect(items.map(({ id, problem }) => [id, problem])).toEqual([
      [declined, 'declined'],
      [notSent, 'not_sent'],
      [notDelivered, 'not_delivered'],
    ]);
    expect(items).toMatchObject([
      { reason: 'away', expires_at: soon.toISOString(), member: { id: acme.memberId } },
      { reason: 'Because of no_text_provider.', code: 'no_text_provider', member: { id: bo, last_name: 'Diaz' } },
      { reason: 'Because of unreachable_number.', recipient: { first_name: 'Dana', phone: '+14155550123' } },
    ]);
    expect((await read(await fixture.signIn(acme.id, 'bo@acme.example'))).map(({ id }) => id)).toEqual([notSent]);
    expect((await read(await fixture.signIn(acme.id, 'ana@acme.example'))).map(({ id }) => id)).toEqual([notDelivered]);
    expect(await read((await fixture.newTeam()).client)).toEqual([]);
  });

  test('reports the setup progress of a new organization', async () => {
    const acme = await fixture.newTeam();
    const { client } = acme;
    expect((await client.call('GET /overview/setup')).body).toEqual({
      ...{ has_brand: false, has_members: true, has_carrier: false, has_event: false, has_text: false },
      ...{ has_intro: false, dismissed: false },
    });
    const intro = await fixture.addIntro(acme, { requestedAt: ago(HOUR) });
    await fixture.database.sql`update organizations set accent = '#2c6652' where id = ${acme.id}`;
    expect((await client.call('GET /overview/setup')).body).toMatchObject({ has_brand: true, has_intro: true });

    const addText = (number: number, status: string, carrier: string) =>
      fixture.database.query(
        `insert into messages (organization_id, environment, id, intro_id, audience, purpose, channel, status, due_at,
           address, carrier, created_at, round)
         values ($1, 'test', $2, $3, 'member', 'ask', 'text', $4, now(), '+14155550123', $5, now(), $6)`,
        [acme.id, `${idBound('msg', ago(MINUTE))}${String(number).padStart(16, '0')}`, intro, status, carrier, number],
      );
    await addText(1, 'delivered', 'log');
    await addText(2, 'accepted', 'twilio');
    expect((await client.call('GET /overview/setup')).body.has_text).toBe(false);
    await addText(3, 'delivered', 'twilio');
    expect((await client.call('GET /overview/setup')).body.has_text).toBe(true);
  });

  test('dismisses the setup checklist for the whole organization, and for no other', async () => {
    const [acme, other] = [await fixture.newTeam(), await fixture.newTeam()];
    const isDismissed = async ({ client }: typeof acme) => (await client.call('GET /overview/setup')).body.dismissed;
    expect((await acme.client.call('POST /overview/setup/dismiss')).body).toEqual({ dismissed: true });
    const stored = 'select setup_dismissed_at from organizations where id = $1';
    const first = await fixture.database.query(stored, [acme.id]);
    expect((await acme.client.call('POST /overview/setup/dismiss')).status).toBe(200);
    expect(await fixture.database.query(stored, [acme.id])).toEqual(first);
    expect([await isDismissed(acme), await isDismissed(other)]).toEqual([true, false]);
  });
});

test('issues are missing carriers, members who never recorded, shared emails, failing events and, for owners, webhooks', async () => {
  const acme = await fixture.newTeam();
  const { client } = acme;
  await fixture.addMember(acme.id, 'Two@acme.example');
  const late = await fixture.addMember(acme.id, 'two@acme.example');
  await fixture.database.sql`update members set created_at = ${ago(8 * DAY)} where organization_id = ${acme.id}`;
  await fixture.database.sql`update members set created_at = ${ago(DAY)} where id = ${late}`;
  await fixture.addIntro(acme, { requestedAt: ago(8 * DAY) });
  await fixture.addIntro(acme, { requestedAt: ago(HOUR), member: late });
  const [touchpoint] = await fixture.database.sql<{ id: string }>`select id from touchpoints
      where organization_id = ${acme.id} and slug = 'new_appointment'`;
  const event = `${idBound('evt', ago(HOUR))}0000000000000001`;
  await fixture.database
    .sql`insert into touchpoint_events (organization_id, environment, id, status, touchpoint_id, touchpoint_name, member_id, request,
         created_at, settled_at, error_code, error_message)
       values (${acme.id}, 'test', ${event}, 'failed', ${touchpoint?.id}, 'Update', ${acme.memberId}, '{}', now(), now(), 'member_not_found', 'Gone.')`;
  await fixture.database
    .sql`insert into webhook_endpoints (organization_id, environment, id, url, events, active, disabled_reason, secret, created_at)
       values (${acme.id}, 'test', 'whk_1', 'https://hooks.example/a', array['intro.ready'], false, 'gone', '', now()),
         (${acme.id}, 'test', 'whk_2', 'https://hooks.example/b', array['intro.ready'], false, null, '', now())`;
  await fixture.database.sql`update members set bounced_email = lower(email), email_bounced_at = now()
      where id = ${acme.memberId}`;
  await fixture.addMember(acme.id, 'owner@acme.example', 'owner');
  const issuesOf = async (one: ConsoleClient) => (await one.call('GET /overview/attention')).body.items;
  const seen = (await issuesOf(client)).filter(({ kind }) => kind !== 'carrier');
  expect(await issuesOf(await fixture.signIn(acme.id, 'owner@acme.example'))).toContainEqual({
    ...{ kind: 'webhook', id: 'whk_1', host: 'hooks.example', disabled: 'gone', failing_since: null },
  });
  expect(seen).toEqual([
    {
      ...{ kind: 'failed_events', slug: 'new_appointment', name: expect.any(String), amount: 1 },
      ...{ last_event_id: event, last_code: 'member_not_found' },
    },
    { kind: 'never_recorded', amount: 1, members: [{ id: acme.memberId, first_name: 'Bo', last_name: 'Ng' }] },
    { kind: 'email_bounces', id: acme.memberId, first_name: 'Bo', last_name: 'Ng' },
    { kind: 'shared_email', email: 'two@acme.example', amount: 2 },
  ]);
  // The carriers' state is known only after the first response. This service has none.
  const other = (await fixture.newTeam()).client;
  expect((await issuesOf(other)).map(({ kind }) => kind)).toEqual(['carrier', 'carrier']);
});

describe('the export', () => {
  test('has a line per intro of the period, oldest first, only of this organization', async () => {
    const acme = await fixture.newTeam();
    const { client } = acme;
    await fixture.addIntro(acme, { requestedAt: ago(40 * DAY) });
    const first = await fixture.addIntro(acme, {
      requestedAt: ago(6 * DAY),
      status: 'sent',
      sent: true,
      recordedMs: MINUTE,
    });
    const second = await fixture.addIntro(acme, { requestedAt: ago(HOUR), slug: null });
    const response = await client.get('/console/export/intros.csv?days=30');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-disposition')).toMatch(
      /^attachment; filename="intros-[-\d]+-to-[-\d]+\.csv"$/,
    );
    expect(response.headers.get('cache-control')).toBe('no-store');
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.subarray(0, 3).toString('hex')).toBe('efbbbf');
    const lines = bytes.toString().slice(1).split('\r\n');
    expect(lines[0]).toMatch(/^id,status,touchpoint,.*recipient_phone.*,cancelled_at,delivery_status$/);
    expect(lines.slice(1, -1).map((line) => line.split(',')[0])).toEqual([first, second]);
    expect(lines[1]).toContain(',Bo,Ng,ana@acme.example,Dana,,+14155550123,');
    expect(lines.at(-1)).toBe('');
  });

  test('defuses formulas, and escapes quotes and commas', async () => {
    const acme = await fixture.newTeam();
    const { client } = acme;
    for (const firstName of ['=HYPERLINK("http://evil.example")', '@sum', '+1+1', '-2+3', 'Dana "D", the 2nd']) {
      await fixture.addIntro(acme, { requestedAt: ago(HOUR), firstName });
    }
    const text = await (await client.get('/console/export/intros.csv?days=7')).text();
    expect(text).toContain(`,"'=HYPERLINK(""http://evil.example"")",`);
    for (const cell of [`,'@sum,`, `,'+1+1,`, `,'-2+3,`, ',"Dana ""D"", the 2nd",']) expect(text).toContain(cell);
  });

  test('exports thousands of intros without duplicates', async () => {
    const acme = await fixture.newTeam();
    const { client } = acme;
    const bound = idBound('int', ago(HOUR));
    await fixture.database
      .sql`insert into intros (organization_id, environment, id, status, member_id, recipient_first_name, recipient_phone,
         instructed, responsibility, metadata, created_at)
       select ${acme.id}, 'test', ${bound} || lpad(n::text, 16, '0'), 'requested', ${acme.memberId}, 'Dana', '+14155550123', false, 'integration', '{}', now()
       from generate_series(1, 3500) n`;
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

const team = await fixture.newTeam();
await fixture.addIntro(team, { requestedAt: ago(HOUR), firstName: '</script><script>' });
await fixture.addMember(team.id, 'bo@another.example');
await fixture.addMember(team.id, 'olu@another.example', 'owner');
const owner = await fixture.signIn(team.id, 'olu@another.example');
const member = await fixture.signIn(team.id, 'bo@another.example');

interface ConsolePage {
  readonly html: string;
  /** By the address below `/console/api`. */
  readonly responses: Map<string, unknown>;
}

async function readPage(client: ConsoleClient, path: string): Promise<ConsolePage> {
  const html = await (await client.get(path)).text();
  const found = html.matchAll(/<script type="application\/json" data-request="([^"]+)">(.*?)<\/script>/gs);
  return { html, responses: new Map([...found].map(([, address = '', json = '']) => [address, JSON.parse(json)])) };
}

/** Reads the page until it has this many responses: it leaves out those that take too long on a busy machine. */
const readFullPage = (client: ConsoleClient, path: string, count: number) =>
  eventually(
    () => readPage(client, path),
    ({ responses }) => responses.size >= count,
    60_000,
  );

describe('the console page', () => {
  test('contains the responses to the first requests of the overview, as the API returns them', async () => {
    const { responses } = await readFullPage(team.client, '/console', 5);
    expect([...responses.keys()]).toEqual([
      ...['/overview/setup', '/text-limits', '/overview/attention', '/intro-counts', '/overview?days=30'],
    ]);
    const { body } = await team.client.call('GET /overview/attention');
    expect(responses.get('/overview/attention')).toEqual(body);
    expect((await readFullPage(team.client, '/console/overview?days=7', 5)).responses.has('/overview?days=7')).toBe(
      true,
    );
  });

  test('contains the first page of the intros, with names escaped, and none of another organization', async () => {
    await fixture.addIntro(fixture.organization, { requestedAt: ago(HOUR), firstName: 'Stranger' });
    const { html, responses } = await readFullPage(team.client, '/console/intros', 2);
    const { body } = await team.client.call('GET /intros', { query: { sort: 'created' } });
    expect(responses.get('/intros?sort=created')).toEqual(body);
    expect(body.rows).toMatchObject([{ recipient: { first_name: '</script><script>' } }]);
    expect(html).not.toContain('</script><script>');
    expect(html).not.toContain('Stranger');
    expect((await readPage(team.client, '/console/intros?status=sent')).responses.size).toBe(0);
  });

  test.each([
    ['/account', ['/home/settings', '/members/ID/likeness', '/passkeys', '/sessions']],
    ['/organization/brand', ['/brand']],
    ['/messages', ['/messages?status=sending%2Caccepted%2Cdelivered%2Cundelivered%2Cfailed', '/text-limits']],
    ['/organization/activity', ['/activity']],
    ['/organization/data', ['/retention', '/export', '/erasures']],
  ])('contains the first responses of %s', async (path, addresses) => {
    const { responses } = await readFullPage(owner, `/console${path}`, addresses.length);
    expect([...responses.keys()].map((address) => address.replace(/mem_\w+/, 'ID'))).toEqual(addresses);
  });

  test('contains nothing that the role may not read', async () => {
    const overview = await readFullPage(member, '/console/overview', 2);
    expect([...overview.responses.keys()]).toEqual(['/overview/attention', '/intro-counts']);
    expect(overview.responses.get('/overview/attention')).toEqual({ items: [], has_more: false });
    expect((await readFullPage(member, '/console/intros', 2)).responses.get('/intros?sort=created')).toMatchObject({
      rows: [],
    });
    expect([...(await readFullPage(member, '/console', 3)).responses.keys()]).toEqual([
      ...['/home', '/overview/attention', '/home/recorded'],
    ]);
  });

  test('preloads the scripts of the page, and nothing more for a page that does not exist', async () => {
    const preloads = async (path: string) =>
      [...(await readPage(team.client, path)).html.matchAll(/rel="modulepreload" href="([^"]+)"/g)].map(
        ([, url]) => url,
      );
    const [none, overview, intro] = [
      await preloads('/console/none'),
      await preloads('/console/overview'),
      await preloads('/console/intros/int_1'),
    ];
    expect(overview).toEqual(expect.arrayContaining(none));
    expect(overview.length).toBeGreaterThan(none.length);
    expect(intro.length).toBeGreaterThan(none.length);
    for (const url of new Set([...overview, ...intro])) {
      const response = await fetch(fixture.service.url + url, { headers: { 'accept-encoding': 'br' } });
      expect(response.status).toBe(200);
      expect(response.headers.get('content-encoding')).toBe('br');
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    }
  });
});
