import fs from 'node:fs';
import path from 'node:path';
import { ROLES, type Role } from '@foreword/contract';
import { describe, expect, test } from 'vitest';
import { createIntro, eventually, introOfEvent } from '../acceptance/support/actions.ts';
import { forFile } from '../harness/index.ts';
import type { ConsoleAsk } from './console-client.ts';
import { CALLS, type Ids, OPERATIONS, readRows, UNKNOWN_IDS } from './operation-calls.ts';
import { openTeam } from './team-fixture.ts';

const SOURCES = path.join(import.meta.dirname, '../../src/console');
const HASH = '0'.repeat(16);

interface Route {
  readonly paths: (organization: { id: string; memberId: string; intro: string }) => readonly string[];
  /** `public` routes show no organization's data. */
  readonly needs: Role | 'public';
  /** The status without a session. Pages redirect to the sign-in instead of answering 401. */
  readonly signedOut?: number;
  /** The path names an object, which does not exist for other organizations. */
  readonly isNamed?: true;
}

/** Every console route outside the table of operations, by its name in the log. */
const ROUTES: Readonly<Record<string, Route>> = {
  console: { paths: () => ['/console', '/console/members'], needs: 'member', signedOut: 303 },
  'console live': { paths: () => ['/console/api/live'], needs: 'member' },
  console_media: { paths: ({ intro }) => [`/console/media/${intro}/poster.jpg`], needs: 'member', isNamed: true },
  console_page: { paths: ({ intro }) => [`/console/preview/${intro}`], needs: 'member', isNamed: true },
  console_file: {
    paths: ({ id, memberId }) => [
      `/console/files/${encodeURIComponent(`${id}/logo-${HASH}.png`)}`,
      `/console/files/${encodeURIComponent(`${id}/members/${memberId}-${HASH}.jpg`)}`,
    ],
    needs: 'member',
    isNamed: true,
  },
  console_page_preview: {
    paths: () => ['/console/page-preview', '/console/page-preview?draft=x'],
    needs: 'manager',
  },
  console_page_preview_file: { paths: () => ['/console/page-preview/logo.png'], needs: 'manager' },
  console_export: { paths: () => ['/console/export/intros.csv?days=30'], needs: 'manager' },
  console_export_activity: { paths: () => ['/console/export/activity.csv'], needs: 'owner' },
  console_export_organization: { paths: () => ['/console/export/organization.tar'], needs: 'owner' },
  console_export_recipient: {
    paths: ({ intro }) => [`/console/export/recipient.tar?intro=${intro}`],
    needs: 'owner',
    isNamed: true,
  },
  console_sign_in: { paths: () => ['/console/signin'], needs: 'public' },
  console_ask_link: { paths: () => ['/console/signin'], needs: 'public' },
  console_open_link: { paths: () => ['/console/signin/nothing'], needs: 'public' },
  console_use_link: { paths: () => ['/console/signin/nothing'], needs: 'public' },
  console_passkey: { paths: () => ['/console/signin/passkey'], needs: 'public' },
  console_passkey_leave: { paths: () => ['/console/signin/passkey/leave'], needs: 'public' },
  console_company: { paths: () => ['/console/signin/company'], needs: 'public' },
  console_company_callback: { paths: () => ['/console/signin/company/callback'], needs: 'public' },
  console_company_choose: { paths: () => ['/console/signin/company/choose'], needs: 'public' },
  summary_off: { paths: () => ['/weekly-summary/off/nothing'], needs: 'public' },
  summary_off_page: { paths: () => ['/weekly-summary/off/nothing'], needs: 'public' },
};

const PRIVATE = Object.entries(ROUTES).filter(([, { needs }]) => needs !== 'public');
const rank = (role: Role): number => ROLES.indexOf(role);

const team = await forFile(openTeam());
const ids = await arrange();

async function arrange(): Promise<Ids> {
  const { api, keyId, memberId } = team.organization;
  const { id: intro } = await createIntro(api);
  const { event_id: event } = await introOfEvent(api);
  await eventually(
    () =>
      team.database.sql`select 1 from all_messages where organization_id = ${team.organization.id}
        and status in ('scheduled', 'sending') and due_at <= now()`,
    { length: 0 },
  );
  return { ...UNKNOWN_IDS, member: memberId, intro, event, key: keyId };
}

