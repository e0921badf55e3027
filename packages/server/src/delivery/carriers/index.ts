/** Twilio, Telnyx, HTTP and SMTP behind one interface, with a table of codes for each. */

import { createHash } from 'node:crypto';
import { DELIVERY_FAILURES, type DeliveryFailureCode, isTestNumber, type SegmentPrice } from '@foreword/contract';
import type { Clock } from '../../platform/clock.ts';
import type { Seal } from '../../platform/seal.ts';
import type { MessageTokens } from '../bounces/reports.ts';
import { CARRIER_LIMIT_MS } from '../queue/rules.ts';
import type { MessageRow } from '../store/queue.ts';
import type { OutgoingMessage } from '../wording/compose.ts';
import type {
  Carrier,
  CarrierState,
  LookupResult,
  Mail,
  MailCarrier,
  Outcome,
  Registration,
  Route,
  Text,
  TextCarrier,
} from './carrier.ts';
import { createHttpCarrier, type HttpCarrierAddress } from './http.ts';
import { createSmtpCarrier, type MailServer } from './smtp.ts';
import { createTelnyxCarrier, type TelnyxAccount, type TelnyxReply } from './telnyx.ts';
import { createTwilioCarrier, type TwilioAccount } from './twilio.ts';

export type { TwilioAccount };

/** The operator's account with a carrier of texts. */
export type TextAccount =
  | { readonly carrier: 'twilio'; readonly account: TwilioAccount }
  | { readonly carrier: 'telnyx'; readonly account: TelnyxAccount }
  | { readonly carrier: 'http'; readonly address: HttpCarrierAddress };

/** From the environment. */
export interface CarrierSettings {
  readonly text: { readonly carrier: 'log' } | TextAccount;
  /** Gets the texts that the first carrier certainly did not send. Never the same carrier. */
  readonly fallback?: TextAccount | undefined;
  readonly twilioApiUrl: string;
  /** The price of a segment in the service's own account. Undefined: unknown. */
  readonly segmentPrice?: SegmentPrice | undefined;
  /** Undefined: emails are stored, but not sent. */
  readonly mail: MailServer | undefined;
}

/** An organization may have its own account with the carrier. */
interface Account {
  readonly organizationId: string;
  readonly sealed: Buffer | null;
  /** The first carrier certainly did not send the message. An organization's own account has no fallback. */
  readonly usesFallback?: boolean;
}

interface CarrierStates {
  readonly text: CarrierState;
  readonly email: CarrierState;
  /** Undefined: there is no second carrier of texts. */
  readonly textFallback?: CarrierState;
}

export interface Carriers {
  routeOfText(to: string, options: { readonly hasOwnAccount: boolean }): Route;
  readonly routeOfEmail: Route;
  nameOf(channel: 'text' | 'email', to: string, account: Account): string;
  /** Whether the texts of the service's own account have a second carrier. */
  readonly hasFallback: boolean;
  /** A hash of the carrier, its credentials and its sender. Texts of an account that cannot send are held by it. */
  accountKeyOf(account: Account): string;
  send(outgoing: OutgoingMessage, account: Account): Promise<Outcome>;
  /** Looks up a message in doubt. Unsupported if its carrier is no longer configured. */
  lookUp(row: MessageRow, account: Account, otherCarrierIds: ReadonlySet<string>): Promise<LookupResult>;
  check(): Promise<CarrierStates>;
  /** Checks the account that sends this organization's texts, without sending. */
  checkTexts(account: Account): Promise<CarrierState>;
  /** Whether the sender of this account is registered. Null: it needs no registration, or its carrier cannot say. */
  readRegistration(account: Account): Promise<Registration | null>;
  /** The account that signs Twilio's calls about this organization. */
  twilioOf(account: Account): TwilioAccount | null;
  readonly httpSecret: string | null;
  /** Only for the account of the service. */
  readonly segmentPrice: SegmentPrice | null;
  readonly telnyx: {
    readonly publicKey: string;
    reply(reply: TelnyxReply): Promise<Outcome>;
  } | null;
}

const KEY_LENGTH = 22;

const REGISTRATION_LATE: Registration = {
  status: 'unknown',
  message: 'The carrier took too long to say whether the sender is registered.',
  next: 'Try again later.',
};

/** Binds the account to its organization. */
export const sealContext = (organizationId: string): string => `twilio account of ${organizationId}`;

export const sealAccount = (seal: Seal, organizationId: string, account: TwilioAccount): Buffer =>
  seal.close(JSON.stringify(account), sealContext(organizationId));

