import { expect, test } from 'vitest';
import type { Tenant } from '../../src/db/tenancy.ts';
import {
  createMessageTokens,
  enhancedCodeIn,
  isAddressWrong,
  readAmazonCall,
  readDeliveryStatus,
  readPlainReport,
  toReason,
} from '../../src/delivery/bounces/reports.ts';
import { remindManually } from '../../src/delivery/index.ts';
import { findIntro } from '../../src/intros/index.ts';
import { confirmEmail } from '../../src/members/index.ts';
import { newId } from '../../src/platform/ids.ts';
import { forFile } from '../harness/index.ts';
import { amazonBounce, deliveryStatus } from './bounce-samples.ts';
import { BOUNCE_SECRET, LOG_ONLY, openDelivery, serveCarrierRoutes } from './delivery-fixture.ts';
import { type ReceivedEmail, startMail } from './mail-server.ts';

const opened: string[] = [];
/** While the mail server has the email, and has not confirmed it. */
let onEmail: (email: ReceivedEmail) => Promise<unknown> = async () => undefined;
const mail = await forFile(startMail({ hideDSN: false, onEmail: (email) => onEmail(email) }));
const server = { url: `smtp://127.0.0.1:${mail.port}/?ignoreTLS=true`, from: 'intros@acme.example' };
const fixture = await forFile(
  openDelivery('2026-06-10T17:00:00Z', { ...LOG_ONLY, mail: { ...server, bouncesTo: 'bounces@acme.example' } }),
);
const app = serveCarrierRoutes(fixture, async (url) => opened.push(url) > 0);

const SECRET = `Basic ${Buffer.from(`foreword:${BOUNCE_SECRET}`).toString('base64')}`;
const post = async (type: string, payload: string, authorization = SECRET) =>
  (
    await app.inject({
      method: 'POST',
      url: '/carriers/email/bounces',
      headers: { 'content-type': type, authorization },
      payload,
    })
  ).statusCode;
const postJson = (body: object, authorization?: string) =>
  post('text/plain; charset=UTF-8', JSON.stringify(body), authorization);

const editorOf = (tenant: Tenant) => ({ tenant, memberId: null, role: 'owner', possibleLanes: [] }) as const;

const tokenIn = (source: string) => /^Message-ID: <([^@]+)@/m.exec(source)?.[1] ?? '';

/** A member, and the token of the email that asks them to record. */
async function ask(email: string, more: { phone?: string } = {}) {
  const { tenant, memberId: member } = await fixture.createOrganization({
    member: { email, notify_by: 'email', ...more },
  });
  const send = async () => {
    const id = await fixture.createIntro({ tenant, member });
    await fixture.tick();
    return () => fixture.messagesFor(id, 'ask');
  };
  const messages = await send();
  const source = mail.emails.findLast(({ to }) => to === email)?.source ?? '';
  const token = tokenIn(source);
  const readMember = async () => {
    const [row] = await fixture.database.query<Record<string, unknown>>('select * from members where id = $1', [
      member,
    ]);
    return row;
  };
  return { tenant, member, messages, send, token, readMember };
}

test('an intro shows when its member was notified, or why no message could reach them, and reports that once', async () => {
  const { tenant, member, messages, send, token } = await ask('kim@acme.example');
  const [{ intro_id: first = '' } = {}] = await messages();
  const read = async (id: string) => {
    const row = await findIntro(fixture.db.kysely, tenant, id);
    return [row?.member_notified_at ?? null, row?.notification_error_code ?? null, row?.version];
  };
  const reports = (id: string) =>
    fixture.events.filter(({ type, subject }) => type === 'intro.member_unreachable' && subject === id).length;
  expect([await read(first), reports(first)]).toEqual([[fixture.now(), null, 1], 0]);

  await post('message/rfc822', deliveryStatus({ token, address: 'kim@acme.example' }));
  await fixture.tick();
  expect([await read(first), reports(first)]).toEqual([[null, 'undelivered', 2], 1]);

  const later = await send();
  const [{ intro_id: second = '' } = {}] = await later();
  expect([await read(second), reports(second)]).toEqual([[null, 'email_bounces', 2], 1]);

  await fixture.database.query(`update members set phone = '+15005550144', bounced_email = null where id = $1`, [
    member,
  ]);
  await fixture.db.kysely
    .transaction()
    .execute((tx) => remindManually({ carriers: fixture.carriers }, tx, tenant, second, fixture.now()));
  await fixture.tick();
  expect([await read(second), reports(second)]).toEqual([[fixture.now(), null, 2], 1]);
});

