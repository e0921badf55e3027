import { createHmac } from 'node:crypto';
import { redactLinks } from '../../intros/links/index.ts';
import { countryOfPhone } from '../../platform/countries.ts';
import { isSame } from '../../platform/seal.ts';
import { asObject, type Json } from '../bounces/reports.ts';
import {
  type Accepted,
  type CarrierStates,
  DELIVERED,
  describeRegistration,
  exchange,
  type InDoubt,
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
  type StatusCall,
  stateOf,
  type TextCarrier,
  TOLL_FREE,
  UNREADABLE,
  undelivered,
} from './carrier.ts';
import { indexCodes, TWILIO_CODES } from './codes.ts';

export interface TwilioAccount {
  readonly accountSid: string;
  readonly authToken: string;
  /** A number of the account, or a messaging service that has several. */
  readonly sender: { readonly from: string } | { readonly messagingServiceSid: string };
}

const CODES = indexCodes(TWILIO_CODES);

/** Number of latest messages that a lookup reads. A number gets far fewer while one is in doubt. */
const LOOKUP_LIMIT = 50;
/** Twilio's clock may differ from ours. */
const CLOCK_TOLERANCE_MS = 60_000;

/** Null while the delivery is still open. */
export function reportOf(status: string, errorCode: number | null): Report | null {
  if (status === 'delivered' || status === 'read') return DELIVERED;
  if (status !== 'undelivered' && status !== 'failed') return null;
  return undelivered(errorCode === null ? undefined : CODES.get(String(errorCode)), 'Twilio', errorCode);
}

function toAccepted(json: Json): Accepted | null {
  const { sid, status, error_code: code } = json;
  if (typeof sid !== 'string') return null;
  return { kind: 'accepted', carrierId: sid, report: reportOf(String(status), typeof code === 'number' ? code : null) };
}

function readRefusal({ status, json, retryAfterS }: Response): Outcome {
  const { code, message } = asObject(json);
  const number = typeof code === 'number' ? code : status;
  const reason = `Twilio ${number}: ${typeof message === 'string' ? redactLinks(message) : ''}`.trim();
  const known = CODES.get(String(number));
  if (known !== undefined) return refusalOf(known, { reason, retryAfterS });
  // The account is unknown or may not do this; the message is not at fault.
  if (status === 401 || status === 403 || status === 404) {
    return { kind: 'unusable', fault: 'credentials', message: reason };
  }
  if (status === 429) return { kind: 'later', message: `Twilio responded ${status}.`, retryAfterS };
  if (typeof code !== 'number') return { kind: 'doubt', message: `Twilio responded ${status} without an error code.` };
  return refusalOf(undefined, { reason, retryAfterS });
}

function readResponse(response: Response): Outcome {
  const { status, json, retryAfterS } = response;
  if (status >= 200 && status < 300) {
    return toAccepted(asObject(json)) ?? { kind: 'doubt', message: `Twilio responded ${status} without a message.` };
  }
  if (status === 503) return { kind: 'later', message: `Twilio responded ${status}.`, retryAfterS };
  if (status >= 400 && status < 500) return readRefusal(response);
  return { kind: 'doubt', message: `Twilio responded ${status}.` };
}

/**
 * Twilio has no idempotency key, so a message is recognized by its text, which ends with the intro's link. Reminders of one
 * intro have the same text: messages known by their id are excluded.
 */
function findMessage(listed: readonly Json[], { body, createdAt, otherCarrierIds }: InDoubt): LookupResult {
  const own = listed.find(
    // A trial account adds a prefix.
    (one) =>
      typeof one.body === 'string' &&
      one.body.endsWith(body) &&
      !otherCarrierIds.has(String(one.sid)) &&
      !(Date.parse(String(one.date_created)) < createdAt.getTime() - CLOCK_TOLERANCE_MS),
  );
  return (own && toAccepted(own)) ?? { kind: 'absent' };
}

export function createTwilioCarrier({ accountSid, authToken, sender }: TwilioAccount, apiUrl: string): TextCarrier {
  const root = `${apiUrl}/2010-04-01/Accounts/${encodeURIComponent(accountSid)}`;
  const authorization = `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`;
  const headers = { authorization, accept: 'application/json' };
  const get = (url: string) => exchange(url, { method: 'GET', headers });
  const from: Record<string, string> =
    'from' in sender ? { From: sender.from } : { MessagingServiceSid: sender.messagingServiceSid };
  const rejected = 'Twilio rejects the account or its token.';

  return {
    name: 'twilio',
    async send({ to, body, statusUrl }) {
      const fields = new URLSearchParams({ To: to, ...from, Body: body, StatusCallback: statusUrl });
      const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' };
      const sent = { method: 'POST', headers: form, body: fields.toString() } as const;
      return outcomeOf(await exchange(`${root}/Messages.json`, sent), readResponse);
    },
    async lookUp(message) {
      const query = new URLSearchParams({ To: message.to, PageSize: String(LOOKUP_LIMIT) });
      const sent = await get(`${root}/Messages.json?${query}`);
      return lookUpIn(sent, { carrier: 'Twilio', key: 'messages' }, (listed) => findMessage(listed, message));
    },
    readRegistration: () => readRegistration({ sender, apiUrl, root }, async (url, key) => listIn(await get(url), key)),
    check: async () =>
      stateOf(await get(`${root}.json`), {
        carrier: 'Twilio',
        ok: 'Twilio accepts the account.',
        refusals: { 401: rejected, 403: rejected, 404: rejected },
      }),
  };
}

