import { formatNumber } from '../../format.ts';

export const SETTINGS = {
  youLead: 'How recipients see you. To change your name or email, ask an owner or manager.',
  phoneHint: 'Outside the US and Canada, start with + and the country code. Recipients can call it from your video.',
  languageHint: 'For your texts and emails, and the recorder. The console is in English.',
  summaryHint: 'On Monday mornings: what was sent, watched, and answered, and who is still waiting.',
  pace: 'Words per minute',
  paceHint: (words: number, seconds: number) => `A script of ${words} words takes ${formatNumber(seconds)} seconds.`,
} as const;

const FAILURES: Readonly<Record<string, string>> = {
  taken: 'Another organization uses this domain and must remove it first.',
  name: 'The domain has no address. Create the record in step 2.',
  address: 'The domain points to a private network.',
  certificate: 'The certificate of the domain isn’t valid. Ask your administrator to set it up.',
  timeout: 'The domain didn’t respond in time.',
  wrong_server: 'The domain points to another server. Check the record in step 2.',
};

export const LINK_DOMAINS = {
  lead: (serviceHost: string) =>
    `Recipients’ links start with your own domain instead of ${serviceHost}. A short name, such as go.example.com, makes short links.`,
  add: 'Add domain',
  states: {
    pending: {
      name: 'Not verified',
      tone: 'warn',
      explain: 'Do both steps at your DNS provider. We check every few seconds at first, then less often.',
    },
    verified: {
      name: 'Not reachable yet',
      tone: 'warn',
      explain: 'The domain is yours. New links use it once it points here.',
    },
    active: { name: 'Active', tone: 'good', explain: 'New links use this domain.' },
    failing: {
      name: 'Failing',
      tone: 'bad',
      explain: 'The domain no longer points here. After 10 minutes, new links use the address of the service.',
    },
  },
  recordName: 'Name',
  recordValue: 'Value',
  failure: (code: string, message: string) => FAILURES[code] ?? message,
  remove: 'Remove',
  removeLead: (serviceHost: string) => `New links start with ${serviceHost}, or with another active domain.`,
  removeKept: 'Links that you already sent keep working for as long as the domain points here. Keep its CNAME record.',
} as const;
