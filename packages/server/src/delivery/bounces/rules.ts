/** Enhanced status codes (RFC 3463) of accounts and domains that do not exist, have moved or are disabled. */
const WRONG_ADDRESSES: readonly string[] = ['5.1.1', '5.1.2', '5.1.3', '5.1.6', '5.1.10', '5.2.1', '5.4.4'];

/** For servers that send no enhanced code, or one that says nothing more than "failed". */
const UNKNOWN_USER =
  /\b(no such (user|mail ?box|recipient|address)|(user|mail ?box|recipient|address|account)( \S{1,100})? (is )?(unknown|not found|does(n't| not) exist|disabled|inactive)|unknown (user|mail ?box|recipient))\b/i;

export interface MailStatus {
  /** Enhanced code such as `5.1.1`, if the server sent one. */
  readonly code: string | null;
  readonly text: string | null;
}

/**
 * Whether no email will ever reach this address. Full inboxes, policies and blocked senders say nothing about the address:
 * marking it would turn one blocked sender into a team without email.
 */
export const isAddressWrong = ({ code, text }: MailStatus): boolean => {
  if (code !== null && code !== '5.0.0') return WRONG_ADDRESSES.includes(code);
  return text !== null && UNKNOWN_USER.test(text);
};

/** The enhanced code at the beginning of a server's response, as in `550 5.1.1 No such user`. */
export const enhancedCodeIn = (response: string): string | null =>
  /^\s*\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1] ?? null;

const MAX_REASON = 200;

/** One line for people, without control characters. */
export const toReason = (text: string): string =>
  text
    .replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim()
    .slice(0, MAX_REASON);
