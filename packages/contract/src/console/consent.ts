import { Type } from 'typebox';
import { Phone } from '../fields.ts';
import { define, response } from './operation.ts';

/** `text`: a reply. `page`: the button on the video page. `carrier`: reported by it. `operator`: before the console could. */
export type ConsentSource = 'text' | 'page' | 'carrier' | 'operator' | 'team';

export interface ConsentChange {
  readonly kind: 'opt_out' | 'opt_in';
  readonly source: ConsentSource;
  /** The recipient's words. For a change by the team: who asked for it, and how. */
  readonly said: string | null;
  /** The member who made a change for the recipient. */
  readonly by: { readonly id: string; readonly first_name: string; readonly last_name: string } | null;
  readonly at: string;
}

/** Whether a number may be texted, and how that changed. */
export interface ConsoleConsent {
  readonly opted_out: {
    readonly source: ConsentSource;
    readonly at: string;
    /** Carriers block a number after STOP until it replies START, so only an opt-out on the page can be undone here. */
    readonly can_be_undone: boolean;
  } | null;
  /** Newest first. */
  readonly history: readonly ConsentChange[];
}

const closed = { additionalProperties: false } as const;

/** Who asked to be texted again, and how: "Dana, on the phone". */
const ASKED_BY_MAX_LENGTH = 100;

export const CONSENT_OPERATIONS = define({
  'GET /consent': {
    role: 'manager',
    query: Type.Object({ phone: Phone }, closed),
    response: response<ConsoleConsent>(),
  },
  'POST /consent/allow': {
    role: 'manager',
    body: Type.Object(
      {
        phone: Phone,
        asked_by: Type.String({
          minLength: 1,
          maxLength: ASKED_BY_MAX_LENGTH,
          pattern: '\\S',
          'x-problem': `must say who asked, in at most ${ASKED_BY_MAX_LENGTH} characters`,
        }),
      },
      closed,
    ),
    response: response<ConsoleConsent>(),
  },
});
