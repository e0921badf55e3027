import fs from 'node:fs';
import path from 'node:path';
import { CONSOLE_OPERATIONS, type ConsoleKey, type ConsoleOperation, ROLES, type Role } from '@foreword/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createIntro, sendEvent } from '../acceptance/support/actions.ts';
import { FIXTURES, NOBODYS, type Things } from './role-fixtures.ts';
import type { ConsoleAsk, ConsoleClient } from './support.ts';
import { openTeamStage, type TeamStage } from './team.ts';

const SOURCES = path.join(import.meta.dirname, '../../src/console');
const NOTHING = '0'.repeat(16);

interface Beside {
  readonly paths: (of: TeamStage & { readonly intro: string }) => readonly string[];
  /** `public`: it shows nothing of anybody. */
  readonly needs: Role | 'public';
  /** To whoever is not signed in; a page leads to the sign-in instead. */
  readonly nobody?: number;
  /** It names something of the organization, which to another one is not there. */
  readonly named?: true;
}

/** Every route of the console that is none of the table of operations, by the name that it has in the log. */
const ROUTES: Readonly<Record<string, Beside>> = {
  console: { paths: () => ['/console', '/console/members'], needs: 'member', nobody: 303 },
  'console live': { paths: () => ['/console/api/live'], needs: 'member' },
  console_media: { paths: ({ intro }) => [`/console/media/${intro}/poster.jpg`], needs: 'member', named: true },
  console_page: { paths: ({ intro }) => [`/console/preview/${intro}`], needs: 'member', named: true },
  console_file: {
    paths: ({ org }) => [
      `/console/files/${encodeURIComponent(`${org.id}/logo-${NOTHING}.png`)}`,
      `/console/files/${encodeURIComponent(`${org.id}/members/${org.memberId}-${NOTHING}.jpg`)}`,
    ],
    needs: 'member',
    named: true,
  },
  console_brand_preview: {
    paths: () => ['/console/brand-preview', '/console/brand-preview?draft=x'],
    needs: 'manager',
  },
  console_brand_preview_file: { paths: () => ['/console/brand-preview/logo.png'], needs: 'manager' },
  console_export: { paths: () => ['/console/export/intros.csv?days=30'], needs: 'manager' },
  console_manifest: { paths: () => ['/console/manifest.webmanifest'], needs: 'public' },
  console_icon: { paths: () => ['/console/icons/192.png'], needs: 'public' },
  console_sign_in: { paths: () => ['/console/signin'], needs: 'public' },
  console_ask_link: { paths: () => ['/console/signin'], needs: 'public' },
  console_open_link: { paths: () => ['/console/signin/nothing'], needs: 'public' },
  console_use_link: { paths: () => ['/console/signin/nothing'], needs: 'public' },
  console_company: { paths: () => ['/console/signin/company'], needs: 'public' },
  console_company_callback: { paths: () => ['/console/signin/company/callback'], needs: 'public' },
  console_company_choose: { paths: () => ['/console/signin/company/choose'], needs: 'public' },
};

const PRIVATE = Object.entries(ROUTES).filter(([, { needs }]) => needs !== 'public');
const rank = (role: Role): number => ROLES.indexOf(role);

let stage: TeamStage & { readonly intro: string };
let ours: Things;
beforeAll(async () => {
  const team = await openTeamStage({ RATE_LIMIT: 'off', WEBHOOKS_ALLOW_PRIVATE: 'on' });
  const { api } = team.org;
  const intro = (await createIntro(api)).id;
  stage = { ...team, intro };
  ours = { ...NOBODYS, member: team.org.memberId, intro, event: (await sendEvent(api)).id, key: team.org.keyId };
});
afterAll(() => stage.close());

const clientOf = (role: Role): ConsoleClient => stage[role];
const statusOf = async (asked: Promise<Response>): Promise<number> => {
  const { status, body } = await asked;
  await body?.cancel();
  return status;
};

