import { createPublicKey, verify } from 'node:crypto';
import { redactLinks } from '../../intros/links/index.ts';
import { countryOfPhone } from '../../platform/countries.ts';
import { asObject, type Json } from '../bounces/reports.ts';
import type { Keyword } from '../inbound/rules.ts';
import {
  type Accepted,
  type CarrierStates,
  DELIVERED,
  describeRegistration,
  type Exchange,
  exchange,
  type Headers,
  type InDoubt,
  isRecent,
  type LookupResult,
  listIn,
  lookUpIn,
  type Outcome,
  outcomeOf,
  type ReceivedText,
  type Registration,
  type Report,
  type Response,
  refusalOf,
  stateOf,
  type TextCarrier,
  TOLL_FREE,
  UNREADABLE,
  undelivered,
} from './carrier.ts';
import { indexCodes, TELNYX_CODES } from './codes.ts';

export interface TelnyxAccount {
  readonly apiKey: string;
  /** In base64. Telnyx signs its webhooks with the private key. */
  readonly publicKey: string;
  /** A number of the account, or a messaging profile with a pool of numbers. */
  readonly sender: { readonly from: string } | { readonly messagingProfileId: string };
  readonly apiUrl: string;
}

interface TelnyxCarrier extends TextCarrier {
  /** Replies to a text from the number that received it, without a delivery report. */
  reply(reply: { readonly from: string; readonly to: string; readonly body: string }): Promise<Outcome>;
}

const CODES = indexCodes(TELNYX_CODES);
/** An unexpected error and a timeout within Telnyx: the message may have been sent. */
const AMBIGUOUS: readonly string[] = ['10007', '10008'];

/** Latest records to a number that a lookup reads. A number gets far fewer while one is in doubt. */
const LOOKUP_LIMIT = 25;

const toCode = (code: unknown): string | null => (/^\d{5}$/.test(String(code)) ? String(code) : null);
const firstOf = (list: unknown): unknown => (Array.isArray(list) ? list[0] : undefined);

const toUndelivered = (code: string | null): Report =>
  undelivered(code === null ? undefined : CODES.get(code), 'Telnyx', code);

/** Null while the delivery is still open. `delivery_unconfirmed` stays open: some networks send no receipts. */
function reportOf(status: unknown, errors: unknown): Report | null {
  if (status === 'delivered') return DELIVERED;
  return status === 'sending_failed' || status === 'delivery_failed' || status === 'expired'
    ? toUndelivered(toCode(asObject(firstOf(errors)).code))
    : null;
}

/** The id and the report in a message, as responses and webhooks contain it. */
export function readMessage(json: unknown): { carrierId: string | null; report: Report | null } {
  const { id, to, errors } = asObject(json);
  return { carrierId: typeof id === 'string' ? id : null, report: reportOf(asObject(firstOf(to)).status, errors) };
}

function toAccepted(json: unknown): Accepted | null {
  const { carrierId, report } = readMessage(asObject(json).data);
  return carrierId === null ? null : { kind: 'accepted', carrierId, report };
}

function readRefusal({ status, json, retryAfterS }: Response): Outcome {
  const { code: given, detail, title } = asObject(firstOf(asObject(json).errors));
  const code = toCode(given);
  const isOfAccount = [401, 402, 403, 404].includes(status);
  if (code === null) {
    return isOfAccount
      ? { kind: 'unusable', fault: 'credentials', message: `Telnyx responded ${status}.` }
      : { kind: 'doubt', message: `Telnyx responded ${status} without an error code.` };
  }
  const words = typeof detail === 'string' ? detail : typeof title === 'string' ? title : '';
  const reason = `Telnyx ${code}: ${redactLinks(words).slice(0, 200)}`.trim();
  if (AMBIGUOUS.includes(code)) return { kind: 'doubt', message: reason };
  const known = CODES.get(code);
  if (known === undefined && isOfAccount) return { kind: 'unusable', fault: 'credentials', message: reason };
  return refusalOf(known, { reason, retryAfterS });
}

function readResponse(response: Response): Outcome {
  const { status, json, retryAfterS } = response;
  if (status >= 200 && status < 300) {
    return toAccepted(json) ?? { kind: 'doubt', message: `Telnyx responded ${status} without a message.` };
  }
  if (status === 429) return { kind: 'later', message: 'Telnyx responded 429.', retryAfterS };
  if (status >= 400 && status < 500) return readRefusal(response);
  return { kind: 'doubt', message: `Telnyx responded ${status}.` };
}