const pathsOf = ({ paths }: Route) => paths({ ...team.organization, intro: ids.intro });
const statusOf = async (sent: Promise<Response>): Promise<number> => {
  const { status, body } = await sent;
  await body?.cancel();
  return status;
};

test('the table lists every route of the console', () => {
  const files = fs.readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const names = files.flatMap((file) =>
    [...fs.readFileSync(path.join(SOURCES, file), 'utf8').matchAll(/operation: '([^']+)'/g)].map(([, name]) => name),
  );
  expect(names.sort()).toEqual(Object.keys(ROUTES).sort());
  const unnamed = files.filter((file) => {
    const text = fs.readFileSync(path.join(SOURCES, file), 'utf8');
    const routes = text.match(/\bapp\s*\.(?:get|post|put|delete|patch|head|all|route)\b/g)?.length ?? 0;
    return routes > (text.match(/config: \{ operation: /g)?.length ?? 0);
  });
  expect(unnamed).toEqual([]);
});

describe.each(PRIVATE)('%s', (_name, route) => {
  const { needs, signedOut = 401, isNamed } = route;
  test('is open to the required role, and closed to lower roles and without a session', async () => {
    for (const where of pathsOf(route)) {
      const url = team.service.url + where;
      expect([where, await statusOf(fetch(url, { redirect: 'manual' }))]).toEqual([where, signedOut]);
      for (const role of ROLES) {
        const status = await statusOf(team[role].get(where));
        const isTooLow = needs !== 'public' && rank(role) < rank(needs);
        if (isTooLow) expect([where, role, status]).toEqual([where, role, 403]);
        else expect([where, role, [401, 403].includes(status) || status >= 500]).toEqual([where, role, false]);
      }
    }
  });

  test('shows no data of another organization, and is not cached', async () => {
    for (const where of pathsOf(route)) {
      const response = await team.other.owner.get(where);
      if (isNamed) expect([where, response.status]).toEqual([where, 404]);
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
      const text = isStream ? '' : await response.text();
      if (isStream) await response.body?.cancel();
      for (const secret of [team.organization.id, ids.intro, ids.member]) expect(text).not.toContain(secret);
      const isPage = text.startsWith('<!doctype html');
      const expected = isPage || isStream ? 'no-store' : expect.stringMatching(/no-store|private/);
      if (response.ok) expect([where, response.headers.get('cache-control')]).toEqual([where, expected]);
    }
  });
});

test("members cannot open another member's video or page", async () => {
  for (const route of [ROUTES.console_media, ROUTES.console_page].filter((one) => one !== undefined)) {
    for (const where of pathsOf(route)) expect([where, await statusOf(team.member.get(where))]).toEqual([where, 404]);
  }
});

test('operations without an id in their path change nothing in another organization', async () => {
  const before = await readRows(team.database, team.organization.id);
  for (const [key] of OPERATIONS.filter(([name]) => !name.startsWith('GET ') && !name.includes('{'))) {
    if (key === 'POST /session/sign-out') continue;
    await team.other.owner.call(key, CALLS[key](ids) as ConsoleAsk<typeof key>);
  }
  const reassigned = await team.other.owner.call('POST /v1/members/{id}/deactivate', {
    params: { id: team.other.organization.memberId },
    body: { open_intros: { reassign_to: ids.member } },
  });
  expect([reassigned.status, reassigned.error.field]).toEqual([422, 'open_intros.reassign_to']);
  expect(await readRows(team.database, team.organization.id)).toEqual(before);
});

test('no list reveals an object of another organization, whichever field names its id', async () => {
  const searched = [ids.member, ids.intro, ids.event, ids.key];
  for (const [key, { query }] of OPERATIONS.filter(([name]) => name.startsWith('GET ') && !name.includes('{'))) {
    for (const name of Object.keys(query?.properties ?? {})) {
      for (const id of searched) {
        const search = new URLSearchParams({ ...(key === 'GET /overview' && { days: '30' }), [name]: id });
        const response = await team.other.owner.get(`/console/api${key.slice(4)}?${search}`);
        const text = await response.text();
        const found = response.ok ? searched.filter((one) => text.includes(one)) : [];
        expect([key, name, response.status < 500, found]).toEqual([key, name, true, []]);
      }
    }
  }
});
