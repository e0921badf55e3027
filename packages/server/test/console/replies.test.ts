import { describe, expect, test } from 'vitest';
import { createIntro, eventually } from '../acceptance/support/actions.ts';
import { forFile } from '../harness/index.ts';
import type { ConsoleClient } from './console-client.ts';
import { openIntros } from './intros-fixture.ts';

const team = await forFile(openIntros());

async function arrange(status: 'ready' | 'sent'): Promise<string> {
  const { id } = await createIntro(team.api);
  await team.setStatus(id, status);
  return id;
}

/** The intros that need attention, as this client sees them. */
async function readAttention(client: ConsoleClient) {
  const { items } = (await client.call('GET /overview/attention')).body;
  return items.filter((item) => item.kind === 'intro');
}

describe('a reply', () => {
  test('appears on the intro and in the overview, only in its own organization', async () => {
    const id = await arrange('ready');
    const body = { type: 'question', message: 'Where do I park?' };
    await team.api.post(`/v1/test_helpers/intros/${id}/reply`, body);
    const intro = await team.detail(id);
    expect(intro.reply).toMatchObject({ type: 'question', label: 'I have a question', message: 'Where do I park?' });
    expect(intro.timeline.map(({ type }) => type)).toContain('replied');
    expect(await readAttention(team.manager)).toMatchObject([
      { id, problem: 'reply_waiting', reason: 'I have a question', message: 'Where do I park?' },
    ]);
    expect(await readAttention(team.other.owner)).toEqual([]);
    // Someone else's intro.
    expect(await readAttention(team.member)).toEqual([]);
  });

  test('to the text is labeled as a text, and needs a text to reply to', async () => {
    const [ready, sent] = [await arrange('ready'), await arrange('sent')];
    const reply = (id: string, body: object) => team.api.post(`/v1/test_helpers/intros/${id}/reply`, body);
    const text = { type: 'message', message: 'Is 3 PM fine, too?' };
    expect((await reply(ready, text)).body.error.code).toBe('intro_not_sent');
    const { body: intro } = await reply(sent, text);
    expect(intro.reply).toMatchObject({ ...text, label: 'Text message', channel: 'text' });
    expect(intro.opened_at).toBeNull();
    const shown = await readAttention(team.manager);
    expect(shown.find((one) => one.id === sent)).toMatchObject({ reason: 'Text message', message: text.message });
  });

  test('needs an answer until its member or a manager marks it as done', async () => {
    const id = await arrange('sent');
    const settle = (client = team.manager) => client.call('POST /intros/{id}/settle-reply', { params: { id } });
    const problem = async () => (await team.detail(id)).problem;
    const reply = (body: object) => team.api.post(`/v1/test_helpers/intros/${id}/reply`, body);
    await reply({ type: 'question', message: 'Where do I park?' });
    expect(await problem()).toBe('reply_waiting');
    expect((await settle(team.member)).status).toBe(404);
    expect((await settle(team.other.owner)).status).toBe(404);
    expect(await problem()).toBe('reply_waiting');
    expect((await settle()).status).toBe(200);
    const { team: shown, timeline, reply: done } = await team.detail(id);
    expect(await problem()).toBeNull();
    expect(done?.settled_at).not.toBeNull();
    const by = { cause: 'member', detail: { member: team.managerId } };
    expect(timeline.filter(({ type }) => type === 'reply_settled')).toMatchObject([by]);
    expect((await settle()).status).toBe(200);
    expect((await team.detail(id)).team?.raw.version).toBe(shown?.raw.version);
    await reply({ type: 'reschedule' });
    expect(await problem()).toBe('reply_waiting');
    await reply({ type: 'thanks' });
    expect(await problem()).toBeNull();
  });

  test('needs attention by what was said last', async () => {
    const id = await arrange('ready');
    const reply = (type: string) => team.api.post(`/v1/test_helpers/intros/${id}/reply`, { type });
    const shown = async () => (await readAttention(team.manager)).filter((one) => one.id === id);
    await reply('confirm');
    await reply('reschedule');
    expect((await shown()).map(({ reason }) => reason)).toEqual(['I need another time']);
    await reply('thanks');
    expect(await shown()).toEqual([]);
  });
});

