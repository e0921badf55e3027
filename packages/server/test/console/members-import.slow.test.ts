import { describe, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { openTeam } from './team-fixture.ts';

const team = await forFile(openTeam());

const preview = (text: string) => team.owner.call('POST /members/import/preview', { body: { text } });
const apply = (text: string, fingerprint: string) =>
  team.owner.call('POST /members/import', { body: { text, fingerprint, skip_problems: false } });

describe('an import', () => {
  test.each([
    ['a million columns', `email${',a'.repeat(1_000_000)}\nida@acme.example\n`],
    [
      'thousands of empty columns and thousands of lines',
      `email${','.repeat(20_000)}\n${'i@a.example\n'.repeat(9_000)}`,
    ],
    ['a million lines', `email\n${'a\n'.repeat(1_000_000)}`],
  ])('with %s is rejected', async (_what, text) => {
    const { status, error } = await preview(text);
    expect([status, error.field]).toEqual([422, 'text']);
  });

  test('adds 10,000 members, which a search finds, and changes all of them', async () => {
    const lines = Array.from(
      { length: 10_000 },
      (_, n) => `F${n},L${n},many${n}@acme.example,+1415555${1000 + (n % 9000)},many_${n}`,
    );
    const text = `first,last,email,phone,id\n${lines.join('\n')}`;
    const { fingerprint, counts } = (await preview(text)).body;
    expect(counts.add).toBe(10_000);
    expect((await apply(text, fingerprint)).body).toMatchObject({ added: 10_000 });
    const found = await team.owner.call('GET /members', { query: { q: 'many9999@' } });
    expect(found.body.members.map(({ external_id }) => external_id)).toEqual(['many_9999']);
    const changed = text.replaceAll(',L', ',M');
    expect((await apply(changed, (await preview(changed)).body.fingerprint)).body).toMatchObject({ changed: 10_000 });
  });
});
