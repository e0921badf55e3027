/** The registration of senders in the US, in the same words for every carrier. */

import { countryOfPhone } from '../../platform/countries.ts';
import type { Registration } from './carrier.ts';
import { type Exchange, exchange } from './exchange.ts';

const TOLL_FREE = /^\+18(00|33|44|55|66|77|88)\d{7}$/;

const WAIT = 'Wait for the review. Texts are held until then.';

interface Portal {
  readonly carrier: string;
  /** The carrier's website for customers. */
  readonly portal: string;
  /** Where it has brands and campaigns. */
  readonly brands: string;
  /** Where it has toll-free verifications. */
  readonly tollFree: string;
}

/** Where a number stands that has no campaign yet. */
const BRANDS = {
  approved: 'The brand is approved.',
  in_review: 'The brand is in review.',
  suspended: 'The brand is suspended.',
  rejected: 'The brand was rejected.',
} as const;

type BrandState = keyof typeof BRANDS;

/** The best brand of an account decides. */
function describeBrands(states: readonly (BrandState | undefined)[]): string {
  const best = (Object.keys(BRANDS) as BrandState[]).find((state) => states.includes(state));
  return best === undefined ? 'There is no brand.' : BRANDS[best];
}

function describeRegistrations({ carrier, portal, brands, tollFree }: Portal) {
  const state = (status: Registration['status'], message: string, next: string | null): Registration => ({
    status,
    message,
    next,
  });
  return {
    unreadable: state(
      'unknown',
      `${carrier} does not say whether the sender is registered.`,
      `Check the registration in ${portal}, under ${brands}.`,
    ),
    campaign: {
      registered: state('registered', 'The A2P 10DLC campaign of the sender is approved.', null),
      pending: state('pending', 'The A2P 10DLC campaign of the sender is in review.', WAIT),
      rejected: state(
        'rejected',
        'The A2P 10DLC campaign of the sender was rejected.',
        `Read the errors of the campaign in ${portal}, correct it, and submit it again.`,
      ),
      suspended: state(
        'rejected',
        'The A2P 10DLC campaign of the sender is suspended.',
        `Read the notice of ${carrier}, and resolve the suspension with its support.`,
      ),
      expired: state(
        'rejected',
        'The A2P 10DLC campaign of the sender has expired.',
        `Register a new campaign in ${portal} (${brands}), and assign the number to it.`,
      ),
    },
    /** `brand` describes the brands of the account, `problem` what the sender lacks, and `afterwards` what to do with a new campaign. */
    noCampaign: ({ brand, problem, afterwards }: { brand: string | null; problem: string; afterwards: string }) =>
      state(
        'missing',
        brand === null ? problem : `${brand} ${problem}`,
        `Register a brand and a campaign in ${portal} (${brands}), and ${afterwards}.`,
      ),
    assignment: {
      pending: state('pending', 'The number is being added to its A2P 10DLC campaign.', WAIT),
      failed: state(
        'rejected',
        'The number could not be added to its A2P 10DLC campaign.',
        `Read the reason in ${portal}, and assign the number again.`,
      ),
    },
    tollFree: {
      registered: state('registered', 'The toll-free number is verified.', null),
      pending: state('pending', 'The verification of the toll-free number is in review.', WAIT),
      rejected: state(
        'rejected',
        'The verification of the toll-free number was rejected.',
        `Read the reason in ${portal}, correct the request, and submit it again.`,
      ),
      /** The carrier has a question. */
      waiting: state(
        'rejected',
        'The verification of the toll-free number waits for your answer.',
        `Answer the question in ${portal}, under ${tollFree}.`,
      ),
      missing: state(
        'missing',
        'The toll-free number is not verified.',
        `Submit the toll-free verification in ${portal} (${tollFree}).`,
      ),
    },
  };
}

/** An account has a few messaging services. More than one page of them is not searched for the number. */
const PAGE = 50;
const API_URL = 'https://api.twilio.com';
const MESSAGING_URL = 'https://messaging.twilio.com';

type Resource = Record<string, unknown>;

interface TwilioSender {
  readonly accountSid: string;
  readonly sender: { readonly from: string } | { readonly messagingServiceSid: string };
}

const TWILIO = describeRegistrations({
  carrier: 'Twilio',
  portal: 'the Twilio console',
  brands: 'Messaging, Regulatory Compliance',
  tollFree: 'Phone Numbers, Regulatory Information',
});

