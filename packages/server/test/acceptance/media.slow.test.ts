import { expect, test, vi } from 'vitest';
import { forFile } from '../harness/index.ts';
import { createIntro, eventually } from './support/actions.ts';
import { untilIntro } from './support/recorder.ts';
import { openService } from './support/service.ts';

// The encoder runs at a low priority.
vi.setConfig({ testTimeout: 120_000 });

const fixture = await forFile(openService());
const { api } = fixture;

const load = (url: string) => fetch(fixture.service.url + new URL(url).pathname);
const typeOf = async (url: string) => (await load(url)).headers.get('content-type');

async function recorded() {
  const intro = await createIntro(api);
  expect(intro.media).toBeNull();
  await api.post(`/v1/test_helpers/intros/${intro.id}/record`);
  return untilIntro(fixture, intro.id, 'ready');
}

test('a recorded intro has pictures, its length and a text to share, and loading them does not count as opening', async () => {
  const { id, media, delivery } = await recorded();
  expect(media.page_url).toBe(delivery.recipient_url);
  expect(media.duration_seconds).toBeGreaterThan(1);
  expect(media.share_text).toBe(`Ana from Acme Roofing recorded a short video for you: ${delivery.recipient_url}`);
  expect(await typeOf(media.poster_url)).toBe('image/jpeg');
  await eventually(
    () => typeOf(media.preview_url),
    (type) => type === 'image/webp',
    60_000,
  );
  expect((await api.get(`/v1/intros/${id}`)).body).toMatchObject({ status: 'ready', opened_at: null, media });
});

test('a repeated request gets the same media, which the database does not contain', async () => {
  const { id, media } = await recorded();
  const path = `/v1/intros/${id}/mark_sent`;
  const first = await api.post(path, undefined, { key: `sent:${id}` });
  expect(first.body).toMatchObject({ status: 'sent', media });
  const again = await api.post(path, undefined, { key: `sent:${id}` });
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(again.body).toEqual(first.body);
  const [stored] = await fixture.database.query('select response from idempotency_keys where key = $1', [`sent:${id}`]);
  const token = new URL(media.page_url).pathname.split('/').at(-1);
  expect(stored?.response).not.toContain(token);
});

test('a cancelled intro has no media, and the addresses stop working', async () => {
  const { id, media } = await recorded();
  expect((await api.post(`/v1/intros/${id}/cancel`)).body).toMatchObject({ status: 'cancelled', media: null });
  for (const url of [media.page_url, media.poster_url, media.preview_url]) expect((await load(url)).status).toBe(410);
});
