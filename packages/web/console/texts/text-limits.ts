import { formatCount, formatList, formatNumber } from '../format.ts';

const REGIONS = new Intl.DisplayNames('en-US', { type: 'region' });

export const countryName = (country: string): string => REGIONS.of(country) ?? country;

const PAUSED = {
  burst: 'Far more texts than usual were about to be sent.',
  failures: 'Most texts of that day could not be delivered.',
} as const;

export const TEXT_LIMITS = {
  title: 'Text limits',
  lead: 'Limits keep a leaked API key or a stolen account from spending your money on texts.',
  outbox: 'Outbox',

  pausedTitle: 'Texts are paused',
  paused: (reason: keyof typeof PAUSED) =>
    `${PAUSED[reason]} Texts to recipients wait, and members get emails. Check the API keys and the recent intros before you resume.`,
  pausedSince: 'Paused since',
  askOwner: 'An owner can resume them.',
  resume: 'Resume texts',
  resumeTitle: 'Resume texts?',
  resumeLead:
    'The waiting texts are sent now, within the daily limits. For a day, Foreword does not pause texts because of unusual activity.',
  resumed: 'Texts are resumed',

  todayTitle: 'Today',
  todayLead: 'Texts that were handed to the carrier, to members and recipients.',
  used: (used: number, limit: number) => `${formatNumber(used)} of ${formatCount(limit, 'text')}`,
  meter: 'Texts used today',
  busiest: 'Most texts',
  busiestMember: (name: string, texts: number) => `${name}: ${formatNumber(texts)}`,
  organization: 'Organization, per day',
  member: 'About the intros of one member, per day',
  recipient: 'To one recipient, per day',
  texts: (amount: number) => formatCount(amount, 'text'),
  dayEnds: 'The day ends',
  limitsHint: 'At a limit, further texts wait for the next day. Your administrator can change the limits.',

  countriesTitle: 'Countries',
  countriesLead:
    'Recipients and members with numbers in other countries get no texts. Satellite and premium numbers never get any.',
  countriesList: 'Countries that get texts',
  noCountries: 'No country is allowed, so no texts are sent.',
  remove: (country: string) => `Remove ${country}`,
  removed: (country: string) => `Texts to ${country} are off`,
  add: 'Add a country',
  addSearch: 'Search countries',
  added: (country: string) => `Texts to ${country} are on`,
  reset: (countries: readonly string[]) => `Reset to ${formatList(countries)}`,
  isReset: 'Countries reset',

  testTitle: 'Test recordings',
  testLead: 'The API’s test helper creates videos without a member.',
  test: 'Text test recordings to real numbers',
  testHint:
    'Off: they are texted to test numbers only. On: a leaked API key can text any number in these countries, up to the daily limits.',
  testOn: 'Test recordings are texted to real numbers',
  testOff: 'Test recordings are no longer texted to real numbers',
  isOn: 'Test recordings are texted to real numbers.',
  isOff: 'Test recordings are texted to test numbers only.',
  ownersOnly: 'Only owners can change this.',
} as const;
