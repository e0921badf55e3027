import { countryOfPhone } from '../../platform/countries.ts';
import type { Registration } from './carrier.ts';
import type { Exchange } from './exchange.ts';
import { type BrandState, describeBrands, describeRegistrations, TOLL_FREE } from './registration.ts';

/** Numbers of a messaging profile whose registration is read. */
const MAX_NUMBERS = 10;
const BRANDS_PAGE = 50;

type Resource = Record<string, unknown>;

const STATES = describeRegistrations({
  carrier: 'Telnyx',
  portal: 'the Telnyx portal',
  brands: 'Messaging, Compliance',
  tollFree: 'Messaging, Compliance, Toll-Free Verification',
});

const CAMPAIGN_STATES: Readonly<Record<string, Registration>> = {
  TCR_PENDING: STATES.campaign.pending,
  TCR_ACCEPTED: STATES.campaign.pending,
  TELNYX_ACCEPTED: STATES.campaign.pending,
  MNO_PENDING: STATES.campaign.pending,
  MNO_ACCEPTED: STATES.campaign.registered,
  MNO_PROVISIONED: STATES.campaign.registered,
  TCR_FAILED: STATES.campaign.rejected,
  TELNYX_FAILED: STATES.campaign.rejected,
  MNO_REJECTED: STATES.campaign.rejected,
  MNO_PROVISIONING_FAILED: STATES.campaign.rejected,
  TCR_SUSPENDED: STATES.campaign.suspended,
  TCR_EXPIRED: STATES.campaign.expired,
};

const TOLL_FREE_STATES: Readonly<Record<string, Registration>> = {
  Verified: STATES.tollFree.registered,
  Rejected: STATES.tollFree.rejected,
  'Waiting For Customer': STATES.tollFree.waiting,
  'Waiting For Vendor': STATES.tollFree.pending,
  'Waiting For Telnyx': STATES.tollFree.pending,
  'In Progress': STATES.tollFree.pending,
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
    if (found === null) return STATES.unreadable;
    const [newest] = found;
    if (newest === undefined) return STATES.tollFree.missing;
    return TOLL_FREE_STATES[String(newest.verificationStatus)] ?? STATES.unreadable;
  }

  async function withoutCampaign(): Promise<Registration> {
    const brands = listOf((await read(`/v2/10dlc/brand?page=1&recordsPerPage=${BRANDS_PAGE}`))?.records);
    return STATES.noCampaign({
      brand: brands && describeBrands(brands.map(brandState)),
      problem: 'The number is assigned to no A2P 10DLC campaign.',
      afterwards: 'assign the number to it',
    });
  }

  async function readLocal(number: string): Promise<Registration> {
    const assigned = await read(`/v2/10dlc/phone_number_campaigns/${encodeURIComponent(number)}`);
    if (assigned === undefined) return STATES.unreadable;
    if (assigned === null) return withoutCampaign();
    const { assignmentStatus, campaignId, brandId } = assigned;
    if (assignmentStatus === 'FAILED_ASSIGNMENT') return STATES.assignment.failed;
    if (assignmentStatus === 'PENDING_ASSIGNMENT') return STATES.assignment.pending;
    // A campaign that another company shares with this account belongs to no brand of it. Its owner reads its status.
    if (brandId === undefined || brandId === null || brandId === '') return STATES.campaign.registered;
    const campaign = await read(`/v2/10dlc/campaign/${encodeURIComponent(String(campaignId))}`);
    return CAMPAIGN_STATES[String(campaign?.campaignStatus)] ?? STATES.unreadable;
  }

  async function readNumber(number: string): Promise<Registration | null> {
    if (TOLL_FREE.test(number)) return readTollFree(number);
    return countryOfPhone(number) === 'US' ? readLocal(number) : null;
  }

  if ('from' in sender) return readNumber(sender.from);
  const query = new URLSearchParams({ 'page[size]': String(MAX_NUMBERS) });
  const profile = `/v2/messaging_profiles/${encodeURIComponent(sender.messagingProfileId)}`;
  const numbers = listOf((await read(`${profile}/phone_numbers?${query}`))?.data);
  if (numbers === null) return STATES.unreadable;
  const found = await Promise.all(numbers.map(({ phone_number: number }) => readNumber(String(number))));
  const worst = WORST_FIRST.find((status) => found.some((registration) => registration?.status === status));
  return found.find((registration) => registration?.status === worst) ?? null;
}
