import { formatCount, formatNumber } from '../../format.ts';

const REGIONS = new Intl.DisplayNames('en-US', { type: 'region' });

export const countryName = (country: string): string => REGIONS.of(country) ?? country;

export const TEXTING = {
  registrationLead: 'US mobile networks deliver the texts of a business only from a registered number.',
  registrationStates: {
    registered: { name: 'Registered', tone: 'good' },
    pending: { name: 'In review', tone: 'warn' },
    missing: { name: 'Not registered', tone: 'bad' },
    rejected: { name: 'Action needed', tone: 'bad' },
    unknown: { name: 'Unknown', tone: 'warn' },
  },
  noRegistration: 'Nothing to do: your number needs no registration, or its carrier doesn’t report one.',

  todayLead: 'Texts to members and recipients that were passed to the carrier.',
  used: (used: number, limit: number) => `${formatNumber(used)} of ${formatCount(limit, 'text')}`,
  texts: (amount: number) => formatCount(amount, 'text'),
  limitsHint:
    'Limits keep a leaked API key from spending your money. At a limit, further texts wait for the next day. Your administrator can change the limits.',

  countriesLead:
    'Recipients and members with numbers in other countries get no texts. Satellite and premium numbers never get any.',
  add: 'Add a country',

  repliesLead: 'Replies of recipients, on the page or to the text, always reach the member.',
  repliesHint:
    'Off: the member’s text has the recipient’s number. On: the member answers by replying to that text, and the recipient gets the answer from your number for texts. Both sides see only that number.',
  repliesAreOn: 'Members answer replies by text, without seeing the recipient’s number.',

  ownersOnly: 'Only owners can change this.',

  textsFrom: 'Send texts from',
  textsUntil: 'Send texts until',
  textsHint:
    'In the recipient’s local time. Texts due outside these hours are sent when the hours begin. For US numbers, the hours of their state’s law apply as well.',
  outsideLaw: 'US numbers are still texted only from 8 AM to 9 PM, or within the stricter hours of their state.',
  anyHour: 'Texts are sent at any hour, day or night. In the US, that can be illegal.',
} as const;
