/** Folder: reads reports of undeliverable emails and marks the address. */

import { DELIVERY_FAILURES } from '@foreword/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Services } from '../../app/services.ts';
import { markBounced } from '../../members/index.ts';
import { testTenant } from '../../organizations/index.ts';
import { createdAtOf } from '../../platform/ids.ts';
import type { Logger } from '../../platform/log.ts';
import { isSame } from '../../platform/seal.ts';
import type { OutcomeHandler } from '../queue/record.ts';
import { failOwnerEmail } from '../store/messages.ts';
import { lockMessage } from '../store/queue.ts';
import {
  type BounceReport,
  isAddressWrong,
  type MessageTokens,
  readAmazonCall,
  readDeliveryStatus,
  readJson,
  readPlainReport,
  toReason,
} from './reports.ts';

const explain = ({ code, reason }: BounceReport): string => {
  const details = toReason(reason ?? code ?? '');
  return details === '' ? DELIVERY_FAILURES.undelivered : `The email bounced: ${details}`;
};

export function createBounces(
  deps: Pick<Services, 'db' | 'testClocks'> & {
    tokens: MessageTokens;
    outcomes: OutcomeHandler;
  },
) {
  const { db, testClocks, tokens, outcomes } = deps;
  return {
    /** Applies a report once. False if this service did not send the email. */
    async receive(report: BounceReport): Promise<boolean> {
      const email = tokens.find(report.tokens, report.addresses);
      if (email === null) return false;
      const tenant = testTenant(email.organizationId);
      const message = explain(report);
      await db.kysely.transaction().execute(async (tx) => {
        const now = testClocks.now(tenant);
        const row = await lockMessage(tx, tenant, email.id);
        const ownerEmailAt = row === null ? await failOwnerEmail(tx, tenant, email.id, message) : null;
        const sentAt = row?.accepted_at ?? ownerEmailAt ?? createdAtOf(email.id) ?? now;
        if (isAddressWrong({ code: report.code, text: report.reason }))
          await markBounced(tx, tenant, { address: email.address, reason: toReason(report.reason ?? ''), sentAt }, now);
        if (row?.channel !== 'email') return;
        const undelivered = { status: 'undelivered', code: 'undelivered', message } as const;
        if (row.status === 'accepted') {
          await outcomes.change(tx, [{ row, change: await outcomes.afterReport(tx, row, undelivered, now) }], now);
        } else if (row.status === 'sending') {
          // The report may arrive before our own commit.
          const accepted = { kind: 'accepted', carrierId: null, report: undelivered } as const;
          await outcomes.change(tx, [{ row, change: await outcomes.afterSend(tx, row, accepted, now) }], now);
        }
      });
      return true;
    },
  };
}

interface BounceRouteDeps {
  readonly bounces: ReturnType<typeof createBounces>;
  /** Undefined: reports are not accepted. */
  readonly secret: string | undefined;
  readonly log: Logger;
  /** Opens the page with which SNS confirms a subscription. */
  readonly open?: (url: string) => Promise<boolean>;
}

/** Notifications may contain the whole email. */
const BODY_BYTES = 1024 * 1024;
const CONFIRM_LIMIT_MS = 10_000;

type Call = FastifyRequest<{ Body: Buffer | undefined }>;

/** HTTP Basic, which every provider can send as part of a URL; the user name is free. */
function isAuthorized({ headers: { authorization = '' } }: Call, secret: string): boolean {
  const [scheme = '', value = ''] = authorization.split(' ');
  if (scheme.toLowerCase() === 'bearer') return isSame(value, secret);
  if (scheme.toLowerCase() !== 'basic') return false;
  const decoded = Buffer.from(value, 'base64').toString('utf8');
  return isSame(decoded.slice(decoded.indexOf(':') + 1), secret);
}

async function openPage(url: string): Promise<boolean> {
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(CONFIRM_LIMIT_MS) });
  await response.body?.cancel();
  return response.ok;
}

type Read = { readonly reports: readonly BounceReport[] } | { readonly confirm: string } | null;

/** JSON or an email, whatever type the call has: SNS sends JSON as text/plain. */
async function readCall({ body = Buffer.alloc(0) }: Call): Promise<Read> {
  const text = body.toString().trim();
  if (!text.startsWith('{')) return text === '' ? null : { reports: await readDeliveryStatus(body) };
  const json = readJson(text);
  if (json === null) return null;
  const call = readAmazonCall(json);
  if (call !== null) return call.kind === 'confirm' ? { confirm: call.url } : call;
  const report = readPlainReport(json);
  return report === null ? null : { reports: [report] };
}

/** Providers repeat calls that fail; a report that is not about our emails never succeeds, so it is 204 as well. */
export function registerBounceRoutes(app: FastifyInstance, deps: BounceRouteDeps): void {
  const { bounces, secret, log, open = openPage } = deps;
  app.route<{ Body: Buffer | undefined }>({
    method: 'POST',
    url: '/carriers/email/bounces',
    bodyLimit: BODY_BYTES,
    config: { operation: 'email_bounce' },
    async handler(request, reply) {
      if (secret === undefined) return reply.code(404).send();
      if (!isAuthorized(request, secret)) return reply.code(401).header('WWW-Authenticate', 'Basic').send();
      const read = await readCall(request);
      if (read === null) return reply.code(400).send();
      if ('confirm' in read) {
        const isConfirmed = await open(read.confirm).catch(() => false);
        log.info({ confirmed: isConfirmed }, 'subscription to bounces');
        return reply.code(isConfirmed ? 204 : 502).send();
      }
      for (const report of read.reports) {
        const isOurs = await bounces.receive(report);
        log.info({ code: report.code, ours: isOurs }, 'email bounced');
      }
      return reply.code(204).send();
    },
  });
}
