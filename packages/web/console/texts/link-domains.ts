import type { LinkDomain } from '@foreword/contract';

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
  loadingLead: 'Recipients’ links start with your own domain.',
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