/** Ends a response that trickles in, before another worker considers the message abandoned. */
function withTimeout<T>(work: Promise<T>, onTimeout: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<T>((resolve) => {
    timer = setTimeout(resolve, 2 * CARRIER_LIMIT_MS, onTimeout);
  });
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}

function openTextCarrier(chosen: CarrierSettings['text'], twilioApiUrl: string, clock: Clock): TextCarrier {
  switch (chosen.carrier) {
    case 'twilio':
      return createTwilioCarrier(chosen.account, twilioApiUrl);
    case 'telnyx':
      return createTelnyxCarrier(chosen.account);
    case 'http':
      return createHttpCarrier(chosen.address, clock);
    default:
      return createLogCarrier('no_text_provider');
  }
}

function openTelnyx(account: TelnyxAccount | undefined): Carriers['telnyx'] {
  if (account === undefined) return null;
  return { publicKey: account.publicKey, reply: createTelnyxCarrier(account).reply };
}

/** Faults of the carrier or of its account, after which it certainly sent nothing. */
const isFault = (outcome: Outcome): outcome is Extract<Outcome, { kind: 'unusable' | 'later' }> =>
  outcome.kind === 'unusable' || (outcome.kind === 'later' && outcome.isUnreachable === true);

export function openCarriers(
  settings: CarrierSettings,
  deps: { seal: Seal; clock: Clock; tokens?: MessageTokens },
): Carriers {
  const { text: chosen, fallback: second, twilioApiUrl } = settings;
  const shared = openTextCarrier(chosen, twilioApiUrl, deps.clock);
  const fallback = second === undefined ? null : openTextCarrier(second, twilioApiUrl, deps.clock);
  const accounts = second === undefined ? [chosen] : [chosen, second];
  const find = <Name extends TextAccount['carrier']>(name: Name) =>
    accounts.find((one): one is Extract<TextAccount, { carrier: Name }> => one.carrier === name);
  const mail: MailCarrier =
    settings.mail === undefined ? createLogCarrier('no_email_provider') : createSmtpCarrier(settings.mail);

  function twilioOf({ organizationId, sealed }: Account): TwilioAccount | null {
    if (sealed !== null) return JSON.parse(deps.seal.open(sealed, sealContext(organizationId))) as TwilioAccount;
    return find('twilio')?.account ?? null;
  }

  function routeOfText(to: string, { hasOwnAccount }: { hasOwnAccount: boolean }): Route {
    if (isTestNumber(to)) return 'simulation';
    return hasOwnAccount || chosen.carrier !== 'log' ? 'provider' : 'none';
  }

  function providerOf(account: Account): TextCarrier {
    const own = account.sealed === null ? null : twilioOf(account);
    if (own !== null) return createTwilioCarrier(own, twilioApiUrl);
    return account.usesFallback === true && fallback !== null ? fallback : shared;
  }

  const accountKeys = new WeakMap<object, string>();
  function accountKeyOf(account: Account): string {
    const own = account.sealed === null ? null : twilioOf(account);
    const identity =
      own !== null ? { carrier: 'twilio', account: own } : account.usesFallback === true ? (second ?? chosen) : chosen;
    const known = accountKeys.get(identity);
    if (known !== undefined) return known;
    const key = createHash('sha256').update(JSON.stringify(identity)).digest('base64url').slice(0, KEY_LENGTH);
    accountKeys.set(identity, key);
    return key;
  }

  const textCarrierOf = (to: string, account: Account): TextCarrier =>
    routeOfText(to, { hasOwnAccount: account.sealed !== null }) === 'simulation'
      ? simulatedCarrier
      : providerOf(account);

  async function sendText(message: Text, account: Account): Promise<Outcome> {
    const outcome = await textCarrierOf(message.to, account).send(message);
    return fallback !== null && account.sealed === null && isFault(outcome)
      ? { ...outcome, mayFailOver: true }
      : outcome;
  }

  const withToken = (message: Mail, { organizationId }: Account): Mail =>
    deps.tokens === undefined
      ? message
      : { ...message, token: deps.tokens.tokenOf({ organizationId, id: message.id, address: message.to }) };

  return {
    routeOfText,
    routeOfEmail: settings.mail === undefined ? 'none' : 'provider',
    hasFallback: fallback !== null,
    accountKeyOf,
    nameOf: (channel, to, account) => (channel === 'email' ? mail : textCarrierOf(to, account)).name,
    send: (outgoing, account) =>
      withTimeout<Outcome>(
        outgoing.channel === 'email'
          ? mail.send(withToken(outgoing.message, account))
          : sendText(outgoing.message, account),
        {
          kind: 'doubt',
          message: 'The carrier took too long.',
        },
      ),
    async lookUp(row, account, otherCarrierIds) {
      const { id, address: to, body, carrier_id: carrierId, created_at: createdAt } = row;
      if (to === null || body === null) return { kind: 'unsupported' };
      const candidates =
        row.channel === 'email'
          ? [mail]
          : [textCarrierOf(to, account), shared, ...(fallback === null ? [] : [fallback])];
      const carrier = candidates.find(({ name }) => name === row.carrier);
      if (carrier === undefined) return { kind: 'unsupported' };
      const late = { kind: 'later', message: 'The carrier took too long.' } as const;
      return withTimeout<LookupResult>(carrier.lookUp({ id, to, body, carrierId, createdAt, otherCarrierIds }), late);
    },
    check: async () => {
      const [text, email, textFallback] = await Promise.all([shared.check(), mail.check(), fallback?.check()]);
      return { text, email, ...(textFallback !== undefined && { textFallback }) };
    },
    checkTexts: (account) => providerOf(account).check(),
    readRegistration: async (account) =>
      (await withTimeout(providerOf(account).readRegistration?.() ?? Promise.resolve(null), REGISTRATION_LATE)) ?? null,
    twilioOf,
    httpSecret: find('http')?.address.secret ?? null,
    segmentPrice: settings.segmentPrice ?? null,
    telnyx: openTelnyx(find('telnyx')?.account),
  };
}