test('a report marks the address once, and nothing more is sent to it until it is confirmed or changed', async () => {
  const { tenant, member, messages, send, token, readMember } = await ask('ana@acme.example');
  expect(mail.emails.at(-1)).toMatchObject({ from: 'bounces@acme.example', envelopeId: token });
  fixture.setNow('2026-06-10T17:05:00Z');
  const report = deliveryStatus({ token, address: 'Ana@acme.example' });
  expect([await post('message/rfc822', report), await post('message/rfc822', report)]).toEqual([204, 204]);
  await fixture.tick();
  const message = 'The email bounced: 550 5.1.1 no such user';
  expect((await messages()).find(({ channel }) => channel === 'email')).toMatchObject({
    ...{ status: 'undelivered', error_code: 'undelivered', error_message: message },
  });
  expect(await readMember()).toMatchObject({
    bounced_email: 'ana@acme.example',
    email_bounce_reason: '550 5.1.1 no such user',
  });
  const count = mail.emails.length;
  const later = await send();
  expect(await later()).toMatchObject([
    { channel: 'email', status: 'failed', error_code: 'email_bounces', attempts: 0 },
  ]);
  expect(mail.emails).toHaveLength(count);
  const confirm = () =>
    fixture.db.kysely.transaction().execute((tx) => confirmEmail(tx, editorOf(tenant), member, fixture.now()));
  await confirm();
  // Reports arrive late and repeatedly.
  expect(await post('message/rfc822', report)).toBe(204);
  expect(await readMember()).toMatchObject({ bounced_email: null });
  expect(await (await send())()).toMatchObject([{ status: 'accepted' }]);
  await fixture.database.query("update members set bounced_email = 'old@acme.example' where id = $1", [member]);
  expect(await (await send())()).toMatchObject([{ status: 'accepted' }]);
});

test('a stranger, a guessed token and the wrong address change nothing', async () => {
  const { messages, token, readMember } = await ask('bo@acme.example');
  const json = { message_id: `<${token}@acme.example>`, address: 'bo@acme.example', status: '5.1.1' };
  const basic = (password: string) => `Basic ${Buffer.from(`a:${password}`).toString('base64')}`;
  expect([await postJson(json, ''), await postJson(json, basic('wrong')), await postJson(json, 'Bearer')]).toEqual([
    401, 401, 401,
  ]);
  expect(await postJson({ ...json, message_id: `<${token.slice(0, -3)}000@acme.example>` })).toBe(204);
  expect(await postJson({ ...json, address: 'ana@acme.example' })).toBe(204);
  expect([await postJson({ ...json, status: 'gone' }), await post('application/json', '{')]).toEqual([400, 400]);
  expect(await messages()).toMatchObject([{ status: 'accepted' }]);
  expect(await readMember()).toMatchObject({ bounced_email: null });
  // A full inbox may be emptied.
  expect(await postJson({ ...json, status: '5.2.2', reason: 'full' }, `Bearer ${BOUNCE_SECRET}`)).toBe(204);
  expect((await messages())[0]).toMatchObject({ status: 'undelivered' });
  expect(await readMember()).toMatchObject({ bounced_email: null });
});

test('a member with a phone gets a text instead, at once and for later intros', async () => {
  const { messages, send, token } = await ask('cy@acme.example', { phone: '+15005550123' });
  expect(await postJson(amazonBounce({ token, address: 'cy@acme.example' }))).toBe(204);
  await fixture.tick();
  expect((await messages()).map(({ channel, status }) => `${channel} ${status}`).toSorted()).toEqual([
    'email undelivered',
    'text delivered',
  ]);
  expect(await (await send())()).toMatchObject([{ channel: 'text', status: 'delivered' }]);
});

test('a report counts also if it arrives before the mail server confirms the email', async () => {
  onEmail = ({ to, source }) => post('message/rfc822', deliveryStatus({ token: tokenIn(source), address: to }));
  const { messages } = await ask('early@acme.example', { phone: '+15005550177' });
  onEmail = async () => undefined;
  expect(await messages()).toMatchObject([
    { channel: 'email', status: 'undelivered' },
    { channel: 'text', status: 'delivered' },
  ]);
});

test('an address that the mail server rejects is marked when the email is sent', async () => {
  const { messages, readMember } = await ask('unknown@acme.example');
  const [message] = await messages();
  expect(message).toMatchObject({ status: 'failed', error_code: 'carrier_refused' });
  expect(message?.error_message).toContain('no such user');
  expect(await readMember()).toMatchObject({ bounced_email: 'unknown@acme.example' });
});

