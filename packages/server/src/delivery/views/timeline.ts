/** Folder: the timeline of an intro, and dry runs. */

import type { ConsentSource } from '@foreword/contract';
import {
  DELIVERY_FAILURES,
  iso,
  type List,
  TIMELINE_STEPS,
  type TimelineStep,
  type TimelineStepType,
} from '@foreword/contract';
import type { Database, Row, Tenant } from '../../db/tenancy.ts';
import { noSuchIntro, wordsOfReply } from '../../intros/index.ts';
import { ID_PATTERN } from '../../platform/ids.ts';
import { stateHolding } from '../queue/hours.ts';
import { readTimelineRows, type TimelineRows } from '../store/messages.ts';
import type { MessageRow } from '../store/queue.ts';

type Recording = TimelineRows['recordings'][number];
type Detail = Record<string, string | number | null>;
type Step = TimelineStep & { readonly at: string };

/** The order of steps that happen at the same time. */
const ORDER = Object.keys(TIMELINE_STEPS);

function step(at: Date | null, type: TimelineStepType, cause: TimelineStep['cause'], detail: Detail = {}): Step[] {
  if (at === null) return [];
  const known = Object.entries(detail).filter((pair): pair is [string, string | number] => pair[1] !== null);
  return [{ at: at.toISOString(), type, cause, detail: known.length === 0 ? null : Object.fromEntries(known) }];
}

/** A step by a member, an API key or, if null, the operator. */
function closingStep(at: Date | null, type: 'cancelled' | 'taken_down' | 'phone_corrected', by: string | null): Step[] {
  if (by === null) return step(at, type, 'service');
  return by.startsWith('mem_') ? step(at, type, 'member', { member: by }) : step(at, type, 'integration', { key: by });
}

/** Only texts are named: everything else happens on screens. */
const channelOf = ({ by_text }: { readonly by_text: boolean }) => (by_text ? 'text' : null);

function reassignmentSteps(row: Row<'intro_reassignments'>) {
  const { from_member_id: from, to_member_id: to, by_member_id: member, by_key_id: key, opened_at, created_at } = row;
  const channel = channelOf(row);
  // By neither: the operator.
  const cause = member !== null ? 'member' : key !== null ? 'integration' : 'service';
  return [
    ...step(opened_at, 'opened_by_member', 'member', { member: from }),
    ...step(created_at, 'reassigned', cause, { from, to, member, key, channel }),
  ];
}

/** The sender of the link. Null if a message sent it, because that message adds the step itself. */
function findSender({ intro, messages }: TimelineRows): TimelineStep['cause'] | null {
  const { sent_at: sentAt, opened_at: openedAt, responsibility } = intro;
  const isSentAt = (at: Date | null) => at !== null && at.getTime() === sentAt?.getTime();
  if (messages.some(({ audience, accepted_at }) => audience === 'recipient' && isSentAt(accepted_at))) return null;
  if (isSentAt(openedAt)) return 'recipient';
  return responsibility === 'integration' ? 'integration' : 'member';
}

function introSteps(rows: TimelineRows): Step[] {
  const { intro } = rows;
  const sender = findSender(rows);
  const watched = Object.entries(intro.watched_times as Record<string, string>);
  const clicked = Object.entries((intro.clicked_times ?? {}) as Record<string, string>);
  return [
    ...step(intro.created_at, 'asked', 'integration', { event: intro.event_id }),
    ...step(intro.member_opened_at, 'opened_by_member', 'member'),
    ...(sender === null ? [] : step(intro.sent_at, 'sent', sender)),
    ...step(intro.opened_at, 'opened', 'recipient'),
    ...watched.flatMap(([percent, at]) => step(new Date(at), 'watched', 'recipient', { percent: Number(percent) })),
    ...clicked.flatMap(([click, at]) => step(new Date(at), 'clicked', 'recipient', { click })),
    ...closingStep(intro.phone_corrected_at, 'phone_corrected', intro.phone_corrected_by),
    ...closingStep(intro.cancelled_at, 'cancelled', intro.cancelled_by),
    ...closingStep(intro.taken_down_at, 'taken_down', intro.taken_down_by),
    ...(intro.status === 'expired' ? step(intro.expires_at, 'expired', 'service') : []),
  ];
}

function recordingSteps(recording: Recording): Step[] {
  const refused = recording.status === 'refused' ? recording.touched_at : null;
  return [
    ...step(recording.received_at, 'recorded', 'member', { recording: recording.id }),
    ...step(refused, 'recording_refused', 'service', { code: recording.refusal_code, recording: recording.id }),
    ...step(recording.ready_at, 'processed', 'service', { recording: recording.id }),
  ];
}

