import { describe, expect, test } from 'vitest';
import { createIntro } from '../acceptance/support/actions.ts';
import { forFile } from '../harness/index.ts';
import { openIntros } from './intros-fixture.ts';

const team = await forFile(openIntros());

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
