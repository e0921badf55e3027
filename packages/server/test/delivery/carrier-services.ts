import http, { type IncomingHttpHeaders } from 'node:http';
import { verifyStandard } from '../../src/delivery/carriers/http.ts';
import { listenLocally } from '../harness/streams.ts';

export interface CarrierRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** The carrier's behavior for the next message. */
export type Behavior =
  | {
      readonly kind: 'respond';
      readonly status: number;
      readonly body: string;
      readonly headers?: Record<string, string>;
    }
  /** Accepts the message and confirms it. */
  | { readonly kind: 'accept' }
  /** Accepts it, but responds something else. */
  | { readonly kind: 'accept_then'; readonly status: number; readonly body: string }
  /** Accepts it, and closes the connection without a response. */
  | { readonly kind: 'accept_and_cut' }
  /** Closes the connection without accepting the message. */
  | { readonly kind: 'cut' }
  /** Accepts it, and never responds; closes the connection once `until` resolves. */
  | { readonly kind: 'accept_silently'; readonly until?: Promise<void> };

export interface AcceptedMessage {
  readonly sid: string;
  readonly to: string;
  readonly body: string;
  readonly statusUrl: string;
  readonly key: string | null;
  readonly at: string;
}

export interface CarrierService {
  readonly url: string;
  /** Every accepted message, including repetitions. */
  readonly accepted: AcceptedMessage[];
  /** Requests that its documentation does not allow. */
  readonly violations: string[];
  lookups: number;
  /** The carrier's responses about the registration of its numbers, by path. */
  registration: Record<string, object>;
  next(...behaviors: Behavior[]): void;
  /** Accepts messages again. */
  clear(): void;
  /** Resolves when it accepts the next message. */
  untilAccepted(): Promise<void>;
  close(): Promise<void>;
}

export const TWILIO = {
  accountSid: `AC${'0'.repeat(32)}`,
  authToken: 'a-token',
  sender: { from: '+15005550100' },
} as const;
export const HTTP_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

export interface Protocol {
  /** The carrier's id of its nth message. */
  sidOf?(count: number): string;
  /** Null, with a violation on record, if the request contains no valid message. */
  read(request: CarrierRequest, service: CarrierService): Omit<AcceptedMessage, 'sid' | 'at'> | null;
  /** The response to an accepted message. */
  confirm(message: AcceptedMessage, service: CarrierService): [status: number, body: unknown];
  /** Everything else: lookups and account checks. */
  other(request: CarrierRequest, service: CarrierService): [status: number, body: unknown];
}

export async function startCarrier(protocol: Protocol): Promise<CarrierService> {
  const behaviors: Behavior[] = [];
  const waiting: (() => void)[] = [];
  let sids = 0;

  function accept(request: CarrierRequest): AcceptedMessage | null {
    const message = protocol.read(request, service);
    if (message === null) return null;
    sids += 1;
    const sid = protocol.sidOf?.(sids) ?? `SM${String(sids).padStart(32, '0')}`;
    const accepted = { ...message, sid, at: new Date().toUTCString() };
    service.accepted.push(accepted);
    for (const wake of waiting.splice(0)) wake();
    return accepted;
  }

  function send(
    response: http.ServerResponse,
    status: number,
    body: unknown,
    headers: Record<string, string> = {},
  ): void {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  }

  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', headers } = request;
    const url = new URL(request.url ?? '', 'http://carrier');
    const received = { method, url, headers, body: Buffer.concat(chunks).toString() };
    if (method !== 'POST') return send(response, ...protocol.other(received, service));
    const behavior = behaviors.shift() ?? { kind: 'accept' };
    if (behavior.kind === 'cut') return request.socket.destroy();
    if (behavior.kind === 'respond') return send(response, behavior.status, behavior.body, behavior.headers);
    const accepted = accept(received);
    if (accepted === null) return send(response, 400, { code: 21999, message: 'bad request' });
    if (behavior.kind === 'accept_and_cut') return request.socket.destroy();
    if (behavior.kind === 'accept_silently') return void behavior.until?.then(() => request.socket.destroy());
    if (behavior.kind === 'accept_then') return send(response, behavior.status, behavior.body);
    return send(response, ...protocol.confirm(accepted, service));
  });
  const { url, close } = await listenLocally(server);
  const service: CarrierService = {
    url,
    accepted: [],
    violations: [],
    lookups: 0,
    registration: {},
    next: (...more) => behaviors.push(...more),
    clear: () => void behaviors.splice(0),
    untilAccepted: () => new Promise((resolve) => waiting.push(resolve)),
    close,
  };
  return service;
}