it('knows every route of the console', () => {
  const files = fs.readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const written = files.flatMap((name) =>
    [...fs.readFileSync(path.join(SOURCES, name), 'utf8').matchAll(/operation: '([^']+)'/g)].map(([, said]) => said),
  );
  expect(written.sort()).toEqual(Object.keys(ROUTES).sort());
  const unnamed = files.filter((name) => {
    const text = fs.readFileSync(path.join(SOURCES, name), 'utf8');
    const routes = text.match(/\bapp\s*\.(?:get|post|put|delete|patch|head|all|route)\b/g)?.length ?? 0;
    return routes > (text.match(/config: \{ operation: /g)?.length ?? 0);
  });
  expect(unnamed).toEqual([]);
});

describe.each(PRIVATE)('%s', (_name, { paths, needs, nobody = 401, named }) => {
  it('is open to whoever is enough, to nobody who is less, and to nobody else', async () => {
    for (const where of paths(stage)) {
      const url = stage.service.url + where;
      expect([where, await statusOf(fetch(url, { redirect: 'manual' }))]).toEqual([where, nobody]);
      for (const role of ROLES) {
        const status = await statusOf(clientOf(role).get(where));
        const isLess = needs !== 'public' && rank(role) < rank(needs);
        if (isLess) expect([where, role, status]).toEqual([where, role, 403]);
        else expect([where, role, [401, 403].includes(status) || status >= 500]).toEqual([where, role, false]);
      }
    }
  });

  it('shows the owner of another organization nothing that is ours, and no cache keeps it', async () => {
    for (const where of paths(stage)) {
      const response = await stage.stranger.owner.get(where);
      if (named) expect([where, response.status]).toEqual([where, 404]);
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
      const text = isStream ? '' : await response.text();
      if (isStream) await response.body?.cancel();
      for (const secret of [stage.org.id, stage.intro, stage.org.memberId]) expect(text).not.toContain(secret);
      const [isPage, kept] = [text.startsWith('<!doctype html'), response.headers.get('cache-control')];
      if (response.ok)
        expect([where, kept]).toEqual([
          where,
          isPage || isStream ? 'no-store' : expect.stringMatching(/no-store|private/),
        ]);
    }
  });
});

it('shows a member the video and the page of nobody else', async () => {
  for (const { paths } of [ROUTES.console_media, ROUTES.console_page].filter((one) => one !== undefined)) {
    for (const where of paths(stage)) expect([where, await statusOf(stage.member.get(where))]).toEqual([where, 404]);
  }
});

const OPERATIONS = Object.entries(CONSOLE_OPERATIONS) as [ConsoleKey, ConsoleOperation][];
const TABLES = ['organizations', 'members', 'touchpoints', 'api_keys', 'webhook_endpoints', 'intros', 'messages'];
const readOurs = () =>
  Promise.all(
    TABLES.map((table) =>
      stage.database.query(
        `select * from ${table} t where ${table === 'organizations' ? 'id' : 'organization_id'} = $1 order by t::text`,
        [stage.org.id],
      ),
    ),
  );

it('changes nothing of ours for the owner of another organization, whatever they do to their own', async () => {
  const before = await readOurs();
  for (const [key] of OPERATIONS.filter(([name]) => !name.startsWith('GET ') && !name.includes(':'))) {
    if (key === 'POST /session/sign-out') continue;
    await stage.stranger.owner.call(key, FIXTURES[key](ours) as ConsoleAsk<typeof key>);
  }
  const params = { id: stage.stranger.memberId };
  const gift = await stage.stranger.owner.call('POST /members/:id/deactivate', {
    params,
    body: { to_record: 'reassign', to: ours.member, recorded: 'leave', replace_pages: false },
  });
  expect([gift.status, gift.error.field]).toEqual([422, 'to']);
  expect(await readOurs()).toEqual(before);
});

it('finds nothing by an id of ours for the owner of another organization, in whatever field they ask for it', async () => {
  const ids = [ours.member, ours.intro, ours.event, ours.key];
  for (const [key, { query }] of OPERATIONS.filter(([name]) => name.startsWith('GET ') && !name.includes(':'))) {
    for (const name of Object.keys(query?.properties ?? {})) {
      for (const id of ids) {
        const search = new URLSearchParams({ ...(key === 'GET /overview' && { days: '30' }), [name]: id });
        const response = await stage.stranger.owner.get(`/console/api${key.slice(4)}?${search}`);
        const text = await response.text();
        const said = response.ok ? ids.filter((one) => text.includes(one)) : [];
        expect([key, name, response.status < 500, said]).toEqual([key, name, true, []]);
      }
    }
  }
});
