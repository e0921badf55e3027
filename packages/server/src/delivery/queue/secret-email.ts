import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '../../platform/log.ts';
import type { Carriers } from '../carriers/index.ts';
import { renderLetter } from '../wording/email.ts';
import { type LetterToMember, writeLetterText } from '../wording/texts.ts';

const RETRY_PAUSES_MS = [2_000, 10_000];

/**
 * A letter with a secret in it: it goes out at once and is kept nowhere. One that is lost with this process is asked for
 * again by the person who waits for it.
 */
export async function sendSecretLetter(
  { carriers, log }: { carriers: Carriers; log: Logger },
  letter: LetterToMember,
  to: { id: string; address: string; organizationId: string; accent: string | null; fromName: string },
): Promise<void> {
  const { id, address, organizationId, accent, fromName } = to;
  const account = { organizationId, sealed: null };
  const text = writeLetterText(letter);
  const html = renderLetter(letter, accent);
  for (const [index, rest] of [...RETRY_PAUSES_MS, null].entries()) {
    const message = { id, to: address, attempt: index + 1, fromName, subject: letter.subject, text, html };
    const written = { subject: letter.subject, body: '', segments: null };
    const outcome = await carriers.send({ channel: 'email', message, written }, account);
    log.info({ organization: organizationId, letter: id, outcome: outcome.kind }, 'sign-in letter');
    if (outcome.kind !== 'later' || rest === null) return;
    await pause(rest, undefined, { ref: false });
  }
}
