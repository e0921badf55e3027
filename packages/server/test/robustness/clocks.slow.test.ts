import { expect, test } from 'vitest';
import { anIntro } from '../acceptance/support/actions.ts';
import { openPhone } from '../acceptance/support/recorder.ts';
import {
  type Api,
  clockShiftedBy,
  createApi,
  forewordProgram,
  forFile,
  openService,
  runForeword,
  sleep,
} from '../harness/index.ts';
import { startReceiver } from '../webhooks/receiver.ts';

const SHIFT_S = 120;
/** Longer than the interval in which workers look for abandoned messages. */
const CARRIER_MS = 6_500;
const MEMBERS = 12;

/** Confirms each text after a while, and does not know it before. */
const carrier = await forFile(
  startReceiver(async (response, { body }) => {
    if (body === '') return void response.writeHead(404).end('{}');
    await sleep(CARRIER_MS);
    response.writeHead(202, { 'content-type': 'application/json' }).end(JSON.stringify({ id: JSON.parse(body).id }));
  }),
);
const texts = () => carrier.received.filter(({ body }) => body !== '').map(({ body }) => String(JSON.parse(body).id));
const fixture = await forFile(
  openService({
    FOREWORD_ROLE: 'api,worker',
    SMS_CARRIER: 'http',
    SMS_HTTP_URL: new URL(carrier.url).origin,
    SMS_HTTP_SECRET: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
  }),
);
const [ahead, behind] = await Promise.all([
  fixture.newNode(clockShiftedBy(SHIFT_S)),
  fixture.newNode(clockShiftedBy(-SHIFT_S)),
]);
const { key } = fixture.organization;
const apis = [fixture.service, ahead, behind].map(({ url }) => createApi(url, key));

async function requestIntro(api: Api | undefined, n: number): Promise<string> {
  const externalId = `rep_${100 + n}`;
  const names = ['--first-name', 'Ana', '--last-name', `Ng ${n}`, '--email', `ana${n}@acme.example`];
  const phone = ['--phone', `+1415555${2000 + n}`];
  const member = [...names, ...phone, '--external-id', externalId];
  await fixture.run('member', 'create', '--org', fixture.organization.id, ...member);
  const body = { member: { external_id: externalId }, recipient: { first_name: 'Dana', phone: '+14155550123' } };
  const { status, body: intro } = await (api as Api).post('/v1/intros', body);
  expect(status).toBe(201);
  return intro.id;
}

const statuses = (purpose: string) =>
  fixture.database.sql<{ status: string; n: number }>`select status, count(*)::int as n from all_messages
    where purpose = ${purpose} group by 1 order by 1`;

test('three workers with clocks two minutes apart send every text once and none early, and expire nothing early', async () => {
  const intros: string[] = [];
  for (let n = 0; n < MEMBERS; n++) intros.push(await requestIntro(apis[n % apis.length], n));
  await expect.poll(() => texts().length).toBe(MEMBERS);
  // Within half of the difference between the clocks.
  await fixture.database.query("update message_queue set due_at = now() + interval '60 s' where purpose = 'remind'");
  const [first] = intros;
  await fixture.database.sql`update intros set expires_at = now() + interval '60 s' where id = ${first}`;
  // Each worker looks for abandoned messages at least once more while the carrier has not confirmed the texts.
  await sleep(CARRIER_MS + 500);
  expect(new Set(texts()).size).toBe(MEMBERS);
  expect(texts()).toHaveLength(MEMBERS);
  expect(await statuses('ask')).toEqual([{ status: 'accepted', n: MEMBERS }]);
  expect(await statuses('remind')).toEqual([{ status: 'scheduled', n: MEMBERS }]);
  expect((await apis[0]?.get(`/v1/intros/${first}`))?.body.status).toBe('requested');
});

test('a node with a wrong clock stays ready, and says so in /readyz, a metric and one log line', async () => {
  const [right, wrong] = await Promise.all(
    [fixture.service, ahead].map(async ({ url }) => {
      const response = await fetch(`${url}/readyz`);
      const { warnings } = (await response.json()) as { warnings: string[] };
      return { status: response.status, warnings };
    }),
  );
  expect(right).toEqual({ status: 200, warnings: [] });
  expect(wrong?.status).toBe(200);
  expect(wrong?.warnings).toEqual([expect.stringMatching(/^This machine's clock is 1[12]\d\.\d s ahead of/)]);
  const metrics = await (await fetch(`${behind.url}/metrics`)).text();
  const [, skew] = /^foreword_clock_skew_seconds (\S+)$/m.exec(metrics) ?? [];
  expect(Number(skew)).toBeLessThan(-SHIFT_S / 2);
  expect(ahead.output().match(/Synchronize both with NTP/g)).toHaveLength(1);
  expect(fixture.service.output()).not.toContain('Synchronize both with NTP');
});

test('an upload continues on a node whose clock is more than a day ahead', async () => {
  const node = await fixture.newNode(clockShiftedBy(25 * 3_600));
  const { id } = (await apis[0]?.post('/v1/intros', anIntro()))?.body ?? {};
  const phone = await openPhone({ run: fixture.run, service: node }, id);
  const at = await phone.begin({ length: 2_000 });
  expect((await phone.patch(at, 0, new Uint8Array(1_000))).status).toBe(204);
  expect(await phone.offset(at)).toBe(1_000);
  expect((await phone.patch(at, 1_000, new Uint8Array(1_000))).status).toBe(204);
  expect((await phone.state()).recording.status).toBe('checking');
});

test('a sign-in link created on a machine whose clock is 20 minutes behind works, and doctor warns about the clock', async () => {
  const environment = { ...fixture.environment, ...clockShiftedBy(-20 * 60), PUBLIC_URL: fixture.service.url };
  const { url } = await forewordProgram(environment, 'signin', '--email', 'ana@acme.example');
  const page = await fetch(url);
  // An expired link is a 410.
  expect(page.status).toBe(200);
  const { checks } = JSON.parse((await runForeword(environment, 'doctor', '--json')).stdout) as { checks: unknown[] };
  expect(checks).toContainEqual(
    expect.objectContaining({ name: 'clock', status: 'warning', message: expect.stringContaining('s behind') }),
  );
});