test('a bounced email to an owner is shown as failed, and further ones are not sent', async () => {
  const { tenant } = await fixture.createOrganization();
  await fixture.addMember(tenant, { email: 'di@acme.example' });
  const { ownerEmails } = fixture.delivery;
  const emails = () =>
    fixture.database.query<{ id: string; status: string; error_message: string | null }>(
      'select id, status, error_message from owner_emails where organization_id = $1 order by id',
      [tenant.organizationId],
    );
  const notify = async () => {
    await fixture.db.kysely.transaction().execute((tx) => ownerEmails.notifyTextsPaused(tx, tenant, 'burst'));
    await fixture.sendEmails();
  };
  await notify();
  const source = mail.emails.at(-1)?.source ?? '';
  const [, messageId = ''] = /^Message-ID: (\S+)/m.exec(source) ?? [];
  const count = mail.emails.length;
  expect(await postJson({ message_id: messageId, address: 'di@acme.example', status: '5.1.1', reason: 'gone' })).toBe(
    204,
  );
  await notify();
  expect(await emails()).toMatchObject([
    { status: 'failed', error_message: 'The email bounced: gone' },
    { status: 'failed', error_message: 'Not sent: emails to this address bounce.' },
  ]);
  expect(mail.emails).toHaveLength(count);
});

test('a subscription of SNS is confirmed on the page of SNS only', async () => {
  const url = 'https://sns.us-west-2.amazonaws.com/?Action=ConfirmSubscription&Token=1';
  expect(await postJson({ Type: 'SubscriptionConfirmation', SubscribeURL: url })).toBe(204);
  expect(await postJson({ Type: 'SubscriptionConfirmation', SubscribeURL: 'https://evil.example/' })).toBe(400);
  expect(opened).toEqual([url]);
});

const NOW = new Date('2026-06-10T17:00:00Z');
const EMAIL = { organizationId: newId('org', NOW), id: newId('msg', NOW), address: 'Ana@Acme.example' };
const tokens = createMessageTokens({ derive: (purpose) => Buffer.alloc(32, purpose) });
const others = createMessageTokens({ derive: () => Buffer.alloc(32, 'another server') });
const TOKEN = tokens.tokenOf(EMAIL);

test('a token names its email only together with the address, and is no longer than an envelope id may be', () => {
  const found = { ...EMAIL, address: 'ana@acme.example' };
  expect(TOKEN.length).toBeLessThanOrEqual(100);
  expect(tokens.find(['x', TOKEN.toUpperCase()], ['bo@acme.example', 'ana@acme.example'])).toEqual(found);
  const wrong = `${TOKEN.slice(0, -1)}${TOKEN.endsWith('0') ? '1' : '0'}`;
  expect(tokens.find([TOKEN], ['bo@acme.example'])).toBeNull();
  expect(tokens.find([wrong, EMAIL.id, `${EMAIL.id}.${EMAIL.organizationId}`, ''], ['ana@acme.example'])).toBeNull();
  expect(tokens.find([others.tokenOf(EMAIL)], ['ana@acme.example'])).toBeNull();
});

test.each([
  ['5.1.1', null, true],
  ['5.1.10', null, true],
  ['5.2.1', 'account disabled', true],
  ['5.2.2', 'quota full: no such user', false],
  ['5.7.1', 'relaying denied', false],
  ['5.0.0', 'no such user here', true],
  [null, '550 User ana@acme.example unknown', true],
  [null, '550 relay not permitted', false],
  [null, '554 message rejected as spam', false],
  [null, null, false],
])('%s "%s": the address is wrong: %s', (code, text, expected) => {
  expect(isAddressWrong({ code, text })).toBe(expected);
});

test('responses are read to their enhanced code and one line', () => {
  expect(enhancedCodeIn('550 5.1.1 <ana@acme.example>: no')).toBe('5.1.1');
  expect(enhancedCodeIn('550 no such user 5.1.1')).toBeNull();
  expect(toReason(`550\r\n no\u0007 \u202euser${'x'.repeat(300)}`)).toBe(`550 no user${'x'.repeat(189)}`);
});

const read = (report: string) => readDeliveryStatus(Buffer.from(report));
const toBase64 = (text: string) => Buffer.from(text).toString('base64').replaceAll(/.{76}/g, '$&\r\n');
const toQuotedPrintable = (text: string) => text.replaceAll('=', '=3D').replaceAll(/[^\r\n]{60}/g, '$&=\r\n');

