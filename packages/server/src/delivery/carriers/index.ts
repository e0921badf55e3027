import type { Clock } from '../../platform/clock.ts';
import type { Seal } from '../../platform/seal.ts';
import { CARRIER_LIMIT_MS } from '../queue/rules.ts';
import type { MessageRow } from '../store/messages.ts';
import type { OutgoingMessage } from '../wording/compose.ts';
import type { CarrierState, LookupResult, MailCarrier, Outcome, Route, TextCarrier } from './carrier.ts';
import { createHttpCarrier, type HttpCarrierAddress } from './http.ts';
import { createLogCarrier, isTestNumber, simulatedCarrier } from './local.ts';
import { createSmtpCarrier, type MailServer } from './smtp.ts';
import { createTwilioCarrier, type TwilioAccount } from './twilio.ts';

export type { TwilioAccount };

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
  routeOfText(to: string, options: { readonly hasOwnAccount: boolean }): Route;
  readonly routeOfEmail: Route;
  nameOf(channel: 'text' | 'email', to: string, account: Account): string;
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
        : createLogCarrier('no_text_provider');
  const mail: MailCarrier =
    settings.mail === undefined ? createLogCarrier('no_email_provider') : createSmtpCarrier(settings.mail);

  function twilioOf({ organizationId, sealed }: Account): TwilioAccount | null {
    if (sealed !== null) return JSON.parse(deps.seal.open(sealed, sealContext(organizationId))) as TwilioAccount;
    return chosen.carrier === 'twilio' ? chosen.account : null;
  }

  function routeOfText(to: string, { hasOwnAccount }: { hasOwnAccount: boolean }): Route {
    if (isTestNumber(to)) return 'simulation';
    return hasOwnAccount || chosen.carrier !== 'log' ? 'provider' : 'none';
  }

  function providerOf(account: Account): TextCarrier {
    const own = account.sealed === null ? null : twilioOf(account);
    return own === null ? shared : createTwilioCarrier(own, twilioApiUrl);
  }

  const textCarrierOf = (to: string, account: Account): TextCarrier =>
    routeOfText(to, { hasOwnAccount: account.sealed !== null }) === 'simulation'
      ? simulatedCarrier
      : providerOf(account);

  return {
    routeOfText,
    routeOfEmail: settings.mail === undefined ? 'none' : 'provider',
    nameOf: (channel, to, account) => (channel === 'email' ? mail : textCarrierOf(to, account)).name,
    send: (outgoing, account) =>
      withTimeout<Outcome>(
        outgoing.channel === 'email'
          ? mail.send(outgoing.message)
          : textCarrierOf(outgoing.message.to, account).send(outgoing.message),
        {
          kind: 'doubt',
          message: 'The carrier took too long.',
        },
      ),
    async lookUp(row, account, otherCarrierIds) {
      const { id, address: to, body, carrier_id: carrierId, created_at: createdAt } = row;
      if (to === null || body === null) return { kind: 'unsupported' };
      const carrier = row.channel === 'email' ? mail : textCarrierOf(to, account);
      if (carrier.name !== row.carrier) return { kind: 'unsupported' };
      const late = { kind: 'later', message: 'The carrier took too long.' } as const;
      return withTimeout<LookupResult>(carrier.lookUp({ id, to, body, carrierId, createdAt, otherCarrierIds }), late);
    },
    check: async () => {
      const [text, email] = await Promise.all([shared.check(), mail.check()]);
      return { text, email };
    },
    checkTexts: (account) => providerOf(account).check(),
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
