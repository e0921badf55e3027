import { type Static, Type } from 'typebox';
import { Nullable, openEnum, Timestamp } from './fields.ts';
import { DECLINE_MESSAGE_MAX_LENGTH, DECLINE_REASONS } from './plain/index.ts';

const IntroDecline = Type.Object(
  {
    reason: openEnum(
      'IntroDeclineReason',
      DECLINE_REASONS,
      '`not_meeting`: the member is not meeting the recipient. `away`: the member is away. `details_wrong`: something about the ' +
        'intro is wrong. `other`: `message` says why, unless the member declined with a text that says no more. New reasons may be added.',
    ),
    message: Nullable(Type.String(), "The member's own words; null when there are none."),
    declined_at: Timestamp('When the member declined.'),
  },
  { 'x-component': 'IntroDecline', description: 'The member declined to record the intro.' },
);

/** The field of an intro. */
export const Declined = Nullable(
  IntroDecline,
  'Set while the intro is `requested` and its member has declined to record it: reassign it or cancel it. Null again once it is ' +
    'reassigned or recorded.',
);

/** The body with which the recorder and the console decline an intro. */
export const DeclineBody = Type.Object(
  {
    reason: Type.Enum([...DECLINE_REASONS], {
      type: 'string',
      'x-problem': `must be one of ${DECLINE_REASONS.join(', ')}`,
    }),
    message: Type.Optional(
      Type.Union(
        [Type.String({ maxLength: DECLINE_MESSAGE_MAX_LENGTH, pattern: '^[^\\p{Cc}\\p{Cs}]*$' }), Type.Null()],
        {
          'x-problem': `must be text of up to ${DECLINE_MESSAGE_MAX_LENGTH} characters without control characters`,
        },
      ),
    ),
  },
  { additionalProperties: false },
);
export type DeclineBody = Static<typeof DeclineBody>;

/** The body with which a member hands an intro over. */
export const HandOverBody = Type.Object(
  { member: Type.String({ 'x-problem': 'must be the id of an active member' }) },
  { additionalProperties: false },
);
export type HandOverBody = Static<typeof HandOverBody>;
