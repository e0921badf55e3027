import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { openTeam } from '../console/team-fixture.ts';
import { forFile } from '../harness/index.ts';
import { startReceiver, status } from '../webhooks/receiver.ts';
import { openConsoleTests } from './console-test-page.ts';
import { button, expectAccessible, untilHeading } from './page-actions.ts';

const run = promisify(execFile);

const receiver = await forFile(startReceiver());
const { fixture, openShared } = await openConsoleTests(openTeam());
const { page, errors } = await openShared('/developers');

const open = async (path: string, heading: string) => {
  await page.goto(`${fixture.service.url}/console/developers${path}`);
  await page.getByRole('heading', { level: 1, name: heading }).waitFor();
};
const codeOf = async (label: string) =>
  (await page.getByRole('region', { name: label, exact: true }).locator('pre').first().textContent()) ?? '';

const sendTest = async () => {
  await button(page, 'Send test').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }).click();
};

test('a new key works in the printed commands, its requests are logged, and it gets 401 once revoked', async () => {
  await open('/keys', 'Keys');
  await button(page, 'Create key').click();
  await page.getByLabel('Name', { exact: true }).fill('My CRM');
  await page.keyboard.press('Enter');
  await untilHeading(page, 'Your new key');
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Try it', exact: true }).click();
  await untilHeading(page, 'First steps');
  await expectAccessible(page);

  const key = await codeOf('In your terminal');
  const codes = await page.getByRole('region', { name: /^curl/ }).locator('pre').allTextContents();
  const [send = '', watch = '', record = ''] = codes;
  const shell = async (code: string) => (await run('bash', ['-c', `${key}\n${code}`])).stdout;
  expect(JSON.parse(await shell(send))).toMatchObject({ status: 'accepted' });
  expect(JSON.parse(await shell(send))).toMatchObject({ status: 'duplicate' });
  await expect.poll(async () => JSON.parse(await shell(watch)).data.length).toBe(1);
  expect(JSON.parse(await shell(record))).toMatchObject({ object: 'intro' });

  await open('/requests', 'Requests');
  await page
    .getByRole('link', { name: /POST \/v1\/touchpoint-events/ })
    .first()
    .click();
  await untilHeading(page, 'Request');
  expect(await codeOf('Body')).toContain('+•••••••••23');
  await expectAccessible(page);

  await open('/keys', 'Keys');
  await button(page, 'Revoke My CRM').click();
  await button(page, 'Revoke key').click();
  await page.getByText('“My CRM” is revoked.').waitFor();
  await expect.poll(async () => JSON.parse(await shell(watch)).error?.code).toBe('unauthorized');
  await expectAccessible(page);
});

test('a webhook endpoint is added and tested, and its message is resent', async () => {
  await open('/webhooks', 'Webhooks');
  await button(page, 'Add webhook').click();
  await page.getByLabel('Endpoint URL').fill(receiver.url);
  await page.keyboard.press('Enter');
  await untilHeading(page, 'Signing secret');
  await button(page, 'I’ve copied it').click();
  await page.getByRole('link', { name: receiver.url }).click();
  await untilHeading(page, 'Webhook endpoint');
  await sendTest();
  await button(page, /webhook\.test/).click();
  await expect.poll(() => codeOf('Payload')).toContain('"webhook_test"');
  await expectAccessible(page);
  await button(page, 'Resend').click();
  await expect.poll(() => button(page, /webhook\.test/).count()).toBe(2);
  await expectAccessible(page);
});

test('a failing endpoint shows the response and the next attempt', async () => {
  receiver.answerWith(status(500, 'thanks'));
  await sendTest();
  const failed = button(page, /Retrying.*webhook\.test.*HTTP 500/s).first();
  await failed.click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Next attempt').waitFor();
  expect(await codeOf('Response (first KB)')).toBe('thanks');
  // Ends the retries: the first one, after five seconds, would deliver the message before a slow page resends it.
  await fixture.database.sql`update webhook_deliveries set status = 'failed', due_at = null, claim = claim + 2
    where failures > 0`;
  receiver.answerWith(status(200, 'thanks'));
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  // Messages that the page shows as retrying were created after the endpoint began to fail.
  await page.getByText('Failing since').waitFor();
  await button(page, 'Resend failed messages').first().click();
  expect(await dialog.getByLabel('From').inputValue()).toMatch(/^\d{4}-/);
  await expectAccessible(page);
  await button(page, 'Resend').click();
  await page.getByText('Resending 1 message.').waitFor();
  await button(page, /Delivered.*webhook\.test.*HTTP 200/s)
    .nth(2)
    .waitFor();
});

test('a dry run by keyboard explains why an event fails and what a valid one creates', async () => {
  await open('/try', 'Dry run');
  await page.getByLabel('Touchpoint').selectOption('project_kickoff');
  await button(page, 'Run').focus();
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'This event creates an intro' }).waitFor();
  await expectAccessible(page);
  const body = page.getByLabel('Request body');
  await body.fill((await body.inputValue()).replace('"first_name": "Dana",', ''));
  await button(page, 'Run').press('Enter');
  await page.getByRole('region', { name: 'The API rejects this event with 422' }).waitFor();
  await page.getByText('recipient.first_name is required.').first().waitFor();
  await expectAccessible(page);
  await body.fill('{"touchpoint": ');
  await button(page, 'Run').click();
  await page.getByText('This isn’t valid JSON.').waitFor();
});

test('request filters are kept in the URL, and an empty result can be cleared', async () => {
  await open('/requests?status=5xx', 'Requests');
  await untilHeading(page, 'No matching requests');
  await button(page, 'Clear filters').click();
  await page.getByRole('list', { name: 'Requests, newest first' }).waitFor();
  expect(new URL(page.url()).search).toBe('');
  await expectAccessible(page);
});

test('no page had an unexpected error', () => {
  // The browser logs every 4xx response, including those that a form shows.
  expect(errors.filter((error) => !/^4\d\d$/.test(error))).toEqual([]);
});
