import type { LinkDomain, RetentionRule } from '@foreword/contract';
import { formatCount, formatNumber } from '../../format.ts';

export const SETTINGS = {
  saved: 'Saved',
  youTitle: 'Your profile',
  youLead: 'How recipients see you. To change your name or email, ask an owner or manager.',
  photo: 'Photo',
  photoHint: 'Your face, so that recipients know it is really you. PNG or JPEG.',
  photoAdd: 'Add a photo',
  photoChange: 'Change photo',
  photoRemove: 'Remove',
  photoSaved: 'Photo saved',
  photoRemoved: 'Photo removed',
  photoUnreadable: 'This picture can’t be read. Choose a PNG or JPEG.',
  name: 'Name',
  email: 'Email',
  role: 'Title',
  notificationsTitle: 'Notifications',
  notificationsLead: 'When you have a video to record, and again before it is due.',
  phone: 'Mobile number',
  phoneHint:
    'Include the country code, such as +1\u00a0415\u00a0555\u00a00123. Recipients can call it from your video.',
  notifyBy: 'Notify me',
  text: 'By text message',
  emailOnly: 'By email',
  both: 'By both',
  needsPhone: 'Without a number, we send an email.',
  summaryTitle: 'Weekly summary',
  summaryLead: 'An email on Monday mornings: what was sent, watched, and answered, and who is still waiting.',
  summary: 'Email me the weekly summary',
  summaryOn: 'Weekly summary turned on',
  summaryOff: 'Weekly summary turned off',
  paceTitle: 'Speaking pace',
  paceLead: 'How fast the script scrolls while you record.',
  pace: 'Words per minute',
  paceValue: (words: number) => `${formatNumber(words)} words per minute`,
  try: 'Try it',
  stop: 'Stop',
  sample:
    'Hi Dana, this is Ana from Acme Roofing. I will be at your place on Thursday at two thirty to look at the roof. It takes half an hour. See you then.',
  sampleTakes: (seconds: number) => `Read it aloud as it scrolls. This takes ${formatNumber(seconds)} seconds.`,
  signInsTitle: 'Where you’re signed in',
  signInsLead: 'Sign out of any device you don’t recognize.',
  signInsList: 'Devices',
  here: 'This device',
  lastSeen: 'Last active',
  signOut: 'Sign out',
  signOutOf: (device: string) => `Sign out of ${device}`,
  signedOutOf: (device: string) => `Signed out of ${device}`,
  signOutOthers: 'Sign out everywhere else',
  signedOutOthers: 'Signed out of all other devices',
  signOutHere: 'Sign out here',
} as const;

const COUNTED: Record<RetentionRule, readonly [one: string, many: string]> = {
  videos: ['video', 'videos'],
  intros: ['intro', 'intros'],
  events: ['event', 'events'],
  messages: ['message', 'messages'],
  requests: ['logged request', 'logged requests'],
  webhooks: ['webhook', 'webhooks'],
  responses: ['response', 'responses'],
  audit: ['entry', 'entries'],
};

const days = (amount: number) => formatCount(amount, 'day');

export const RETENTION = {
  title: 'Data retention',
  lead: 'How long your organization keeps its data. Older data is removed every hour and can’t be restored.',
  list: 'Retention rules',
  kept: (amount: number, since: string) => `${days(amount)} after ${since}`,
  pending: (amount: number) => `Changes to ${days(amount)} on`,
  change: 'Change',
  changeRule: (name: string) => `Change ${name}`,
  dialogTitle: (name: string) => `Keep ${name.toLowerCase()}`,
  days: 'Days',
  hint: (min: number, max: number, byDefault: number) =>
    `From ${formatNumber(min)} to ${formatNumber(max)} days. Default: ${formatNumber(byDefault)}.`,
  whyDefault: (amount: number) => `Why ${days(amount)}`,
  whyNotLess: (amount: number) => `Why at least ${days(amount)}`,
  removes: 'Removes',
  counting: 'Counting…',
  notCounted: 'Couldn’t count what would be removed',
  nothing: 'Nothing is old enough to be removed yet.',
  preview: (rule: RetentionRule, count: number, hasMore: boolean) => {
    const [one, many] = COUNTED[rule];
    return hasMore
      ? `More than ${formatNumber(count)} ${many} will be removed`
      : `${formatCount(count, one, many)} will be removed`;
  },
  soon: 'within an hour.',
  after: 'after',
  undo: 'Until then, you can change it back.',
  save: 'Save',
  saved: (name: string) => `${name}: retention saved`,
} as const;

type State = LinkDomain['state'];

const FAILURES: Readonly<Record<string, string>> = {
  taken: 'Another organization uses this domain and must remove it first.',
  name: 'The domain has no address. Create the record in step 2.',
  address: 'The domain points to a private network.',
  certificate: 'The certificate of the domain isn’t valid. Ask your administrator to set it up.',
  timeout: 'The domain didn’t respond in time.',
  wrong_server: 'The domain points to another server. Check the record in step 2.',
};

export const LINK_DOMAINS = {
  title: 'Link domain',
  lead: (serviceHost: string) =>
    `Recipients’ links start with your own domain instead of ${serviceHost}. A short name, such as go.example.com, makes short links.`,
  list: 'Link domains',
  empty: 'No domain yet.',
  add: 'Add domain',
  addTitle: 'Add a link domain',
  host: 'Domain',
  hostHint: 'Use a name that serves nothing else, such as go.example.com.',
  added: 'Domain added',
  states: {
    pending: 'Not verified',
    verified: 'Not reachable yet',
    active: 'Active',
    failing: 'Failing',
  } as Readonly<Record<string, string>>,
  stateOf: (state: State): string => LINK_DOMAINS.states[state] ?? state,
  explain: {
    pending: 'Do both steps at your DNS provider. We check every few seconds at first, then less often.',
    verified: 'The domain is yours. New links use it once it points here.',
    active: 'New links use this domain.',
    failing: 'The domain no longer points here. After 10 minutes, new links use the address of the service.',
  } as Readonly<Record<string, string>>,
  proof: '1. Prove that the domain is yours',
  proofHint: 'Create this TXT record:',
  target: '2. Point the domain here',
  targetHint: 'Create this CNAME record:',
  recordName: 'Name',
  recordValue: 'Value',
  orFile: 'Or publish the value as a file',
  checked: 'Last check:',
  neverChecked: 'Not checked yet.',
  passed: 'No problems found',
  failure: (code: string, message: string) => FAILURES[code] ?? message,
  check: 'Check now',
  checkOf: (host: string) => `Check now: ${host}`,
  remove: 'Remove',
  removeOf: (host: string) => `Remove ${host}`,
  removeTitle: (host: string) => `Remove ${host}?`,
  removeLead: (serviceHost: string) => `New links start with ${serviceHost}, or with another active domain.`,
  removeKept: 'Links that you already sent keep working for as long as the domain points here. Keep its CNAME record.',
  removeUnverified: 'It was never verified, so no link uses it.',
  removed: 'Domain removed',
} as const;