/**
 * Telnyx has no idempotency key for messages, so a message is recognized by its status URL, which ends with our id. A missing
 * record proves nothing, because Telnyx does not promise when a record appears: the message stays in doubt.
 */
function findMessage(records: readonly Json[], { id }: InDoubt): LookupResult {
  const own = records.find(({ delivery_status_webhook_url: url }) => String(url).endsWith(`/${id}`));
  if (own === undefined) return { kind: 'later', message: 'Telnyx has no record of the message yet.' };
  const { uuid, status, errors } = own;
  const failed = status === 'failed' || status === 'gw_reject';
  const report = status === 'delivered' ? DELIVERED : failed ? toUndelivered(toCode(firstOf(errors))) : null;
  return { kind: 'accepted', carrierId: typeof uuid === 'string' ? uuid : null, report };
}

export function createTelnyxCarrier({ apiKey, sender, apiUrl }: TelnyxAccount): TelnyxCarrier {
  const headers = { authorization: `Bearer ${apiKey}`, accept: 'application/json' };
  const get = (path: string) => exchange(`${apiUrl}${path}`, { method: 'GET', headers });
  // The profile's webhook is for replies. Reports for another message would be lost there.
  const post = async (text: object) => {
    const body = JSON.stringify({ ...text, type: 'SMS', use_profile_webhooks: false });
    const sent = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body } as const;
    return outcomeOf(await exchange(`${apiUrl}/v2/messages`, sent), readResponse);
  };
  const from = 'from' in sender ? { from: sender.from } : { messaging_profile_id: sender.messagingProfileId };
  const rejected = 'Telnyx rejects the API key.';

  return {
    name: 'telnyx',
    send: ({ to, body, statusUrl }) => post({ ...from, to, text: body, webhook_url: statusUrl }),
    reply: ({ from, to, body }) => post({ from, to, text: body }),
    async lookUp(message) {
      const query = new URLSearchParams({
        'filter[record_type]': 'messaging',
        'filter[cld]': message.to,
        sort: '-created_at',
        'page[size]': String(LOOKUP_LIMIT),
      });
      const sent = await get(`/v2/detail_records?${query}`);
      return lookUpIn(sent, { carrier: 'Telnyx', key: 'data' }, (records) => findMessage(records, message));
    },
    readRegistration: () => readRegistration(sender, get),
    async check() {
      const path =
        'from' in sender
          ? `/v2/messaging_phone_numbers/${encodeURIComponent(sender.from)}`
          : `/v2/messaging_profiles/${encodeURIComponent(sender.messagingProfileId)}`;
      return stateOf(await get(path), {
        carrier: 'Telnyx',
        ok: 'Telnyx accepts the key and the sender.',
        refusals: { 401: rejected, 403: rejected, 404: 'This Telnyx account does not have the sender.' },
      });
    },
  };
}

/** Numbers of a messaging profile whose registration is read. */
const MAX_NUMBERS = 10;

const CAMPAIGNS: CarrierStates = {
  MNO_ACCEPTED: 'registered',
  MNO_PROVISIONED: 'registered',
  TCR_PENDING: 'pending',
  TCR_ACCEPTED: 'pending',
  TELNYX_ACCEPTED: 'pending',
  MNO_PENDING: 'pending',
  TCR_FAILED: 'rejected',
  TELNYX_FAILED: 'rejected',
  MNO_REJECTED: 'rejected',
  MNO_PROVISIONING_FAILED: 'rejected',
  TCR_SUSPENDED: 'rejected',
  TCR_EXPIRED: 'rejected',
};

/** The states of a number that is being added to its campaign. */
const ASSIGNMENTS: CarrierStates = { PENDING_ASSIGNMENT: 'pending', FAILED_ASSIGNMENT: 'rejected' };

const VERIFICATIONS: CarrierStates = {
  Verified: 'registered',
  Rejected: 'rejected',
  'Waiting For Customer': 'rejected',
  'Waiting For Vendor': 'pending',
  'Waiting For Telnyx': 'pending',
  'In Progress': 'pending',
};

/** A messaging profile has the state of its number that most needs attention. */
const WORST_FIRST: readonly Registration['status'][] = ['rejected', 'missing', 'unknown', 'pending', 'registered'];

