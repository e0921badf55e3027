import type { ScriptVersion } from '@foreword/contract';
import { describe, expect, test } from 'vitest';
import { idBound } from '../../src/platform/ids.ts';
import { sendEvent, settled } from '../acceptance/support/actions.ts';
import { forFile } from '../harness/index.ts';
import { openTouchpoints } from './touchpoints-fixture.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const ago = (ms: number) => new Date(Date.now() - ms);

const fixture = await forFile(openTouchpoints());

let created = 0;

interface Past {
  readonly slug: string;
  readonly version: number;
  readonly at?: Date;
  readonly recordedMs?: number;
  readonly sent?: boolean;
  readonly watched?: boolean;
  readonly replies?: number;
  readonly organization?: string;
}

async function addIntro(past: Past): Promise<void> {
  const { slug, version, at = ago(MINUTE), recordedMs, sent = false, watched = false, replies = 0 } = past;
  const organization = past.organization ?? fixture.organization.id;
  const id = `${idBound('int', at)}${String(++created).padStart(16, '0')}`;
  const recordedAt = recordedMs === undefined ? null : new Date(at.getTime() + recordedMs);
  const status = sent ? 'sent' : recordedAt === null ? 'requested' : 'ready';
  await fixture.database.query(
    `insert into intros (organization_id, environment, id, status, touchpoint_slug, touchpoint_version, member_id,
       recipient_first_name, recipient_phone, instructed, responsibility, metadata, created_at, recorded_at, sent_at, opened_at,
       watched_at)
     values ($1, 'test', $2, $3, $4, $5, $6, 'Dana', '+14155550123', true, 'integration', '{}', $7, $8, $9, $10, $10)`,
    [
      ...[organization, id, status, slug, version, fixture.ownerId, at, recordedAt, sent ? recordedAt : null],
      watched ? recordedAt : null,
    ],
  );
  for (let number = 1; number <= replies; number++) {
    await fixture.database
      .sql`insert into intro_replies (organization_id, environment, intro_id, number, type, label, created_at)
       values (${organization}, 'test', ${id}, ${number}, 'thanks', 'Thank you', now())`;
  }
}

const resultsOf = async (slug: string, client = fixture.manager) =>
  (await client.call('GET /touchpoints/{slug}/results', { params: { slug } })).body;

async function save(slug: string, body: object) {
  const saved = await fixture.save(await fixture.read(slug), body);
  expect(saved.status).toBe(200);
  return saved.body.version;
}

const counts = ({ requested, recorded, sent, opened, watched, replied }: ScriptVersion) => ({
  ...{ requested, recorded, sent, opened, watched, replied },
});

