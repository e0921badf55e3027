import { afterEach, expect, test } from 'vitest';
import { eventually } from '../acceptance/support/actions.ts';
import { forFile } from '../harness/index.ts';
import { openConsoleFixture } from './console-fixture.ts';
import { containing, named } from './webdriver.ts';
import { openWebKit } from './webkit.ts';

const fixture = await forFile(openConsoleFixture());
const webkit = await forFile(openWebKit());
const { browser } = webkit;
afterEach(() => expect(webkit.errors()).toEqual([]));

test('the console signs in, and shows the overview, the intros and an intro', async () => {
  await browser.goto(await fixture.createSignInLink('owner'));
  await browser.click(named('button', 'Sign in'));
  await browser.until(named('h1', 'Overview'));
  await browser.until(containing('Needs attention'));
  await browser.goto(`${fixture.url}/console/intros`);
  await browser.until(named('h1', 'Intros'));
  await browser.click(containing('Dana Reyes'));
  await browser.until('//h1[contains(., "Dana Reyes")]');
});

test('the console opens its other pages', async () => {
  for (const [path, heading] of [
    ['/touchpoints', 'Touchpoints'],
    ['/touchpoints/new_appointment', 'New appointment'],
    ['/members', 'Members'],
    ['/organization/brand', 'Brand'],
    ['/developers', 'First steps'],
    ['/developers/webhooks', 'Webhooks'],
    ['/messages', 'Messages'],
    ['/home', 'My intros'],
    ['/account', 'Account'],
  ] as const) {
    await browser.goto(`${fixture.url}/console${path}`);
    await browser.until(named('h1', heading));
    await browser.untilTrue(`document.querySelector('.skeleton') === null`);
  }
});

test('the page plays its video to the end', async () => {
  const [, pageUrl = ''] = await fixture.findLinks();
  await browser.goto(pageUrl);
  await browser.click(
    '//button[starts-with(normalize-space(), "Play the video") or starts-with(@aria-label, "Play the video")]',
  );
  await browser.untilTrue(`document.querySelector('video').ended`);
  const watched = await eventually(
    async () => {
      const [row] = await fixture.database.sql<{ watched_percent: number }>`select watched_percent from intros
        where id = ${fixture.company.sent}`;
      return row?.watched_percent;
    },
    (percent) => percent === 100,
  );
  expect(watched).toBe(100);
});

test('the recorder opens the camera and records', async () => {
  const [recorderUrl = ''] = await fixture.findLinks();
  await browser.goto(recorderUrl);
  await browser.click(named('button', 'Start the camera'));
  await browser.click(named('button', 'Record'));
  await browser.click(named('button', 'Start now'));
  await browser.until(named('button', 'Stop'));
});
