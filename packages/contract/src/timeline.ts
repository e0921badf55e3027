import { eventExample } from './events.ts';
import { Nullable, openEnum, Timestamp } from './fields.ts';
import { INTRO_ID, introExample } from './intros.ts';
import { define, type List, ListOf, returns } from './operation.ts';
import { Component, type Static, Type } from './schema.ts';

/** The types of steps and what each one means, in the order of steps that happen at the same time. */
export const TIMELINE_STEPS = {
  asked: 'The intro was created. `detail.event` is the touchpoint event that created it.',
  member_told: 'The member was notified by `detail.channel`.',
  member_reminded: 'The member was reminded by `detail.channel`.',
  member_not_told: 'A message to the member could not be sent or delivered; `detail.code` is the reason.',
  declined:
    'The member `detail.member` declined to record it: `detail.reason` is the reason, and `detail.message` their own words. With ' +
    '`detail.channel` `text`, they replied to the text.',
  reassigned:
    'The intro was reassigned from the member `detail.from` to the member `detail.to`, with the API key `detail.key` or by the member ' +
    '`detail.member`; without either, by the operator. With `detail.channel` `text`, the member replied to the text.',
  opened_by_member: 'The member opened the recorder.',
  recorded: 'A take was uploaded.',
  recording_refused: 'A take was rejected; `detail.code` is the reason.',
  processed: 'The video is ready to watch.',
  queued:
    'The text is delayed until `detail.until` because of `detail.reason`: `quiet_hours`, `recent_text`, `opt_out_question`, `daily_limit`, ' +
    '`texts_paused` or `carrier_account`. ' +
    'With quiet hours, `detail.state` is the US state whose law sets them, if one does.',
  sent: 'The link was sent to the recipient. For test numbers, `detail.carrier` is `simulated`.',
  not_sent: 'The text could not be sent; `detail.code` is the reason.',
  delivered: 'The carrier delivered the text.',
  undelivered: 'The carrier could not deliver the text; `detail.code` is the reason.',
  opened: 'A person opened the page.',
  watched: 'The video was watched, up to `detail.percent`.',
  clicked: 'The recipient tapped `detail.click` on the page: `action`, `call`, `text`, `calendar` or `contact`.',
  replied:
    'The recipient replied: `detail.reply` is the type, `detail.label` the words on the button, and `detail.message` the text of a ' +
    'question or a message. `detail.note` says when another time would suit. With `detail.channel` `text`, they replied to the text.',
  opted_out:
    'The recipient opted out of texts: `detail.source` is `text`, `page`, `carrier`, `api`, `team`, `operator` or `import`.',
  opted_in: 'Texts to the recipient are allowed again; `detail.source` is how, as for `opted_out`.',
  reply_settled: 'The member `detail.member` marked the reply as done, or answered it.',
  reply_forwarded: 'The reply was sent to the member by `detail.channel`.',
  answered: 'The member `detail.member` answered the reply with a text: `detail.message`.',
  answer_sent: 'The answer was sent to the recipient.',
  answer_not_sent: 'The answer could not be sent or delivered; `detail.code` is the reason.',
  phone_corrected:
    "The recipient's number was corrected with the API key `detail.key` or by the member `detail.member`; without details, by the operator.",
  cancelled:
    'The intro was cancelled with the API key `detail.key` or by the member `detail.member`; without details, by the operator.',
  taken_down:
    'The page of the sent intro was taken down with the API key `detail.key` or by the member `detail.member`; without details, ' +
    'by the operator.',
  expired: 'The intro expired.',
} as const;

export type TimelineStepType = keyof typeof TIMELINE_STEPS;

const TIMELINE_CAUSES = ['integration', 'member', 'recipient', 'service', 'carrier'] as const;

export const TimelineStep = Component('TimelineStep', 'One step in the life of an intro.', {
  at: Timestamp('When it happened.'),
  type: openEnum(
    'TimelineStepType',
    Object.keys(TIMELINE_STEPS) as TimelineStepType[],
    Object.entries(TIMELINE_STEPS)
      .map(([name, meaning]) => `\`${name}\`: ${meaning}`)
      .join(' '),
  ),
  cause: openEnum('TimelineCause', TIMELINE_CAUSES, 'Who or what caused it.'),
  detail: Nullable(
    Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()])),
    'Further details; null when there are none.',
  ),
});

export type TimelineStep = Static<typeof TimelineStep>;

const TAKE = 'rec_01kkc2nyf2w0048e0mqar1e9fp';

/** The timeline of the example intro, from the request to the reply. */
const timelineExample: List<TimelineStep> = {
  object: 'list',
  data: [
    { at: introExample.created_at, type: 'asked', cause: 'integration', detail: { event: eventExample.id } },
    { at: '2026-03-10T14:15:02.918Z', type: 'member_told', cause: 'service', detail: { channel: 'text' } },
    { at: '2026-03-10T14:31:10.642Z', type: 'opened_by_member', cause: 'member', detail: null },
    { at: '2026-03-10T14:33:41.090Z', type: 'recorded', cause: 'member', detail: { recording: TAKE } },
    { at: '2026-03-10T14:33:47.465Z', type: 'processed', cause: 'service', detail: { recording: TAKE } },
    { at: '2026-03-10T14:33:49.207Z', type: 'sent', cause: 'service', detail: { channel: 'text' } },
    { at: '2026-03-10T14:33:52.730Z', type: 'delivered', cause: 'carrier', detail: { channel: 'text' } },
    { at: '2026-03-10T14:52:20.884Z', type: 'opened', cause: 'recipient', detail: null },
    { at: '2026-03-10T14:52:29.671Z', type: 'watched', cause: 'recipient', detail: { percent: 50 } },
    { at: '2026-03-10T14:52:38.416Z', type: 'watched', cause: 'recipient', detail: { percent: 100 } },
    {
      at: '2026-03-10T14:52:51.930Z',
      type: 'replied',
      cause: 'recipient',
      detail: { reply: 'confirm', label: 'See you then' },
    },
    { at: '2026-03-10T14:52:52.318Z', type: 'reply_forwarded', cause: 'service', detail: { channel: 'text' } },
  ],
  has_more: false,
};

export const TIMELINE_OPERATIONS = define('Intros', {
  retrieveTimeline: {
    route: 'GET /v1/intros/{id}/timeline',
    summary: 'Retrieve the timeline of an intro',
    description:
      'Every step so far, oldest first and without pages: when the member was notified, when the video was recorded, sent, opened ' +
      'and watched, and why a step failed. New types of steps may be added: ignore those that you do not know.',
    params: INTRO_ID,
    success: returns(200, ListOf(TimelineStep), 'The steps.', timelineExample),
  },
});