const TWILIO_TOLL_FREE: Readonly<Record<string, Registration>> = {
  TWILIO_APPROVED: TWILIO.tollFree.registered,
  IN_REVIEW: TWILIO.tollFree.pending,
  PENDING_REVIEW: TWILIO.tollFree.pending,
  TWILIO_REJECTED: TWILIO.tollFree.rejected,
};

/** The best campaign of a service decides. */
const TWILIO_CAMPAIGNS: readonly (readonly [status: string, state: Registration])[] = [
  ['VERIFIED', TWILIO.campaign.registered],
  ['IN_PROGRESS', TWILIO.campaign.pending],
  ['PENDING', TWILIO.campaign.pending],
  ['SUSPENDED', TWILIO.campaign.suspended],
  ['FAILED', TWILIO.campaign.rejected],
];

/** Deleted brands are left out. */
const TWILIO_BRANDS: Readonly<Record<string, BrandState>> = {
  APPROVED: 'approved',
  IN_REVIEW: 'in_review',
  PENDING: 'in_review',
  SUSPENDED: 'suspended',
  FAILED: 'rejected',
};

/** Reads the registration of an account's sender: A2P 10DLC brand and campaign, or toll-free verification. Changes nothing. */
export async function readTwilioRegistration(
  { accountSid, sender }: TwilioSender,
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
    const brand = brands && describeBrands(brands.map(({ status }) => TWILIO_BRANDS[String(status)]));
    return TWILIO.noCampaign({ brand, problem, afterwards: 'add the number to its messaging service' });
  }

  async function readCampaign(serviceSid: string): Promise<Registration> {
    const url = `${messaging}/v1/Services/${encodeURIComponent(serviceSid)}/Compliance/Usa2p?PageSize=${PAGE}`;
    const campaigns = await list(url, 'compliance');
    if (campaigns === null) return TWILIO.unreadable;
    if (campaigns.length === 0) return withoutCampaign('The messaging service has no A2P 10DLC campaign.');
    const states = campaigns.map(({ campaign_status: status }) => String(status));
    return TWILIO_CAMPAIGNS.find(([status]) => states.includes(status))?.[1] ?? TWILIO.unreadable;
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
    if (own === undefined) return TWILIO.unreadable;
    const filter = new URLSearchParams({ TollfreePhoneNumberSid: String(own.sid) });
    const requests = await list(`${messaging}/v1/Tollfree/Verifications?${filter}`, 'verifications');
    if (requests === null) return TWILIO.unreadable;
    const [newest] = requests;
    if (newest === undefined) return TWILIO.tollFree.missing;
    return TWILIO_TOLL_FREE[String(newest.status)] ?? TWILIO.unreadable;
  }

  if ('messagingServiceSid' in sender) return readCampaign(sender.messagingServiceSid);
  if (TOLL_FREE.test(sender.from)) return readTollFree(sender.from);
  if (countryOfPhone(sender.from) !== 'US') return null;
  const service = await findService(sender.from);
  if (service === undefined) return TWILIO.unreadable;
  return service === null ? withoutCampaign('The number belongs to no messaging service.') : readCampaign(service);
}

/** Numbers of a messaging profile whose registration is read. */
const MAX_NUMBERS = 10;
const BRANDS_PAGE = 50;

const TELNYX = describeRegistrations({
  carrier: 'Telnyx',
  portal: 'the Telnyx portal',
  brands: 'Messaging, Compliance',
  tollFree: 'Messaging, Compliance, Toll-Free Verification',
});

const TELNYX_CAMPAIGNS: Readonly<Record<string, Registration>> = {
  TCR_PENDING: TELNYX.campaign.pending,
  TCR_ACCEPTED: TELNYX.campaign.pending,
  TELNYX_ACCEPTED: TELNYX.campaign.pending,
  MNO_PENDING: TELNYX.campaign.pending,
  MNO_ACCEPTED: TELNYX.campaign.registered,
  MNO_PROVISIONED: TELNYX.campaign.registered,
  TCR_FAILED: TELNYX.campaign.rejected,
  TELNYX_FAILED: TELNYX.campaign.rejected,
  MNO_REJECTED: TELNYX.campaign.rejected,
  MNO_PROVISIONING_FAILED: TELNYX.campaign.rejected,
  TCR_SUSPENDED: TELNYX.campaign.suspended,
  TCR_EXPIRED: TELNYX.campaign.expired,
};

