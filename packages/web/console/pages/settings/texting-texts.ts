import { formatCount, formatList, formatNumber } from '../../format.ts';

const REGIONS = new Intl.DisplayNames('en-US', { type: 'region' });

export const countryName = (country: string): string => REGIONS.of(country) ?? country;

export const TEXTING = {
  lead: 'When texts are sent, how many, and to which countries.',

  registration: 'Registration',
  registrationLead: 'US mobile networks deliver the texts of a business only from a registered number.',
  registrationStates: {
    registered: { name: 'Registered', tone: 'good' },
    pending: { name: 'In review', tone: 'warn' },
    missing: { name: 'Not registered', tone: 'bad' },
    rejected: { name: 'Action needed', tone: 'bad' },
    unknown: { name: 'Unknown', tone: 'warn' },
  },
  noRegistration: 'Nothing to do: your number needs no registration, or its carrier doesn’t report one.',
  registrationGuide: 'How to register',
  sharedAccount: 'Your administrator can fix this account.',

  todayTitle: 'Today',
  todayLead: 'Texts to members and recipients that were passed to the carrier.',
  used: (used: number, limit: number) => `${formatNumber(used)} of ${formatCount(limit, 'text')}`,
  meter: 'Texts used today',
  busiest: 'Most texts',
  busiestMember: (name: string, texts: number) => `${name}: ${formatNumber(texts)}`,
  organization: 'Organization, per day',
  member: 'About the intros of one member, per day',
  recipient: 'To one recipient, per day',
  texts: (amount: number) => formatCount(amount, 'text'),
  dayEnds: 'The day ends',
  limitsHint:
    'Limits keep a leaked API key from spending your money. At a limit, further texts wait for the next day. Your administrator can change the limits.',

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

  repliesTitle: 'Answers to replies',
  repliesLead: 'Replies of recipients, on the page or to the text, always reach the member.',
  replies: 'Members answer by text, without seeing the number',
  repliesHint:
    'Off: the member’s text has the recipient’s number. On: the member answers by replying to that text, and the recipient gets the answer from your number for texts. Both sides see only that number.',
  repliesOn: 'Members answer replies by text',
  repliesOff: 'Members get the recipient’s number',
  repliesAreOn: 'Members answer replies by text, without seeing the recipient’s number.',
  repliesAreOff: 'Members get the recipient’s number with each reply.',

  ownersOnly: 'Only owners can change this.',

  hours: 'Texting hours',
  hoursSaved: 'Texting hours saved',
  hoursConflict: 'Someone else changed the texting hours',
  textsFrom: 'Send texts from',
  textsUntil: 'Send texts until',
  textsHint:
    'In the recipient’s local time. Texts due outside these hours are sent when the hours begin. For US numbers, the hours of their state’s law apply as well.',
  midnight: 'Midnight',
  outsideLaw: 'US numbers are still texted only from 8 AM to 9 PM, or within the stricter hours of their state.',
  anyHour: 'Texts are sent at any hour, day or night. In the US, that can be illegal.',
} as const;
