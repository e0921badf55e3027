/** Folder: receives delivery reports and texts: keywords, commands of members, replies of recipients. */

import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Services } from '../../app/services.ts';
import type { Tenant } from '../../db/tenancy.ts';
import { testTenant } from '../../organizations/index.ts';
import { html, trusted } from '../../platform/html.ts';
import { ID_PATTERN } from '../../platform/ids.ts';
import { type Json, readJson } from '../bounces/reports.ts';
import type { Report, StatusCall } from '../carriers/carrier.ts';
import { readHttpStatus, readHttpText, verifyStandard } from '../carriers/http.ts';
import type { Carriers } from '../carriers/index.ts';
import { readMessage, readTelnyxEvent, readTelnyxText, verifyTelnyx } from '../carriers/telnyx.ts';
import { readTwilioStatus, readTwilioText, verifyTwilio } from '../carriers/twilio.ts';
import type { OutcomeHandler } from '../queue/record.ts';
import { readAccount } from '../store/limits.ts';
import { lockMessage, type MessageRow } from '../store/queue.ts';
import { type Replies, writeResponse } from './replies.ts';

/** Endpoints that carriers call. Calls without a valid signature are rejected before their content is parsed. */
interface CarrierRouteDeps extends Pick<Services, 'db' | 'clock' | 'publicUrl'> {
  readonly carriers: Carriers;
  readonly replies: Replies;
  readonly receiveStatus: ReceiveStatus;
}

/** A text of the maximum length with addresses of attachments, percent-encoded. */
const BODY_BYTES = 64 * 1024;

type Call = FastifyRequest<{ Params: Record<string, string>; Body: Buffer | undefined }>;

const textOf = (request: Call): string => (request.body ?? Buffer.alloc(0)).toString('utf8');

/** Carriers retry on any other status. Retrying does not help with an unknown message, so it is 404. */
const done = (reply: FastifyReply, isKnown = true) => reply.code(isKnown ? 204 : 404).send();
const refuse = (reply: FastifyReply, status: 400 | 403) => reply.code(status).send();

