import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EngineFixture, type EnginePage } from './engine-fixture.ts';
import type { FakeIntro } from './tus-service.ts';

const PICK = { name: 'a.mp4', type: 'video/mp4', bytes: 2_000_000, maxBytes: 3_000_000 };
/** Generous, because the machine may be busy. */
const SOON = { timeout: 15_000 };
const UNKNOWN = { status: 404, body: { error: { code: 'not_found', message: 'This link does not exist.' } } };

let fixture: EngineFixture;

beforeAll(async () => {
  fixture = await EngineFixture.open();
});

afterAll(async () => {
  await fixture?.close();
});

async function setWithFile(
  faults: FakeIntro['faults'],
): Promise<{ intro: FakeIntro; phone: EnginePage; takeId: string }> {
  const intro = fixture.service.intro();
  intro.faults = faults;
  const phone = await fixture.openPage(await fixture.context());
  await phone.openSpool(intro.api);
  const picked = await phone.pick(PICK);
  if ('problem' in picked) throw new Error(picked.problem);
  return { intro, phone, takeId: picked.id };
}

describe('a 404 from a proxy while the service is being replaced', () => {
  test('lets an upload resume at its offset', async () => {
    const { intro, phone, takeId } = await setWithFile([
      { method: 'POST', status: 404 },
      { method: 'PATCH', status: 404 },
      { method: 'HEAD', status: 404 },
    ]);
    await phone.resume(takeId);
    expect(await phone.send()).toBeNull();
    expect(intro.uploads).toMatchObject([{ complete: true, digest: await phone.digest(takeId) }]);
    expect(intro.faults).toEqual([]);
    await phone.context.close();
  });

  test('does not mean that the link is unknown', async () => {
    const { intro, phone } = await setWithFile([{ method: 'GET', status: 404 }]);
    await phone.watch();
    await expect.poll(() => phone.watched(), SOON).toEqual(['offline', 'requested']);
    expect(intro.faults).toEqual([]);
    await phone.context.close();
  });
});

describe('a 404 from the service itself', () => {
  test('ends an upload and names the problem, and the take is kept', async () => {
    const { phone, takeId } = await setWithFile([{ method: 'POST', ...UNKNOWN }]);
    await phone.resume(takeId);
    expect(await phone.send()).toEqual({ problem: 'link_gone', closed: null });
    expect(await phone.digest(takeId)).toMatch(/^[0-9a-f]{64}$/);
    await phone.context.close();
  });

  test('reports once that the link is unknown', async () => {
    const { intro, phone } = await setWithFile([{ method: 'GET', ...UNKNOWN }]);
    await phone.watch();
    await expect.poll(() => phone.watched(), SOON).toEqual(['unknown']);
    const asked = intro.seen.length;
    await phone.page.waitForTimeout(2_000);
    expect(intro.seen).toHaveLength(asked);
    await phone.context.close();
  });
});

describe('a 410 of a link that has expired', () => {
  test('lets an upload start again, if only the link that it began with has expired', async () => {
    const body = { closed: 'link_expired' };
    const { intro, phone, takeId } = await setWithFile([{ method: 'PATCH', status: 410, body }]);
    await phone.resume(takeId);
    expect(await phone.send()).toBeNull();
    expect(intro.uploads.map(({ complete }) => complete)).toEqual([false, true]);
    await phone.context.close();
  });

  test('ends the upload if it is the present link, and keeps the take', async () => {
    const { intro, phone, takeId } = await setWithFile([]);
    intro.closed = 'link_expired';
    await phone.resume(takeId);
    expect(await phone.send()).toMatchObject({ closed: 'link_expired' });
    expect(await phone.digest(takeId)).toMatch(/^[0-9a-f]{64}$/);
    await phone.context.close();
  });
});