/** Each check costs a request to the carrier; a minute of staleness is fine. */
const CACHE_MS = 60_000;

/** State of the carriers for /readyz. It never makes the process unready. */
export interface CarrierWatch {
  /** Returns the last known states at once, and refreshes stale ones in the background. */
  states(): {
    readonly text: CarrierState['status'] | 'unknown';
    readonly email: CarrierState['status'] | 'unknown';
    readonly text_fallback?: CarrierState['status'];
  };
}

export function watchCarriers(carriers: Carriers, nowMs: () => number): CarrierWatch {
  let last: CarrierStates | undefined;
  let checkedMs = Number.NEGATIVE_INFINITY;
  return {
    states() {
      if (nowMs() - checkedMs > CACHE_MS) {
        checkedMs = nowMs();
        carriers.check().then(
          (states) => {
            last = states;
          },
          () => {
            last = undefined;
          },
        );
      }
      const fallback = last?.textFallback;
      return {
        text: last?.text.status ?? 'unknown',
        email: last?.email.status ?? 'unknown',
        ...(fallback !== undefined && { text_fallback: fallback.status }),
      };
    },
  };
}

const refuse = (code: DeliveryFailureCode): Outcome => ({ kind: 'refused', code, message: DELIVERY_FAILURES[code] });
const accepted = { kind: 'accepted', carrierId: null } as const;
const delivered: Outcome = { ...accepted, report: { status: 'delivered', code: null, message: null } };

/** Numbers whose texts are not delivered at the first attempt, to test every outcome. */
const OUTCOMES: Readonly<Record<string, (attempt: number) => Outcome>> = {
  '+15005550001': () => refuse('invalid_number'),
  '+15005550002': () => ({
    ...accepted,
    report: { status: 'undelivered', code: 'undelivered', message: DELIVERY_FAILURES.undelivered },
  }),
  '+15005550003': () => refuse('recipient_opted_out'),
  '+15005550004': (attempt) =>
    attempt > 1 ? delivered : { kind: 'later', message: 'This test number fails on the first attempt.' },
};

// The outcome is committed with the message, so a message in doubt was never accepted.
const lookUp = async () => ({ kind: 'absent' }) as const;

const NOT_CONNECTED = {
  no_text_provider: 'No text provider is connected.',
  no_email_provider: 'No email provider is connected.',
} as const;

/** Used when no provider is connected. Sends nothing; the message is only stored. */
const createLogCarrier = <Message extends Text | Mail>(
  code: 'no_text_provider' | 'no_email_provider',
): Carrier<Message> => ({
  name: 'log',
  send: async () => refuse(code),
  lookUp,
  check: async () => ({ status: 'unset', message: NOT_CONNECTED[code] }),
});

/** Simulates the outcomes of texts to test numbers. Sends nothing. */
export const simulatedCarrier: TextCarrier = {
  name: 'simulated',
  send: async ({ to, attempt }) => OUTCOMES[to]?.(attempt) ?? delivered,
  lookUp,
  check: async () => ({ status: 'ok', message: 'Texts to test numbers are simulated.' }),
};
