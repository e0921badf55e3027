import type { Config } from '../../config.ts';
import { openCarriers } from '../../delivery/index.ts';
import { systemClock } from '../../platform/clock.ts';
import { createSeal, randomSecret } from '../../platform/seal.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const SEAL_KEY_BYTES = 32;

const NEXT = {
  'text messages': 'Set SMS_CARRIER to twilio or http, with its settings; until then nobody gets a text.',
  'e-mail': 'Set SMTP_URL and MAIL_FROM; until then nobody gets an e-mail.',
} as const;

/** Asks each carrier whether it takes our account; sends nothing. */
export async function checkCarriers(config: Config): Promise<Finding[]> {
  // The accounts of single organizations are not looked at, so that any key will do.
  const seal = createSeal(randomSecret(SEAL_KEY_BYTES));
  const { text, email } = await openCarriers(config.carriers, { seal, clock: systemClock }).check();
  return (
    [
      ['text messages', text],
      ['e-mail', email],
    ] as const
  ).map(([name, { status, message }]) => {
    if (status === 'ok') return ok(name, message);
    // A choice, and the one that everybody begins with.
    if (status === 'unset') return ok(name, `${message} ${NEXT[name]}`);
    if (status === 'refused')
      return problem(name, message, 'Correct the account; what waits is sent once it is right.');
    return warning(name, message, 'Look at the address and the network; what waits is tried again.');
  });
}
