import type { ConsoleBody } from '@foreword/contract';
import { describe, expect, test, vi } from 'vitest';
import { forFile, sleep } from '../harness/index.ts';
import { openTeam } from './team-fixture.ts';

// The encoder runs at a low priority.
vi.setConfig({ testTimeout: 120_000 });

const team = await forFile(openTeam());

const LEAVE = { to_record: 'leave', recorded: 'leave', replace_pages: false } as const;

async function requestIntro(memberId: string) {
  const { status, body } = await team.organization.api.post('/v1/intros', {
    member: { id: memberId },
    recipient: { first_name: 'Dana', phone: '+14155550123' },
  });
  expect(status).toBe(201);
  return body;
}

async function record(id: string) {
  expect((await team.organization.api.post(`/v1/test_helpers/intros/${id}/record`)).status).toBe(202);
  for (;;) {
    const { body } = await team.organization.api.get(`/v1/intros/${id}`);
    if (body.status === 'ready') return body;
    await sleep(100);
  }
}

const intro = async (id: string) => (await team.organization.api.get(`/v1/intros/${id}`)).body;

const deactivate = (id: string, body: Partial<ConsoleBody<'POST /members/:id/deactivate'>>) =>
  team.manager.call('POST /members/:id/deactivate', { params: { id }, body: { ...LEAVE, ...body } });

describe('replacing the pages of a deactivated member', () => {
  test('shows the card on their live pages, and in the API only the media end', async () => {
    const member = await team.add({ first_name: 'Rae' });
    const ready = await record((await requestIntro(member.id)).id);
    const path = new URL(ready.delivery.recipient_url).pathname;
    const shown = async () => (await fetch(team.service.url + path)).text();
    const video = /src="([^"]*\.mp4)"/.exec(await shown())?.[1] ?? '';
    const { body: before } = await team.manager.call('GET /members/:id', { params: { id: member.id } });
    expect(before.live_pages.count).toBe(1);
    const { body } = await deactivate(member.id, { replace_pages: true });
    expect(body.member.pages_replaced_at).not.toBeNull();
    expect(await shown()).toContain('Rae no longer works at Acme Roofing');
    expect((await fetch(team.service.url + video)).status).toBe(410);
    expect(await intro(ready.id)).toEqual({ ...ready, media: null });
    const restored = await team.manager.call('POST /members/:id/restore-pages', { params: { id: member.id } });
    expect(restored.body.pages_replaced_at).toBeNull();
    expect(await shown()).toContain(video);
    expect(await intro(ready.id)).toEqual(ready);
    const again = await team.manager.call('POST /members/:id/replace-pages', { params: { id: member.id } });
    expect(again.body.pages_replaced_at).not.toBeNull();
    expect(await shown()).not.toContain(video);
  });

  test('cancels or keeps recorded intros that were not sent, and never reassigns them', async () => {
    const [member, other] = [await team.add(), await team.add()];
    const ready = await record((await requestIntro(member.id)).id);
    const first = await deactivate(member.id, { each: [{ id: ready.id, action: 'reassign', to: other.id }] });
    expect(first.body.intros).toEqual({ reassigned: 0, cancelled: 0, left: 1 });
    expect(await intro(ready.id)).toMatchObject({ status: 'ready', member: { id: member.id } });
    const second = await deactivate(member.id, { recorded: 'cancel' });
    expect(second.body.intros.cancelled).toBe(1);
    expect(await intro(ready.id)).toMatchObject({ status: 'cancelled' });
  });
});