test.each<[string, Partial<Parameters<typeof deliveryStatus>[0]>]>([
  ['the headers of the returned email', {}],
  ['the envelope, if the email was forwarded', { address: 'ana@elsewhere.example', envelopeId: TOKEN }],
  ['parts in base64', { encoding: ['base64', toBase64] }],
  ['parts in quoted-printable', { encoding: ['quoted-printable', toQuotedPrintable] }],
  ['the whole returned email', { returned: 'message/rfc822' }],
  ['the whole returned email in base64', { returned: 'message/rfc822', encoding: ['base64', toBase64] }],
  ['parts within other parts', { isNested: true }],
  ['line ends without CR', { lineEnd: '\n' }],
])('a delivery status notification has the token and every address: %s', async (_from, sample) => {
  const [report, ...more] = await read(
    deliveryStatus({ token: TOKEN, address: EMAIL.address, original: EMAIL.address, ...sample }),
  );
  expect(more).toEqual([]);
  expect(report).toMatchObject({ code: '5.1.1', reason: '550 5.1.1 no such user' });
  expect(tokens.find(report?.tokens ?? [], report?.addresses ?? [])).not.toBeNull();
});

const SAMPLE = deliveryStatus({ token: TOKEN, address: EMAIL.address });
test.each([
  ['a warning about a delay', deliveryStatus({ token: TOKEN, address: EMAIL.address, action: 'delayed' })],
  ['another email', 'Subject: Out of office\r\n\r\nI am away.'],
  ['a text', SAMPLE.replace('message/delivery-status', 'text/plain')],
  ['a forwarded notification', `Content-Type: message/rfc822\r\n\r\n${SAMPLE}`],
  ['nothing', ''],
  ['empty lines', '\r\n\r\n'],
  ['an empty boundary', 'Content-Type: multipart/report; boundary=""\r\n\r\n----'],
  ['too many headers', `${'X: y\r\n'.repeat(50_000)}${SAMPLE}`],
])('%s contains no report', async (_what, email) => {
  expect(await read(email)).toEqual([]);
});

test('a report that lists thousands of recipients costs no more than one with a few', async () => {
  const recipients = 'Action: failed\r\n\r\n'.repeat(3_000);
  const to = `To: ${'x'.repeat(50_000)}\r\n`;
  const email = SAMPLE.replace('Final-Recipient', `${recipients}Final-Recipient`).replace(/^To: .*\r\n/m, to);
  expect((await read(email)).length).toBeLessThanOrEqual(10);
});

test('SES: permanent bounces mark the address, others do not; complaints and foreign pages are ignored', () => {
  const read = (sample: object) => {
    const call = readAmazonCall(sample as never);
    return call?.kind === 'reports' ? call.reports : call;
  };
  const permanent = read(amazonBounce({ token: TOKEN, address: EMAIL.address }));
  expect(permanent).toMatchObject([{ code: '5.1.1', addresses: [EMAIL.address], reason: 'smtp; 550 5.1.1 unknown' }]);
  expect(permanent).toMatchObject([{ tokens: expect.arrayContaining([TOKEN]) }]);
  expect(read(amazonBounce({ token: TOKEN, address: 'a@b.example', type: 'Transient' }))).toMatchObject([
    { code: '5.2.0' },
  ]);
  expect(read({ Type: 'Notification', Message: '{"notificationType":"Complaint"}' })).toEqual([]);
  expect(read({ Type: 'Notification', Message: 'not JSON' })).toEqual([]);
  const confirm = (SubscribeURL: string) => read({ Type: 'SubscriptionConfirmation', SubscribeURL });
  const url = 'https://sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription&Token=1';
  expect(confirm(url)).toEqual({ kind: 'confirm', url });
  for (const foreign of [
    'http://sns.us-east-1.amazonaws.com/',
    'https://sns.evil.example/',
    'https://sns.a.amazonaws.com.evil.example/',
    'https://sns.us-east-1.amazonaws.com:444/',
    'https://a@sns.us-east-1.amazonaws.com/',
    '',
  ])
    expect(confirm(foreign)).toBeNull();
  expect(read({ Type: 'Other' })).toBeNull();
});

test("this service's own format needs the Message-ID, the address and a status", () => {
  const json = {
    message_id: `<${TOKEN}@acme.example>`,
    address: EMAIL.address,
    status: '5.1.1',
    reason: 'no such user',
  };
  expect(readPlainReport(json)).toMatchObject({ code: '5.1.1', reason: 'no such user' });
  for (const field of ['message_id', 'address', 'status']) expect(readPlainReport({ ...json, [field]: 1 })).toBeNull();
  expect(readPlainReport({ ...json, status: 'bounced' })).toBeNull();
});