const replySteps = (row: Row<'intro_replies'>): Step[] => {
  const { type: reply, label, message, created_at: at, settled_at: settledAt, settled_by: member } = row;
  return [
    ...step(at, 'replied', 'recipient', { reply, label, ...wordsOfReply(reply, message), channel: channelOf(row) }),
    ...step(settledAt, 'reply_settled', 'member', { member }),
  ];
};

const declineSteps = (row: Row<'intro_declines'>): Step[] => {
  const { member_id: member, reason, message, created_at: at } = row;
  return step(at, 'declined', 'member', { member, reason, message, channel: channelOf(row) });
};

const CONSENT_CAUSES: Record<ConsentSource, TimelineStep['cause']> = {
  ...{ text: 'recipient', page: 'recipient', carrier: 'carrier', api: 'integration' },
  ...{ team: 'member', operator: 'service', import: 'service' },
};

const consentSteps = ({ kind, source, by_member: member, created_at: at }: Row<'consents'>): Step[] =>
  step(at, kind === 'opt_out' ? 'opted_out' : 'opted_in', member === null ? CONSENT_CAUSES[source] : 'member', {
    source,
    member,
  });

const answerSteps = ({ member_id: member, message, created_at: at }: Row<'intro_answers'>): Step[] =>
  step(at, 'answered', 'member', { member, message });

const MEMBER_STEPS: Record<MessageRow['purpose'], TimelineStepType> = {
  ask: 'member_told',
  remind: 'member_reminded',
  remind_last: 'member_reminded',
  remind_by_hand: 'member_reminded',
  deliver: 'sent',
  reply: 'reply_forwarded',
  answer: 'answer_sent',
};

/** A message dropped because it was no longer needed is not a failure. */
const isFailure = ({ status, error_code }: MessageRow): boolean =>
  status === 'failed' || (status === 'dropped' && error_code !== null && Object.hasOwn(DELIVERY_FAILURES, error_code));

function messageSteps(row: MessageRow): Step[] {
  const { channel, error_code: code, error_message: message } = row;
  // Versions before the test numbers accepted texts without a provider, which were not sent either.
  const carrier = row.carrier === 'simulated' || row.carrier === 'log' ? 'simulated' : null;
  const via = { channel, carrier };
  const failure = { channel, code, message };
  const failed = isFailure(row) ? row.settled_at : null;
  const undelivered = row.status === 'undelivered' ? row.settled_at : null;
  if (row.audience === 'member') {
    return [
      ...step(row.accepted_at, MEMBER_STEPS[row.purpose], 'service', via),
      ...step(failed, 'member_not_told', 'service', failure),
      ...step(undelivered, 'member_not_told', 'carrier', failure),
    ];
  }
  const isAnswer = row.purpose === 'answer';
  const heldSince = row.held_until === null ? null : row.created_at;
  const until = iso(row.held_until);
  return [
    ...step(heldSince, 'queued', 'service', { reason: row.held_for, until, state: stateHolding(row) }),
    ...step(row.accepted_at, isAnswer ? 'answer_sent' : 'sent', 'service', via),
    ...step(
      failed,
      isAnswer ? 'answer_not_sent' : 'not_sent',
      row.status === 'failed' && row.carrier !== 'log' ? 'carrier' : 'service',
      failure,
    ),
    ...step(row.status === 'delivered' && !isAnswer ? row.settled_at : null, 'delivered', 'carrier', via),
    ...step(undelivered, isAnswer ? 'answer_not_sent' : 'undelivered', 'carrier', failure),
  ];
}

const compare = (a: Step, b: Step): number =>
  a.at < b.at ? -1 : a.at > b.at ? 1 : ORDER.indexOf(a.type) - ORDER.indexOf(b.type);

/** Derived from the rows on every read, so it cannot get out of date. */
export async function readTimeline(db: Database, tenant: Tenant, introId: string): Promise<List<TimelineStep>> {
  const rows = ID_PATTERN.test(introId) ? await readTimelineRows(db, tenant, introId) : null;
  if (rows === null) throw noSuchIntro();
  const steps = [
    ...introSteps(rows),
    ...rows.reassignments.flatMap(reassignmentSteps),
    ...rows.replies.flatMap(replySteps),
    ...rows.declines.flatMap(declineSteps),
    ...rows.answers.flatMap(answerSteps),
    ...rows.consents.flatMap(consentSteps),
    ...rows.recordings.flatMap(recordingSteps),
    ...rows.messages.flatMap(messageSteps),
  ].sort(compare);
  return { object: 'list', data: steps, has_more: false };
}
