import { DELIVERY_FAILURES } from '@foreword/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { refusalOf, undelivered } from '../../src/delivery/carriers/carrier.ts';
import { ACCOUNT_FAULTS, CARRIER_CODES, indexCodes, TWILIO_CODES } from '../../src/delivery/carriers/codes.ts';
import { openCarriers, sealAccount } from '../../src/delivery/index.ts';
import { createSeal } from '../../src/platform/seal.ts';
import { forFile } from '../harness/index.ts';
import { type Behavior, TWILIO } from './carrier-services.ts';
import { errorOf } from './telnyx-service.ts';
import { CARRIERS, openWithProviders, type WithCarrier } from './with-providers.ts';

const NOON = '2026-06-10T17:00:00Z';
const DAY_MS = 86_400_000;

interface Seam {
  readonly name: keyof typeof CARRIERS;
  /** Its response for a number that does not exist. */
  readonly refusal: readonly [status: number, body: object | string];
  /** Responses after which the text was certainly not sent. */
  readonly retried: readonly number[];
  /** A lookup that finds no message proves that there is none. */
  readonly provesAbsence: boolean;
}

const SEAMS: readonly Seam[] = [
  {
    name: 'twilio',
    refusal: [400, { code: 21211, message: "Invalid 'To'", status: 400 }],
    retried: [429, 503],
    provesAbsence: true,
  },
  {
    name: 'telnyx',
    refusal: [400, errorOf('40310', "Invalid 'to' address")],
    retried: [429],
    provesAbsence: false,
  },
  {
    name: 'http',
    refusal: [422, { code: 'invalid_number', message: 'no such number' }],
    retried: [429, 503],
    provesAbsence: true,
  },
];

