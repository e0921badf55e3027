import type { Clock } from '../../platform/clock.ts';
import type { Seal } from '../../platform/seal.ts';
import { CARRIER_LIMIT_MS } from '../queue/rules.ts';
import type { MessageRow } from '../store/messages.ts';
import type { OutgoingMessage } from '../wording/compose.ts';
import type { CarrierState, LookupResult, MailCarrier, Outcome, TextCarrier } from './carrier.ts';
import { createHttpCarrier, type HttpCarrierAddress } from './http.ts';
import { createLogCarrier } from './log.ts';
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
