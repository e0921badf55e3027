/** Twilio, Telnyx, HTTP and SMTP behind one interface, with a table of codes for each. */

import { createHash } from 'node:crypto';
import { DELIVERY_FAILURES, type DeliveryFailureCode, isTestNumber, type SegmentPrice } from '@foreword/contract';
import type { SealedColumn } from '../../db/key-rotation.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Seal } from '../../platform/seal.ts';
import type { MessageTokens } from '../bounces/reports.ts';
import { CARRIER_LIMIT_MS } from '../queue/rules.ts';
import type { MessageRow } from '../store/queue.ts';
import type { OutgoingMessage } from '../wording/texts.ts';
import {
  type Carrier,
  type CarrierState,
  DELIVERED,
  type LookupResult,
  type Mail,
  type MailCarrier,
  type Outcome,
  type Registration,
  type Route,
  type Text,
  type TextCarrier,
  UNREADABLE,
} from './carrier.ts';
import { createHttpCarrier, type HttpCarrierAddress } from './http.ts';
import { createSmtpCarrier, type MailServer } from './smtp.ts';
import { createTelnyxCarrier, type TelnyxAccount } from './telnyx.ts';
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
export interface Account {
  readonly organizationId: string;
  readonly sealed: Buffer | null;
  /** The first carrier certainly did not send the message. An organization's own account has no fallback. */
  readonly usesFallback?: boolean;
}

export type Carriers = ReturnType<typeof openCarriers>;

const KEY_LENGTH = 22;

/** Binds the account to its organization. */
const sealContext = (organizationId: string): string => `twilio account of ${organizationId}`;

export const sealAccount = (seal: Seal, organizationId: string, account: TwilioAccount): Buffer =>
  seal.close(JSON.stringify(account), sealContext(organizationId));

/** The encrypted columns of this module. */
export const deliveryColumns = (seal: Seal): SealedColumn[] => [
  {
    table: 'delivery_settings',
    column: 'twilio_account',
    key: ['organization_id', 'environment'],
    seal,
    placeOf: ({ organization_id = '' }) => sealContext(organization_id),
  },
];

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

/** Faults of the carrier or of its account, after which it certainly sent nothing. */
const isFault = (outcome: Outcome): outcome is Extract<Outcome, { kind: 'unusable' | 'later' }> =>
  outcome.kind === 'unusable' || (outcome.kind === 'later' && outcome.isUnreachable === true);

const LATE = 'The carrier took too long.';

