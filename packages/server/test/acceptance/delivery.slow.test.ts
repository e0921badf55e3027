import { describe, expect, test } from 'vitest';
import { createApi, forewordProgram, forFile, runForeword } from '../harness/index.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { createIntro, eventually, introOfEvent } from './support/actions.ts';
import { openService } from './support/service.ts';

const fixture = await forFile(openService());

interface Message {
  readonly purpose: string;
  readonly [field: string]: unknown;
}

const service = (phone: string) => ({
  recipient: { first_name: 'Dana', phone },
  delivery: { responsibility: 'service' },
});
const retrieve = async (id: string) => (await fixture.api.get(`/v1/intros/${id}`)).body;
const messagesOf = async (id: string, run = fixture.run): Promise<Message[]> =>
  (await run('message', 'list', '--org', fixture.organization.id, '--intro', id)).data;
const textOf = async (id: string) => (await messagesOf(id)).find(({ purpose }) => purpose === 'deliver');
const timeline = async (id: string): Promise<{ type: string; detail: object | null }[]> =>
  (await fixture.api.get(`/v1/intros/${id}/timeline`)).body.data;
const fail = (id: string, body: object) => fixture.api.post(`/v1/test_helpers/intros/${id}/fail`, body);

async function recorded(id: string, isDone: (intro: Awaited<ReturnType<typeof retrieve>>) => boolean) {
  expect((await fixture.api.post(`/v1/test_helpers/intros/${id}/record`)).status).toBe(202);
  return eventually(() => retrieve(id), isDone);
}

test('without an email provider, the message to the member is shown as not sent, and can be read in full', async () => {
  const { id } = await createIntro(fixture.api, {
    recipient: { first_name: 'Dana', last_name: 'Reyes', phone: '+14155550123' },
  });
  const { url } = await fixture.run('intro', 'link', id);
  await eventually(async () => (await messagesOf(id)).some(({ status }) => status === 'failed'));
  const messages = await messagesOf(id, (...args) => forewordProgram(fixture.environment, ...args));
  const ask = messages.find(({ purpose }) => purpose === 'ask');
  expect(messages.map(({ purpose }) => purpose).sort()).toEqual(['ask', 'remind']);
  expect(ask).toMatchObject({ to: 'member', channel: 'email', address: 'ana@acme.example' });
  expect(ask).toMatchObject({ status: 'failed', error: 'no_email_provider', accepted_at: null });
  expect(ask).toMatchObject({ subject: 'Record a video for Dana Reyes' });
  // The command builds links with its own PUBLIC_URL.
  expect(ask?.body).toContain(new URL(url).pathname);
});

describe('if the service delivers, after the recording', () => {
  test('an intro whose text is refused stays ready, with the reason', async () => {
    const { id } = await createIntro(fixture.api, service('+14155550124'));
    const intro = await recorded(id, ({ delivery }) => delivery.error !== null);
    expect(intro).toMatchObject({ status: 'ready', sent_at: null });
    expect(intro.delivery).toMatchObject({
      ...{ scheduled_for: null, reason: 'no_text_provider' },
      error: { code: 'no_text_provider', message: expect.stringMatching(/\w/) },
    });
    expect(await textOf(id)).toMatchObject({ to: 'recipient', channel: 'text', address: '+14155550124', attempts: 1 });
    const refused = await fail(id, { step: 'delivery', code: 'invalid_number' });
    expect(refused.body).toMatchObject({ status: 'ready', delivery: { reason: 'invalid_number' } });
    expect((await timeline(id)).at(-1)).toMatchObject({ type: 'not_sent', detail: { code: 'invalid_number' } });
  });

  test('an intro whose text is accepted, at the second attempt, is sent, with the text of its touchpoint', async () => {
    const slug = 'project_kickoff';
    const template =
      'Hello {{ recipient.first_name }}, a message from {{ member.first_name }} of {{ organization.name }}:';
    const changes = [slug, '--delivery', 'service', '--text-message', template];
    await fixture.run('touchpoint', 'set', '--org', fixture.organization.id, ...changes);
    const { id } = await introOfEvent(fixture.api, {
      touchpoint: slug,
      recipient: { first_name: 'Dana', phone: '+15005550004' },
    });
    const { delivery, sent_at: sentAt } = await recorded(id, ({ status }) => status === 'sent');
    expect([sentAt, delivery]).toMatchObject([expect.any(String), { scheduled_for: null, reason: null, error: null }]);
    const text = await textOf(id);
    expect(text).toMatchObject({ attempts: 2 });
    expect(text?.body).toBe(
      `Hello Dana, a message from Ana of Acme Roofing: Reply STOP to opt out. ${delivery.recipient_url}`,
    );
    const undelivered = await fail(id, { step: 'delivery' });
    expect(undelivered.body).toMatchObject({ status: 'sent', delivery: { error: { code: 'undelivered' } } });
    expect((await timeline(id)).map(({ type }) => type)).toContain('undelivered');
    const counts = await fixture.database.query('select coalesce(sum(failed), 0)::int as failed from text_counts');
    expect(counts).toEqual([{ failed: 0 }]);
  });
});

test('if the integration delivers, the service texts no recipient', async () => {
  const { id } = await createIntro(fixture.api, { recipient: { first_name: 'Dana', phone: '+14155550126' } });
  const ready = await recorded(id, ({ status }) => status === 'ready');
  expect(ready.delivery).toMatchObject({ responsibility: 'integration', error: null });
  expect(await textOf(id)).toBeUndefined();
});

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
  // Another folder, where no service of this file has written its settings.
  const DATA_DIR = temporaryFolder();
  const findings = async (settings: Record<string, string>) => {
    const { stdout } = await runForeword({ ...fixture.environment, DATA_DIR, ...settings }, 'doctor', '--json');
    const { checks } = JSON.parse(stdout);
    return checks.filter(({ name }: { name: string }) => name === 'text messages' || name === 'emails');
  };
  const [text, email] = await findings({});
  expect(text).toMatchObject({ status: 'problem', next: expect.stringContaining('SMS_CARRIER') });
  expect(email).toMatchObject({ status: 'note', next: expect.stringContaining('SMTP_URL') });
  const gone = await findings({ SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'intros@acme.example' });
  expect(gone[1]).toMatchObject({ name: 'emails', status: 'warning' });
});
