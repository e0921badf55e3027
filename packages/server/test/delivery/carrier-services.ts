import { once } from 'node:events';
import http from 'node:http';
import type net from 'node:net';
import { verifyStandard } from '../../src/delivery/carriers/signatures.ts';
import { type Asked, problemsOfAnswer, problemsOfRequest } from './twilio-api.ts';

/** What a service does with the next message it is sent. */
export type Behaviour =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly body: string;
      readonly headers?: Record<string, string>;
    }
  /** Takes the message and says so, as usual. */
  | { readonly kind: 'accept' }
  /** Takes it, and says something else. */
  | { readonly kind: 'accept_then'; readonly status: number; readonly body: string }
  /** Takes it, and hangs up without a word. */
  | { readonly kind: 'accept_and_cut' }
  /** Hangs up before it has taken anything. */
  | { readonly kind: 'cut' }
  /** Takes it, and never answers. */
  | { readonly kind: 'accept_in_silence' };

export interface Taken {
  readonly sid: string;
  readonly to: string;
  readonly body: string;
  readonly statusUrl: string;
  readonly key: string | null;
  readonly at: string;
}

export interface CarrierService {
  readonly url: string;
  /** Each message it took, as often as it took it. */
  readonly taken: Taken[];
  /** What it was asked that its documentation does not allow. */
  readonly violations: string[];
  looks: number;
  next(...behaviours: Behaviour[]): void;
  /** Resolves once it has taken one more. */
  untilTaken(): Promise<void>;
  close(): Promise<void>;
}

export const TWILIO = {
  accountSid: `AC${'0'.repeat(32)}`,
  authToken: 'a-token',
  sender: { from: '+15005550100' },
} as const;
export const HTTP_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

interface Protocol {
  /** Reads a message; null when what came is none, after noting why. */
  read(asked: Asked, service: CarrierService): Omit<Taken, 'sid' | 'at'> | null;
  /** The usual answer to a message that was taken. */
  answer(taken: Taken, service: CarrierService): [status: number, body: unknown];
  /** Everything but messages. */
  other(asked: Asked, service: CarrierService): [status: number, body: unknown];
}

