import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { TextAccount } from '../../src/delivery/index.ts';
import {
  type AcceptedMessage,
  type CarrierRequest,
  type CarrierService,
  E164,
  startCarrier,
} from './carrier-services.ts';

// A Telnyx account at the HTTP boundary. The sources of its requests, responses and webhooks:
// - POST /v2/messages, GET /v2/detail_records: Telnyx's OpenAPI description, as its SDK has it
//   (github.com/team-telnyx/telnyx-node, src/resources/messages/messages.ts and src/resources/detail-records.ts)
// - webhooks and their signatures: https://developers.telnyx.com/docs/messaging/messages/receiving-webhooks
// - errors: https://support.telnyx.com/en/articles/6505121-telnyx-messaging-error-codes
// - keywords: https://developers.telnyx.com/docs/messaging/messages/advanced-opt-in-out
// - the check of the sender: https://developers.telnyx.com/docs/messaging/messages/phone-number-configuration
// - registration: https://developers.telnyx.com/api-reference/phone-number-campaigns/get-single-phone-number-campaign, and there
//   campaign/get-campaign, verification-requests/list-verification-requests and
//   profiles/list-phone-numbers-associated-with-a-messaging-profile

const NUMBER = '+15005550100';
const API_KEY = 'KEY0123456789';
const KEYS = generateKeyPairSync('ed25519');
const PUBLIC_KEY = Buffer.from(KEYS.publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('base64');
const PROFILE = '16fd2706-8baf-433b-82eb-8c7fada847da';

export const TELNYX_ENVIRONMENT = { TELNYX_API_KEY: API_KEY, TELNYX_PUBLIC_KEY: PUBLIC_KEY };

export const telnyxAt = (apiUrl: string): TextAccount => ({
  carrier: 'telnyx',
  account: { apiKey: API_KEY, publicKey: PUBLIC_KEY, sender: { from: NUMBER }, apiUrl },
});

/** MessageSendParams: the name of each field with its type. */
const FIELDS: Readonly<Record<string, string>> = {
  to: 'string',
  auto_detect: 'boolean',
  from: 'string',
  media_urls: 'object',
  messaging_profile_id: 'string',
  send_at: 'string',
  subject: 'string',
  text: 'string',
  type: 'string',
  use_profile_webhooks: 'boolean',
  webhook_failover_url: 'string',
  webhook_url: 'string',
};

/** Lists what the API description does not allow in a message. */
function problemsOf(fields: Readonly<Record<string, unknown>>): string[] {
  const problems = Object.entries(fields)
    .filter(([name, value]) => FIELDS[name] !== typeof value)
    .map(([name]) => `field ${name}`);
  if (!E164.test(String(fields.to))) problems.push('to');
  if (typeof fields.text !== 'string' || fields.text === '') problems.push('text');
  if (fields.from === undefined && fields.messaging_profile_id === undefined) problems.push('no sender');
  if (fields.webhook_url !== undefined && !URL.canParse(String(fields.webhook_url))) problems.push('webhook_url');
  return problems;
}

const isAuthenticated = ({ headers }: CarrierRequest): boolean => headers.authorization === `Bearer ${API_KEY}`;

export const errorOf = (code: string, title: string) => JSON.stringify({ errors: [{ code, title, detail: title }] });

/** OutboundMessagePayload. */
const toResource = ({ sid, to, body, statusUrl, at }: AcceptedMessage, status = 'queued') => ({
  record_type: 'message',
  direction: 'outbound',
  id: sid,
  type: 'SMS',
  messaging_profile_id: PROFILE,
  from: { phone_number: NUMBER, carrier: 'Telnyx', line_type: 'Wireless' },
  to: [{ phone_number: to, status, carrier: 'T-MOBILE USA, INC.', line_type: 'Wireless' }],
  cc: [],
  text: body,
  media: [],
  webhook_url: statusUrl,
  webhook_failover_url: null,
  encoding: 'GSM-7',
  parts: 1,
  tags: [],
  cost: null,
  received_at: new Date(at).toISOString(),
  sent_at: null,
  completed_at: null,
  valid_until: null,
  errors: [] as { code: string; title: string }[],
});

/** MessageDetailRecord: it has the URL of each webhook, but neither the text nor a key of the sender. */
const toRecord = ({ sid, to, statusUrl, at }: AcceptedMessage) => ({
  record_type: 'message_detail_record',
  uuid: sid,
  cld: to,
  cli: NUMBER,
  created_at: new Date(at).toISOString(),
  delivery_status_webhook_url: statusUrl,
  direction: 'outbound',
  errors: [],
  message_type: 'SMS',
});

export const startTelnyxService = (): Promise<CarrierService> =>
  startCarrier({
    sidOf: (count) => `40385f64-5717-4562-b3fc-${String(count).padStart(12, '0')}`,
    read(request, { violations }) {
      const complain = (...problems: string[]) => {
        violations.push(...problems);
        return null;
      };
      if (!isAuthenticated(request)) return complain('credentials');
      if (request.url.pathname !== '/v2/messages') return complain(`path ${request.url.pathname}`);
      if (request.headers['content-type'] !== 'application/json') return complain('content type');
      const fields = JSON.parse(request.body) as Record<string, string>;
      const problems = problemsOf(fields);
      if (problems.length > 0) return complain(...problems);
      const { to = '', text = '', webhook_url: statusUrl = '' } = fields;
      return { to, body: text, statusUrl, key: null };
    },
    confirm: (message) => [200, { data: toResource(message) }],
    other(request, service) {
      if (!isAuthenticated(request)) return [401, errorOf('10009', 'Authentication failed')];
      const { pathname, searchParams } = request.url;
      const registered = service.registration[decodeURIComponent(pathname)];
      if (registered !== undefined) return [200, registered];
      if (pathname === `/v2/messaging_phone_numbers/${encodeURIComponent(NUMBER)}`) {
        return [200, { data: { record_type: 'messaging_phone_number', phone_number: NUMBER } }];
      }
      if (pathname !== '/v2/detail_records') return [404, errorOf('10005', 'Resource not found')];
      service.lookups += 1;
      if (searchParams.get('filter[record_type]') !== 'messaging') service.violations.push('filter[record_type]');
      const own = service.accepted.filter(({ to }) => to === searchParams.get('filter[cld]'));
      const size = Number(searchParams.get('page[size]'));
      return [200, { data: own.map(toRecord).toReversed().slice(0, size), meta: { total_results: own.length } }];
    },
  });

interface Webhook {
  readonly payload: string;
  readonly headers: Record<string, string>;
}

/** A webhook as Telnyx signs it. */
export function webhookOf(
  type: 'message.sent' | 'message.finalized' | 'message.received',
  payload: object,
  at: Date,
  { id = `4ee8c3a6-4995-4309-a3c6-38e3db9ea4be`, key = KEYS.privateKey as KeyObject } = {},
): Webhook {
  const event = { record_type: 'event', id, event_type: type, occurred_at: at.toISOString(), payload };
  const body = JSON.stringify({ data: event, meta: { attempt: 1, delivered_to: 'https://go.acme.example' } });
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const headers = {
    'content-type': 'application/json',
    'telnyx-timestamp': timestamp,
    'telnyx-signature-ed25519': sign(null, Buffer.from(`${timestamp}|${body}`), key).toString('base64'),
  };
  return { payload: body, headers };
}

/** The report about a message, with the status of its only recipient. */
export function reportOf(message: AcceptedMessage, status: string, code?: string): object {
  const errors = code === undefined ? [] : [{ code, title: 'Why' }];
  return { ...toResource(message, status), errors };
}

/** InboundMessagePayload. `autoresponse_type` names the keyword that Telnyx has answered. */
export const receivedOf = (from: string, text: string, autoresponse: string | null = null): object => ({
  record_type: 'message',
  direction: 'inbound',
  id: '84cca175-9755-4859-b67f-4730d7f58aa3',
  type: 'SMS',
  messaging_profile_id: PROFILE,
  from: { phone_number: from, carrier: 'T-Mobile USA', line_type: 'Wireless', status: 'webhook_delivered' },
  to: [{ phone_number: NUMBER, carrier: 'Telnyx', line_type: 'Wireless', status: 'webhook_delivered' }],
  cc: [],
  text,
  media: [],
  autoresponse_type: autoresponse,
  encoding: 'GSM-7',
  parts: 1,
  errors: [],
});
