import { DELIVERY_FAILURES, type List, type TimelineStep, type TimelineStepType } from '@foreword/contract';
import type { Selectable } from 'kysely';
import type { Database } from '../../platform/db.ts';
import { ApiError } from '../../platform/errors.ts';
import { ID_PATTERN } from '../../platform/ids.ts';
import type { IntroReassignmentRow, IntroTable, RecordingTable, Tables, Tenant } from '../../tables.ts';
import type { MessageRow } from '../store/messages.ts';

type Intro = Selectable<IntroTable>;
type Recording = Selectable<RecordingTable>;
type Detail = Record<string, string | number | null>;
type Step = TimelineStep & { readonly at: string };

/** Steps of one moment stand in the order in which one leads to the next. */
const ORDER: readonly TimelineStepType[] = [
  'asked',
  'member_told',
  'member_reminded',
  'member_not_told',
  'reassigned',
  'opened_by_member',
  'recorded',
  'recording_refused',
  'processed',
  'queued',
  'sent',
  'not_sent',
  'delivered',
  'undelivered',
  'opened',
  'watched',
  'cancelled',
  'expired',
];

function step(at: Date | null, type: TimelineStepType, cause: TimelineStep['cause'], detail: Detail = {}): Step[] {
  if (at === null) return [];
  const told = Object.entries(detail).filter((pair): pair is [string, string | number] => pair[1] !== null);
  return [{ at: at.toISOString(), type, cause, detail: told.length === 0 ? null : Object.fromEntries(told) }];
}

function stepsOfCancelling({ cancelled_at: at, cancelled_by: by }: Intro): Step[] {
  return by?.startsWith('mem_')
    ? step(at, 'cancelled', 'member', { member: by })
    : step(at, 'cancelled', 'integration', { key: by });
}

function stepsOfReassignment({ from_member_id: from, to_member_id: to, opened_at, created_at }: IntroReassignmentRow) {
  return [
    ...step(opened_at, 'opened_by_member', 'member', { member: from }),
    ...step(created_at, 'reassigned', 'member', { from, to }),
  ];
}

function stepsOfIntro(intro: Intro): Step[] {
  const isSentByOther = intro.responsibility === 'integration';
  const isByOpening = intro.sent_at !== null && intro.sent_at.getTime() === intro.opened_at?.getTime();
  const watched = Object.entries(intro.watched_times as Record<string, string>);
  return [
    ...step(intro.created_at, 'asked', 'integration', { event: intro.event_id }),
    ...step(intro.member_opened_at, 'opened_by_member', 'member'),
    // Where the service sends, the message says so.
    ...(isSentByOther ? step(intro.sent_at, 'sent', isByOpening ? 'recipient' : 'integration') : []),
    ...step(intro.opened_at, 'opened', 'recipient'),
    ...watched.flatMap(([percent, at]) => step(new Date(at), 'watched', 'recipient', { percent: Number(percent) })),
    ...stepsOfCancelling(intro),
    ...(intro.status === 'expired' ? step(intro.expires_at, 'expired', 'service') : []),
  ];
}

function stepsOfRecording(recording: Recording): Step[] {
  const refused = recording.status === 'refused' ? recording.touched_at : null;
  return [
    ...step(recording.received_at, 'recorded', 'member', { recording: recording.id }),
    ...step(refused, 'recording_refused', 'service', { code: recording.refusal_code, recording: recording.id }),
    ...step(recording.ready_at, 'processed', 'service', { recording: recording.id }),
  ];
}

/** What was dropped because there was nothing left to say is no step. */
const isFailure = ({ status, error_code }: MessageRow): boolean =>
  status === 'failed' || (status === 'dropped' && error_code !== null && Object.hasOwn(DELIVERY_FAILURES, error_code));

function stepsOfMessage(row: MessageRow): Step[] {
  const { channel, error_code: code, error_message: message } = row;
  const why = { channel, code, message };
  const failed = isFailure(row) ? row.settled_at : null;
  const undelivered = row.status === 'undelivered' ? row.settled_at : null;
  if (row.audience === 'member') {
    return [
      ...step(row.accepted_at, row.purpose === 'ask' ? 'member_told' : 'member_reminded', 'service', { channel }),
      ...step(failed, 'member_not_told', 'service', why),
      ...step(undelivered, 'member_not_told', 'carrier', why),
    ];
  }
  const heldSince = row.held_until === null ? null : row.created_at;
  const until = row.held_until?.toISOString() ?? null;
  return [
    ...step(heldSince, 'queued', 'service', { reason: row.held_for, until }),
    ...step(row.accepted_at, 'sent', 'service', { channel }),
    ...step(failed, 'not_sent', row.status === 'failed' ? 'carrier' : 'service', why),
    ...step(row.status === 'delivered' ? row.settled_at : null, 'delivered', 'carrier', { channel }),
    ...step(undelivered, 'undelivered', 'carrier', why),
  ];
}

const compare = (a: Step, b: Step): number =>
  a.at < b.at ? -1 : a.at > b.at ? 1 : ORDER.indexOf(a.type) - ORDER.indexOf(b.type);

/** Made of what the rows say anyway: nothing is kept twice, and nothing can be forgotten. */
export async function readTimeline(
  { kysely }: Database<Tables>,
  tenant: Tenant,
  introId: string,
): Promise<List<TimelineStep>> {
  const own = { organization_id: tenant.organizationId, environment: tenant.environment };
  const intro = ID_PATTERN.test(introId)
    ? await kysely
        .selectFrom('intros')
        .selectAll()
        .where((of) => of.and({ ...own, id: introId }))
        .executeTakeFirst()
    : undefined;
  if (intro === undefined) {
    throw new ApiError('not_found', 'No intro with this id in this organization and environment.');
  }
  const ofIntro = { ...own, intro_id: introId };
  const [reassignments, recordings, messages] = await Promise.all([
    kysely
      .selectFrom('intro_reassignments')
      .selectAll()
      .where((of) => of.and(ofIntro))
      .orderBy('generation')
      .execute(),
    kysely
      .selectFrom('recordings')
      .selectAll()
      .where((of) => of.and(ofIntro))
      .orderBy('id')
      .execute(),
    kysely
      .selectFrom('messages')
      .selectAll()
      .where((of) => of.and(ofIntro))
      .orderBy('id')
      .execute(),
  ]);
  const steps = [
    ...stepsOfIntro(intro),
    ...reassignments.flatMap(stepsOfReassignment),
    ...recordings.flatMap(stepsOfRecording),
    ...messages.flatMap(stepsOfMessage),
  ].sort(compare);
  return { object: 'list', data: steps, has_more: false };
}