/** Reads the registration of an account's sender: A2P 10DLC campaign, or toll-free verification. Changes nothing. */
async function readRegistration(
  sender: TelnyxAccount['sender'],
  get: (path: string) => Promise<Exchange>,
): Promise<Registration | null> {
  async function readTollFree(number: string): Promise<Registration> {
    const query = new URLSearchParams({ page: '1', page_size: '1', phone_number: number });
    const found = listIn(await get(`/v2/messaging_tollfree/verification/requests?${query}`), 'records');
    return describeRegistration(
      'toll_free',
      VERIFICATIONS,
      found?.map(({ verificationStatus }) => verificationStatus),
    );
  }

  async function readLocal(number: string): Promise<Registration> {
    const assigned = await get(`/v2/10dlc/phone_number_campaigns/${encodeURIComponent(number)}`);
    if (assigned.kind !== 'response') return UNREADABLE;
    if (assigned.status === 404) return describeRegistration('campaign', CAMPAIGNS, []);
    if (assigned.status !== 200) return UNREADABLE;
    const { assignmentStatus, campaignId, brandId } = asObject(assigned.json);
    const assignment = describeRegistration('campaign', ASSIGNMENTS, [assignmentStatus]);
    if (assignment !== UNREADABLE) return assignment;
    // A campaign that another company shares with this account belongs to no brand of it. Its owner reads its status.
    if (!brandId) return describeRegistration('campaign', { shared: 'registered' }, ['shared']);
    const campaign = await get(`/v2/10dlc/campaign/${encodeURIComponent(String(campaignId))}`);
    const read = campaign.kind === 'response' && campaign.status === 200 ? asObject(campaign.json) : {};
    return describeRegistration('campaign', CAMPAIGNS, [read.campaignStatus]);
  }

  async function readNumber(number: string): Promise<Registration | null> {
    if (TOLL_FREE.test(number)) return readTollFree(number);
    return countryOfPhone(number) === 'US' ? readLocal(number) : null;
  }

  if ('from' in sender) return readNumber(sender.from);
  const query = new URLSearchParams({ 'page[size]': String(MAX_NUMBERS) });
  const profile = `/v2/messaging_profiles/${encodeURIComponent(sender.messagingProfileId)}`;
  const numbers = listIn(await get(`${profile}/phone_numbers?${query}`), 'data');
  if (numbers === null) return UNREADABLE;
  const found = await Promise.all(numbers.map(({ phone_number: number }) => readNumber(String(number))));
  const worst = WORST_FIRST.find((status) => found.some((registration) => registration?.status === status));
  return found.find((registration) => registration?.status === worst) ?? null;
}

// Telnyx's webhooks: https://developers.telnyx.com/docs/messaging/messages/receiving-webhooks

/** Telnyx signs the time and the body with Ed25519. The public key is base64. */
export function verifyTelnyx(publicKey: string, headers: Headers, body: string, now: Date): boolean {
  const timestampS = headers['telnyx-timestamp'];
  const signature = headers['telnyx-signature-ed25519'];
  if (typeof timestampS !== 'string' || typeof signature !== 'string' || !isRecent(timestampS, now)) return false;
  const x = Buffer.from(publicKey, 'base64').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, Buffer.from(`${timestampS}|${body}`), key, Buffer.from(signature, 'base64'));
}

export function readTelnyxEvent(json: Json | null) {
  const { id, event_type: type, payload } = asObject(json?.data);
  return typeof id === 'string' && typeof type === 'string' ? { id, type, payload } : null;
}

/** The keywords that Telnyx answers itself, as `autoresponse_type` names them. */
const KEYWORDS: Readonly<Record<string, Keyword>> = { STOP: 'stop', START: 'start', HELP: 'help' };

/** With the number that received the text. Null if the payload is not a text. */
export function readTelnyxText(payload: unknown): (ReceivedText & { readonly to: string }) | null {
  const { from, to, text: given, media, autoresponse_type: type } = asObject(payload);
  const files = Array.isArray(media) ? media.length : 0;
  // A picture may come without words.
  const body = given ?? (files > 0 ? '' : undefined);
  const [sender, receiver] = [asObject(from).phone_number, asObject(firstOf(to)).phone_number];
  if (typeof sender !== 'string' || typeof receiver !== 'string' || typeof body !== 'string') return null;
  return { from: sender, to: receiver, body, media: files, keyword: KEYWORDS[String(type).toUpperCase()] ?? null };
}
