import { describe, expect, test } from 'vitest';
import { createApi, forewordProgram, forFile } from '../harness/index.ts';
import { createIntro, eventually, introOfEvent } from './support/actions.ts';
import { openService } from './support/service.ts';

const RECORDED_WITHIN_MS = 60_000;

const fixture = await forFile(openService());

const service = (phone: string) => ({
  recipient: { first_name: 'Dana', phone },
  delivery: { responsibility: 'service' },
});
const retrieve = async (id: string) => (await fixture.api.get(`/v1/intros/${id}`)).body;
const messagesOf = async (id: string, run = fixture.run) =>
  (await run('message', 'list', '--org', fixture.organization.id, '--intro', id)).data;

async function record(id: string): Promise<void> {
  expect((await fixture.api.post(`/v1/test_helpers/intros/${id}/record`)).status).toBe(202);
}

test('without an email provider, the message to the member is shown as not sent, and can be read in full', async () => {
  const { id } = await createIntro(fixture.api, {
    recipient: { first_name: 'Dana', last_name: 'Reyes', phone: '+14155550123' },
  });
  const { url } = await fixture.run('intro', 'link', id);
  await eventually(
    () => messagesOf(id),
    (messages) => messages.some(({ status }: { status: string }) => status === 'failed'),
  );
  const [ask, ...more] = await messagesOf(id, (...args) => forewordProgram(fixture.environment, ...args));
  expect(more.map(({ purpose }: { purpose: string }) => purpose)).toEqual(['ask']);
  const notification = [ask, ...more].find(({ purpose }: { purpose: string }) => purpose === 'ask');
  const unsent = { status: 'failed', error: 'no_email_provider', accepted_at: null };
  expect(notification).toMatchObject({ to: 'member', channel: 'email', address: 'ana@acme.example', ...unsent });
  expect(notification.subject).toBe('Record a video for Dana Reyes');
  // The command builds links with its own PUBLIC_URL.
  expect(notification.body).toContain(new URL(url).pathname);
});

describe('if the service delivers, after the recording', () => {
  test.each([
    ['+14155550124', 'ready', 'no_text_provider'],
    ['+15005550124', 'sent', null],
    ['+15005550001', 'ready', 'invalid_number'],
    ['+15005550002', 'sent', 'undelivered'],
    ['+15005550003', 'ready', 'recipient_opted_out'],
    ['+15005550004', 'sent', null],
    ['+15005550006', 'sent', null],
  ])(
    '%s: the intro becomes %s, delivery.error %s',
    async (phone, status, code) => {
      const { id } = await createIntro(fixture.api, service(phone));
      await record(id);
      const intro = await eventually(
        () => retrieve(id),
        (seen) => seen.status === status && (seen.delivery.error?.code ?? null) === code,
        RECORDED_WITHIN_MS,
      );
      if (code !== null) expect(intro.delivery.error.message).not.toBe('');
      expect(intro.sent_at === null).toBe(status === 'ready');
      const reason = status === 'ready' ? code : null;
      expect(intro.delivery).toMatchObject({ scheduled_for: null, reason });
      const text = (await messagesOf(id)).find(({ purpose }: { purpose: string }) => purpose === 'deliver');
      expect(text).toMatchObject({ to: 'recipient', channel: 'text', address: phone });
      expect(text.body.endsWith(intro.delivery.recipient_url)).toBe(true);
      expect(text.body).toContain('Acme Roofing');
      expect(text.attempts).toBe(phone === '+15005550004' ? 2 : 1);
    },
    90_000,
  );

  test('the text message is that of the touchpoint', async () => {
    const slug = 'project_kickoff';
    const template =
      'Hello {{ recipient.first_name }}, a message from {{ member.first_name }} of {{ organization.name }}:';
    await fixture.run(
      'touchpoint',
      'set',
      '--org',
      fixture.organization.id,
      slug,
      '--delivery',
      'service',
      '--text-message',
      template,
    );
    const intro = await introOfEvent(fixture.api, {
      touchpoint: slug,
      recipient: { first_name: 'Dana', phone: '+15005550125' },
    });
    await record(intro.id);
    const { delivery } = await eventually(
      () => retrieve(intro.id),
      ({ status }) => status === 'sent',
      RECORDED_WITHIN_MS,
    );
    const text = (await messagesOf(intro.id)).find(({ purpose }: { purpose: string }) => purpose === 'deliver');
    expect(text.body).toBe(
      `Hello Dana, a message from Ana of Acme Roofing: Reply STOP to opt out. ${delivery.recipient_url}`,
    );
  }, 90_000);
});

