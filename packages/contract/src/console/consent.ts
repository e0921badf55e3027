import { LINES_PATTERN, Phone } from '../fields.ts';
import type { NamedMember } from '../members.ts';
import { CONSENT_IMPORT_MAX_LINES, type ConsentSource } from '../plain/consent.ts';
import { ClosedObject, Type } from '../schema.ts';
import { define, json, response } from './operation.ts';

export interface ConsentChange {
  /** `asked`: whether to stop texts. `answered`: with words that do not ask for it. */
  readonly kind: 'opt_out' | 'opt_in' | 'asked' | 'answered';
  readonly source: ConsentSource;
  /** The recipient's words. For a change by the team: who asked for it, and how. */
  readonly said: string | null;
  /** The member who made a change for the recipient. */
  readonly by: NamedMember | null;
  readonly at: string;
}

/** Whether a number may be texted, and how that changed. */
export interface ConsoleConsent {
  readonly opted_out: {
    readonly source: ConsentSource;
    readonly at: string;
    /** Carriers block a number after STOP until it replies START, so an opt-out by text cannot be undone here. */
    readonly can_be_undone: boolean;
  } | null;
  /** Newest first. */
  readonly history: readonly ConsentChange[];
}

/** For a line of a file of opt-outs. */
const MAX_LINE_LENGTH = 500;

/** The result of an import of opt-outs. */
export interface ConsentImport {
  readonly added: number;
  readonly already: number;
  /** Lines without a phone number. */
  readonly problems: readonly { readonly line: number; readonly given: string }[];
}

export const CONSENT_OPERATIONS = define({
  readConsent: {
    route: 'GET /consent',
    role: 'manager',
    query: ClosedObject({ phone: Phone }),
    success: response<ConsoleConsent>(),
  },
  importOptOuts: {
    route: 'POST /consent/import',
    role: 'manager',
    body: json({
      text: Type.String({
        minLength: 1,
        maxLength: CONSENT_IMPORT_MAX_LINES * MAX_LINE_LENGTH,
        pattern: LINES_PATTERN,
        'x-problem': 'must be text without control characters other than line breaks and tabs',
      }),
    }),
    success: response<ConsentImport>(),
  },
});
