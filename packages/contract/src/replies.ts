import { Type } from 'typebox';
import { Nullable, openEnum, Timestamp } from './fields.ts';
import { REPLY_TYPES, type ReplyType } from './plain/index.ts';

/** `message`: the recipient replied to the text, instead of tapping a button on the page. */
export type IntroReplyType = ReplyType | 'message';
export const INTRO_REPLY_TYPES: readonly IntroReplyType[] = [...REPLY_TYPES, 'message'];

export const IntroReply = Type.Object(
  {
    type: openEnum(
      'IntroReplyType',
      INTRO_REPLY_TYPES,
      '`confirm`: the recipient confirms the appointment. `reschedule`: they need another time. `thanks`: they thank the member, ' +
        'for a video without an appointment. `question`: they have a question. `message`: they replied to the text. New types may ' +
        'be added.',
    ),
    label: Type.String({
      description:
        "The words on the button that the recipient tapped, as worded by the organization's team. For a `message`: Text message.",
      examples: ['See you then'],
    }),
    message: Nullable(Type.String(), 'The text of a `question` or a `message`; null for other replies.'),
    channel: openEnum(
      'IntroReplyChannel',
      ['page', 'text'],
      '`page`: the recipient replied on the page. `text`: they replied to the text. New channels may be added.',
    ),
    replied_at: Timestamp('When the recipient replied.'),
  },
  { 'x-component': 'IntroReply', description: 'The reply that the recipient sent from the page, or to the text.' },
);