test('if the integration delivers, the service texts no recipient', async () => {
  const { id } = await createIntro(fixture.api, { recipient: { first_name: 'Dana', phone: '+14155550126' } });
  await record(id);
  const ready = await eventually(
    () => retrieve(id),
    ({ status }) => status === 'ready',
    RECORDED_WITHIN_MS,
  );
  expect(ready.delivery).toMatchObject({ responsibility: 'integration', error: null });
  const purposes = (await messagesOf(id)).map(({ purpose }: { purpose: string }) => purpose);
  expect(purposes).not.toContain('deliver');
}, 90_000);

test('readiness reports the carriers, and does not depend on them', async () => {
  const unreachable = {
    SMS_CARRIER: 'http',
    SMS_HTTP_URL: 'http://127.0.0.1:1',
    SMS_HTTP_SECRET: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
  };
  const node = await fixture.newNode({ ...unreachable, FOREWORD_ROLE: 'api' });
  const readiness = async () => {
    const response = await fetch(`${node.url}/readyz`);
    const { carriers } = (await response.json()) as { carriers: { text: string; email: string } };
    return { status: response.status, carriers };
  };
  const seen = await eventually(readiness, ({ carriers }) => carriers.text !== 'unknown');
  expect(seen).toMatchObject({ status: 200, carriers: { text: 'unreachable', email: 'unset' } });
  expect((await createApi(node.url, fixture.organization.key).get('/v1/intros')).status).toBe(200);
});

test('doctor reports which carrier is not configured and which is unreachable', async () => {
  const findings = async (settings: Record<string, string>) => {
    const { checks } = await forewordProgram({ ...fixture.environment, ...settings }, 'doctor');
    return checks.filter(({ name }: { name: string }) => name === 'text messages' || name === 'emails');
  };
  const [text, email] = await findings({});
  expect(text).toMatchObject({ status: 'ok', message: expect.stringContaining('SMS_CARRIER') });
  expect(email).toMatchObject({ status: 'ok', message: expect.stringContaining('SMTP_URL') });
  const gone = await findings({ SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'intros@acme.example' });
  expect(gone[1]).toMatchObject({ name: 'emails', status: 'warning' });
});

test.each([
  [{ SMS_CARRIER: 'pigeon' }, 'SMS_CARRIER'],
  [{ SMS_CARRIER: 'twilio' }, 'TWILIO_ACCOUNT_SID'],
  [{ SMS_CARRIER: 'telnyx', TELNYX_API_KEY: 'KEY1', TELNYX_PUBLIC_KEY: 'short' }, 'TELNYX_PUBLIC_KEY'],
  [{ SMS_CARRIER_FALLBACK: 'twilio' }, 'SMS_CARRIER_FALLBACK'],
  [{ SMS_CARRIER: 'twilio', TWILIO_ACCOUNT_SID: 'AC1', TWILIO_AUTH_TOKEN: 'x' }, 'TWILIO_FROM'],
  [{ SMS_CARRIER: 'http', SMS_HTTP_URL: 'http://127.0.0.1:1', SMS_HTTP_SECRET: 'short' }, 'SMS_HTTP_SECRET'],
  [{ SMTP_URL: 'smtp://127.0.0.1' }, 'MAIL_FROM'],
  [{ SMTP_URL: 'http://127.0.0.1', MAIL_FROM: 'a@b.example' }, 'SMTP_URL'],
])('startup with %j fails and names %s', async (settings: Record<string, string>, name) => {
  await expect(fixture.newNode(settings)).rejects.toThrow(name);
});