describe('results by version of the script', () => {
  test('an intro knows the version of the touchpoint that it was created with', async () => {
    const { slug } = await fixture.create('Versioned');
    const version = await save(slug, { active: true, script: 'Hi {{ recipient.first_name }}.' });
    const { id } = await sendEvent(fixture.api, { touchpoint: slug });
    const { intro } = await settled(fixture.api, id);
    const stored = () =>
      fixture.database.sql`select touchpoint_slug, touchpoint_version from intros where id = ${intro}`;
    expect(await stored()).toEqual([{ touchpoint_slug: slug, touchpoint_version: version }]);
    // A later change does not change what the member was given.
    await save(slug, { script: 'Hello {{ recipient.first_name }}.' });
    expect(await stored()).toEqual([{ touchpoint_slug: slug, touchpoint_version: version }]);
    const { versions } = await resultsOf(slug);
    expect(versions.map(({ number, requested }) => [number, requested])).toEqual([
      [3, 0],
      [2, 1],
      [1, 0],
    ]);
  });

  test('counts each version, and only changes of the script start one', async () => {
    const { slug, script: first } = await fixture.create('Counted');
    const renamed = await save(slug, { name: 'Counted again' });
    const second = await save(slug, { script: 'Hi, second.' });
    const silent = await save(slug, { reminds: false });
    await addIntro({ slug, version: 1, recordedMs: 10 * MINUTE, sent: true, watched: true, replies: 2 });
    await addIntro({ slug, version: renamed, recordedMs: 30 * MINUTE });
    await addIntro({ slug, version: second });
    // Older than the period.
    await addIntro({ slug, version: second, at: ago(400 * DAY) });
    await addIntro({ slug, version: silent, recordedMs: 20 * MINUTE, sent: true });
    // Two taps of one recipient count once, too.
    await fixture.database.sql`update intros set clicked_times = '{"call": "2026-03-01", "text": "2026-03-02"}'
      where touchpoint_slug = ${slug} and watched_at is not null`;
    const { versions, has_more } = await resultsOf(slug);
    expect(has_more).toBe(false);
    expect(versions.map(({ number, script, previous, by }) => ({ number, script, previous, by: by?.name }))).toEqual([
      { number: 2, script: 'Hi, second.', previous: first, by: 'manager Team' },
      { number: 1, script: first, previous: null, by: undefined },
    ]);
    const [now, before] = versions as [ScriptVersion, ScriptVersion];
    expect([before.from, before.until, now.until]).toEqual([null, now.from, null]);
    expect(counts(now)).toEqual({ requested: 2, recorded: 1, sent: 1, opened: 0, watched: 0, replied: 0 });
    expect(now.median_ms).toBe(20 * MINUTE);
    // Two replies of one recipient count once.
    expect(counts(before)).toEqual({ requested: 2, recorded: 2, sent: 1, opened: 1, watched: 1, replied: 1 });
    expect([before.clicked, now.clicked]).toEqual([1, 0]);
    expect(before.median_ms).toBe(10 * MINUTE);
  });

  test('leaves out intros with the Spanish script, which has versions of its own', async () => {
    const { slug } = await fixture.create('Spanish');
    await addIntro({ slug, version: 1 });
    await addIntro({ slug, version: 1 });
    await fixture.database.sql`update intros set script_language = 'es' where id = (select max(id) from intros
      where touchpoint_slug = ${slug})`;
    expect((await resultsOf(slug)).versions.map(({ requested }) => requested)).toEqual([1]);
  });

  test('lists the newest versions of a script that was changed often', async () => {
    const { slug, id } = await fixture.create('Changed often');
    await fixture.database
      .sql`insert into touchpoint_changes (organization_id, environment, id, touchpoint_id, kind, version, fields, created_at)
       select ${fixture.organization.id}, 'test', ${idBound('tc', ago(20 * DAY))} || lpad(n::text, 16, '0'), ${id}, 'changed', n + 1,
         jsonb_build_array(jsonb_build_object('field', 'script', 'before', 'v' || n, 'after', 'v' || n + 1)), ${ago(20 * DAY)}
       from generate_series(1, 20) n`;
    await addIntro({ slug, version: 1, at: ago(40 * DAY) });
    await addIntro({ slug, version: 21 });
    const { versions, has_more } = await resultsOf(slug);
    expect(has_more).toBe(true);
    expect(versions).toHaveLength(20);
    expect(versions[0]).toMatchObject({ number: 21, script: 'v21', previous: 'v20', requested: 1 });
    // The intro of version 1 belongs to none of those listed.
    expect(versions.reduce((sum, { requested }) => sum + requested, 0)).toBe(1);
  });

  test('counts only the own organization, and finds no unknown slug', async () => {
    const slug = 'new_appointment';
    await addIntro({ slug, version: 1 });
    await addIntro({ slug, version: 1, organization: fixture.other.organization.id });
    await addIntro({ slug, version: 1, organization: fixture.other.organization.id, replies: 1 });
    const own = await resultsOf(slug);
    const other = await resultsOf(slug, fixture.other.owner);
    expect(own.versions.map(({ requested, replied }) => [requested, replied])).toEqual([[1, 0]]);
    expect(other.versions.map(({ requested, replied }) => [requested, replied])).toEqual([[2, 1]]);
    expect((await fixture.manager.call('GET /touchpoints/{slug}/results', { params: { slug: 'gone' } })).status).toBe(
      404,
    );
  });
});
