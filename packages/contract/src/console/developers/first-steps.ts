import { Type } from 'typebox';
import type { TeamMember } from '../members.ts';
import { define, response } from '../operation.ts';
import type { TouchpointSummary } from '../touchpoints.ts';

export type StepTouchpoint = Pick<TouchpointSummary, 'slug' | 'name' | 'context' | 'active' | 'delivery'>;

export type StepMember = Pick<TeamMember, 'id' | 'external_id' | 'first_name' | 'last_name' | 'email'>;

/** The objects that the snippets use. */
export interface FirstSteps {
  readonly touchpoints: readonly StepTouchpoint[];
  /** Active members, newest first; at most `limit`. */
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
            description: 'The beginning of a name, an email, or an external id.',
          }),
        ),
      },
      { additionalProperties: false },
    ),
    response: response<FirstSteps>(),
  },
});
