import type { Clock } from '../../platform/clock.ts';
import type { Seal } from '../../platform/seal.ts';
import { CARRIER_LIMIT_MS } from '../queue/rules.ts';
import type { MessageRow } from '../store/messages.ts';
import type { Parcel } from '../wording/compose.ts';
import type { CarrierState, Finding, MailCarrier, Outcome, TextCarrier } from './carrier.ts';
import { createHttpCarrier, type HttpCarrierAddress } from './http.ts';
import { createLogCarrier } from './log.ts';
import { createSmtpCarrier, type MailServer } from './smtp.ts';
import { createTwilioCarrier, type TwilioAccount } from './twilio.ts';

export type { TwilioAccount };

/** As the environment names them. */
export interface CarrierSettings {
  readonly text:
    | { readonly carrier: 'log' }
    | { readonly carrier: 'twilio'; readonly account: TwilioAccount }
    | { readonly carrier: 'http'; readonly address: HttpCarrierAddress };
  readonly twilioApiUrl: string;
  /** Undefined: e-mails are kept and not sent. */
  readonly mail: MailServer | undefined;
}

/** Whose carrier: an organization may have an account of its own. */
interface Account {
  readonly organizationId: string;
  readonly sealed: Buffer | null;
}

export interface Carriers {
  of(channel: 'text' | 'email', account: Account): { readonly name: string; readonly isLocal: boolean };
  send(parcel: Parcel, account: Account): Promise<Outcome>;
  /** Asks the carrier that had the message; one that is not set up any more cannot be asked. */
  look(row: MessageRow, account: Account, idsOfOthers: ReadonlySet<string>): Promise<Finding>;
  check(): Promise<{ readonly text: CarrierState; readonly email: CarrierState }>;
  /** Asks without sending, with the account that texts of this organization go by. */
  checkTexts(account: Account): Promise<CarrierState>;
  /** The account that signs what Twilio tells about this organization. */
  twilioOf(account: Account): TwilioAccount | null;
  readonly httpSecret: string | null;
}

const placeOf = (organizationId: string): string => `twilio account of ${organizationId}`;

export const sealAccount = (seal: Seal, organizationId: string, account: TwilioAccount): Buffer =>
  seal.close(JSON.stringify(account), placeOf(organizationId));

/** A carrier keeps its own times; this one ends what drips, before another worker takes the message for abandoned. */
function within<T>(work: Promise<T>, late: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<T>((resolve) => {
    timer = setTimeout(resolve, 2 * CARRIER_LIMIT_MS, late);
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
    if (sealed !== null) return JSON.parse(deps.seal.open(sealed, placeOf(organizationId))) as TwilioAccount;
    return chosen.carrier === 'twilio' ? chosen.account : null;
  }

  function textOf(account: Account): TextCarrier {
    const own = account.sealed === null ? null : twilioOf(account);
    return own === null ? shared : createTwilioCarrier(own, twilioApiUrl);
  }

  return {
    of: (channel, account) => (channel === 'email' ? mail : textOf(account)),
    send: (parcel, account) =>
      within<Outcome>(parcel.channel === 'email' ? mail.send(parcel.message) : textOf(account).send(parcel.message), {
        kind: 'doubt',
        message: 'The carrier took too long.',
      }),
    async look(row, account, idsOfOthers) {
      const carrier = row.channel === 'email' ? mail : textOf(account);
      if (carrier.name !== row.carrier || row.address === null || row.body === null) return { kind: 'unanswerable' };
      const { id, address: to, body, carrier_id: carrierId, created_at: createdAt } = row;
      const late = { kind: 'later', message: 'The carrier took too long.' } as const;
      return within<Finding>(carrier.look({ id, to, body, carrierId, createdAt, idsOfOthers }), late);
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
