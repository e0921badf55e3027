import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '../../platform/log.ts';
import type { Carriers } from '../carriers/index.ts';
import { type EmailWithLink, renderEmailHtml, renderEmailText } from '../wording/email.ts';

const RETRY_PAUSES_MS = [2_000, 10_000];

/**
 * Sends an email that contains a secret at once, and never stores it. If this process dies first, the email is lost and the
 * user requests another one. Returns false when it was certainly not sent.
 */
export async function sendSecretEmail(
  { carriers, log }: { carriers: Carriers; log: Logger },
  email: EmailWithLink,
  to: { id: string; address: string; organizationId: string; accent: string | null; fromName: string },
): Promise<boolean> {
  const { id, address, organizationId, accent, fromName } = to;
  const account = { organizationId, sealed: null };
  const { subject } = email;
  const text = renderEmailText(email);
  const html = renderEmailHtml(email, accent);
  for (const [index, retryPause] of [...RETRY_PAUSES_MS, null].entries()) {
    const message = { id, to: address, attempt: index + 1, fromName, subject, text, html };
    const stored = { subject, body: null, segments: null };
    const outcome = await carriers.send({ channel: 'email', message, stored }, account);
    log.info({ organization: organizationId, email: id, outcome: outcome.kind }, 'sign-in email');
    if (outcome.kind !== 'later' || retryPause === null) return outcome.kind === 'accepted' || outcome.kind === 'doubt';
    await pause(retryPause, undefined, { ref: false });
  }
  return false;
}
