import { expect, test } from 'vitest';
import { createIntro } from '../acceptance/support/actions.ts';
import { foreword, forFile, openService, tryForeword } from '../harness/index.ts';

const run = (...args: string[]) => fixture.run('intro', ...args);
const introOf = async (id: string) => (await fixture.api.get(`/v1/intros/${id}`)).body;
const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);

const fixture = await forFile(openService());
const { id: first } = await createIntro(fixture.api, { context: { title: 'Hello' } });
const { id: second } = await createIntro(fixture.api);

test('intro list prints intros as the API does, newest first', async () => {
  const { body } = await fixture.api.get('/v1/intros');
  expect(await run('list')).toEqual(body);
  expect(idsOf(body)).toEqual([second, first]);
});

test('intro list filters by status and member, and says that there are more', async () => {
  expect(await run('list', '--limit', '1')).toMatchObject({ data: [{ id: second }], has_more: true });
  expect(idsOf(await run('list', '--member', fixture.organization.memberId))).toEqual([second, first]);
  expect((await run('list', '--status', 'sent')).data).toEqual([]);
  expect((await tryForeword(fixture.environment, 'intro', 'list', '--status', 'lost')).code).toBe(2);
});

test('intro show prints the intro as the API does, with its timeline', async () => {
  const { timeline, ...intro } = await run('show', first);
  expect(intro).toEqual(await introOf(first));
  expect(timeline).toEqual((await fixture.api.get(`/v1/intros/${first}/timeline`)).body.data);
  const { stdout } = await tryForeword(fixture.environment, 'intro', 'show', first);
  expect(stdout).toMatch(/^context.title: +Hello$/m);
  expect(stdout).toMatch(/^timeline:\n.*\n.*\d{4}-\d\d-\d\d \d\d:\d\dZ.* asked /m);
});

test('intro cancel does what the API does: links stop, one webhook is sent, and the next one changes nothing', async () => {
  const settings = { ...fixture.environment, WEBHOOKS_ALLOW_PRIVATE: 'on' };
  await foreword(settings, 'webhook', 'create', '--url', 'http://127.0.0.1:9/', '--events', 'intro.*');
  const { url } = await run('link', second);
  const { pathname } = new URL(url);
  expect((await fetch(fixture.service.url + pathname)).status).toBe(200);
  const cancelled = await run('cancel', second);
  expect(cancelled).toEqual(await introOf(second));
  expect(cancelled.status).toBe('cancelled');
  expect((await fetch(fixture.service.url + pathname)).status).toBe(410);
  expect(await run('cancel', second)).toEqual(cancelled);
  const messages = await fixture.database.query<{ type: string }>('select type from webhook_messages');
  expect(messages).toEqual([{ type: 'intro.cancelled' }]);
  const { data } = (await fixture.api.get(`/v1/intros/${second}/timeline`)).body;
  const steps = data.filter(({ type }: { type: string }) => type === 'cancelled');
  expect(steps).toMatchObject([{ cause: 'service', detail: null }]);
});

test('intro cancel leaves a sent intro as it is', async () => {
  await fixture.database.sql`update intros set status = 'sent', sent_at = now() where id = ${first}`;
  const sent = await introOf(first);
  expect(sent.status).toBe('sent');
  expect(await run('cancel', first)).toEqual(sent);
});
