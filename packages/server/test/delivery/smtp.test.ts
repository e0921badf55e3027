import { createHash, createPublicKey, verify } from 'node:crypto';
import type { Resolver } from 'node:dns/promises';
import type { SMTPServerOptions } from 'smtp-server';
import { afterEach, expect, test, vi } from 'vitest';
import { dkimRecordValue, generateDkimKey } from '../../src/platform/dkim.ts';
import { sleep } from '../harness/index.ts';
import { type DeliveryFixture, LOG_ONLY, openDelivery } from './delivery-fixture.ts';
import { startDns } from './dns-server.ts';
import { type MailService, refusal, startMail } from './mail-server.ts';

/** Verification of a DKIM signature as RFC 6376 describes it, for `c=relaxed/relaxed`. */

const tagsOf = (value: string): Record<string, string> =>
  Object.fromEntries(
    value
      .split(';')
      .filter((tag) => tag.trim() !== '')
      .map((tag) => [tag.slice(0, tag.indexOf('=')).trim(), tag.slice(tag.indexOf('=') + 1).replaceAll(/\s/g, '')]),
  );

const relaxHeader = (field: string): string => {
  const at = field.indexOf(':');
  const value = field
    .slice(at + 1)
    .replaceAll('\r\n', '')
    .replaceAll(/[ \t]+/g, ' ')
    .trim();
  return `${field.slice(0, at).trim().toLowerCase()}:${value}`;
};

const relaxBody = (body: string): string => {
  const lines = body.split('\r\n').map((line) => line.replaceAll(/[ \t]+/g, ' ').replace(/ $/, ''));
  while (lines.at(-1) === '') lines.pop();
  return lines.length === 0 ? '' : `${lines.join('\r\n')}\r\n`;
};

/** The signed headers if the signature is valid for the key in DNS; otherwise null. */
async function verifyDkim(source: string, resolver: Resolver): Promise<readonly string[] | null> {
  const at = source.indexOf('\r\n\r\n');
  const fields = source.slice(0, at).split(/\r\n(?![ \t])/);
  const signature = fields.find((field) => /^dkim-signature:/i.test(field));
  if (signature === undefined) return null;
  const tags = tagsOf(signature.slice(signature.indexOf(':') + 1));
  const bodyHash = createHash('sha256')
    .update(relaxBody(source.slice(at + 4)), 'latin1')
    .digest('base64');
  if (tags.c !== 'relaxed/relaxed' || tags.a !== 'rsa-sha256' || tags.bh !== bodyHash) return null;
  const signed = (tags.h ?? '').split(':');
  const found = signed.map((name) => fields.findLast((field) => field.toLowerCase().startsWith(`${name}:`)) ?? '');
  const unsigned = relaxHeader(signature).replace(/\bb=[^;]*$/, 'b=');
  const text = [...found.map(relaxHeader), unsigned].join('\r\n');
  const [record = []] = await resolver.resolveTxt(`${tags.s}._domainkey.${tags.d}`);
  const key = createPublicKey({
    key: Buffer.from(tagsOf(record.join('')).p ?? '', 'base64'),
    format: 'der',
    type: 'spki',
  });
  return verify('sha256', Buffer.from(text, 'latin1'), key, Buffer.from(tags.b ?? '', 'base64')) ? signed : null;
}

const NOON = '2026-06-10T17:00:00Z';

let fixture: DeliveryFixture;
let mail: MailService;
const settings = (port: number, query = '?ignoreTLS=true', user = '') => ({
  ...LOG_ONLY,
  mail: { url: `smtp://${user}127.0.0.1:${port}/${query}`, from: 'intros@acme.example' },
});

async function open(options: SMTPServerOptions = {}, query?: string, user?: string): Promise<void> {
  mail = await startMail(options);
  fixture = await openDelivery(NOON, settings(mail.port, query, user));
}
afterEach(async () => {
  await fixture.close();
  await mail.close();
});

async function askBy(email: string) {
  const { tenant, memberId: member } = await fixture.createOrganization({
    member: { email, notify_by: 'email' },
    name: 'Ames & Söhne',
  });
  const id = await fixture.createIntro({ tenant, member });
  await fixture.tick();
  const row = async () => (await fixture.messages(id)).find(({ purpose }) => purpose === 'ask');
  return { id, row };
}
const later = (ms: number) => fixture.advanceTo(new Date(fixture.now().getTime() + ms).toISOString());

