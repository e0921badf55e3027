import { countryOfPhone } from '../../platform/countries.ts';
import type { Registration } from './carrier.ts';
import { exchange } from './exchange.ts';

const TOLL_FREE = /^\+18(00|33|44|55|66|77|88)\d{7}$/;
/** An account has a few messaging services. More than one page of them is not searched for the number. */
const PAGE = 50;
const API_URL = 'https://api.twilio.com';
const MESSAGING_URL = 'https://messaging.twilio.com';

type Resource = Record<string, unknown>;

interface Sender {
  readonly accountSid: string;
  readonly sender: { readonly from: string } | { readonly messagingServiceSid: string };
}

const UNREADABLE: Registration = {
  status: 'unknown',
  message: 'Twilio does not say whether the sender is registered.',
  next: 'Check the registration in the Twilio console, under Regulatory Compliance.',
};

const REGISTER =
  'Register a brand and a campaign in the Twilio console (Messaging, Regulatory Compliance), and add the number to its messaging service. docs/self-hosting/registration.md has the texts to use.';
const WAIT = 'Wait for the review. Texts are held until then.';

const TOLL_FREE_STATES: Readonly<Record<string, Registration>> = {
  TWILIO_APPROVED: { status: 'registered', message: 'The toll-free number is verified.', next: null },
  IN_REVIEW: { status: 'pending', message: 'The verification of the toll-free number is in review.', next: WAIT },
  PENDING_REVIEW: { status: 'pending', message: 'The verification of the toll-free number is in review.', next: WAIT },
  TWILIO_REJECTED: {
    status: 'rejected',
    message: 'The verification of the toll-free number was rejected.',
    next: 'Read the reason in the Twilio console, correct the request, and submit it again.',
  },
};

const CAMPAIGN_PENDING: Registration = {
  status: 'pending',
  message: 'The A2P 10DLC campaign of the sender is in review.',
  next: WAIT,
};
const CAMPAIGN_STATES: Readonly<Record<string, Registration>> = {
  VERIFIED: { status: 'registered', message: 'The A2P 10DLC campaign of the sender is approved.', next: null },
  PENDING: CAMPAIGN_PENDING,
  IN_PROGRESS: CAMPAIGN_PENDING,
  FAILED: {
    status: 'rejected',
    message: 'The A2P 10DLC campaign of the sender was rejected.',
    next: 'Read the errors of the campaign in the Twilio console, correct it, and submit it again.',
  },
  SUSPENDED: {
    status: 'rejected',
    message: 'The A2P 10DLC campaign of the sender is suspended.',
    next: 'Read the notice of Twilio, and resolve the suspension with its support.',
  },
};
/** The best campaign of a service decides. */
const BEST_FIRST = ['VERIFIED', 'IN_PROGRESS', 'PENDING', 'SUSPENDED', 'FAILED'];

/** The best brand of an account decides. Deleted ones are left out. */
const BRAND_STATES: readonly (readonly [status: string, description: string])[] = [
  ['APPROVED', 'The brand is approved. '],
  ['IN_REVIEW', 'The brand is in review. '],
  ['PENDING', 'The brand is in review. '],
  ['SUSPENDED', 'The brand is suspended. '],
  ['FAILED', 'The brand was rejected. '],
];

const missing = (message: string, next: string): Registration => ({ status: 'missing', message, next });

/** Reads the registration of an account's sender: A2P 10DLC brand and campaign, or toll-free verification. Changes nothing. */
export async function readTwilioRegistration(
  { accountSid, sender }: Sender,
  { apiUrl, headers }: { readonly apiUrl: string; readonly headers: Record<string, string> },
): Promise<Registration | null> {
  const messaging = apiUrl === API_URL ? MESSAGING_URL : apiUrl;

  async function read(url: string): Promise<Resource | null> {
    const response = await exchange(url, { method: 'GET', headers });
    return response.kind === 'response' && response.status === 200 ? ((response.json ?? {}) as Resource) : null;
  }

  async function list(url: string, key: string): Promise<Resource[] | null> {
    const found = (await read(url))?.[key];
    return Array.isArray(found) ? (found as Resource[]) : null;
  }

  async function describeBrands(): Promise<string> {
    const brands = await list(`${messaging}/v1/a2p/BrandRegistrations?PageSize=${PAGE}`, 'data');
    if (brands === null) return '';
    const states = brands.map(({ status }) => String(status));
    const [, description = 'There is no brand. '] = BRAND_STATES.find(([status]) => states.includes(status)) ?? [];
    return description;
  }

  async function readCampaign(serviceSid: string): Promise<Registration> {
    const url = `${messaging}/v1/Services/${encodeURIComponent(serviceSid)}/Compliance/Usa2p?PageSize=${PAGE}`;
    const campaigns = await list(url, 'compliance');
    if (campaigns === null) return UNREADABLE;
    const states = campaigns.map(({ campaign_status: status }) => String(status));
    const best = BEST_FIRST.find((status) => states.includes(status));
    if (best !== undefined) return CAMPAIGN_STATES[best] ?? UNREADABLE;
    return missing(`${await describeBrands()}The messaging service has no A2P 10DLC campaign.`, REGISTER);
  }

  async function findService(number: string): Promise<string | null | undefined> {
    const services = await list(`${messaging}/v1/Services?PageSize=${PAGE}`, 'services');
    if (services === null) return undefined;
    for (const { sid } of services) {
      const url = `${messaging}/v1/Services/${encodeURIComponent(String(sid))}/PhoneNumbers?PageSize=1000`;
      const numbers = await list(url, 'phone_numbers');
      if (numbers?.some((one) => one.phone_number === number)) return String(sid);
    }
    return null;
  }

  async function readTollFree(number: string): Promise<Registration> {
    const query = new URLSearchParams({ PhoneNumber: number });
    const url = `${apiUrl}/2010-04-01/Accounts/${encodeURIComponent(accountSid)}/IncomingPhoneNumbers.json?${query}`;
    const numbers = await list(url, 'incoming_phone_numbers');
    const [own] = numbers ?? [];
    if (own === undefined) return UNREADABLE;
    const filter = new URLSearchParams({ TollfreePhoneNumberSid: String(own.sid) });
    const requests = await list(`${messaging}/v1/Tollfree/Verifications?${filter}`, 'verifications');
    if (requests === null) return UNREADABLE;
    const [newest] = requests;
    if (newest !== undefined) return TOLL_FREE_STATES[String(newest.status)] ?? UNREADABLE;
    return missing(
      'The toll-free number is not verified.',
      'Submit the toll-free verification in the Twilio console (Phone Numbers, Regulatory Information).',
    );
  }

  if ('messagingServiceSid' in sender) return readCampaign(sender.messagingServiceSid);
  if (TOLL_FREE.test(sender.from)) return readTollFree(sender.from);
  if (countryOfPhone(sender.from) !== 'US') return null;
  const service = await findService(sender.from);
  if (service === undefined) return UNREADABLE;
  if (service !== null) return readCampaign(service);
  return missing(`${await describeBrands()}The number belongs to no messaging service.`, REGISTER);
}
