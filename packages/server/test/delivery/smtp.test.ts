import { once } from 'node:events';
import type net from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { afterEach, expect, test } from 'vitest';
import { type DeliveryFixture, LOG_ONLY, openDelivery } from './delivery-fixture.ts';

const NOON = '2026-06-10T17:00:00Z';

interface Letter {
  readonly to: string;
  readonly from: string;
  readonly source: string;
  readonly isSecure: boolean;
}

interface MailService {
  readonly port: number;
  readonly letters: Letter[];
  close(): Promise<void>;
}

const refusal = (code: number, message: string) => Object.assign(new Error(message), { responseCode: code });

async function startMail(options: SMTPServerOptions & { cutAfter?: number } = {}): Promise<MailService> {
  const letters: Letter[] = [];
  const server = new SMTPServer({
    authOptional: true,
    logger: false,
    onRcptTo({ address }, _session, done) {
      if (address.startsWith('nobody@')) return done(refusal(550, 'no such user'));
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
        letters.push({ to: to ?? '', from, source: Buffer.concat(chunks).toString(), isSecure: secure });
        // The letter is there, and nobody will ever hear of it.
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
    letters,
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

test('the letter arrives: plain and as HTML, in the name of the organization, with the link and nothing from elsewhere', async () => {
  await open();
  const { id, row } = await askBy('ana@acme.example');
  expect(await row()).toMatchObject({ status: 'accepted', carrier: 'smtp' });
  expect(mail.letters).toMatchObject([{ to: 'ana@acme.example', from: 'intros@acme.example' }]);
  const source = mail.letters[0]?.source.replaceAll('=\r\n', '') ?? '';
  expect(source).toMatch(/^From: =\?UTF-8\?.* <intros@acme\.example>\r\n/m);
  expect(source).toContain('Subject: Record a video for Dana Reyes');
  expect(source).toContain(`Message-ID: <${(await row())?.id}@acme.example>`);
  expect(source).toContain('Content-Type: text/plain');
  expect(source).toContain('Content-Type: text/html');
  expect(source).toContain(fixture.links.recordUrl(id, 0));
  expect(source).not.toMatch(/<img|<link|<script|@import|url\(/);
  expect(await fixture.carriers.check()).toMatchObject({ email: { status: 'ok' } });
});

test('one recipient is refused for good, one for now, and the third gets the letter', async () => {
  await open();
  const nobody = await askBy('nobody@acme.example');
  const busy = await askBy('busy@acme.example');
  const ana = await askBy('ana@acme.example');
  expect(await nobody.row()).toMatchObject({ status: 'failed', error_code: 'carrier_refused', attempts: 1 });
  expect(await busy.row()).toMatchObject({ status: 'scheduled', in_doubt: false, attempts: 1 });
  expect(await ana.row()).toMatchObject({ status: 'accepted' });
  expect(mail.letters.map(({ to }) => to)).toEqual(['ana@acme.example']);
});

test('a letter that was handed over without an answer is not sent again: the doubt is written down', async () => {
  await open();
  const { row } = await askBy('cut@acme.example');
  expect(await row()).toMatchObject({ status: 'scheduled', in_doubt: true });
  await later(5_000);
  expect(await row()).toMatchObject({ status: 'failed', error_code: 'unknown_outcome' });
  await later(3_600_000);
  expect(mail.letters).toHaveLength(1);
});

test('STARTTLS is used where it is offered', async () => {
  await open({}, '?tls.rejectUnauthorized=false');
  await askBy('ana@acme.example');
  expect(mail.letters).toMatchObject([{ isSecure: true }]);
});

test('a certificate that nobody vouches for is not trusted: nothing is sent, and it is tried again later', async () => {
  await open({}, '');
  const { row } = await askBy('ana@acme.example');
  expect(await row()).toMatchObject({ status: 'scheduled', in_doubt: false });
  expect(mail.letters).toEqual([]);
});

test('a wrong password is told, and fails nobody', async () => {
  const onAuth: SMTPServerOptions['onAuth'] = (auth, _session, done) =>
    auth.password === 'right' ? done(null, { user: 'a' }) : done(refusal(535, 'no'));
  await open({ authOptional: false, onAuth, allowInsecureAuth: true }, '?ignoreTLS=true', 'a:wrong@');
  const { row } = await askBy('ana@acme.example');
  expect(await row()).toMatchObject({ status: 'scheduled', in_doubt: false, attempts: 1 });
  expect(await fixture.carriers.check()).toMatchObject({ email: { status: 'refused' } });
  expect(mail.letters).toEqual([]);
});

test('no mail server at all: later', async () => {
  await open();
  const { port } = mail;
  await mail.close();
  const { row } = await askBy('ana@acme.example');
  expect(port).toBeGreaterThan(0);
  expect(await row()).toMatchObject({ status: 'scheduled', in_doubt: false });
  mail = await startMail();
});
