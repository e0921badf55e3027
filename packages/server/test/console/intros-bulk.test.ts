import type { BulkAction, ConsoleBody } from '@foreword/contract';
import { describe, expect, test } from 'vitest';
import { createIntro } from '../acceptance/support/actions.ts';
import { forFile } from '../harness/index.ts';
import { openIntros } from './intros-fixture.ts';

const team = await forFile(openIntros());

const UNKNOWN = 'int_01kahzv8e1f0rtx5m2q6n9d3bw';

const send = (body: ConsoleBody<'POST /intros/bulk'>, client = team.manager) =>
  client.call('POST /intros/bulk', { body });

async function run(action: BulkAction, ids: string[], member?: string) {
  const { status, body } = await send({ action, ids, ...(member !== undefined && { member }) });
  expect(status).toBe(200);
  return body.results.map(({ outcome }) => outcome);
}

const create = async () => (await createIntro(team.organization.api)).id;
const createAll = async (count: number) => Promise.all(Array.from({ length: count }, create));

describe('an action on several intros', () => {
  test('cancels each that can be cancelled, and says why not for the others', async () => {
    const [first = '', sent = '', second = ''] = await createAll(3);
    await team.database.sql`update intros set status = 'sent' where id = ${sent}`;
    const { body } = await send({ action: 'cancel', ids: [first, sent, UNKNOWN, second] });
    expect(body.results).toMatchObject([
      { id: first, outcome: 'done', reason: null },
      { id: sent, outcome: 'refused', reason: expect.stringContaining('was sent') },
      { id: UNKNOWN, outcome: 'refused', reason: expect.stringContaining('No intro') },
      { id: second, outcome: 'done', reason: null },
    ]);
    expect(await team.detail(first)).toMatchObject({ status: 'cancelled', cancelled_by: { id: team.managerId } });
    expect(await team.detail(sent)).toMatchObject({ status: 'sent', version: 1 });
  });

  test('changes nothing twice when it is repeated, even at the same time', async () => {
    const ids = await createAll(3);
    const both = await Promise.all([run('cancel', ids), run('cancel', ids)]);
    expect(both.flat().sort()).toEqual([...Array(3).fill('done'), ...Array(3).fill('unchanged')]);
    expect(await run('cancel', [...ids, ...ids])).toEqual(Array(3).fill('unchanged'));
    for (const id of ids) expect((await team.detail(id)).version).toBe(2);
  });

  test('reassigns to an active member, and to the same one only once', async () => {
    const next = await team.add({ first_name: 'Nia', last_name: 'Next' });
    const ids = await createAll(2);
    expect(await run('reassign', ids, next.id)).toEqual(['done', 'done']);
    expect(await run('reassign', ids, next.id)).toEqual(['unchanged', 'unchanged']);
    for (const id of ids) expect(await team.detail(id)).toMatchObject({ version: 2, member: { id: next.id } });
  });

  test('is rejected as a whole for a wrong member, too many or no ids, and changes nothing', async () => {
    const id = await create();
    const gone = await team.add();
    await team.database.sql`update members set active = false where id = ${gone.id}`;
    const wrong: readonly (readonly [object, string])[] = [
      [{ action: 'reassign', ids: [id], member: gone.id }, 'member'],
      [{ action: 'reassign', ids: [id], member: team.other.organization.memberId }, 'member'],
      [{ action: 'reassign', ids: [id] }, 'member'],
      [{ action: 'cancel', ids: [id], member: team.ownerId }, 'member'],
      [{ action: 'cancel', ids: Array(51).fill(id) }, 'ids'],
      [{ action: 'cancel', ids: [] }, 'ids'],
      [{ action: 'delete', ids: [id] }, 'action'],
    ];
    for (const [body, field] of wrong) {
      const { status, error } = await send(body as ConsoleBody<'POST /intros/bulk'>);
      expect([status, error.field], JSON.stringify(body)).toEqual([422, field]);
    }
    expect(await team.detail(id)).toMatchObject({ status: 'requested', version: 1 });
  });

  test('reaches no intro of another organization', async () => {
    const id = await create();
    for (const action of ['cancel', 'remind'] as const) {
      const { body } = await send({ action, ids: [id] }, team.other.owner);
      expect(body.results).toMatchObject([{ id, outcome: 'refused' }]);
    }
    const own = team.other.organization.memberId;
    const { body } = await send({ action: 'reassign', ids: [id], member: own }, team.other.owner);
    expect(body.results).toMatchObject([{ id, outcome: 'refused' }]);
    expect(await team.detail(id)).toMatchObject({ status: 'requested', version: 1 });
  });
});
