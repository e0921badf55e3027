import type { Role, TouchpointSummary } from '@foreword/contract';
import { foldName } from '@foreword/contract/plain';
import type { LinkProps } from '@tanstack/react-router';
import { signOut } from '../layout/navigation.tsx';
import { SECTIONS, type Tab } from '../layout/sections.ts';
import type { IconName } from '../parts/display.tsx';
import { mayActAs } from '../session.ts';
import { FRAME, NAV } from '../texts.ts';

type Target = Pick<LinkProps, 'to' | 'params' | 'search' | 'hash'>;

/** One line of the list: it opens a page or runs a command. */
export interface Item {
  readonly id: string;
  readonly label: string;
  readonly detail?: string;
  readonly icon: IconName;
  readonly target?: Target;
  readonly run?: () => void;
}

export interface Group {
  readonly name: string;
  readonly items: readonly Item[];
}

interface Command extends Item {
  readonly minRole: Role;
  /** Other words for it. */
  readonly words?: string;
}

const action = (
  [label, words]: readonly [label: string, words: string],
  icon: IconName,
  does: Pick<Item, 'target' | 'run'>,
  minRole: Role = 'manager',
): Command => ({ id: label, label, words, icon, ...does, minRole });

const actionsWith = (showKeys: () => void): readonly Command[] => [
  action([FRAME.newIntro, 'start create video record ask'], 'plus', { target: { to: '/intros/new' } }, 'member'),
  action(
    ['Send yourself a test', 'try sample phone demo'],
    'send',
    { target: { to: '/intros/new', search: { to: 'me' } } },
    'member',
  ),
  action(['New touchpoint', 'create add template script'], 'plus', { target: { to: '/touchpoints', hash: 'new' } }),
  action(['Add member', 'invite new person user rep'], 'plus', { target: { to: '/members', hash: 'new' } }),
  action(['Import members', 'csv spreadsheet upload'], 'upload', { target: { to: '/members/import' } }),
  action(['Export intros', 'csv download report'], 'download', {
    run: () => window.location.assign('/console/export/intros.csv?days=90'),
  }),
  action(['Add webhook', 'create endpoint'], 'plus', { target: { to: '/developers/webhooks', hash: 'new' } }, 'owner'),
  action(['Create key', 'new api token secret'], 'plus', { target: { to: '/developers/keys', hash: 'new' } }, 'owner'),
  action(['Keyboard shortcuts', 'keys help'], 'note', { run: showKeys }, 'member'),
  action([FRAME.signOut, 'log out logout leave'], 'leave', { run: () => void signOut() }, 'member'),
];

/** Other words for pages, by address. */
const WORDS: Readonly<Record<string, string>> = {
  '/home': 'home tasks record',
  '/overview': 'dashboard start statistics results attention',
  '/intros': 'videos list problems',
  '/messages': 'outbox texts sms emails sent',
  '/touchpoints': 'templates scripts',
  '/members': 'team people users reps',
  '/organization/brand': 'settings company organization',
  '/organization/texting': 'sms settings',
  '/organization/security': 'settings',
  '/organization/data': 'privacy gdpr settings',
  '/organization/activity': 'audit log history changes who',
  '/developers': 'api start integration curl sdk',
  '/developers/keys': 'api token secret credentials',
  '/developers/webhooks': 'callbacks endpoints events deliveries',
  '/developers/requests': 'api log calls errors',
  '/developers/try': 'test simulate explain preview',
  '/account': 'settings profile me preferences',
};

const page = ({ to, name, minRole }: Tab, icon: IconName): Command => ({
  id: `page ${name}`,
  label: name,
  words: WORDS[to] ?? '',
  icon,
  target: { to },
  minRole,
});

const PAGES: readonly Command[] = [
  ...SECTIONS.flatMap(({ tabs, icon, ...own }) => [
    page(own, icon),
    ...(tabs ?? []).filter(({ name }) => name !== own.name).map((each) => page(each, icon)),
  ]),
  page({ to: '/account', name: NAV.account, minRole: 'member' }, 'settings'),
];

type Place = readonly [label: string, words: string, minRole?: Role];

