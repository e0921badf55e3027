import type { Brand, BrandPreview, TeamMemberDetail, TouchpointDetail, TouchpointFit } from '@foreword/contract';
import { TOUCHPOINT_DEFAULTS } from '@foreword/contract/plain';
import type { Page } from 'playwright-core';
import { type FakeConsole, Refusal } from './fake-console.ts';

const AT = '2026-03-10T09:15:00.000Z';
const NONE = { count: 0, more: false };

export const BRAND: Brand = {
  version: 1,
  name: 'Acme Exteriors',
  accent: '#b4451f',
  office_phone: null,
  license: null,
  reply_confirm: null,
  reply_reschedule: null,
  reply_thanks: null,
  reply_question: null,
  website: null,
  timezone: 'America/Chicago',
  language: 'en',
  texts_from: 480,
  texts_until: 1260,
  logo_url: null,
};

const TOUCHPOINT: TouchpointDetail = {
  id: 'tpt_01kahzv8e1f0rtx5m2q6n9d3bw',
  slug: 'kickoff',
  version: 1,
  created_at: AT,
  last_change: null,
  name: 'Kickoff',
  context: 'none',
  lane: null,
  active: true,
  delivery: 'service',
  minutes_to_record: 3 * 1440,
  page_title: 'A few words',
  page_title_es: null,
  script: 'Hi.',
  script_es: null,
  ...TOUCHPOINT_DEFAULTS,
  open_intros: NONE,
  waiting_events: NONE,
  original: null,
  lanes: ['retail', 'insurance'],
  variables: [],
  default_text: 'Hi Dana.',
  default_text_es: 'Hola, Dana.',
};

const FIT: TouchpointFit = {
  limit_seconds: 15,
  end_seconds: 30,
  max_words: 37,
  default_words_per_minute: 140,
  longest_recipient: 'Dana',
  longest_member: null,
  words: 1,
  seconds: 1,
  active_members: 1,
  checked: 1,
  over: [],
  problem: null,
};

export const MEMBER: TeamMemberDetail = {
  id: 'mem_01kahzv8e1f0rtx5m2q6n9d3cx',
  first_name: 'Lou',
  last_name: 'Ost',
  email: 'lou@acme.example',
  phone: null,
  title: null,
  title_es: null,
  lanes: [],
  role: 'member',
  active: true,
  external_id: null,
  photo_url: null,
  shares_email: false,
  email_bounced_at: null,
  notify_by: 'text',
  words_per_minute: null,
  language: null,
  email_bounce_reason: null,
  created_at: AT,
  is_last_owner: false,
  pages_replaced_at: null,
  live_pages: { count: 0, at_most: 100 },
  open_intros: [],
  open_count: { count: 0, at_most: 100 },
  recent_intros: [],
};

const BRAND_PREVIEW: BrandPreview = {
  page_path: '/console/sample?draft=1',
  text: { body: 'Hi.' },
  segment_price: null,
};

const CONFLICT = new Refusal(409, { code: 'edit_conflict', message: 'Someone else changed it.' });

/** A versioned value; like the real server, it rejects changes based on another version. */
export interface Stored<T> {
  now: T;
}

function store<T extends { readonly version: number }>(first: T): Stored<T> & { save(body: unknown): T | Refusal } {
  const stored = {
    now: first,
    save(body: unknown): T | Refusal {
      const { version, ...change } = body as Partial<T> & { version: number };
      if (version !== stored.now.version) return CONFLICT;
      stored.now = { ...stored.now, ...change, version: version + 1 };
      return stored.now;
    },
  };
  return stored;
}

export function serveTouchpoint(server: FakeConsole): Stored<TouchpointDetail> {
  const stored = store(TOUCHPOINT);
  const by = { id: MEMBER.id, name: 'Ana Ng' };
  server.answer('GET /touchpoints', { touchpoints: [], lanes: [] });
  server.answer('GET /touchpoints/{slug}', () => stored.now);
  server.answer('GET /touchpoints/{slug}/results', { versions: [], has_more: false, since: AT });
  server.answer('POST /touchpoint-preview', {
    problems: [],
    warnings: [],
    renderings: [],
    max_words: 37,
    segment_price: null,
  });
  server.answer('POST /touchpoint-fit', FIT);
  server.answer('POST /touchpoints/{slug}', ({ body }) => {
    const saved = stored.save(body);
    if (!(saved instanceof Refusal)) stored.now = { ...saved, last_change: { at: AT, by } };
    return saved instanceof Refusal ? saved : stored.now;
  });
  return stored;
}

export function serveBrand(server: FakeConsole): Stored<Brand> {
  const stored = store(BRAND);
  server.answer('GET /brand', () => stored.now);
  server.answer('POST /brand/preview', BRAND_PREVIEW);
  server.answer('POST /brand', ({ body }) => stored.save(body));
  return stored;
}

/** The server receives the next POST to this path, but its response is lost. */
export async function loseNextResponse(page: Page, path: string): Promise<void> {
  let isLost = false;
  await page.route(`**/console/api${path}`, async (route) => {
    if (isLost || route.request().method() !== 'POST') return route.fallback();
    isLost = true;
    await route.fetch();
    await route.abort('connectionreset');
  });
}