const ACCOUNT_PATH = `/2010-04-01/Accounts/${TWILIO.accountSid}`;
const MESSAGES_PATH = `${ACCOUNT_PATH}/Messages.json`;

/** How Twilio's API description writes a number. */
export const E164 = /^\+[1-9]\d{7,14}$/;

/**
 * The fields of a message that we send, and when one is valid, as in Twilio's API description: CreateMessage in
 * github.com/twilio/twilio-oai, spec/json/twilio_api_v2010.json
 */
const TWILIO_FIELDS: Readonly<Record<string, (value: string) => boolean>> = {
  To: (value) => E164.test(value),
  From: (value) => E164.test(value),
  MessagingServiceSid: (value) => /^MG[0-9a-fA-F]{32}$/.test(value),
  Body: (value) => value !== '' && value.length <= 1600,
  StatusCallback: (value) => URL.canParse(value),
};

function problemsOfMessage({ url, headers, body }: CarrierRequest): string[] {
  const fields = new URLSearchParams(body);
  const problems = [...fields].filter(([name, value]) => TWILIO_FIELDS[name]?.(value) !== true).map(([name]) => name);
  for (const required of ['To', 'Body', 'StatusCallback']) if (!fields.has(required)) problems.push(`no ${required}`);
  if (fields.has('From') === fields.has('MessagingServiceSid')) problems.push('one of From, MessagingServiceSid');
  if (url.pathname !== MESSAGES_PATH || url.search !== '') problems.push(`path ${url.pathname}${url.search}`);
  if (headers['content-type'] !== 'application/x-www-form-urlencoded') problems.push('content type');
  return problems;
}

/** The fields that Twilio's resource of a message has and that we read. */
const toResource = ({ sid, to, body, at }: AcceptedMessage) => ({
  ...{ sid, to, body, status: 'queued', error_code: null, error_message: null },
  date_created: at.replace('GMT', '+0000'),
});

function isAuthenticated({ headers }: CarrierRequest): boolean {
  const expected = Buffer.from(`${TWILIO.accountSid}:${TWILIO.authToken}`).toString('base64');
  return headers.authorization === `Basic ${expected}`;
}

/** The messages resource of Twilio's 2010 API. */
export const startTwilioService = (): Promise<CarrierService> =>
  startCarrier({
    read(request, { violations }) {
      const problems = isAuthenticated(request) ? problemsOfMessage(request) : ['credentials'];
      violations.push(...problems);
      if (problems.length > 0) return null;
      const fields = new URLSearchParams(request.body);
      const [to = '', body = '', statusUrl = ''] = ['To', 'Body', 'StatusCallback'].map(
        (name) => fields.get(name) ?? '',
      );
      return { to, body, statusUrl, key: null };
    },
    confirm: (message) => [201, toResource(message)],
    other(request, service) {
      if (!isAuthenticated(request)) return [401, { code: 20003, message: 'Authenticate' }];
      const { pathname, searchParams } = request.url;
      const registered = service.registration[pathname];
      if (registered !== undefined) return [200, registered];
      if (pathname === `${ACCOUNT_PATH}.json`) return [200, { sid: TWILIO.accountSid, status: 'active' }];
      const size = Number(searchParams.get('PageSize'));
      if (pathname !== MESSAGES_PATH || size < 1 || size > 1000) {
        service.violations.push(`${pathname}${request.url.search}`);
        return [404, { code: 20404 }];
      }
      service.lookups += 1;
      const own = service.accepted.filter(({ to }) => to === searchParams.get('To'));
      return [200, { messages: own.map(toResource).toReversed().slice(0, size) }];
    },
  });

const isSigned = ({ headers, body }: CarrierRequest): boolean => verifyStandard(HTTP_SECRET, headers, body, new Date());

/** The operator's own carrier (docs/guides/delivery.md). Checks signatures only if the caller uses the real time. */
export const startHttpService = (checksSignatures = true): Promise<CarrierService> =>
  startCarrier({
    read(request, { violations }) {
      if (checksSignatures && !isSigned(request)) violations.push('signature');
      const { id, to, body, status_url: statusUrl } = JSON.parse(request.body) as Record<string, string>;
      if (request.headers['idempotency-key'] !== id) violations.push('Idempotency-Key');
      return { to: to ?? '', body: body ?? '', statusUrl: statusUrl ?? '', key: id ?? '' };
    },
    confirm: ({ sid }) => [202, { id: sid }],
    other(request, service) {
      if (request.url.pathname === '/') return [200, {}];
      service.lookups += 1;
      const own = service.accepted.find(({ key }) => request.url.pathname === `/${key}`);
      return own === undefined ? [404, {}] : [200, { id: own.sid }];
    },
  });