export function registerCarrierRoutes(app: FastifyInstance, deps: CarrierRouteDeps): void {
  const { db, clock, carriers, replies, publicUrl, receiveStatus } = deps;

  /** The fields of a call that Twilio signed for this account; null for anything else. */
  async function readTwilio(request: Call, organizationId: string | null): Promise<URLSearchParams | null> {
    const sealed = organizationId === null ? null : await readAccount(db.kysely, testTenant(organizationId));
    const account = carriers.twilioOf({ organizationId: organizationId ?? '', sealed });
    if (account === null) return null;
    const fields = new URLSearchParams(textOf(request));
    const signature = request.headers['x-twilio-signature'];
    // Twilio signs the public URL; behind a proxy, the request has another one.
    return verifyTwilio(account.authToken, signature, publicUrl + request.raw.url, fields) ? fields : null;
  }

  const readSigned = (request: Call): Json | null => {
    const secret = carriers.httpSecret;
    const text = textOf(request);
    return secret !== null && verifyStandard(secret, request.headers, text, clock()) ? (readJson(text) ?? {}) : null;
  };

  const readTelnyx = (request: Call) => {
    const text = textOf(request);
    const { telnyx } = carriers;
    const isSigned = telnyx !== null && verifyTelnyx(telnyx.publicKey, request.headers, text, clock());
    return isSigned ? readTelnyxEvent(readJson(text)) : null;
  };

  async function readStatusCall(request: Call, organizationId: string): Promise<StatusCall | null> {
    if (request.headers['telnyx-signature-ed25519'] !== undefined) {
      const event = readTelnyx(request);
      return event && { carrier: 'telnyx', ...readMessage(event.payload) };
    }
    if (request.headers['x-twilio-signature'] === undefined) {
      const given = readSigned(request);
      return given && readHttpStatus(given);
    }
    const fields = await readTwilio(request, organizationId);
    return fields && readTwilioStatus(fields);
  }

  const post = (url: string, operation: string, handler: (request: Call, reply: FastifyReply) => Promise<unknown>) =>
    app.route<{ Params: Record<string, string>; Body: Buffer | undefined }>({
      method: 'POST',
      url,
      bodyLimit: BODY_BYTES,
      config: { operation },
      handler,
    });

  post('/carriers/status/:organization/:message', 'carrier_status', async (request, reply) => {
    const { organization = '', message = '' } = request.params;
    if (!ID_PATTERN.test(organization) || !ID_PATTERN.test(message)) return done(reply, false);
    const call = await readStatusCall(request, organization);
    if (call === null) return refuse(reply, 403);
    return done(reply, await receiveStatus(testTenant(organization), message, call));
  });

  async function receiveTwilio(request: Call, reply: FastifyReply, organizationId: string | null) {
    if (organizationId !== null && !ID_PATTERN.test(organizationId)) return done(reply, false);
    const fields = await readTwilio(request, organizationId);
    if (fields === null) return refuse(reply, 403);
    const received = await replies.receive({ ...readTwilioText(fields), organizationId, requestId: request.id });
    // With opt-out management turned on, Twilio has already replied.
    const isAnswered = received === null || fields.has('OptOutType');
    const answer = html`<Response>${!isAnswered && html`<Message>${writeResponse(received)}</Message>`}</Response>`;
    return reply
      .type('text/xml; charset=utf-8')
      .send(trusted('<?xml version="1.0" encoding="UTF-8"?>').text + answer.text);
  }

  post('/carriers/twilio/inbound', 'carrier_inbound', (request, reply) => receiveTwilio(request, reply, null));
  post('/carriers/twilio/inbound/:organization', 'carrier_inbound', (request, reply) =>
    receiveTwilio(request, reply, request.params.organization ?? ''),
  );

  post('/carriers/telnyx/inbound', 'carrier_inbound', async (request, reply) => {
    const event = readTelnyx(request);
    if (event === null) return refuse(reply, 403);
    const given = event.type === 'message.received' ? readTelnyxText(event.payload) : null;
    if (given === null) return done(reply);
    // Telnyx repeats an event that is not answered within two seconds, and a failover address may lead to another node.
    const reported = { carrier: 'telnyx', id: event.id };
    const received = await replies.receive({ ...given, organizationId: null, reported, requestId: request.id });
    // A keyword of the messaging profile: Telnyx has already replied, and blocks our texts after a STOP.
    if (received === null || given.keyword !== null) return done(reply);
    // After the commit: a kill in between loses the reply, but never sends two.
    await carriers.telnyx?.reply({ from: given.to, to: given.from, body: writeResponse(received) });
    return done(reply);
  });

  post('/carriers/http/inbound', 'carrier_inbound', async (request, reply) => {
    const given = readSigned(request);
    if (given === null) return refuse(reply, 403);
    const callId = `${String(request.headers['webhook-id'])} ${hash('sha256', textOf(request))}`;
    const text = readHttpText(given, callId);
    if (text === null) return refuse(reply, 400);
    const received = await replies.receive({ ...text, organizationId: null, requestId: request.id });
    return reply.send({ reply: received === null ? null : writeResponse(received) });
  });
}

/** Returns false if this carrier was not given the message. */
type ReceiveStatus = (tenant: Tenant, messageId: string, call: StatusCall) => Promise<boolean>;

/** The call may arrive before our own commit, or settle a message in doubt, even one that a lookup did not find. */
const isUnsettled = (row: MessageRow): boolean =>
  row.status === 'sending' ||
  (row.status === 'scheduled' && row.attempts > 0) ||
  (row.status === 'failed' && row.error_code === 'unknown_outcome');

/** Calls arrive in any order: delivered overrides undelivered, which overrides accepted. */
const isProgress = (row: MessageRow, { status }: Report): boolean =>
  row.status === 'accepted' || (row.status === 'undelivered' && status === 'delivered');

/** Until a response brings an id, only the URL of the signed call identifies the message; any id is then one of its attempts. */
const isFromCarrierOf = (row: MessageRow, { carrier, carrierId }: StatusCall): boolean =>
  row.carrier === carrier && (row.carrier_id === null || carrierId === null || row.carrier_id === carrierId);

export function createStatusReceiver(
  deps: Pick<Services, 'db' | 'testClocks'> & {
    outcomes: OutcomeHandler;
  },
): ReceiveStatus {
  const { db, testClocks, outcomes } = deps;
  return (tenant, messageId, call) =>
    db.kysely.transaction().execute(async (tx) => {
      const row = await lockMessage(tx, tenant, messageId);
      if (row === null || !isFromCarrierOf(row, call)) return false;
      const now = testClocks.now(tenant);
      const { carrierId, report } = call;
      if (isUnsettled(row)) {
        const accepted = { kind: 'accepted', carrierId, report } as const;
        await outcomes.change(tx, [{ row, change: await outcomes.afterSend(tx, row, accepted, now) }], now);
      } else if (report !== null && isProgress(row, report)) {
        await outcomes.change(tx, [{ row, change: await outcomes.afterReport(tx, row, report, now) }], now);
      }
      return true;
    });
}
