import { countryOfPhone } from '../../platform/countries.ts';
import type { Registration } from './carrier.ts';
import { exchange } from './exchange.ts';
import { type BrandState, describeBrands, describeRegistrations, TOLL_FREE } from './registration.ts';

/** An account has a few messaging services. More than one page of them is not searched for the number. */
const PAGE = 50;
const API_URL = 'https://api.twilio.com';
const MESSAGING_URL = 'https://messaging.twilio.com';

type Resource = Record<string, unknown>;

interface Sender {
  readonly accountSid: string;
  readonly sender: { readonly from: string } | { readonly messagingServiceSid: string };
}

const STATES = describeRegistrations({
  carrier: 'Twilio',
  portal: 'the Twilio console',
  brands: 'Messaging, Regulatory Compliance',
  tollFree: 'Phone Numbers, Regulatory Information',
});

const TOLL_FREE_STATES: Readonly<Record<string, Registration>> = {
  TWILIO_APPROVED: STATES.tollFree.registered,
  IN_REVIEW: STATES.tollFree.pending,
  PENDING_REVIEW: STATES.tollFree.pending,
  TWILIO_REJECTED: STATES.tollFree.rejected,
};

/** The best campaign of a service decides. */
const CAMPAIGN_STATES: readonly (readonly [status: string, state: Registration])[] = [
  ['VERIFIED', STATES.campaign.registered],
  ['IN_PROGRESS', STATES.campaign.pending],
  ['PENDING', STATES.campaign.pending],
  ['SUSPENDED', STATES.campaign.suspended],
  ['FAILED', STATES.campaign.rejected],
];

/** Deleted brands are left out. */
const BRAND_STATES: Readonly<Record<string, BrandState>> = {
  APPROVED: 'approved',
  IN_REVIEW: 'in_review',
  PENDING: 'in_review',
  SUSPENDED: 'suspended',
  FAILED: 'rejected',
};

/** Reads the registration of an account's sender: A2P 10DLC brand and campaign, or toll-free verification. Changes nothing. */
export async function readTwilioRegistration(
  { accountSid, sender }: Sender,
  { apiUrl, headers }: { readonly apiUrl: string; readonly headers: Record<string, string> },
): Promise<Registration | null> {
  const messaging = apiUrl === API_URL ? MESSAGING_URL : apiUrl;

  async function list(url: string, key: string): Promise<Resource[] | null> {
    const response = await exchange(url, { method: 'GET', headers });
    if (response.kind !== 'response' || response.status !== 200) return null;
    const found = ((response.json ?? {}) as Resource)[key];
    return Array.isArray(found) ? (found as Resource[]) : null;
  }

  async function withoutCampaign(problem: string): Promise<Registration> {
    const brands = await list(`${messaging}/v1/a2p/BrandRegistrations?PageSize=${PAGE}`, 'data');
    const brand = brands && describeBrands(brands.map(({ status }) => BRAND_STATES[String(status)]));
    return STATES.noCampaign({ brand, problem, afterwards: 'add the number to its messaging service' });
  }

  async function readCampaign(serviceSid: string): Promise<Registration> {
    const url = `${messaging}/v1/Services/${encodeURIComponent(serviceSid)}/Compliance/Usa2p?PageSize=${PAGE}`;
    const campaigns = await list(url, 'compliance');
    if (campaigns === null) return STATES.unreadable;
    if (campaigns.length === 0) return withoutCampaign('The messaging service has no A2P 10DLC campaign.');
    const states = campaigns.map(({ campaign_status: status }) => String(status));
    return CAMPAIGN_STATES.find(([status]) => states.includes(status))?.[1] ?? STATES.unreadable;
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
    if (own === undefined) return STATES.unreadable;
    const filter = new URLSearchParams({ TollfreePhoneNumberSid: String(own.sid) });
    const requests = await list(`${messaging}/v1/Tollfree/Verifications?${filter}`, 'verifications');
    if (requests === null) return STATES.unreadable;
    const [newest] = requests;
    if (newest === undefined) return STATES.tollFree.missing;
    return TOLL_FREE_STATES[String(newest.status)] ?? STATES.unreadable;
  }

  if ('messagingServiceSid' in sender) return readCampaign(sender.messagingServiceSid);
  if (TOLL_FREE.test(sender.from)) return readTollFree(sender.from);
  if (countryOfPhone(sender.from) !== 'US') return null;
  const service = await findService(sender.from);
  if (service === undefined) return STATES.unreadable;
  return service === null ? withoutCampaign('The number belongs to no messaging service.') : readCampaign(service);
}
