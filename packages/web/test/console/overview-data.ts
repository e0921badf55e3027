import type {
  Attention,
  AttentionIntro,
  ConsoleIntroRow,
  IntroStatistics,
  Overview,
  SetupChecklist,
  TeamMember,
} from '@foreword/contract';
import { MEMBER } from './examples.ts';
import type { FakeConsole } from './fake-console.ts';

const HOUR_MS = 3_600_000;
const COUNTS: IntroStatistics = { requested: 128, recorded: 104, sent: 91, opened: 74, watched: 58 };
const NAMES = ['Rosa Silva', 'Dana Whitfield', 'Owen Park', 'Jiří Novák', 'Maya Lindqvist', 'Tom Becker'];
/** Fixed, because the console must not depend on the clock of the test. */
const inHours = (hours: number): string => new Date(Date.now() + hours * HOUR_MS).toISOString();

export const SETUP: SetupChecklist = {
  ...{ has_brand: true, has_members: true, has_carrier: false, has_event: true, has_text: false },
  ...{ has_intro: true, dismissed: false },
};

const LOU = { id: MEMBER.id, first_name: 'Lou', last_name: 'Ost' };

const problem = (number: number, more: Pick<AttentionIntro, 'problem'> & Partial<AttentionIntro>): AttentionIntro => ({
  ...{ kind: 'intro', id: `int_01kahzv8e1f0rtx5m2q6n9d3b${number}`, member: LOU, amount: 1 },
  recipient: { first_name: NAMES[number] ?? 'Dana', last_name: null, phone: '+14155550177' },
  ...{ reason: null, code: null, message: null, at: inHours(-number), expires_at: null },
  recipient_url: `https://intros.acme.example/i/${number}`,
  ...more,
});

const NO_PROVIDER = { code: 'no_text_provider', reason: 'No text provider is connected.' } as const;

export const attention = (): Attention => ({
  items: [
    { kind: 'carrier', channel: 'text', status: 'unset' },
    problem(1, { problem: 'declined', reason: 'away', expires_at: inHours(5) }),
    problem(2, { problem: 'not_sent', ...NO_PROVIDER }),
    problem(3, { problem: 'not_delivered', code: 'invalid_number', reason: 'The number is a landline.' }),
    problem(4, { problem: 'member_not_reached', reason: 'The email bounced.', amount: 2 }),
    problem(5, { problem: 'reply_waiting', reason: 'I have a question', message: 'Do you need the garage?' }),
    { kind: 'shared_email', email: 'office@acme.example', amount: 2 },
  ],
  has_more: false,
});

function overview(): Overview {
  const times = { median_ms: 23 * 60_000, p90_ms: 5 * HOUR_MS };
  return {
    ...{ days: 30, counted_at: inHours(0), more_members: 0 },
    total: { ...COUNTS, ...times, cancelled: 6, expired: 9 },
    by_day: Array.from({ length: 30 }, (_, day) => ({
      ...COUNTS,
      date: `2026-03-${String(day + 1).padStart(2, '0')}`,
      requested: 3 + (day % 5),
      recorded: 2 + (day % 4),
    })),
    by_touchpoint: ['New appointment', 'On my way', 'Project update'].map((name) => ({
      ...{ ...COUNTS, ...times, name },
      slug: name.toLowerCase().replaceAll(' ', '_'),
    })),
    by_member: [{ ...COUNTS, ...times, id: MEMBER.id, first_name: 'Lou', last_name: 'Ost', active: true }],
  };
}

/** The responses behind the overview, until a test replaces them. */
export function serveOverview(server: FakeConsole, setup: SetupChecklist = SETUP): void {
  server.answer('GET /overview/setup', setup);
  server.answer('GET /overview/attention', attention());
  server.answer('GET /overview', overview());
  server.answer('GET /intro-counts', { intros: { problems: 5, requested: 24, ready: 5 }, events: null });
}

export const INTRO_ROW: ConsoleIntroRow = {
  id: 'int_01kahzv8e1f0rtx5m2q6n9d3b0',
  status: 'requested',
  touchpoint: { slug: 'on_my_way', name: 'On my way' },
  member: { id: MEMBER.id, first_name: 'Lou', last_name: 'Ost' },
  recipient: { first_name: 'Rosa', last_name: 'Silva', phone: '+14155550177' },
  reference_id: 'job-4711',
  responsibility: 'service',
  delivery_error: null,
  delivery_status: null,
  problem: null,
  thumbnail_url: null,
  created_at: '2026-03-10T09:15:00.000Z',
  ...{
    expires_at: null,
    recorded_at: null,
    sent_at: null,
    opened_at: null,
    watched_percent: 0,
    cancelled_at: null,
    declined: null,
  },
};

/** One intro and one member, found by any text that starts like their names. */
export function serveSearch(server: FakeConsole): void {
  const member: TeamMember = { ...MEMBER, first_name: 'Rosalind' };
  const isFound = (query: URLSearchParams) => 'rosalind'.startsWith((query.get('q') ?? '').toLowerCase());
  server.answer('GET /intros', ({ query }) => ({ rows: isFound(query) ? [INTRO_ROW] : [], next: null }));
  server.answer('GET /members', ({ query }) => ({ members: isFound(query) ? [member] : [], next: null, counts: null }));
}
