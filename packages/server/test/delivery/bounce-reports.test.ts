import { expect, test } from 'vitest';
import {
  createMessageTokens,
  enhancedCodeIn,
  isAddressWrong,
  readAmazonCall,
  readDeliveryStatus,
  readPlainReport,
  toReason,
} from '../../src/delivery/bounces/reports.ts';
import { newId } from '../../src/platform/ids.ts';
import { amazonBounce, deliveryStatus } from './bounce-samples.ts';

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