const answer = (status: number, body: object | string = '', headers: Record<string, string> = {}): Behavior => ({
  ...{ kind: 'respond', status, headers },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

describe.each(SEAMS)('the carrier $name', ({ name, refusal, retried, provesAbsence }) => {
  let fixture: WithCarrier;
  let service: WithCarrier['carrier'];
  beforeAll(async () => {
    fixture = await openWithProviders(NOON, name, { mail: undefined });
    service = fixture.carrier;
    // Members are notified by email, so that the carrier only gets texts to recipients.
    await fixture.createOrganization({ member: { notify_by: 'email' } });
  });
  beforeEach(() => {
    service.accepted.length = 0;
    service.lookups = 0;
    fixture.events.length = 0;
  });
  afterAll(async () => {
    expect(service.violations).toEqual([]);
    await fixture.close();
  });

  const text = (...behaviors: Behavior[]) => fixture.deliver({}, ...behaviors);
  const rowOf = (id: string) => fixture.textOf(id);
  const nextNoon = () => new Date(Math.ceil(fixture.now().getTime() / DAY_MS) * DAY_MS + 17 * 3_600_000).toISOString();
  const statusOf = async (id: string) => (await fixture.intro(id)).status;

  test('gets each text once, with its number and status URL', async () => {
    const id = await text();
    const row = await rowOf(id);
    expect(row).toMatchObject({ status: 'accepted', attempts: 1, carrier_id: service.accepted[0]?.sid });
    expect(service.accepted).toMatchObject([{ to: row?.address, body: row?.body }]);
    expect(service.accepted[0]?.statusUrl).toMatch(new RegExp(`/carriers/status/org_[0-9a-z]{26}/${row?.id}$`));
    expect(await statusOf(id)).toBe('sent');
  });

  test.each(retried)('that responds %s gets the text again after the requested delay', async (status) => {
    const id = await text(answer(status, '', { 'retry-after': '60' }));
    const due = new Date(fixture.now().getTime() + 60_000);
    expect(await rowOf(id)).toMatchObject({ status: 'scheduled', in_doubt: false, due_at: due, attempts: 1 });
    expect(await statusOf(id)).toBe('ready');
    await fixture.pass(60_000);
    expect(await rowOf(id)).toMatchObject({ status: 'accepted', attempts: 2 });
    expect([service.accepted.length, service.lookups]).toEqual([1, 0]);
  });

  const AMBIGUOUS: readonly [string, Behavior][] = [
    ['500 with nothing', answer(500)],
    ['502 with a page', answer(502, '<html>')],
    ['a cut connection', { kind: 'cut' }],
  ];
  test.each(provesAbsence ? AMBIGUOUS : [])(
    'that did not accept the text (%s) is queried first, then gets it once',
    async (_name, behavior) => {
      const id = await text(behavior);
      expect(await rowOf(id)).toMatchObject({ status: 'scheduled', in_doubt: true });
      await fixture.pass(5_000);
      expect(await rowOf(id)).toMatchObject({ status: 'accepted', in_doubt: false });
      expect([service.accepted.length, service.lookups]).toEqual([1, 1]);
      expect(await statusOf(id)).toBe('sent');
    },
  );

  test.each(provesAbsence ? [] : AMBIGUOUS)(
    'without a record of the text (%s) never gets it again',
    async (_name, behavior) => {
      const id = await text(behavior);
      await fixture.pass(12 * 3_600_000);
      expect(await rowOf(id)).toMatchObject({ status: 'failed', error_code: 'unknown_outcome' });
      expect(service.accepted).toEqual([]);
      await fixture.advanceTo(nextNoon());
    },
  );

  test.each([
    ['500', { kind: 'accept_then', status: 500, body: 'oops' } as const],
    ['a cut connection', { kind: 'accept_and_cut' } as const],
  ])('that accepted the text in spite of %s is queried, and does not get it again', async (_name, behavior) => {
    const id = await text(behavior);
    expect(await rowOf(id)).toMatchObject({ status: 'scheduled', in_doubt: true });
    await fixture.pass(5_000);
    expect(await rowOf(id)).toMatchObject({ status: 'accepted', carrier_id: service.accepted[0]?.sid });
    expect([service.accepted.length, service.lookups]).toEqual([1, 1]);
    expect(fixture.events).toEqual([{ type: 'intro.sent', subject: id }]);
  });

  test('that responds 200 with garbage gets one text, which is accepted', async () => {
    const id = await text({ kind: 'accept_then', status: 200, body: 'OK!!1' });
    await fixture.pass(5_000);
    expect(await rowOf(id)).toMatchObject({ status: 'accepted' });
    expect(service.accepted).toHaveLength(1);
  });

  test('that refuses a number leaves the intro ready, with a delivery error and an event', async () => {
    const id = await text(answer(...refusal));
    expect(await rowOf(id)).toMatchObject({ status: 'failed', error_code: 'invalid_number', attempts: 1 });
    expect(await fixture.intro(id)).toMatchObject({ status: 'ready', delivery_error_code: 'invalid_number' });
    expect(fixture.events).toEqual([{ type: 'intro.delivery_failed', subject: id }]);
    await fixture.pass(3_600_000);
    expect(service.accepted).toEqual([]);
  });

  test('that rejects the credentials fails no text; it is sent when they are fixed', async () => {
    const id = await text(answer(401, '{}'), answer(401, '{}'));
    await fixture.pass(5_000);
    expect(await rowOf(id)).toMatchObject({ status: 'scheduled', in_doubt: false, attempts: 2 });
    await fixture.pass(30_000);
    expect(await rowOf(id)).toMatchObject({ status: 'accepted', attempts: 3 });
    expect(service.accepted).toHaveLength(1);
  });

  test('that is never available fails the text after eight retries, and the intro has the error', async () => {
    const id = await text(...Array.from({ length: 9 }, () => answer(429)));
    await fixture.pass(24 * 3_600_000);
    expect(await rowOf(id)).toMatchObject({ status: 'failed', error_code: 'carrier_unavailable', attempts: 9 });
    expect(await fixture.intro(id)).toMatchObject({ status: 'ready', delivery_error_code: 'carrier_unavailable' });
    await fixture.advanceTo(nextNoon());
  });

  test('reports whether it can be used', async () => {
    expect(await fixture.carriers.check()).toMatchObject({ text: { status: 'ok' }, email: { status: 'unset' } });
  });

  test('that cannot be reached gets the text later; the text is never in doubt', async () => {
    const closed = await CARRIERS[name].start();
    await closed.close();
    const gone = fixture.deliveryWith(CARRIERS[name].settings(closed.url));
    const id = await fixture.createIntro();
    await fixture.tick();
    await fixture.record(id);
    await gone.engine.tick();
    expect(await rowOf(id)).toMatchObject({ status: 'scheduled', in_doubt: false, attempts: 1 });
    await fixture.pass(5_000);
    expect(await rowOf(id)).toMatchObject({ status: 'accepted' });
  });
});

const fixture = await forFile(openWithProviders(NOON, 'twilio'));

describe('Twilio', () => {
  const { carrier: service } = fixture;
  afterAll(() => expect(service.violations).toEqual([]));

  test("that refuses a text because of the recipient's opt-out stores the opt-out", async () => {
    const { tenant, memberId: member } = await fixture.createOrganization({ member: { notify_by: 'email' } });
    const phone = '+14155550177';
    const id = await fixture.deliver({ tenant, member, phone }, answer(400, { code: 21610, message: 'Why' }));
    expect(await fixture.intro(id)).toMatchObject({ status: 'ready', delivery_error_code: 'recipient_opted_out' });
    const optedOut = await fixture.database.query('select source from opt_outs where phone = $1', [phone]);
    expect(optedOut).toEqual([{ source: 'carrier' }]);
  });

  test('that rejects the credentials makes the member get one email at once', async () => {
    const { tenant, memberId: member } = await fixture.createOrganization({ member: { notify_by: 'text' } });
    service.accepted.length = 0;
    service.next(answer(401, '{}'), answer(401, '{}'));
    const id = await fixture.createIntro({ tenant, member });
    const asks = async () =>
      (await fixture.messagesFor(id, 'ask'))
        .map(({ channel, status, address }) => `${channel} ${status} ${address}`)
        .toSorted();
    await fixture.tick();
    expect(await asks()).toEqual(['email accepted ana@acme.example', 'text scheduled +13125550117']);
    await fixture.pass(5_000);
    expect(await asks()).toEqual(['email accepted ana@acme.example', 'text scheduled +13125550117']);
    await fixture.record(id);
    await fixture.pass(60_000);
    expect(await asks()).toEqual(['email accepted ana@acme.example', 'text dropped +13125550117']);
    expect(service.accepted.map(({ to }) => to)).not.toContain('+13125550117');
  });

  test("is used with the organization's own account if it has one", async () => {
    const { tenant, memberId: member } = await fixture.createOrganization({ member: { notify_by: 'email' } });
    await fixture.useAccount(tenant, { ...TWILIO, accountSid: `AC${'1'.repeat(32)}` });
    const id = await fixture.deliver({ tenant, member });
    // The fake carrier knows another account.
    expect(service.violations.splice(0)).toEqual(['credentials']);
    expect(await fixture.textOf(id)).toMatchObject({ status: 'failed', error_code: 'carrier_refused' });
  });
});

const twilioCodes = indexCodes(TWILIO_CODES);
const refusalWith = (code: string) =>
  refusalOf(twilioCodes.get(code), { reason: `Twilio ${code}`, retryAfterS: undefined });
const reported = (code: string) => undelivered(twilioCodes.get(code), 'Twilio', code);

test.each(CARRIER_CODES)('the table of $carrier lists each code once, in a sentence', ({ codes }) => {
  expect(new Set(codes.map(({ code }) => code)).size).toBe(codes.length);
  for (const { meaning } of codes) expect(meaning).toMatch(/^[A-Z].*\.$/);
});

const FAULT = expect.toBeOneOf(Object.keys(ACCOUNT_FAULTS));
const failure = (...codes: readonly string[]) => expect.toBeOneOf([...codes]);
const COLUMNS: Readonly<Record<string, object>> = {
  retry: {},
  hold: { fault: FAULT },
  notify: { fault: FAULT, failure: failure('carrier_refused', 'message_filtered') },
  flag: { failure: failure('invalid_number', 'unreachable_number') },
  opt_out: { failure: 'recipient_opted_out' },
  fail: { failure: failure('carrier_refused', 'undelivered') },
};

test.each(CARRIER_CODES.flatMap(({ carrier, codes }) => codes.map((code) => ({ carrier, ...code }))))(
  'code $code of $carrier has the columns of the action $action',
  ({ carrier: _carrier, code: _code, meaning: _meaning, action, ...columns }) => {
    expect(columns).toEqual(COLUMNS[action]);
  },
);

test.each([
  ['20003', { kind: 'unusable', fault: 'credentials' }, { code: 'undelivered', again: 'hold', fault: 'credentials' }],
  ['30001', { kind: 'later' }, { code: 'undelivered', again: 'retry' }],
  [
    '30007',
    { kind: 'refused', code: 'message_filtered', fault: 'filtered' },
    { code: 'message_filtered', fault: 'filtered' },
  ],
  ['21610', { kind: 'refused', code: 'recipient_opted_out' }, { code: 'recipient_opted_out' }],
  ['30006', { kind: 'refused', code: 'unreachable_number' }, { code: 'unreachable_number' }],
])('code %s is read as %j in a response, and as %j in a report', (code, outcome, report) => {
  expect(refusalWith(code)).toEqual({ ...outcome, message: expect.stringContaining(`Twilio ${code}`) });
  expect(reported(code)).toEqual({ status: 'undelivered', ...report, message: expect.stringContaining(code) });
});

test('a code that is not in the table fails the text, with the code in its message', () => {
  expect(refusalWith('1')).toMatchObject({ kind: 'refused', code: 'carrier_refused' });
  expect(reported('1')).toEqual({
    status: 'undelivered',
    code: 'undelivered',
    message: `${DELIVERY_FAILURES.undelivered} (Twilio 1)`,
  });
});

const NUMBER = '+13125550199';
const ACCOUNT = { accountSid: 'AC1', authToken: 'secret' };
const seal = createSeal(Buffer.alloc(32, 7));
const organizationId = 'org_1';
const twilio = (sender: { from: string } | { messagingServiceSid: string }) =>
  ({ carrier: 'twilio', account: { ...ACCOUNT, sender } }) as const;
const numberOf = (text: Parameters<typeof openCarriers>[0]['text'], sealed: Buffer | null = null) =>
  openCarriers({ text, mail: undefined, twilioApiUrl: 'http://127.0.0.1' }, { seal, clock: () => new Date() }).numberOf(
    { organizationId, sealed },
  );
const ownAccount = (from: string, key = seal) => sealAccount(key, organizationId, { ...ACCOUNT, sender: { from } });

test.each([
  ['without a carrier', { carrier: 'log' }, null, null],
  ['of the service', twilio({ from: NUMBER }), null, NUMBER],
  ["of the organization's own account", { carrier: 'log' }, ownAccount(NUMBER), NUMBER],
  ['that its carrier chooses', twilio({ messagingServiceSid: 'MG1' }), null, null],
  ['that is a name', twilio({ from: 'ACME' }), null, null],
  [
    'of an account that cannot be read',
    twilio({ from: NUMBER }),
    ownAccount(NUMBER, createSeal(Buffer.alloc(32, 8))),
    null,
  ],
] as const)('finds the number that texts come from: one %s', (_what, text, sealed, expected) => {
  expect(numberOf(text, sealed)).toBe(expected);
});