test('an email arrives as text and HTML, from the organization, with the link and no external resources', async () => {
  await open();
  const { id, row } = await askBy('ana@acme.example');
  expect(await row()).toMatchObject({ status: 'accepted', carrier: 'smtp' });
  expect(mail.emails).toMatchObject([{ to: 'ana@acme.example', from: 'intros@acme.example' }]);
  const source = mail.emails[0]?.source.replaceAll('=\r\n', '') ?? '';
  expect(source).toMatch(/^From: =\?UTF-8\?.* <intros@acme\.example>\r\n/m);
  expect(source).toContain('Subject: Record a video for Dana Reyes');
  expect(source).toMatch(
    new RegExp(`^Message-ID: <${(await row())?.id}\\.org_[0-9a-z]{26}\\.[0-9a-f]{32}@acme\\.example>`, 'm'),
  );
  expect(source).toContain('Content-Type: text/plain');
  expect(source).toContain('Content-Type: text/html');
  expect(source).toContain(fixture.links.recordUrl(id, 0));
  expect(source).not.toMatch(/<img|<link|<script|@import|url\(/);
  expect(await fixture.carriers.check()).toMatchObject({ email: { status: 'ok' } });
});

test('one address is rejected, one is busy, and the third gets the email', async () => {
  await open();
  const unknown = await askBy('unknown@acme.example');
  const busy = await askBy('busy@acme.example');
  const ana = await askBy('ana@acme.example');
  expect(await unknown.row()).toMatchObject({ status: 'failed', error_code: 'carrier_refused', attempts: 1 });
  expect(await busy.row()).toMatchObject({ status: 'scheduled', in_doubt: false, attempts: 1 });
  expect(await ana.row()).toMatchObject({ status: 'accepted' });
  expect(mail.emails.map(({ to }) => to)).toEqual(['ana@acme.example']);
});

test('an email handed over without an acknowledgment is not sent again, and its outcome is unknown', async () => {
  await open();
  const { row } = await askBy('cut@acme.example');
  expect(await row()).toMatchObject({ status: 'scheduled', in_doubt: true });
  await later(5_000);
  expect(await row()).toMatchObject({ status: 'failed', error_code: 'unknown_outcome' });
  await later(3_600_000);
  expect(mail.emails).toHaveLength(1);
});

test('a mail server that takes too long gets no content later, and the email is retried', async () => {
  const { promise: asked, resolve: ask } = Promise.withResolvers<() => void>();
  await open({ onRcptTo: (_address, _session, done) => ask(() => done()) });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
  const sending = askBy('ana@acme.example');
  const answer = await asked;
  await vi.advanceTimersByTimeAsync(30_000);
  vi.useRealTimers();
  const { row } = await sending;
  answer();
  expect(await row()).toMatchObject({ status: 'scheduled', in_doubt: false });
  await sleep(200);
  expect(mail.emails).toEqual([]);
});

test('STARTTLS is used if the server offers it', async () => {
  await open({}, '?tls.rejectUnauthorized=false');
  await askBy('ana@acme.example');
  expect(mail.emails).toMatchObject([{ isSecure: true }]);
});

test('an untrusted certificate prevents sending; the email is retried later', async () => {
  await open({}, '');
  const { row } = await askBy('ana@acme.example');
  expect(await row()).toMatchObject({ status: 'scheduled', in_doubt: false });
  expect(mail.emails).toEqual([]);
});

test('a wrong password is reported, and fails no email', async () => {
  const onAuth: SMTPServerOptions['onAuth'] = (auth, _session, done) =>
    auth.password === 'right' ? done(null, { user: 'a' }) : done(refusal(535, 'no'));
  await open({ authOptional: false, onAuth, allowInsecureAuth: true }, '?ignoreTLS=true', 'a:wrong@');
  const { row } = await askBy('ana@acme.example');
  expect(await row()).toMatchObject({ status: 'scheduled', in_doubt: false, attempts: 1 });
  expect(await fixture.carriers.check()).toMatchObject({ email: { status: 'refused' } });
  expect(mail.emails).toEqual([]);
});

test('an unreachable mail server delays the email', async () => {
  await open();
  const { port } = mail;
  await mail.close();
  const { row } = await askBy('ana@acme.example');
  expect(port).toBeGreaterThan(0);
  expect(await row()).toMatchObject({ status: 'scheduled', in_doubt: false });
  mail = await startMail();
});

test('an email is signed for the domain of the sender, and a changed one has no valid signature', async () => {
  mail = await startMail();
  const privateKey = generateDkimKey();
  const dkim = { domain: 'acme.example', selector: 'k1', privateKey };
  const { mail: server, ...others } = settings(mail.port);
  fixture = await openDelivery(NOON, { ...others, mail: { ...server, dkim } });
  const dns = await startDns({ 'k1._domainkey.acme.example': [dkimRecordValue(privateKey)] });
  await askBy('ana@acme.example');
  const source = mail.emails[0]?.source ?? '';
  // Relays replace Message-ID and Date.
  const headers = ['from', 'to', 'subject', 'mime-version', 'content-type', 'auto-submitted'];
  expect(await verifyDkim(source, dns.resolver)).toEqual(headers);
  expect(await verifyDkim(source.replace('Subject: Record', 'Subject: Delete'), dns.resolver)).toBeNull();
  expect(
    await verifyDkim(source.replace('Content-Type: text/plain', 'Content-Type: text/html'), dns.resolver),
  ).toBeNull();
  dns.close();
});
