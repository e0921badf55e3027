import { expect, test } from 'vitest';
import { sendEvent, settled } from '../acceptance/support/actions.ts';
import { foreword, forFile, openService, type Service, tryForeword } from '../harness/index.ts';

const run = (...args: string[]) => fixture.run('event', ...args);
const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);
const statusOf = async (id: string) => (await fixture.api.get(`/v1/events/${id}`)).body;

async function stopped(work: (worker: Service) => Promise<unknown>): Promise<void> {
  const worker = await fixture.newNode({ FOREWORD_ROLE: 'worker' });
  await work(worker);
  await worker.stop();
}

// Without a worker at first, so that a member can be deactivated between acceptance and processing.
const fixture = await forFile(openService({ FOREWORD_ROLE: 'api' }));
const { id: leaver } = await fixture.run(
  ...['member', 'create', '--first-name', 'Ben', '--last-name', 'Lee', '--email', 'ben@acme.example'],
);
// Nothing listens there; the test reads what is stored for it.
const settings = { ...fixture.environment, WEBHOOKS_ALLOW_PRIVATE: 'on' };
await foreword(settings, 'webhook', 'create', '--url', 'http://127.0.0.1:9/', '--events', 'touchpoint_event.*');
const { id: processed } = await sendEvent(fixture.api);
const { id: failed } = await sendEvent(fixture.api, { touchpoint: 'on_my_way', member: { id: leaver } });
await fixture.run('member', 'deactivate', leaver);
await stopped(() => Promise.all([settled(fixture.api, processed), settled(fixture.api, failed)]));

test('event list shows the newest events as the API does', async () => {
  const { object, data, has_more } = await run('list');
  expect({ object, has_more }).toEqual({ object: 'list', has_more: false });
  expect(data).toEqual([await statusOf(failed), await statusOf(processed)]);
  expect(data.map(({ status }: { status: string }) => status)).toEqual(['failed', 'processed']);
});

test('event list filters by status and touchpoint, and says that there are more', async () => {
  expect(idsOf(await run('list', '--status', 'failed'))).toEqual([failed]);
  expect(idsOf(await run('list', '--touchpoint', 'project_kickoff'))).toEqual([processed]);
  expect(idsOf(await run('list', '--touchpoint', 'on_my_way', '--status', 'processed'))).toEqual([]);
  expect(await run('list', '--limit', '1')).toMatchObject({ data: [{ id: failed }], has_more: true });
  expect((await run('list', '--touchpoint', 'nope')).data).toEqual([]);
  expect(await tryForeword(fixture.environment, 'event', 'list', '--limit', '101')).toMatchObject({ code: 2 });
});

test('event list shows only events of the chosen organization', async () => {
  const other = await fixture.newOrganization({ name: 'Other' });
  expect((await run('list', '--org', other.id)).data).toEqual([]);
});

test('event show prints the event as the API does; as text, with the reason of its failure', async () => {
  expect(await run('show', failed)).toEqual(await statusOf(failed));
  expect(await run('show', processed)).toEqual(await statusOf(processed));
  const { stdout } = await tryForeword(fixture.environment, 'event', 'show', failed);
  expect(stdout).toMatch(/^error: +member_not_found: /m);
  expect(await tryForeword(fixture.environment, 'event', 'show', 'evt_none')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('evt_none'),
  });
});

test('event retry refuses an event that did not fail, and changes nothing', async () => {
  const before = await statusOf(processed);
  const refused = await tryForeword(fixture.environment, 'event', 'retry', processed);
  expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('did not fail') });
  const { id: waiting } = await sendEvent(fixture.api);
  const pending = await tryForeword(fixture.environment, 'event', 'retry', waiting);
  expect(pending).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('waiting') });
  expect(await statusOf(processed)).toEqual(before);
  expect((await statusOf(waiting)).status).toBe('accepted');
});

test('event retry processes a failed event once its cause is gone, and creates one intro, however often it runs', async () => {
  const { resolved } = await statusOf(failed);
  await fixture.run('member', 'activate', resolved.member.id);
  const attempts = await Promise.all(
    [1, 2, 3].map(() => tryForeword(fixture.environment, 'event', 'retry', failed, '--json')),
  );
  expect(attempts.map(({ code }) => code).sort()).toEqual([0, 1, 1]);
  const queued = JSON.parse(attempts.find(({ code }) => code === 0)?.stdout ?? '');
  expect(queued).toMatchObject({ id: failed, status: 'accepted' });
  expect(queued).not.toHaveProperty('error');
  await stopped(() => settled(fixture.api, failed));
  const { status, intro } = await statusOf(failed);
  expect({ status, intro }).toEqual({ status: 'processed', intro: expect.stringMatching(/^int_/) });
  const intros = await fixture.database.sql`select id from intros where event_id = ${failed}`;
  expect(intros).toEqual([{ id: intro }]);
  const webhooks = await fixture.database.sql<{ type: string }>`select type from webhook_messages
    where object_id = ${failed} order by id`;
  expect(webhooks.map(({ type }) => type)).toEqual(['touchpoint_event.failed', 'touchpoint_event.processed']);
});
