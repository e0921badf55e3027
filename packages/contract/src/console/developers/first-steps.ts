import { Type } from 'typebox';
import type { Responsibility, TouchpointContext } from '../../plain/index.ts';
import { define, response } from '../operation.ts';

export interface StepTouchpoint {
  readonly slug: string;
  readonly name: string;
  readonly context: TouchpointContext;
  readonly active: boolean;
  readonly delivery: Responsibility;
}

export interface StepMember {
  readonly id: string;
  readonly external_id: string | null;
  readonly first_name: string;
  readonly last_name: string;
  readonly email: string;
}

/** What the snippets are made of. */
export interface FirstSteps {
  readonly touchpoints: readonly StepTouchpoint[];
  /** Active ones, newest first; at most `most` of them. */
  readonly members: readonly StepMember[];
  readonly limit: number;
}

export const FIRST_STEPS_OPERATIONS = define({
  'GET /first-steps': {
    role: 'manager',
    query: Type.Object(
      {
        member: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 254,
            pattern: '^[^\\p{Cc}\\p{Cs}]*$',
            'x-problem': 'must be text without control characters or broken Unicode',
            description: 'The beginning of a name, or an e-mail address or external id.',
          }),
        ),
      },
      { additionalProperties: false },
    ),
    response: response<FirstSteps>(),
  },
});
