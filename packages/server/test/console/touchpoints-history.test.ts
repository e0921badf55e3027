import type { TouchpointDetail } from '@foreword/contract';
import { describe, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { openTouchpoints } from './touchpoints-fixture.ts';

const fixture = await forFile(openTouchpoints());

describe('history', () => {
  test('reverts one change with a new one, and keeps later changes', async () => {
    const { slug, version } = await fixture.create('Undo me');
    const save = async (from: number, body: object) =>
      (await fixture.manager.call('POST /touchpoints/:slug', { params: { slug }, body: { version: from, ...body } }))
        .body;
    const first = await save(version, { name: 'First', minutes_to_record: 90 });
    const second = await save(first.version, { page_title: 'Another title' });
    const change = (await fixture.historyOf(slug)).find(({ version: made }) => made === first.version);
    const undone = await fixture.owner.call('POST /touchpoints/:slug/undo', {
      params: { slug },
      body: { change: change?.id ?? '', version: second.version },
    });
    expect(undone.body).toMatchObject({ name: 'Undo me', minutes_to_record: 3 * 1440, page_title: 'Another title' });
    expect((await fixture.historyOf(slug))[0]).toMatchObject({
      kind: 'undone',
      undoes: change?.id,
      by: { name: 'owner Team' },
    });
  });

  test('covers hiding the button, which keeps its label and URL and is copied, undone and reset', async () => {
    const slug = 'new_inspection';
    const params = { slug };
    const { version } = await fixture.read(slug);
    const hidden = { action_label: 'Leave a review', action_url: 'https://acme.example/review', shows_action: false };
    const saved = await fixture.manager.call('POST /touchpoints/:slug', { params, body: { version, ...hidden } });
    expect(saved.body).toMatchObject(hidden);
    const [change] = await fixture.historyOf(slug);
    expect(change?.fields).toContainEqual({ field: 'shows_action', before: true, after: false });
    const name = 'Hidden button';
    expect((await fixture.manager.call('POST /touchpoints/:slug/copy', { params, body: { name } })).body).toMatchObject(
      hidden,
    );
    const undo = { change: change?.id ?? '', version: saved.body.version };
    const undone = (await fixture.manager.call('POST /touchpoints/:slug/undo', { params, body: undo })).body;
    expect(undone).toMatchObject({ action_label: null, action_url: null, shows_action: true });
    const off = { version: undone.version, shows_action: false };
    const again = (await fixture.manager.call('POST /touchpoints/:slug', { params, body: off })).body;
    const reset = { params, body: { version: again.version } };
    expect((await fixture.manager.call('POST /touchpoints/:slug/reset', reset)).body.shows_action).toBe(true);
  });

  test('finds no change of another touchpoint, and cannot revert the creation', async () => {
    const one = await fixture.create('One');
    const two = await fixture.create('Two');
    const [beginning] = await fixture.historyOf(one.slug);
    const undo = ({ slug, version }: TouchpointDetail) =>
      fixture.manager.call('POST /touchpoints/:slug/undo', {
        params: { slug },
        body: { change: beginning?.id ?? '', version },
      });
    expect((await undo(two)).status).toBe(404);
    expect((await undo(one)).status).toBe(422);
  });

  test('shows a change by the command without an author', async () => {
    const slug = 'inspection_confirmation';
    await fixture.run('touchpoint', 'set', '--org', fixture.organization.id, slug, '--name', 'By command');
    expect((await fixture.historyOf(slug))[0]).toMatchObject({
      by: null,
      kind: 'changed',
      fields: [{ field: 'name', before: 'Inspection confirmation', after: 'By command' }],
    });
    expect((await fixture.orderInApi()).includes(slug)).toBe(true);
  });

  test('resets to the industry default, but stays on or off', async () => {
    const slug = 'inspection_confirmation';
    const set = { params: { slug }, body: { active: false } };
    const { version, original } = (await fixture.manager.call('POST /touchpoints/:slug/active', set)).body;
    const reset = await fixture.manager.call('POST /touchpoints/:slug/reset', { params: { slug }, body: { version } });
    expect(reset.body).toMatchObject({ ...original, active: false });
    expect((await fixture.historyOf(slug))[0]?.kind).toBe('reset');
    const { slug: own, version: ownVersion } = await fixture.create('No original');
    const refused = await fixture.manager.call('POST /touchpoints/:slug/reset', {
      params: { slug: own },
      body: { version: ownVersion },
    });
    expect(refused.status).toBe(422);
  });

  test('is paged, newest first', async () => {
    let { slug, version } = await fixture.create('Busy');
    for (let i = 0; i < 22; i++) {
      const body = { version, name: `Name ${i}` };
      version = (await fixture.manager.call('POST /touchpoints/:slug', { params: { slug }, body })).body.version;
    }
    const first = (await fixture.manager.call('GET /touchpoints/:slug/history', { params: { slug } })).body;
    expect([first.changes.length, first.has_more]).toEqual([20, true]);
    const query = { before: first.changes.at(-1)?.id ?? '' };
    const rest = (await fixture.manager.call('GET /touchpoints/:slug/history', { params: { slug }, query })).body;
    expect(rest.changes.map(({ kind }) => kind)).toEqual(['changed', 'changed', 'created']);
    expect(rest.has_more).toBe(false);
  });
});

describe('the order', () => {
  const move = (slug: string, before: string | null, client = fixture.manager) =>
    client.call('POST /touchpoint-order', { body: { slug, before } });

  test('applies to the API immediately', async () => {
    const [first = '', second = ''] = await fixture.orderInApi();
    const { body } = await move(second, first);
    expect(body.slugs.slice(0, 2)).toEqual([second, first]);
    expect(await fixture.orderInApi()).toEqual(body.slugs);
  });

  test('applies concurrent moves of different touchpoints, and loses none', async () => {
    const before = await fixture.orderInApi();
    const [a = '', b = ''] = before;
    await Promise.all([move(a, null, fixture.owner), move(b, null, fixture.manager), fixture.create('Meanwhile')]);
    const after = await fixture.orderInApi();
    expect(after.toSorted()).toEqual([...before, 'meanwhile'].toSorted());
    expect(after.slice(0, 2)).not.toContain(a);
    expect(after.slice(0, 2)).not.toContain(b);
  });

  test('does not change versions, so that open edits do not conflict', async () => {
    const [first = ''] = await fixture.orderInApi();
    const { version } = await fixture.read(first);
    await move(first, null);
    expect((await fixture.read(first)).version).toBe(version);
  });

  test('rejects unknown touchpoints', async () => {
    expect((await move('nothing_such', null)).status).toBe(404);
    expect((await move('new_appointment', 'nothing_such')).status).toBe(404);
  });
});

describe('access', () => {
  test('is denied to members for every operation, and nothing is written', async () => {
    const before = await fixture.snapshot();
    const params = { slug: 'new_appointment' };
    const replies = await Promise.all([
      fixture.member.call('GET /touchpoints'),
      fixture.member.call('GET /touchpoints/:slug', { params }),
      fixture.member.call('GET /touchpoints/:slug/history', { params }),
      fixture.member.call('POST /touchpoints', { body: { name: 'Mine', context: 'none', lane: null } }),
      fixture.member.call('POST /touchpoints/:slug', { params, body: { version: 1, name: 'Mine' } }),
      fixture.member.call('POST /touchpoints/:slug/copy', { params, body: { name: 'Mine' } }),
      fixture.member.call('POST /touchpoints/:slug/active', { params, body: { active: false } }),
      fixture.member.call('POST /touchpoints/:slug/reset', { params, body: { version: 1 } }),
      fixture.member.call('POST /touchpoints/:slug/undo', { params, body: { change: 'tc_1', version: 1 } }),
      fixture.member.call('POST /touchpoint-order', { body: { slug: 'new_appointment', before: null } }),
      fixture.member.call('POST /touchpoint-preview', { body: { page_title: 'a', script: 'a', text_message: null } }),
      fixture.member.call('POST /touchpoint-fit', { body: { script: 'a' } }),
    ]);
    for (const { status, error } of replies) expect([status, error.code]).toEqual([403, 'forbidden']);
    expect(await fixture.snapshot()).toEqual(before);
  });

  test('to touchpoints of another organization gets 404, and nothing is written', async () => {
    const { slug } = await fixture.create('Only ours');
    const { owner } = fixture.other;
    const [change] = await fixture.historyOf(slug);
    const before = await fixture.snapshot();
    const params = { slug };
    const replies = await Promise.all([
      owner.call('GET /touchpoints/:slug', { params }),
      owner.call('GET /touchpoints/:slug/history', { params }),
      owner.call('POST /touchpoints/:slug', { params, body: { version: 1, name: 'Theirs' } }),
      owner.call('POST /touchpoints/:slug/copy', { params, body: { name: 'Theirs' } }),
      owner.call('POST /touchpoints/:slug/active', { params, body: { active: true } }),
      owner.call('POST /touchpoints/:slug/reset', { params, body: { version: 1 } }),
      owner.call('POST /touchpoints/:slug/undo', { params, body: { change: change?.id ?? '', version: 1 } }),
      owner.call('POST /touchpoint-order', { body: { slug, before: null } }),
    ]);
    for (const { status, error } of replies) expect([status, error.code]).toEqual([404, 'not_found']);
    expect(await fixture.snapshot()).toEqual(before);
  });
});
