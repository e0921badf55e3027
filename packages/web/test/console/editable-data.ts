import type { ConsoleBody, HomeSettings, TeamMemberDetail } from '@foreword/contract';
import * as examples from './examples.ts';
import { type FakeConsole, Refusal } from './fake-console.ts';

export const SETTINGS: HomeSettings = {
  first_name: 'Ana',
  last_name: 'Ng',
  email: 'ana@acme.example',
  title: null,
  phone: '+14155550123',
  photo_url: null,
  notify_by: 'text',
  words_per_minute: 150,
  language: null,
  weekly_summary: null,
};

export const MEMBER: TeamMemberDetail = {
  ...examples.MEMBER,
  first_name: 'Mara',
  last_name: 'Ode',
  email: 'mara@acme.example',
  phone: '+14155550177',
  title: 'estimator',
};

export type Change = ConsoleBody<'POST /members/{id}'>;

/** Stores one member and detects conflicts like the real server. */
export function serveMember(server: FakeConsole, wait: () => Promise<void> = async () => {}) {
  const stored = { member: MEMBER, sent: [] as Change[] };
  server.answer('GET /members/{id}', () => stored.member);
  server.answer('POST /members/{id}', async ({ body }) => {
    const { was = {}, ...change } = body as Change;
    stored.sent.push(body as Change);
    await wait();
    const isConflict = Object.entries(was).some(([field, value]) => {
      const now = stored.member[field as keyof TeamMemberDetail];
      return JSON.stringify(now) !== JSON.stringify(value);
    });
    if (isConflict) return new Refusal(409, { code: 'edit_conflict', message: 'Someone else changed this member.' });
    stored.member = { ...stored.member, ...(change as Partial<TeamMemberDetail>) };
    return stored.member;
  });
  return stored;
}

/** Stores the signed-in member's settings. */
export function serveSettings(server: FakeConsole, wait: () => Promise<void> = async () => {}) {
  const stored = { settings: SETTINGS, sent: [] as unknown[] };
  server.answer('GET /home/settings', () => stored.settings);
  server.answer('GET /sessions', { sessions: [] });
  const passkeys = { passkeys: [], unavailable_because: null, needs_sign_in: false, suggested_name: 'Chrome on Mac' };
  server.answer('GET /passkeys', passkeys);
  server.answer('GET /second-factor', { required_from: null, missing: [] });
  server.answer('GET /erasures', { erasures: [] });
  server.answer('GET /export', { intros: 128, videos: 97, bytes: 1_400_000_000, is_running: false });
  server.answer('POST /home/settings', async ({ body }) => {
    stored.sent.push(body);
    await wait();
    stored.settings = { ...stored.settings, ...(body as Partial<HomeSettings>) };
    return stored.settings;
  });
  return stored;
}