async function startCarrier(protocol: Protocol): Promise<CarrierService> {
  const behaviours: Behaviour[] = [];
  const waiting: (() => void)[] = [];
  const sockets = new Set<net.Socket>();
  let sids = 0;

  function take(asked: Asked): Taken | null {
    const message = protocol.read(asked, service);
    if (message === null) return null;
    sids += 1;
    const sid = `SM${String(sids).padStart(32, '0')}`;
    const taken = { ...message, sid, at: new Date().toUTCString() };
    service.taken.push(taken);
    for (const wake of waiting.splice(0)) wake();
    return taken;
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
    const asked = { method, url, headers, body: Buffer.concat(chunks).toString() };
    if (method !== 'POST') return send(response, ...protocol.other(asked, service));
    const behaviour = behaviours.shift() ?? { kind: 'accept' };
    if (behaviour.kind === 'cut') return request.socket.destroy();
    if (behaviour.kind === 'answer') return send(response, behaviour.status, behaviour.body, behaviour.headers);
    const taken = take(asked);
    if (taken === null) return send(response, 400, { code: 21999, message: 'bad request' });
    if (behaviour.kind === 'accept_and_cut') return request.socket.destroy();
    if (behaviour.kind === 'accept_in_silence') return;
    if (behaviour.kind === 'accept_then') return send(response, behaviour.status, behaviour.body);
    return send(response, ...protocol.answer(taken, service));
  });
  server.on('connection', (socket: net.Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const service: CarrierService = {
    url: `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`,
    taken: [],
    violations: [],
    looks: 0,
    next: (...more) => behaviours.push(...more),
    untilTaken: () => new Promise((resolve) => waiting.push(resolve)),
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

function shown({ sid, to, body, at }: Taken) {
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

function listOf(messages: readonly Taken[], pageSize: number) {
  const uri = `${MESSAGES_PATH}?PageSize=${pageSize}&Page=0`;
  const page = messages.map(shown).toReversed().slice(0, pageSize);
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

function isOurs({ headers }: Asked): boolean {
  const expected = Buffer.from(`${TWILIO.accountSid}:${TWILIO.authToken}`).toString('base64');
  return headers.authorization === `Basic ${expected}`;
}

/** An answer of ours that the real service could not give would prove nothing of the adapter that reads it. */
function described(
  { violations }: CarrierService,
  operation: string,
  status: number,
  body: unknown,
): [number, unknown] {
  violations.push(...problemsOfAnswer(operation, status, body));
  return [status, body];
}

/** The messages resource of Twilio's API of 2010, held to the description that Twilio publishes of it. */
export const startTwilioService = (): Promise<CarrierService> =>
  startCarrier({
    read(asked, { violations }) {
      const fields = new URLSearchParams(asked.body);
      const complain = (...problems: string[]) => {
        violations.push(...problems);
        return null;
      };
      if (!isOurs(asked)) return complain('credentials');
      if (asked.url.pathname !== MESSAGES_PATH) return complain(`path ${asked.url.pathname}`);
      const problems = problemsOfRequest(asked);
      if (problems.length > 0) return complain(...problems);
      // What the description says in words only.
      if (fields.has('From') === fields.has('MessagingServiceSid')) return complain('one of From, MessagingServiceSid');
      const [to = '', body = '', statusUrl = ''] = ['To', 'Body', 'StatusCallback'].map(
        (name) => fields.get(name) ?? '',
      );
      if (body === '' || body.length > 1600) return complain('Body');
      if (statusUrl === '') return complain('StatusCallback');
      return { to, body, statusUrl, key: null };
    },
    answer: (taken, service) => described(service, 'CreateMessage', 201, shown(taken)),
    other(asked, service) {
      if (!isOurs(asked)) return [401, { code: 20003, message: 'Authenticate' }];
      const problems = problemsOfRequest(asked);
      service.violations.push(...problems);
      if (problems.length > 0) return [400, { code: 20001, message: problems.join(', ') }];
      const { pathname, searchParams } = asked.url;
      if (pathname === `${ACCOUNT_PATH}.json`) return described(service, 'FetchAccount', 200, ACCOUNT);
      service.looks += 1;
      if (pathname === MESSAGES_PATH) {
        const own = service.taken.filter(({ to }) => to === searchParams.get('To'));
        return described(service, 'ListMessage', 200, listOf(own, Number(searchParams.get('PageSize') ?? 50)));
      }
      const one = service.taken.find(({ sid }) => pathname === `${ACCOUNT_PATH}/Messages/${sid}.json`);
      return one === undefined ? [404, { code: 20404 }] : described(service, 'FetchMessage', 200, shown(one));
    },
  });

const isSigned = ({ headers, body }: Asked): boolean => verifyStandard(HTTP_SECRET, headers, body, new Date());

/** A carrier of the operator's own, as docs/guides/delivery.md describes it. The clock of the caller has to be right. */
export const startHttpService = (isRightTime = true): Promise<CarrierService> =>
  startCarrier({
    read(asked, { violations }) {
      if (isRightTime && !isSigned(asked)) violations.push('signature');
      const { id, to, body, status_url: statusUrl } = JSON.parse(asked.body) as Record<string, string>;
      if (asked.headers['idempotency-key'] !== id) violations.push('Idempotency-Key');
      return { to: to ?? '', body: body ?? '', statusUrl: statusUrl ?? '', key: id ?? '' };
    },
    answer: ({ sid }) => [202, { id: sid }],
    other(asked, service) {
      if (asked.url.pathname === '/') return [200, {}];
      service.looks += 1;
      const own = service.taken.find(({ key }) => asked.url.pathname === `/${key}`);
      return own === undefined ? [404, {}] : [200, { id: own.sid }];
    },
  });
