import fs from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { createIntro, eventually, sendEvent } from '../acceptance/support/actions.ts';
import {
  createApi,
  forFile,
  isLong,
  openService,
  type Service,
  type ServiceFixture,
  sleep,
  startService,
} from '../harness/index.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { findTraces, notationsOf } from './traces.ts';

const PERSON = { first_name: 'Philippa', last_name: 'Grunewald', phone: '+14155550151' };
const COMPLETED_WITHIN_MS = 90_000;
const RECORDED_WITHIN_MS = 90_000;
const BETWEEN_EVENTS_MS = 150;

const folder = temporaryFolder();
const settings = { OBJECTS_URL: pathToFileURL(folder).href };
// It only accepts: events wait until a worker starts.
const fixture = await forFile(openService({ ...settings, FOREWORD_ROLE: 'api' }));

const query: ServiceFixture['database']['query'] = (text, values) => fixture.database.query(text, values);
const startWorker = (): Promise<Service> =>
  startService({ ...fixture.environment, ...settings, FOREWORD_DEMO: 'off', FOREWORD_ROLE: 'worker,media' });
const filesIn = async (below: string) =>
  (await fs.readdir(below, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());

test('an event that waits when its recipient is erased fails, and creates no intro', async () => {
  const recipient = { first_name: 'Ottoline', phone: '+14155550152' };
  const event = await sendEvent(fixture.api, { recipient });
  await fixture.api.post('/v1/recipients/erase', { phone: recipient.phone });
  const found = await fixture.api.get(`/v1/events/${event.id}`);
  expect(found.body).toMatchObject({ status: 'failed', intro: null, error: { code: 'recipient_erased' } });
  const traces = await findTraces(query, ['ottoline', ...notationsOf(recipient.phone)]);
  // The request is logged half a second later, and a worker erases that.
  expect(traces.filter(({ table }) => table !== 'public.request_log')).toEqual([]);
});

test('kills of both workers delay an erasure with files, lose nothing of it, and count nothing twice', async () => {
  let workers = await Promise.all([startWorker(), startWorker()]);
  const { api } = fixture;
  const recorded = await createIntro(api, { recipient: PERSON });
  await api.post(`/v1/test_helpers/intros/${recorded.id}/record`);
  await eventually(
    async () => (await api.get(`/v1/intros/${recorded.id}`)).body.status,
    (status) => status === 'ready',
    RECORDED_WITHIN_MS,
  );
  const page = (await api.get(`/v1/intros/${recorded.id}`)).body.delivery.recipient_url as string;
  const pageUrl = fixture.service.url + new URL(page).pathname;
  expect((await fetch(pageUrl)).status).toBe(200);
  for (let n = 0; n < 120; n++) await createIntro(api, { recipient: { ...PERSON, first_name: `Philippa ${n}` } });
  const other = await createIntro(api, { recipient: { first_name: 'Bystander', phone: '+14155550153' } });
  expect((await filesIn(folder)).length).toBeGreaterThan(3);

  // Events about other people keep arriving.
  const others: string[] = [];
  let isSending = true;
  const sending = (async () => {
    while (isSending) {
      others.push((await sendEvent(api, { recipient: { first_name: 'Otto', phone: '+14155550154' } })).id);
      await sleep(BETWEEN_EVENTS_MS);
    }
  })();

  const { body } = await api.post('/v1/recipients/erase', { phone: PERSON.phone });
  expect(body.removed).toMatchObject({ intros: 121 });
  expect((await fetch(pageUrl)).status).toBe(410);
  for (let kills = 0; kills < (isLong ? 5 : 1); kills++) {
    // Within the first pass, which takes about as long.
    await sleep(40 + kills * 90);
    await Promise.all(workers.map((worker) => worker.kill()));
    workers = await Promise.all([startWorker(), startWorker()]);
  }
  const receipt = await eventually(
    async () => (await api.get(`/v1/recipients/erasures/${body.id}`)).body,
    ({ status }) => status === 'completed',
    COMPLETED_WITHIN_MS,
  );
  isSending = false;
  await sending;
  expect(others.length).toBeGreaterThan(0);
  const intact = `select count(*)::int as n from touchpoint_events e join intros i on i.organization_id = e.organization_id
    and i.event_id = e.id where e.id = any($1) and e.status = 'processed' and i.recipient_first_name = 'Otto' and i.erased_at is null`;
  await eventually(
    async () => (await query<{ n: number }>(intact, [others]))[0]?.n,
    (n) => n === others.length,
    COMPLETED_WITHIN_MS,
  );
  // One response for each intro, and one for the recording.
  expect(receipt.removed).toMatchObject({ intros: 121, recordings: 1, stored_responses: 122 });
  const tokens = [new URL(page).pathname.slice(3)];
  expect(await findTraces(query, ['philippa', 'grunewald', ...tokens, ...notationsOf(PERSON.phone)])).toEqual([]);
  expect(await filesIn(folder)).toEqual([]);
  expect((await api.get(`/v1/intros/${other.id}`)).body).toMatchObject({ recipient: { first_name: 'Bystander' } });
  const elsewhere = createApi(fixture.service.url, fixture.organization.key);
  expect((await elsewhere.get(`/v1/intros/${recorded.id}`)).body).toMatchObject({
    media: null,
    erased_at: body.created_at,
  });
  await Promise.all(workers.map((worker) => worker.stop()));
}, 240_000);
