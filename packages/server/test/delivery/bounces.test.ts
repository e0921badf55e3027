import { expect, test } from 'vitest';
import type { Tenant } from '../../src/db/tenancy.ts';
import { remindManually } from '../../src/delivery/index.ts';
import { findIntro } from '../../src/intros/index.ts';
import { confirmEmail } from '../../src/members/index.ts';
import { forFile } from '../harness/index.ts';
import { amazonBounce, deliveryStatus } from './bounce-samples.ts';
import { BOUNCE_SECRET, LOG_ONLY, openDelivery, serveCarrierRoutes } from './delivery-fixture.ts';
import { startMail } from './mail-server.ts';

const opened: string[] = [];
const mail = await forFile(startMail({ hideDSN: false }));
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
  const token = /^Message-ID: <([^@]+)@/m.exec(source)?.[1] ?? '';
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
    const id = (await emails()).at(-1)?.id ?? '';
    await ownerEmails.send({ organizationId: tenant.organizationId, id });
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
