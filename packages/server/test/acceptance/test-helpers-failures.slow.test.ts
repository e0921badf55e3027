import { expect, test, vi } from 'vitest';
import { forFile } from '../harness/index.ts';
import { createIntro, eventually } from './support/actions.ts';
import { openService } from './support/service.ts';

const RECORDED_WITHIN_MS = 60_000;
const BY_SERVICE = { delivery: { responsibility: 'service' } };

vi.setConfig({ testTimeout: 120_000 });

const fixture = await forFile(openService());

const to = (phone: string) => ({ recipient: { first_name: 'Dana', phone } });
const help = (id: string, action: string, body?: object) =>
  fixture.api.post(`/v1/test_helpers/intros/${id}/${action}`, body);
const retrieve = async (id: string) => (await fixture.api.get(`/v1/intros/${id}`)).body;
const timeline = async (id: string): Promise<{ type: string; detail: Record<string, unknown> | null }[]> =>
  (await fixture.api.get(`/v1/intros/${id}/timeline`)).body.data;

/** Records for real, and waits until this status or delivery error. */
async function recorded(changes: object, until: string): Promise<string> {
  const { id } = await createIntro(fixture.api, changes);
  expect((await help(id, 'record')).status).toBe(202);
  await eventually(
    () => retrieve(id),
    ({ status, delivery }) => status === until || delivery.reason === until,
    RECORDED_WITHIN_MS,
  );
  return id;
}

test('a failed recording leaves the intro as it is, and a retry of the take makes it ready', async () => {
  const { id } = await createIntro(fixture.api);
  const before = await retrieve(id);
  const failed = await help(id, 'fail', { step: 'recording', code: 'too_long' });
  expect([failed.status, failed.body]).toEqual([200, before]);
  const refused = (await timeline(id)).find(({ type }) => type === 'recording_refused');
  expect(refused?.detail).toMatchObject({ code: 'too_long' });
  expect((await fixture.api.post(`/v1/intros/${id}/retry_recording`)).status).toBe(202);
  const ready = await eventually(
    () => retrieve(id),
    ({ status }) => status === 'ready',
    RECORDED_WITHIN_MS,
  );
  expect(ready.recorded_at).not.toBeNull();
});

test('a failed delivery sets its error: before sending the intro stays ready, after sending it stays sent', async () => {
  const [unsent, sent] = await Promise.all([
    recorded({ ...to('+14155550179'), ...BY_SERVICE }, 'no_text_provider'),
    recorded({ ...to('+15005550180'), ...BY_SERVICE }, 'sent'),
  ]);
  const refused = await help(unsent, 'fail', { step: 'delivery', code: 'invalid_number' });
  expect(refused.body).toMatchObject({ status: 'ready', delivery: { reason: 'invalid_number' } });
  expect((await timeline(unsent)).at(-1)).toMatchObject({ type: 'not_sent', detail: { code: 'invalid_number' } });
  const undelivered = await help(sent, 'fail', { step: 'delivery' });
  expect(undelivered.body).toMatchObject({ status: 'sent', delivery: { error: { code: 'undelivered' } } });
  expect((await timeline(sent)).map(({ type }) => type)).toContain('undelivered');
  const counts = await fixture.database.query('select coalesce(sum(failed), 0)::int as failed from text_counts');
  expect(counts).toEqual([{ failed: 0 }]);
});