const TELNYX_TOLL_FREE: Readonly<Record<string, Registration>> = {
  Verified: TELNYX.tollFree.registered,
  Rejected: TELNYX.tollFree.rejected,
  'Waiting For Customer': TELNYX.tollFree.waiting,
  'Waiting For Vendor': TELNYX.tollFree.pending,
  'Waiting For Telnyx': TELNYX.tollFree.pending,
  'In Progress': TELNYX.tollFree.pending,
};

/** A messaging profile has the state of its number that most needs attention. */
const WORST_FIRST: readonly Registration['status'][] = ['rejected', 'missing', 'unknown', 'pending', 'registered'];

function brandState({ status, identityStatus }: Resource): BrandState {
  if (status === 'REGISTRATION_FAILED') return 'rejected';
  if (status === 'REGISTRATION_PENDING') return 'in_review';
  return identityStatus === 'UNVERIFIED' ? 'rejected' : 'approved';
}

const listOf = (found: unknown): Resource[] | null => (Array.isArray(found) ? (found as Resource[]) : null);

/** Reads the registration of an account's sender: A2P 10DLC brand and campaign, or toll-free verification. Changes nothing. */
export async function readTelnyxRegistration(
  sender: { readonly from: string } | { readonly messagingProfileId: string },
  get: (path: string) => Promise<Exchange>,
): Promise<Registration | null> {
  /** Null if it does not exist, undefined if it cannot be read. */
  async function read(path: string): Promise<Resource | null | undefined> {
    const response = await get(path);
    if (response.kind !== 'response') return undefined;
    if (response.status === 404) return null;
    return response.status === 200 ? ((response.json ?? {}) as Resource) : undefined;
  }

  async function readTollFree(number: string): Promise<Registration> {
    const query = new URLSearchParams({ page: '1', page_size: '1', phone_number: number });
    const found = listOf((await read(`/v2/messaging_tollfree/verification/requests?${query}`))?.records);
    if (found === null) return TELNYX.unreadable;
    const [newest] = found;
    if (newest === undefined) return TELNYX.tollFree.missing;
    return TELNYX_TOLL_FREE[String(newest.verificationStatus)] ?? TELNYX.unreadable;
  }

  async function withoutCampaign(): Promise<Registration> {
    const brands = listOf((await read(`/v2/10dlc/brand?page=1&recordsPerPage=${BRANDS_PAGE}`))?.records);
    return TELNYX.noCampaign({
      brand: brands && describeBrands(brands.map(brandState)),
      problem: 'The number is assigned to no A2P 10DLC campaign.',
      afterwards: 'assign the number to it',
    });
  }

  async function readLocal(number: string): Promise<Registration> {
    const assigned = await read(`/v2/10dlc/phone_number_campaigns/${encodeURIComponent(number)}`);
    if (assigned === undefined) return TELNYX.unreadable;
    if (assigned === null) return withoutCampaign();
    const { assignmentStatus, campaignId, brandId } = assigned;
    if (assignmentStatus === 'FAILED_ASSIGNMENT') return TELNYX.assignment.failed;
    if (assignmentStatus === 'PENDING_ASSIGNMENT') return TELNYX.assignment.pending;
    // A campaign that another company shares with this account belongs to no brand of it. Its owner reads its status.
    if (brandId === undefined || brandId === null || brandId === '') return TELNYX.campaign.registered;
    const campaign = await read(`/v2/10dlc/campaign/${encodeURIComponent(String(campaignId))}`);
    return TELNYX_CAMPAIGNS[String(campaign?.campaignStatus)] ?? TELNYX.unreadable;
  }

  async function readNumber(number: string): Promise<Registration | null> {
    if (TOLL_FREE.test(number)) return readTollFree(number);
    return countryOfPhone(number) === 'US' ? readLocal(number) : null;
  }

  if ('from' in sender) return readNumber(sender.from);
  const query = new URLSearchParams({ 'page[size]': String(MAX_NUMBERS) });
  const profile = `/v2/messaging_profiles/${encodeURIComponent(sender.messagingProfileId)}`;
  const numbers = listOf((await read(`${profile}/phone_numbers?${query}`))?.data);
  if (numbers === null) return TELNYX.unreadable;
  const found = await Promise.all(numbers.map(({ phone_number: number }) => readNumber(String(number))));
  const worst = WORST_FIRST.find((status) => found.some((registration) => registration?.status === status));
  return found.find((registration) => registration?.status === worst) ?? null;
}
