import { once } from 'node:events';
import http from 'node:http';
import type net from 'node:net';
import { verifyStandard } from '../../src/delivery/carriers/signatures.ts';
import { type CarrierRequest, requestProblems, responseProblems } from './twilio-api.ts';

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
  const sockets = new Set<net.Socket>();
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
  server.on('connection', (socket: net.Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const service: CarrierService = {
    url: `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`,
    accepted: [],
    violations: [],
    lookups: 0,
    registration: {},
    next: (...more) => behaviors.push(...more),
    clear: () => void behaviors.splice(0),
    untilAccepted: () => new Promise((resolve) => waiting.push(resolve)),
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return service;
}

const ACCOUNT_PATH = `/2010-04-01/Accounts/${TWILIO.accountSid}`;
const MESSAGES_PATH = `${ACCOUNT_PATH}/Messages.json`;

function toResource({ sid, to, body, at }: AcceptedMessage) {
  const date = at.replace('GMT', '+0000');
  const uri = `${ACCOUNT_PATH}/Messages/${sid}`;
  return {
    sid,
    account_sid: TWILIO.accountSid,
    api_version: '2010-04-01',
    messaging_service_sid: null,
    from: TWILIO.sender.from,
    to,
    body,
    direction: 'outbound-api',
    status: 'queued',
    error_code: null,
    error_message: null,
    num_media: '0',
    num_segments: '1',
    price: null,
    price_unit: 'USD',
    date_created: date,
    date_updated: date,
    date_sent: null,
    subresource_uris: { media: `${uri}/Media.json` },
    uri: `${uri}.json`,
  };
}

const ACCOUNT = {
  sid: TWILIO.accountSid,
  owner_account_sid: TWILIO.accountSid,
  auth_token: TWILIO.authToken,
  friendly_name: 'Acme',
  status: 'active',
  type: 'Full',
  date_created: 'Thu, 30 Jul 2015 20:00:00 +0000',
  date_updated: 'Thu, 30 Jul 2015 20:00:00 +0000',
  subresource_uris: { messages: MESSAGES_PATH },
  uri: `${ACCOUNT_PATH}.json`,
};

function listOf(messages: readonly AcceptedMessage[], pageSize: number) {
  const uri = `${MESSAGES_PATH}?PageSize=${pageSize}&Page=0`;
  const page = messages.map(toResource).toReversed().slice(0, pageSize);
  return {
    messages: page,
    start: 0,
    end: Math.max(0, page.length - 1),
    page: 0,
    page_size: pageSize,
    uri,
    first_page_uri: uri,
    next_page_uri: null,
    previous_page_uri: null,
  };
}

function isAuthenticated({ headers }: CarrierRequest): boolean {
  const expected = Buffer.from(`${TWILIO.accountSid}:${TWILIO.authToken}`).toString('base64');
  return headers.authorization === `Basic ${expected}`;
}

/** Checks our response against Twilio's API: one that the real service cannot give would prove nothing. */
function checkedResponse(
  { violations }: CarrierService,
  operation: string,
  status: number,
  body: unknown,
): [number, unknown] {
  violations.push(...responseProblems(operation, status, body));
  return [status, body];
}

/** The messages resource of Twilio's 2010 API, checked against the OpenAPI description that Twilio publishes. */
export const startTwilioService = (): Promise<CarrierService> =>
  startCarrier({
    read(request, { violations }) {
      const fields = new URLSearchParams(request.body);
      const complain = (...problems: string[]) => {
        violations.push(...problems);
        return null;
      };
      if (!isAuthenticated(request)) return complain('credentials');
      if (request.url.pathname !== MESSAGES_PATH) return complain(`path ${request.url.pathname}`);
      const problems = requestProblems(request);
      if (problems.length > 0) return complain(...problems);
      // Rules that the description states in prose only.
      if (fields.has('From') === fields.has('MessagingServiceSid')) return complain('one of From, MessagingServiceSid');
      const [to = '', body = '', statusUrl = ''] = ['To', 'Body', 'StatusCallback'].map(
        (name) => fields.get(name) ?? '',
      );
      if (body === '' || body.length > 1600) return complain('Body');
      if (statusUrl === '') return complain('StatusCallback');
      return { to, body, statusUrl, key: null };
    },
    confirm: (message, service) => checkedResponse(service, 'CreateMessage', 201, toResource(message)),
    other(request, service) {
      if (!isAuthenticated(request)) return [401, { code: 20003, message: 'Authenticate' }];
      const registered = service.registration[request.url.pathname];
      if (registered !== undefined) return [200, registered];
      const problems = requestProblems(request);
      service.violations.push(...problems);
      if (problems.length > 0) return [400, { code: 20001, message: problems.join(', ') }];
      const { pathname, searchParams } = request.url;
      if (pathname === `${ACCOUNT_PATH}.json`) return checkedResponse(service, 'FetchAccount', 200, ACCOUNT);
      service.lookups += 1;
      if (pathname === MESSAGES_PATH) {
        const own = service.accepted.filter(({ to }) => to === searchParams.get('To'));
        return checkedResponse(service, 'ListMessage', 200, listOf(own, Number(searchParams.get('PageSize') ?? 50)));
      }
      const one = service.accepted.find(({ sid }) => pathname === `${ACCOUNT_PATH}/Messages/${sid}.json`);
      return one === undefined
        ? [404, { code: 20404 }]
        : checkedResponse(service, 'FetchMessage', 200, toResource(one));
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
