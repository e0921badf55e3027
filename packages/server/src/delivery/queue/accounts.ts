import type { Transaction } from 'kysely';
import { isTestTime } from '../../platform/clock.ts';
import type { Tables } from '../../tables.ts';
import type { Carriers } from '../carriers/index.ts';
import { holdAccounts } from '../holds/holding.ts';
import { accountOf, isPhoneTexted, type Sendable } from './numbers.ts';
import type { OwnerEmails } from './owner-emails.ts';
import type { LimitedText } from './rules.ts';

interface Deps {
  readonly carriers: Carriers;
  readonly ownerEmails: OwnerEmails;
}

interface CheckedTexts {
  readonly free: readonly Sendable[];
  /** Texts that wait because their account cannot send. */
  readonly waiting: Map<Sendable, LimitedText>;
  markProbes(isSent: (one: Sendable) => boolean): Promise<readonly Sendable[]>;
}

/** The second carrier may only get a text that the first one certainly did not send. */
const mayFailOver = ({ carriers }: Deps, { row }: Sendable): boolean =>
  carriers.hasFallback && row.twilio_account === null && !row.uses_fallback && row.unsent_attempts === row.attempts;

async function hold(deps: Deps, tx: Transaction<Tables>, texts: readonly Sendable[], now: Date) {
  const toAccountText = (sendable: Sendable) => {
    const account = accountOf(sendable.row);
    const isOwnAccount = account.sealed !== null;
    return { sendable, row: sendable.row, account: deps.carriers.accountKeyOf(account), isOwnAccount };
  };
  const onPhones = texts.filter((one) => isPhoneTexted(one) && !isTestTime(now)).map(toAccountText);
  return holdAccounts(deps.ownerEmails, tx, onPhones, now);
}

/** Finds the texts whose account cannot send. The second carrier sends them, if there is one that works. */
export async function checkAccounts(
  deps: Deps,
  tx: Transaction<Tables>,
  texts: readonly Sendable[],
  now: Date,
): Promise<CheckedTexts> {
  const first = await hold(deps, tx, texts, now);
  const waiting = new Map([...first.held].map(([{ sendable }, limit]) => [sendable, limit]));
  const moved = new Map(
    [...waiting.keys()]
      .filter((one) => mayFailOver(deps, one))
      .map((one) => [one, { ...one, row: { ...one.row, uses_fallback: true } }]),
  );
  const second = await hold(deps, tx, [...moved.values()], now);
  const isHeldAgain = new Set([...second.held.keys()].map(({ sendable }) => sendable));
  for (const [one, other] of moved) {
    if (isHeldAgain.has(other)) moved.delete(one);
    else waiting.delete(one);
  }
  return {
    free: texts.map((one) => moved.get(one) ?? one),
    waiting,
    async markProbes(isSent) {
      const isProbeSent = ({ sendable }: { sendable: Sendable }) => isSent(sendable);
      const marked = [...(await first.markProbes(isProbeSent)), ...(await second.markProbes(isProbeSent))];
      return marked.map(({ sendable }) => sendable);
    },
  };
}