describe('taking down a page', () => {
  const takeDown = (id: string, client = team.owner) =>
    client.call('POST /v1/intros/{id}/take_down', { params: { id } });

  test('is possible for owners only, once the intro is sent', async () => {
    const [ready, sent] = [await arrange('ready'), await arrange('sent')];
    expect((await takeDown(ready)).status).toBe(409);
    expect((await takeDown(sent, team.manager)).status).toBe(403);
    expect((await takeDown(sent, team.other.owner)).status).toBe(404);
    expect((await team.detail(sent)).taken_down_at).toBeNull();
    expect((await team.detail(sent)).actions.take_down).toMatchObject({ possible: false, reason: null });
    expect((await team.detail(sent, team.owner)).actions.take_down.possible).toBe(true);
    expect((await takeDown(sent)).status).toBe(200);
    const after = await team.detail(sent, team.owner);
    expect(after).toMatchObject({ status: 'sent', media: null, actions: { take_down: { possible: false } } });
    expect(after.timeline.at(-1)).toMatchObject({
      type: 'taken_down',
      cause: 'member',
      detail: { member: team.ownerId },
    });
    expect((await takeDown(sent)).status).toBe(200);
    expect((await team.detail(sent)).team?.raw.version).toBe(after.team?.raw.version);
  });

  test('drops a text that waits, and refuses another one', async () => {
    const id = await arrange('sent');
    await team.database.sql`update intros set responsibility = 'service' where id = ${id}`;
    await team.database
      .sql`insert into message_queue (organization_id, environment, id, intro_id, audience, purpose, planned_channel, round, address, due_at, created_at)
       select organization_id, environment, 'msg_waits', id, 'recipient', 'deliver', 'text', 1, recipient_phone,
         now() + interval '1 hour', now() from intros where id = ${id}`;
    await takeDown(id);
    await team.database.query("update message_queue set due_at = now() where id = 'msg_waits'");
    await eventually(
      () => team.database.query("select status, error_code from all_messages where id = 'msg_waits'"),
      ([row]) => row?.status === 'dropped' && row.error_code === 'page_taken_down',
    );
    expect((await team.manager.call('POST /intros/{id}/send-again', { params: { id } })).status).toBe(409);
  });
});

let last = 100;
async function optedOut(source: string): Promise<string> {
  last += 1;
  const phone = `+14155550${last}`;
  await team.database.sql`insert into opt_outs (organization_id, environment, phone, source, opted_out_at)
    values (${team.organization.id}, 'test', ${phone}, ${source}, now())`;
  return phone;
}

const allow = (phone: string, reason = 'Dana, on the phone', client = team.manager) =>
  client.call('POST /v1/recipients/opt_in', { body: { phone, reason } });
const read = (phone: string, client = team.manager) => client.call('GET /consent', { query: { phone } });

describe('a recipient who stopped texts on the page', () => {
  test('can be texted again once the team records who asked, and asking twice changes nothing more', async () => {
    const phone = await optedOut('page');
    expect((await read(phone)).body.opted_out).toMatchObject({ source: 'page', can_be_undone: true });
    const answers = await Promise.all([allow(phone), allow(phone)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const { body } = await read(phone);
    expect(body.opted_out).toBeNull();
    expect(body.history).toEqual([
      {
        kind: 'opt_in',
        source: 'team',
        said: 'Dana, on the phone',
        by: { id: expect.stringMatching(/^mem_/), first_name: 'manager', last_name: 'Team' },
        at: expect.any(String),
      },
    ]);
  });

  test.each([[''], ['   '], ['x'.repeat(501)]])('stays opted out if no one is named (%j)', async (reason) => {
    const phone = await optedOut('page');
    const { status, error } = await allow(phone, reason);
    expect([status, error.field]).toEqual([422, 'reason']);
    expect((await read(phone)).body).toMatchObject({ opted_out: { source: 'page' }, history: [] });
  });
});

test('a file of opt-outs may be larger than other requests', async () => {
  const text = `phone,reason\n${`+14155559981,${'Dana, on the phone'.repeat(20).replaceAll(',', '')}\n`.repeat(200)}`;
  expect(text.length).toBeGreaterThan(65_536);
  const { status, body } = await team.manager.call('POST /consent/import', { body: { text } });
  expect([status, body]).toEqual([200, { added: 1, already: 0, problems: [] }]);
});

test.each([['text'], ['carrier']])('an opt-out by %s stays until the recipient replies START', async (source) => {
  const phone = await optedOut(source);
  expect((await read(phone)).body.opted_out).toMatchObject({ source, can_be_undone: false });
  const { status, error } = await allow(phone);
  expect([status, error.code]).toEqual([422, 'recipient_opted_out']);
  expect(error.message).toContain('START');
  expect((await read(phone)).body).toMatchObject({ opted_out: { source }, history: [] });
});

test('a STOP after the button on the page can only be undone by START', async () => {
  const phone = await optedOut('page');
  const { id } = await createIntro(team.api, { recipient: { first_name: 'Dana', phone } });
  expect((await team.api.post(`/v1/test_helpers/intros/${id}/opt_out`)).status).toBe(200);
  expect((await read(phone)).body).toMatchObject({
    opted_out: { source: 'text', can_be_undone: false },
    history: [{ kind: 'opt_out', source: 'text' }],
  });
  expect((await allow(phone)).status).toBe(422);
  expect((await read(phone)).body.opted_out).toMatchObject({ source: 'text' });
});

test('another organization neither sees nor undoes an opt-out', async () => {
  const phone = await optedOut('page');
  const nothing = { opted_out: null, history: [] };
  expect((await read(phone, team.other.owner)).body).toEqual(nothing);
  expect((await allow(phone, 'Dana', team.other.owner)).body.opted_in_at).toBeNull();
  expect((await read(phone)).body.opted_out).toMatchObject({ source: 'page' });
});
