import { once } from 'node:events';
import type net from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { afterEach, expect, test } from 'vitest';
import { type DeliveryFixture, LOG_ONLY, openDelivery } from './delivery-fixture.ts';

const NOON = '2026-06-10T17:00:00Z';

interface ReceivedEmail {
  readonly to: string;
  readonly from: string;
  readonly source: string;
  readonly isSecure: boolean;
}

interface MailService {
  readonly port: number;
  readonly emails: ReceivedEmail[];
  close(): Promise<void>;
}

const refusal = (code: number, message: string) => Object.assign(new Error(message), { responseCode: code });

async function startMail(options: SMTPServerOptions & { cutAfter?: number } = {}): Promise<MailService> {
  const emails: ReceivedEmail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    logger: false,
    onRcptTo({ address }, _session, done) {
      if (address.startsWith('unknown@')) return done(refusal(550, 'no such user'));
      if (address.startsWith('busy@')) return done(refusal(451, 'later'));
      done();
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { envelope, secure } = session;
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        const [to] = envelope.rcptTo.map(({ address }) => address);
        emails.push({ to: to ?? '', from, source: Buffer.concat(chunks).toString(), isSecure: secure });
        // The server has the email, but never acknowledges it.
        if (to?.startsWith('cut@') === true) for (const { socket } of connections) socket.destroy();
        else done();
      });
    },
    ...options,
  });
  const connections = new Set<{ socket: net.Socket }>();
  server.server.on('connection', (socket: net.Socket) => connections.add({ socket }));
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  return {
    port: (server.server.address() as net.AddressInfo).port,
    emails,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

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
  expect(source).toContain(`Message-ID: <${(await row())?.id}@acme.example>`);
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
