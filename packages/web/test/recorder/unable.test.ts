import { describe, expect } from 'vitest';
import { button, heading, offline, openCamera, recordTake, SLOW_PERMISSION } from '../actions.ts';
import { exampleNext, exampleTake } from '../fake-server.ts';
import { openUnable, TEAM } from '../unable-stories.ts';
import { test } from './recorder-test.ts';

describe.concurrent('a member who cannot record', () => {
  test('declines with a reason, changes their mind, and the camera opens', async ({ expect, visit }) => {
    const { page, server } = await visit();
    const sent: unknown[] = [];
    await page.route('**/decline', async (route) => {
      sent.push(route.request().postDataJSON());
      server.state.intro.declined = true;
      await route.fulfill({ status: 204 });
    });
    await openUnable(page, 'Decline');
    const decline = button(page, 'Decline');
    expect(await decline.isDisabled()).toBe(true);
    await page.getByLabel('I’m away').check();
    expect(await decline.isEnabled()).toBe(true);
    await page.getByLabel('Other').check();
    await page.getByLabel('Reason').fill('  ');
    expect(await decline.isDisabled()).toBe(true);
    await page.getByLabel('Reason').fill('  On vacation\nuntil Monday ');
    await button(page, 'Decline').click();
    await heading(page, 'You declined this one');
    expect(sent).toEqual([{ reason: 'other', message: 'On vacation until Monday' }]);
    await page.reload();
    await heading(page, 'You declined this one');
    await button(page, 'Record it after all').click();
    await openCamera(page);
  });

  test('hands it over with the keyboard, after a search, and continues to the next', async ({ expect, visit }) => {
    const { page, server } = await visit();
    server.next = exampleNext();
    const sent: unknown[] = [];
    await page.route('**/hand-over', async (route) => {
      sent.push(route.request().postDataJSON());
      await route.fulfill({ status: 204 });
    });
    await openUnable(page, null);
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('H1');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toContain('Hand it over');
    await page.keyboard.press('Enter');
    expect(await button(page, 'Hand over').isDisabled()).toBe(true);
    await page.getByLabel('Search').fill('chloe');
    await expect.poll(() => page.getByRole('radio').count()).toBe(1);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');
    await heading(page, 'Chloé Martin records this one now');
    expect(sent).toEqual([{ member: 'mem_2' }]);
    await heading(page, 'Next: Rosa Silva');
  });

  test('is not interrupted by a camera that opens only then, and it is off', async ({ expect, visit }) => {
    const { page } = await visit();
    await page.evaluate(SLOW_PERMISSION);
    await button(page, 'Start the camera').click();
    await openUnable(page, 'Decline');
    await page.evaluate('window.permit()');
    await expect.poll(() => page.evaluate(`window.streams.map(({ active }) => active)`)).toEqual([false]);
    await heading(page, 'Why can’t you record for Dana?');
  });

  test('and returns to the camera has one, although it was asked for twice', async ({ visit }) => {
    const { page } = await visit();
    await page.evaluate(SLOW_PERMISSION);
    await button(page, 'Start the camera').click();
    await openUnable(page, null);
    await button(page, 'Back').click();
    await button(page, 'Start the camera').click();
    await page.evaluate('window.permit()');
    await button(page, 'Record').waitFor();
    expect(await page.evaluate(`window.streams.map(({ active }) => active)`)).toEqual([true]);
  });

  test('reads at once who records it now when the take cannot be sent', async ({ visit }) => {
    const { page, server } = await visit({}, {}, offline);
    // Without the regular updates of the state.
    await page.addInitScript(
      '{ const set = setTimeout; window.setTimeout = (work, ms) => (ms === 15_000 ? 0 : set(work, ms)); }',
    );
    await page.route('**/state', (route) => route.fulfill({ json: { ...server.state, recording: null } }));
    await page.reload();
    await recordTake(page);
    const gone = { error: { code: 'not_found' }, reassigned_to: 'Ben Cole' };
    for (const path of ['**/state', '**/uploads', '**/uploads/*'])
      await page.route(path, (route) => route.fulfill({ status: 404, json: gone }));
    await heading(page, 'Ben Cole records this one now');
  });

  test('without signal keeps what they chose and may try again', async ({ expect, visit }) => {
    const { page } = await visit();
    let isOnline = false;
    await page.route('**/decline', (route) => (isOnline ? route.fulfill({ status: 204 }) : route.abort()));
    await openUnable(page, 'Decline');
    await page.getByLabel('I’m away').check();
    await button(page, 'Decline').click();
    await page.getByText('That didn’t work.').waitFor();
    expect(await page.getByLabel('I’m away').isChecked()).toBe(true);
    isOnline = true;
    await button(page, 'Decline').click();
    await heading(page, 'You declined this one');
  });

  test('reads the reason when the server refuses, and who has it when it was reassigned', async ({ visit }) => {
    const { page } = await visit();
    const error = { code: 'intro_recorded', message: 'In the language of the API.' };
    await page.route('**/decline', (route) => route.fulfill({ status: 409, json: { error } }));
    await openUnable(page, 'Decline');
    await page.getByLabel('I’m away').check();
    await button(page, 'Decline').click();
    await page.getByText('A video for this one is being uploaded.').waitFor();
    await page.route('**/state', (route) =>
      route.fulfill({ status: 404, json: { error: { code: 'not_found' }, reassigned_to: 'Ben Cole' } }),
    );
    await page.evaluate(`window.dispatchEvent(new Event('online'))`);
    await heading(page, 'Ben Cole records this one now');
  });
});

test('the link does not compete with Record, and is missing while a video is being processed', async ({ visit }) => {
  const { page } = await visit();
  const link = button(page, 'Can’t record this one?');
  expect((await link.boundingBox())?.height).toBeGreaterThanOrEqual(48);
  await openCamera(page);
  expect(await link.count()).toBe(0);
  const busy = await visit({}, {}, ({ state }) => {
    state.recording = exampleTake('refused', { message: 'The video has no picture.' });
    state.intro.status = 'ready';
  });
  await heading(busy.page, 'That video didn’t work');
  expect(await button(busy.page, 'Can’t record this one?').count()).toBe(0);
});

test('a short team needs no search', async ({ visit }) => {
  const { page } = await visit();
  await openUnable(page, 'Hand it over', TEAM.slice(0, 8));
  await page.getByLabel('Ben Cole').waitFor();
  expect(await page.getByLabel('Search').count()).toBe(0);
});
