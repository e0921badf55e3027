import { Type } from 'typebox';
import { Nullable, openEnum, Timestamp } from './fields.ts';
import { REPLY_TYPES } from './plain/index.ts';

export const IntroReply = Type.Object(
  {
    type: openEnum(
      'IntroReplyType',
      REPLY_TYPES,
      '`confirm`: the recipient confirms the appointment. `reschedule`: they need another time. `thanks`: they thank the member, ' +
        'for a video without an appointment. `question`: they have a question. New types may be added.',
    ),
    label: Type.String({
      description: "The words on the button that the recipient tapped, as worded by the organization's team.",
      examples: ['See you then'],
    }),
    message: Nullable(Type.String(), 'The text of a question; null for other replies.'),
    replied_at: Timestamp('When the recipient replied.'),
  },
  { 'x-component': 'IntroReply', description: 'The reply that the recipient sent from the page.' },
);
