import { expect, test } from 'vitest';
import { openTeam } from '../console/team-fixture.ts';
import { openConsoleTests } from './console-test-page.ts';

const LIVE = '**/console/api/live';

const { fixture, openShared } = await openConsoleTests(openTeam());
const { page, errors } = await openShared('/account');

/** Addresses below `/console/api`, of requests that were sent before the page was usable. */
let requested: string[] = [];

// Once live updates connect, the page refetches what it contains. Until then, all requests are first ones.
await page.route(LIVE, () => undefined);
page.on('request', (request) => {
  const [, address] = request.url().split('/console/api');
  if (address !== undefined) requested.push(address);
});

async function addIntro(name: string): Promise<void> {
  const response = await fixture.api.post('/v1/intros', {
    member: { id: fixture.organization.memberId },
    recipient: { first_name: name, phone: '+14155550123' },
  });
  expect(response.status).toBe(201);
}

async function open(path: string): Promise<void> {
  // Ends the requests of the page before.
  await page.goto('about:blank');
  requested = [];
  await page.goto(`${fixture.service.url}/console${path}`);
}

const dataRequests = () => requested.filter((address) => address !== '/live');

/** Opens a page that shows this. Returns the requests that the page made for its data. */
async function openUntil(path: string, name: RegExp): Promise<string[]> {
  await open(path);
  await page.getByRole('link', { name }).waitFor();
  return dataRequests();
}

test('the overview and the list of intros appear without requests of their own', async () => {
  await addIntro('Dana');
  // More than once: a page never waits long for its data, so that a busy machine sends it without.
  await expect.poll(() => openUntil('/overview', /To record 1/)).toEqual([]);
  expect(await page.locator('.figure-value').first().textContent()).toBe('1');
  await expect.poll(() => openUntil('/intros', /Dana/)).toEqual([]);
  expect(errors).toEqual([]);
});

test('later visits within the console show new data, and not that of the page again', async () => {
  await open('/intros');
  await page.getByRole('link', { name: /Dana/ }).waitFor();
  await addIntro('Maria');
  await page.reload();
  await page.getByRole('link', { name: /Maria/ }).waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.goto(`${fixture.service.url}/console/intros`);
  await addIntro('Rosa');
  await page.getByRole('link', { name: /Rosa/ }).waitFor();
  expect(errors).toEqual([]);
});

test('a button that is pressed before its popup has loaded opens it then, ready for the keyboard', async () => {
  const popups = Promise.withResolvers<void>();
  await page.route('**/console-popups-*.js', async (route) => {
    await popups.promise;
    await route.continue();
  });
  await open('/organization/brand');
  await page.getByRole('button', { name: 'Time zone' }).focus();
  await page.keyboard.press('Enter');
  popups.resolve();
  await page.getByRole('option', { name: /New York/ }).waitFor();
  await page.keyboard.type('berlin');
  await page.keyboard.press('Enter');
  await page
    .getByRole('combobox', { name: 'Time zone' })
    .getByText(/Berlin/)
    .waitFor();
  expect(errors).toEqual([]);
});
