import { describe, expect } from 'vitest';
import { test } from './engine-fixture.ts';

const UNKNOWN = { status: 404, body: { error: { code: 'not_found', message: 'This link does not exist.' } } };

describe.concurrent('a 404 from a proxy while the service is being replaced', () => {
  test('lets an upload resume at its offset', async ({ engine }) => {
    const { intro, phone, takeId } = await engine.openWithFile([
      { method: 'POST', status: 404 },
      { method: 'PATCH', status: 404 },
      { method: 'HEAD', status: 404 },
    ]);
    await phone.resume(takeId);
    expect(await phone.send()).toBeNull();
    expect(intro.uploads).toMatchObject([{ complete: true, digest: await phone.digest(takeId) }]);
    expect(intro.faults).toEqual([]);
  });

  test('does not mean that the link is unknown', async ({ engine, expect }) => {
    const { intro, phone } = await engine.openWithFile([{ method: 'GET', status: 404 }]);
    await phone.watch();
    await expect.poll(() => phone.watched()).toEqual(['offline', 'requested']);
    expect(intro.faults).toEqual([]);
  });
});

describe.concurrent('a 404 from the service itself', () => {
  test('ends an upload and names the problem, and the take is kept', async ({ engine }) => {
    const { phone, takeId } = await engine.openWithFile([{ method: 'POST', ...UNKNOWN }]);
    await phone.resume(takeId);
    expect(await phone.send()).toEqual({ problem: 'link_gone', closed: null });
    expect(await phone.digest(takeId)).toMatch(/^[0-9a-f]{64}$/);
  });

  test('reports once that the link is unknown', async ({ engine, expect }) => {
    const { intro, phone } = await engine.openWithFile([{ method: 'GET', ...UNKNOWN }]);
    await phone.watch();
    await expect.poll(() => phone.watched()).toEqual(['unknown']);
    const asked = intro.seen.length;
    await phone.page.waitForTimeout(2_000);
    expect(intro.seen).toHaveLength(asked);
  });
});

describe.concurrent('a 410 of a link that has expired', () => {
  test('lets an upload start again, if only the link that it began with has expired', async ({ engine }) => {
    const body = { closed: 'link_expired' };
    const { intro, phone, takeId } = await engine.openWithFile([{ method: 'PATCH', status: 410, body }]);
    await phone.resume(takeId);
    expect(await phone.send()).toBeNull();
    expect(intro.uploads.map(({ complete }) => complete)).toEqual([false, true]);
  });

  test('ends the upload if it is the present link, and keeps the take', async ({ engine }) => {
    const { intro, phone, takeId } = await engine.openWithFile();
    intro.closed = 'link_expired';
    await phone.resume(takeId);
    expect(await phone.send()).toMatchObject({ closed: 'link_expired' });
    expect(await phone.digest(takeId)).toMatch(/^[0-9a-f]{64}$/);
  });
});
