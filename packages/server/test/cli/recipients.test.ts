import fs from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createIntro } from '../acceptance/support/actions.ts';
import { forFile, openService, tryForeword } from '../harness/index.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

const fixture = await forFile(openService());

test('recipient erase prints the receipt, and recipient erasure prints it again', async () => {
  const { organization, api, run } = fixture;
  const { id } = await createIntro(api, { recipient: { first_name: 'Gwen', phone: '+14155550171' } });
  const erasure = await run('recipient', 'erase', '--org', organization.id, '--phone', '+14155550171');
  expect(erasure).toMatchObject({ object: 'recipient_erasure', status: 'processing', intros: [id] });
  expect(await run('recipient', 'erasure', erasure.id)).toMatchObject({ id: erasure.id, intros: [id] });
  expect((await api.get(`/v1/intros/${id}`)).body).toMatchObject({
    status: 'cancelled',
    erased_at: erasure.created_at,
  });
  const entries = await run('audit', 'list', '--org', organization.id, '--action', 'recipient.erased');
  expect(entries.data).toMatchObject([{ actor: { type: 'operator' }, target: { id: erasure.id } }]);
});

test('foreword recipient explains a number that is not valid, and an unknown receipt', async () => {
  const wrong = ['recipient', 'erase', '--org', fixture.organization.id, '--phone', '555'];
  expect((await tryForeword(fixture.environment, ...wrong)).code).toBe(2);
  const unknown = await tryForeword(fixture.environment, 'recipient', 'erasure', 'ers_none');
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('no erasure')]);
});

test('recipient opt-out, opt-in and import-opt-outs change who is texted, as the operator', async () => {
  const { organization, api, run } = fixture;
  const phone = '+14155550172';
  const org = ['--org', organization.id];
  const listed = async () =>
    (await api.get('/v1/recipients/opt_outs')).body.data.map((one: { phone: string; source: string }) => [
      one.phone,
      one.source,
    ]);
  expect(await run('recipient', 'opt-out', ...org, phone, '--reason', 'Dana, on the phone')).toMatchObject({
    ...{ object: 'opt_out', phone, source: 'operator', reason: 'Dana, on the phone' },
  });
  expect(await listed()).toEqual([[phone, 'operator']]);
  expect(await run('recipient', 'opt-in', ...org, phone)).toMatchObject({ object: 'recipient', phone });
  expect(await listed()).toEqual([]);
  const file = path.join(temporaryFolder(), 'opt-outs.csv');
  await fs.writeFile(file, 'Name,Phone,Reason\r\nDana,(415) 555-0172,Email\r\nSam,none,\r\n');
  expect(await run('recipient', 'import-opt-outs', ...org, file)).toMatchObject({
    ...{ added: 1, already: 0, problems: [{ line: 3, given: 'none' }] },
  });
  expect(await listed()).toEqual([[phone, 'import']]);
});
