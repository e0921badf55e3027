import { describe, expect, test, vi } from 'vitest';
import { makePng, pngChunk } from '../cli/picture-maker.ts';
import { forFile } from '../harness/index.ts';
import { openTeam } from './team-fixture.ts';

vi.setConfig({ testTimeout: 60_000 });
/** How long a file may block the shared process. A request takes a few milliseconds. */
const HELD_UP_MS = 5_000;
const LOGO_LIMIT = 500_000;

const team = await forFile(openTeam());

/** How long a request right after it waits. */
async function whileAsking<T>(asked: Promise<T>): Promise<{ answer: T; waitedMs: number }> {
  let waitedMs = 0;
  const looking = Promise.all(
    [20, 60, 120, 250].map(async (ms) => {
      await new Promise((resolve) => setTimeout(resolve, ms));
      const before = performance.now();
      await (await fetch(`${team.service.url}/healthz`)).text();
      waitedMs = Math.max(waitedMs, performance.now() - before);
    }),
  );
  const answer = await asked;
  await looking;
  return { answer, waitedMs };
}

const logo = async (file: Buffer) => {
  const { version } = (await team.manager.call('GET /brand')).body;
  return team.manager.call('POST /brand/logo', { body: { version, file: file.toString('base64') } });
};

const fill = (before: string, text: string, after: string): Buffer =>
  Buffer.from(before + text.repeat(Math.floor((LOGO_LIMIT - before.length - after.length) / text.length)) + after);

const DRAWINGS: readonly [what: string, file: Buffer][] = [
  ['begins with many comments', Buffer.from(`${'<!---->'.repeat(500)}<html>`)],
  ['opens many comments and closes none', fill('<svg xmlns="http://www.w3.org/2000/svg">', '<!--', '')],
  ['has a long gap in a URL', fill('<svg><style>a{b:url(', ' ', ')}</style></svg>')],
  ['has a long gap in an import', fill('<svg><style>@import ', ' ', ';</style></svg>')],
  ['defines an entity ten times over', Buffer.from('<!DOCTYPE svg [<!ENTITY a "&b;&b;&b;&b;">]><svg>&a;</svg>')],
  ['hides an entity in a comment', Buffer.from('<!DOCTYPE svg [<!EN<!-- -->TITY a "b">]><svg>&a;</svg>')],
  ['nests ten thousand groups', Buffer.from(`<svg>${'<g>'.repeat(10_000)}${'</g>'.repeat(10_000)}</svg>`)],
];

function makeHugePng(): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(60_000, 0);
  header.writeUInt32BE(60_000, 4);
  header.set([8, 2], 8);
  const small = makePng({ width: 4, height: 4 }, [1, 2, 3], [4, 5, 6]);
  return Buffer.concat([small.subarray(0, 8), pngChunk('IHDR', header), small.subarray(8 + 25)]);
}

describe('a logo', () => {
  test.each(DRAWINGS)('that %s is rejected, and delays no other request', async (_what, file) => {
    const { answer, waitedMs } = await whileAsking(logo(file));
    expect([answer.status, answer.error.field]).toEqual([422, 'file']);
    expect(waitedMs).toBeLessThan(HELD_UP_MS);
    expect((await team.manager.call('GET /brand')).body.logo_url).toBeNull();
  });

  test('that claims to be 60,000 pixels wide and high is rejected', async () => {
    const { answer, waitedMs } = await whileAsking(logo(makeHugePng()));
    expect([answer.status, answer.error.field]).toEqual([422, 'file']);
    expect(waitedMs).toBeLessThan(HELD_UP_MS);
  });
});

describe('an import file', () => {
  test.each([
    ['a million columns', `email${',a'.repeat(1_000_000)}\nida@acme.example\n`],
    [
      'thousands of empty columns and thousands of lines',
      `email${','.repeat(20_000)}\n${'i@a.example\n'.repeat(9_000)}`,
    ],
    ['a million lines', `email\n${'a\n'.repeat(1_000_000)}`],
  ])('with %s is rejected, and delays no other request', async (_what, text) => {
    const { answer, waitedMs } = await whileAsking(
      team.manager.call('POST /members/import/preview', { body: { text } }),
    );
    expect([answer.status, answer.error.field]).toEqual([422, 'text']);
    expect(waitedMs).toBeLessThan(HELD_UP_MS);
  });
});

describe('a photo', () => {
  const FACE = makePng({ width: 300, height: 300 }, [200, 160, 120], [90, 60, 40]).toString('base64');
  const OTHER = makePng({ width: 300, height: 300 }, [20, 160, 120], [90, 60, 140]).toString('base64');

  test('can no longer be loaded once a manager or the member replaces or removes it', async () => {
    const { id } = await team.add();
    const set = async (image: string) =>
      (await team.manager.call('POST /members/:id/photo', { params: { id }, body: { image } })).body.photo_url ?? '';
    const first = await set(FACE);
    expect(await set(FACE)).toBe(first);
    expect((await team.manager.get(first)).status).toBe(200);
    const second = await set(OTHER);
    expect([(await team.manager.get(first)).status, (await team.manager.get(second)).status]).toEqual([404, 200]);
    await team.manager.call('DELETE /members/:id/photo', { params: { id } });
    expect((await team.manager.get(second)).status).toBe(404);
    const own = (await team.member.call('POST /home/photo', { body: { photo: FACE } })).body.photo_url ?? '';
    expect((await team.member.get(own)).status).toBe(200);
    await team.member.call('DELETE /home/photo');
    expect((await team.member.get(own)).status).toBe(404);
  });
});