/** An account has a few messaging services. More than one page of them is not searched for the number. */
const PAGE = 50;
const API_URL = 'https://api.twilio.com';
const MESSAGING_URL = 'https://messaging.twilio.com';

const CAMPAIGNS: CarrierStates = {
  VERIFIED: 'registered',
  IN_PROGRESS: 'pending',
  PENDING: 'pending',
  SUSPENDED: 'rejected',
  FAILED: 'rejected',
};

const VERIFICATIONS: CarrierStates = {
  TWILIO_APPROVED: 'registered',
  IN_REVIEW: 'pending',
  PENDING_REVIEW: 'pending',
  TWILIO_REJECTED: 'rejected',
};

/** Reads the registration of an account's sender: A2P 10DLC campaign, or toll-free verification. Changes nothing. */
async function readRegistration(
  { sender, apiUrl, root }: { sender: TwilioAccount['sender']; apiUrl: string; root: string },
  list: (url: string, key: string) => Promise<Json[] | null>,
): Promise<Registration | null> {
  const messaging = apiUrl === API_URL ? MESSAGING_URL : apiUrl;
  const serviceUrl = (sid: unknown) => `${messaging}/v1/Services/${encodeURIComponent(String(sid))}`;

  async function readCampaign(service: unknown): Promise<Registration> {
    const campaigns = await list(`${serviceUrl(service)}/Compliance/Usa2p?PageSize=${PAGE}`, 'compliance');
    return describeRegistration(
      'campaign',
      CAMPAIGNS,
      campaigns?.map((campaign) => campaign.campaign_status),
    );
  }

  async function readTollFree(number: string): Promise<Registration> {
    const query = new URLSearchParams({ PhoneNumber: number });
    const [own] = (await list(`${root}/IncomingPhoneNumbers.json?${query}`, 'incoming_phone_numbers')) ?? [];
    if (own === undefined) return UNREADABLE;
    const filter = new URLSearchParams({ TollfreePhoneNumberSid: String(own.sid) });
    const requests = await list(`${messaging}/v1/Tollfree/Verifications?${filter}`, 'verifications');
    return describeRegistration(
      'toll_free',
      VERIFICATIONS,
      requests?.map(({ status }) => status),
    );
  }

  async function readLocal(number: string): Promise<Registration> {
    const services = await list(`${messaging}/v1/Services?PageSize=${PAGE}`, 'services');
    if (services === null) return UNREADABLE;
    for (const { sid } of services) {
      const numbers = await list(`${serviceUrl(sid)}/PhoneNumbers?PageSize=1000`, 'phone_numbers');
      if (numbers?.some((one) => one.phone_number === number)) return readCampaign(sid);
    }
    return describeRegistration('campaign', CAMPAIGNS, []);
  }

  if ('messagingServiceSid' in sender) return readCampaign(sender.messagingServiceSid);
  if (TOLL_FREE.test(sender.from)) return readTollFree(sender.from);
  return countryOfPhone(sender.from) === 'US' ? readLocal(sender.from) : null;
}

/** Twilio signs the URL that it calls, followed by each field and its value, sorted by name. */
export function twilioSignature(authToken: string, url: string, fields: URLSearchParams): string {
  const sorted = [...fields].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return createHmac('sha1', authToken)
    .update(url + sorted.map(([name, value]) => name + value).join(''))
    .digest('base64');
}

export const verifyTwilio = (
  authToken: string,
  signature: string | string[] | undefined,
  url: string,
  fields: URLSearchParams,
): boolean => typeof signature === 'string' && isSame(signature, twilioSignature(authToken, url, fields));

export function readTwilioStatus(fields: URLSearchParams): StatusCall {
  const code = Number(fields.get('ErrorCode') ?? '');
  const status = fields.get('MessageStatus') ?? fields.get('SmsStatus') ?? '';
  return { carrier: 'twilio', carrierId: fields.get('MessageSid'), report: reportOf(status, code || null) };
}

/** https://www.twilio.com/docs/messaging/guides/webhook-request */
export function readTwilioText(fields: URLSearchParams): ReceivedText {
  const id = fields.get('MessageSid');
  return {
    from: fields.get('From') ?? '',
    body: fields.get('Body') ?? '',
    media: Number(fields.get('NumMedia') ?? 0) || 0,
    // A fallback URL may lead to another node.
    ...(id !== null && { reported: { carrier: 'twilio', id } }),
  };
}
