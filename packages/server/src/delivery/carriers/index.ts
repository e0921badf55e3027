import { DELIVERY_FAILURES, type DeliveryFailureCode } from '@foreword/contract';
import type { Clock } from '../../platform/clock.ts';
import type { Seal } from '../../platform/seal.ts';
import { CARRIER_LIMIT_MS } from '../queue/rules.ts';
import type { MessageRow } from '../store/messages.ts';
import type { OutgoingMessage } from '../wording/compose.ts';
import type { Carrier, CarrierState, LookupResult, Mail, MailCarrier, Outcome, Text, TextCarrier } from './carrier.ts';
import { createHttpCarrier, type HttpCarrierAddress } from './http.ts';
import { createSmtpCarrier, type MailServer } from './smtp.ts';
import { createTwilioCarrier, type TwilioAccount } from './twilio.ts';

export type { TwilioAccount };

const accepted = { kind: 'accepted', carrierId: null } as const;
const refuse = (code: DeliveryFailureCode): Outcome => ({ kind: 'refused', code, message: DELIVERY_FAILURES[code] });

/** Numbers that no network assigns, to test every outcome of a text. */
const MAGIC: Readonly<Record<string, (attempt: number) => Outcome>> = {
  '+15005550001': () => refuse('invalid_number'),
  '+15005550002': () => ({
    ...accepted,
    report: { status: 'undelivered', code: 'undelivered', message: DELIVERY_FAILURES.undelivered },
  }),
  '+15005550003': () => refuse('recipient_opted_out'),
  '+15005550004': (attempt) =>
    attempt > 1 ? accepted : { kind: 'later', message: 'This test number fails on the first attempt.' },
  '+15005550006': () => ({ ...accepted, report: { status: 'delivered', code: null, message: null } }),
};

/** Sends nothing: the row of the message is the log. */
function createLogCarrier<Message extends Text | Mail>(): Carrier<Message> {
  return {
    name: 'log',
    isLocal: true,
    send: async ({ to, attempt }) => MAGIC[to]?.(attempt) ?? accepted,
    // The outcome is committed with the message, so a message in doubt was never accepted.
    lookUp: async () => ({ kind: 'absent' }),
    check: async () => ({ status: 'unset', message: 'Messages are only stored in the database, not sent.' }),
  };
}

/** From the environment. */
export interface CarrierSettings {
  readonly text:
    | { readonly carrier: 'log' }
    | { readonly carrier: 'twilio'; readonly account: TwilioAccount }
    | { readonly carrier: 'http'; readonly address: HttpCarrierAddress };
  readonly twilioApiUrl: string;
  /** Undefined: emails are stored, but not sent. */
  readonly mail: MailServer | undefined;
}

/** An organization may have its own account with the carrier. */
interface Account {
  readonly organizationId: string;
  readonly sealed: Buffer | null;
}

export interface Carriers {
  of(channel: 'text' | 'email', account: Account): { readonly name: string; readonly isLocal: boolean };
  send(outgoing: OutgoingMessage, account: Account): Promise<Outcome>;
  /** Looks up a message in doubt. Unsupported if its carrier is no longer configured. */
  lookUp(row: MessageRow, account: Account, otherCarrierIds: ReadonlySet<string>): Promise<LookupResult>;
  check(): Promise<{ readonly text: CarrierState; readonly email: CarrierState }>;
  /** Checks the account that sends this organization's texts, without sending. */
  checkTexts(account: Account): Promise<CarrierState>;
  /** The account that signs Twilio's calls about this organization. */
  twilioOf(account: Account): TwilioAccount | null;
  readonly httpSecret: string | null;
}

const sealContext = (organizationId: string): string => `twilio account of ${organizationId}`;

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

export function openCarriers(settings: CarrierSettings, deps: { seal: Seal; clock: Clock }): Carriers {
  const { text: chosen, twilioApiUrl } = settings;
  const shared: TextCarrier =
    chosen.carrier === 'twilio'
      ? createTwilioCarrier(chosen.account, twilioApiUrl)
      : chosen.carrier === 'http'
        ? createHttpCarrier(chosen.address, deps.clock)
        : createLogCarrier();
  const mail: MailCarrier = settings.mail === undefined ? createLogCarrier() : createSmtpCarrier(settings.mail);

  function twilioOf({ organizationId, sealed }: Account): TwilioAccount | null {
    if (sealed !== null) return JSON.parse(deps.seal.open(sealed, sealContext(organizationId))) as TwilioAccount;
    return chosen.carrier === 'twilio' ? chosen.account : null;
  }

  function textOf(account: Account): TextCarrier {
    const own = account.sealed === null ? null : twilioOf(account);
    return own === null ? shared : createTwilioCarrier(own, twilioApiUrl);
  }

  return {
    of: (channel, account) => (channel === 'email' ? mail : textOf(account)),
    send: (outgoing, account) =>
      withTimeout<Outcome>(
        outgoing.channel === 'email' ? mail.send(outgoing.message) : textOf(account).send(outgoing.message),
        {
          kind: 'doubt',
          message: 'The carrier took too long.',
        },
      ),
    async lookUp(row, account, otherCarrierIds) {
      const carrier = row.channel === 'email' ? mail : textOf(account);
      if (carrier.name !== row.carrier || row.address === null || row.body === null) return { kind: 'unsupported' };
      const { id, address: to, body, carrier_id: carrierId, created_at: createdAt } = row;
      const late = { kind: 'later', message: 'The carrier took too long.' } as const;
      return withTimeout<LookupResult>(carrier.lookUp({ id, to, body, carrierId, createdAt, otherCarrierIds }), late);
    },
    check: async () => {
      const [text, email] = await Promise.all([shared.check(), mail.check()]);
      return { text, email };
    },
    checkTexts: (account) => textOf(account).check(),
    twilioOf,
    httpSecret: chosen.carrier === 'http' ? chosen.address.secret : null,
  };
}

type States = { readonly text: CarrierState; readonly email: CarrierState };

/** Each check costs a request to the carrier; a minute of staleness is fine. */
const CACHE_MS = 60_000;

/** State of the carriers for /readyz. It never makes the process unready. */
export interface CarrierWatch {
  /** Returns the last known states at once, and refreshes stale ones in the background. */
  states(): { readonly text: CarrierState['status'] | 'unknown'; readonly email: CarrierState['status'] | 'unknown' };
}

export function watchCarriers(carriers: Carriers, nowMs: () => number): CarrierWatch {
  let last: States | undefined;
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
      return { text: last?.text.status ?? 'unknown', email: last?.email.status ?? 'unknown' };
    },
  };
}