export function openCarriers(
  settings: CarrierSettings,
  { seal, clock, tokens }: { seal: Seal; clock: Clock; tokens?: MessageTokens },
) {
  const { text: chosen, fallback: second, twilioApiUrl } = settings;
  const open = (text: CarrierSettings['text']): TextCarrier => openTextCarrier(text, twilioApiUrl, clock);
  const shared = open(chosen);
  const fallback = second === undefined ? null : open(second);
  const find = <Name extends TextAccount['carrier']>(name: Name) =>
    [chosen, second].find((one): one is Extract<TextAccount, { carrier: Name }> => one?.carrier === name);
  const mail: MailCarrier =
    settings.mail === undefined ? createLogCarrier('no_email_provider') : createSmtpCarrier(settings.mail);
  const telnyx = find('telnyx')?.account;

  const openOwn = (organizationId: string, sealed: Buffer) =>
    JSON.parse(seal.open(sealed, sealContext(organizationId))) as TwilioAccount;

  /** Null with another server key: pages of recipients open nevertheless. */
  function readOwn(organizationId: string, sealed: Buffer) {
    try {
      return { account: openOwn(organizationId, sealed) };
    } catch {
      return null;
    }
  }

  function routeOfText(to: string, { hasOwnAccount }: { hasOwnAccount: boolean }): Route {
    if (isTestNumber(to)) return 'simulation';
    return hasOwnAccount || chosen.carrier !== 'log' ? 'provider' : 'none';
  }

  function providerOf({ organizationId, sealed, usesFallback }: Account): TextCarrier {
    if (sealed !== null) return open({ carrier: 'twilio', account: openOwn(organizationId, sealed) });
    return usesFallback === true && fallback !== null ? fallback : shared;
  }

  const textCarrierOf = (to: string, account: Account): TextCarrier =>
    isTestNumber(to) ? simulatedCarrier : providerOf(account);

  async function sendText(message: Text, account: Account): Promise<Outcome> {
    const outcome = await textCarrierOf(message.to, account).send(message);
    return fallback !== null && account.sealed === null && isFault(outcome)
      ? { ...outcome, mayFailOver: true }
      : outcome;
  }

  const sendEmail = (message: Mail, { organizationId }: Account): Promise<Outcome> => {
    const token =
      mail.name === 'log' ? undefined : tokens?.tokenOf({ organizationId, id: message.id, address: message.to });
    return mail.send(token === undefined ? message : { ...message, token });
  };

  const keyOf = (text: object) =>
    createHash('sha256').update(JSON.stringify(text)).digest('base64url').slice(0, KEY_LENGTH);
  const sharedKey = keyOf(chosen);
  const fallbackKey = second === undefined ? sharedKey : keyOf(second);

  const accountKeyOf = ({ organizationId, sealed, usesFallback }: Account): string =>
    sealed === null
      ? usesFallback === true
        ? fallbackKey
        : sharedKey
      : keyOf({ carrier: 'twilio', account: openOwn(organizationId, sealed) });

  return {
    routeOfText,
    routeOfEmail: settings.mail === undefined ? ('none' as const) : ('provider' as const),
    nameOf: (channel: 'text' | 'email', to: string, account: Account): string =>
      (channel === 'email' ? mail : textCarrierOf(to, account)).name,
    /** Whether the texts of the service's own account have a second carrier. */
    hasFallback: fallback !== null,
    /** A hash of the carrier, its credentials and its sender. Texts of an account that cannot send are held by it. */
    accountKeyOf,
    send: ({ channel, message }: OutgoingMessage, account: Account) =>
      withTimeout<Outcome>(channel === 'email' ? sendEmail(message, account) : sendText(message, account), {
        kind: 'doubt',
        message: LATE,
      }),
    /** Looks up a message in doubt at the account that may have sent it. Unsupported if its carrier is no longer configured. */
    async lookUp(row: MessageRow, account: Account, otherCarrierIds: ReadonlySet<string>): Promise<LookupResult> {
      const { id, address: to, body, carrier_id: carrierId, created_at: createdAt } = row;
      if (to === null || body === null) return { kind: 'unsupported' };
      const isReadable = account.sealed === null || readOwn(account.organizationId, account.sealed) !== null;
      const candidates: readonly (readonly [TextCarrier | MailCarrier | null, string | null])[] =
        row.channel === 'email'
          ? [[mail, null]]
          : [
              isReadable ? [textCarrierOf(to, account), accountKeyOf(account)] : [null, null],
              [shared, sharedKey],
              [fallback, fallbackKey],
            ];
      const named = candidates.filter(([one]) => one?.name === row.carrier);
      const [carrier, key] = named.find(([, one]) => one === row.account) ?? named[0] ?? [];
      if (!carrier) return { kind: 'unsupported' };
      const lookup = carrier.lookUp({ id, to, body, carrierId, createdAt, otherCarrierIds });
      const found = await withTimeout<LookupResult>(lookup, { kind: 'later', message: LATE });
      const isProof = found.kind !== 'absent' || row.account === null || row.account === key;
      return isProof ? found : { kind: 'later', message: 'The account that may have sent the text was changed.' };
    },
    /** `textFallback` is undefined without a second carrier of texts. */
    async check() {
      const [text, email, textFallback] = await Promise.all([shared.check(), mail.check(), fallback?.check()]);
      return { text, email, textFallback };
    },
    /** Checks the account that sends this organization's texts, without sending. */
    checkTexts: (account: Account): Promise<CarrierState> => providerOf(account).check(),
    /** Whether the sender of this account is registered. Null: it needs no registration, or its carrier cannot say. */
    readRegistration: async (account: Account): Promise<Registration | null> =>
      withTimeout(providerOf(account).readRegistration?.() ?? Promise.resolve(null), UNREADABLE),
    /** The number that this organization's texts come from. Null: the carrier chooses it, or the account cannot be read. */
    numberOf(account: Account): string | null {
      const text = account.sealed === null ? chosen : readOwn(account.organizationId, account.sealed);
      if (text === null || !('account' in text) || !('from' in text.account.sender)) return null;
      const { from } = text.account.sender;
      return /^\+\d{8,15}$/.test(from) ? from : null;
    },
    /** The account that signs Twilio's calls about this organization. */
    twilioOf: ({ organizationId, sealed }: Account): TwilioAccount | null =>
      sealed === null ? (find('twilio')?.account ?? null) : openOwn(organizationId, sealed),
    httpSecret: find('http')?.address.secret ?? null,
    /** Only for the account of the service. */
    segmentPrice: settings.segmentPrice ?? null,
    telnyx: telnyx === undefined ? null : { publicKey: telnyx.publicKey, reply: createTelnyxCarrier(telnyx).reply },
  };
}

/** Each check costs a request to the carrier; a minute of staleness is fine. */
const CACHE_MS = 60_000;

export type CarrierWatch = ReturnType<typeof watchCarriers>;

/** State of the carriers for /readyz. It never makes the process unready. */
export function watchCarriers(carriers: Pick<Carriers, 'check'>, nowMs: () => number) {
  let last: Partial<Awaited<ReturnType<Carriers['check']>>> = {};
  let checkedMs = 0;
  function check(): void {
    checkedMs = nowMs();
    carriers
      .check()
      .catch(() => ({}))
      .then((states) => {
        last = states;
      });
  }
  // So that the first one who opens the console sees the states.
  check();
  return {
    /** Returns the last known states at once, and refreshes stale ones in the background. */
    states() {
      if (nowMs() - checkedMs > CACHE_MS) check();
      const { text, email, textFallback } = last;
      return {
        text: text?.status ?? ('unknown' as const),
        email: email?.status ?? ('unknown' as const),
        ...(textFallback !== undefined && { text_fallback: textFallback.status }),
      };
    },
  };
}

const refuse = (code: DeliveryFailureCode): Outcome => ({ kind: 'refused', code, message: DELIVERY_FAILURES[code] });
const accepted = { kind: 'accepted', carrierId: null } as const;
const delivered: Outcome = { ...accepted, report: DELIVERED };

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
const simulatedCarrier: TextCarrier = {
  name: 'simulated',
  send: async ({ to, attempt }) => OUTCOMES[to]?.(attempt) ?? delivered,
  lookUp,
  check: async () => ({ status: 'ok', message: 'Texts to test numbers are simulated.' }),
};