/** The sections of pages with settings, by the titles of their cards. */
const SETTINGS: Readonly<Record<string, readonly Place[]>> = {
  '/organization/brand': [
    ['Name and logo', 'company organization picture image icon'],
    ['Color', 'accent colour theme'],
    ['Contact', 'office phone number website license address'],
    ['Replies', 'buttons labels answers'],
    ['Language and time zone', 'timezone clock english spanish'],
  ],
  '/organization/texting': [
    ['Texting hours', 'sending quiet night times'],
    ['Daily limits', 'today maximum cap per day paused used'],
    ['Countries', 'international abroad'],
    ['Registration', '10dlc a2p campaign toll-free carrier provider twilio telnyx'],
    ['Opt-outs', 'stop unsubscribe consent import'],
    ['Answers to replies', 'forward'],
  ],
  '/organization/security': [
    ['Require passkeys', 'two-factor 2fa mfa', 'owner'],
    ['Link domain', 'custom host dns cname url', 'owner'],
  ],
  '/organization/data': [
    ['Data retention', 'delete keep days old', 'owner'],
    ['Export your data', 'archive backup download takeout', 'owner'],
    ['Erase a recipient', 'delete forget person gdpr', 'owner'],
  ],
  '/account': [
    ['Your profile', 'photo picture avatar face name', 'member'],
    ['Language', 'english spanish', 'member'],
    ['Notifications', 'email text mobile number remind', 'member'],
    ['Speaking pace', 'speed words teleprompter', 'member'],
    ['Weekly summary', 'email report', 'owner'],
    ['Consent to videos', 'voice likeness withdraw', 'member'],
    ['Passkeys', 'sign in password two-factor', 'member'],
    ['Where you’re signed in', 'sessions devices', 'member'],
  ],
};

const PLACES: readonly Command[] = Object.entries(SETTINGS).flatMap(([to, places]) =>
  places.map(([label, words, minRole = 'manager']): Command => {
    // The tab, which comes after its section.
    const found = PAGES.filter(({ target }) => target?.to === to).at(-1);
    return {
      id: `${to} ${label}`,
      label,
      words,
      detail: found?.label ?? '',
      icon: 'settings',
      target: { to: to as Tab['to'] },
      minRole,
    };
  }),
);

const wordsOf = (text: string): readonly string[] =>
  text
    .split(/[\s,]+/)
    .map(foldName)
    .filter(Boolean);

/** Every typed word starts one of the words. */
function isMatch(words: string, typed: readonly string[]): boolean {
  const known = wordsOf(words);
  return typed.every((part) => known.some((word) => word.startsWith(part)));
}

/** Orders by name before other words: "logo" also begins "logout". */
const byName = <Each>(found: readonly Each[], isNamed: (each: Each) => boolean): readonly Each[] =>
  [...found].sort((a, b) => Number(isNamed(b)) - Number(isNamed(a)));

const touchpointCommand = ({ slug, name }: TouchpointSummary): Command => ({
  id: slug,
  label: name,
  words: slug.replaceAll('_', ' '),
  icon: 'moment',
  target: { to: '/touchpoints/$slug', params: { slug } },
  minRole: 'manager',
});

/** Actions, pages, settings and touchpoints. The last two only for a text, because they are many. */
export function findCommands(
  role: Role,
  text: string,
  { touchpoints, showKeys }: { touchpoints: readonly TouchpointSummary[]; showKeys: () => void },
): readonly Group[] {
  const isTyped = text.trim() !== '';
  const typed = wordsOf(text);
  const isNamed = ({ label }: Item) => isMatch(label, typed);
  const find = (commands: readonly Command[]): readonly Item[] => {
    const found = commands.filter(
      ({ minRole, label, words = '' }) => mayActAs(role, minRole) && isMatch(`${label} ${words}`, typed),
    );
    return byName(found, isNamed);
  };
  const groups = [
    { name: 'Actions', items: find(actionsWith(showKeys)) },
    { name: 'Pages', items: find(PAGES) },
    { name: 'Settings', items: isTyped ? find(PLACES) : [] },
    { name: NAV.touchpoints, items: isTyped ? find(touchpoints.map(touchpointCommand)) : [] },
  ];
  return byName(groups, ({ items }) => items.some(isNamed));
}
