import { type Static, Type } from 'typebox';
import { Nullable, Timestamp } from './fields.ts';

/** Each kind of step: what it says, and who brings it about. */
export const TIMELINE_STEPS = {
  asked: 'The intro was created. `detail.event` names the touchpoint event that made it.',
  member_told: 'The member was told, by `detail.channel`.',
  member_reminded: 'The member was reminded, by `detail.channel`.',
  member_not_told: 'A message to the member could not be sent or delivered; `detail.code` says why.',
  reassigned: 'Another member is to record; `detail.to` and `detail.from` are their ids.',
  opened_by_member: 'The member opened the recorder.',
  recorded: 'A take arrived.',
  recording_refused: 'A take could not be used; `detail.code` says why.',
  processed: 'The video is ready to be watched.',
  queued: 'The text waits until `detail.until`, because of `detail.reason`: `quiet_hours` or `recent_text`.',
  sent: 'The recipient was sent the link.',
  not_sent: 'The text could not be sent; `detail.code` says why.',
  delivered: 'The carrier delivered the text.',
  undelivered: 'The carrier could not deliver the text; `detail.code` says why.',
  opened: 'A person opened the page.',
  watched: 'The video was watched, up to `detail.percent`.',
  cancelled: 'The intro was cancelled, by the key `detail.key` or the member `detail.member`.',
  expired: 'The time of the intro was over.',
} as const;

export type TimelineStepType = keyof typeof TIMELINE_STEPS;

const TIMELINE_CAUSES = ['integration', 'member', 'recipient', 'service', 'carrier'] as const;

const named = <const T extends readonly string[]>(values: T, description: string) =>
  Type.Enum<[...T]>([...values], { type: 'string', description, examples: [values[0]] });

export const TimelineStep = Type.Object(
  {
    at: Timestamp('When it happened.'),
    type: named(
      Object.keys(TIMELINE_STEPS) as TimelineStepType[],
      Object.entries(TIMELINE_STEPS)
        .map(([name, says]) => `\`${name}\`: ${says}`)
        .join(' '),
    ),
    cause: named(TIMELINE_CAUSES, 'Who brought it about.'),
    detail: Nullable(
      Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()])),
      'What more there is to say; null when that is nothing.',
    ),
  },
  { additionalProperties: false, description: 'One step on the way of an intro.' },
);

export type TimelineStep = Static<typeof TimelineStep>;
