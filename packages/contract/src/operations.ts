import type { ErrorCode } from './errors.ts';
import { define, EVERY_POST } from './operation.ts';
import {
  CreateIntro,
  CreateTouchpointEvent,
  EmptyBody,
  IdParams,
  ListIntrosQuery,
  ListMembersQuery,
  NoQuery,
} from './requests.ts';
import { AcceptedEvent, Intro, ListOf, Member, Touchpoint, TouchpointEvent } from './resources.ts';
import { TimelineStep } from './timeline.ts';
import { WEBHOOK_OPERATIONS } from './webhook-operations.ts';

const CREATION: readonly ErrorCode[] = [
  ...EVERY_POST,
  'unsupported_media_type',
  'member_not_found',
  'member_ambiguous',
];
const INTRO_ID = IdParams('The intro identifier.', 'int_01kahzv8e1f0rtx5m2q6n9d3bw');

export const COMMON_ERRORS: readonly ErrorCode[] = [
  'unauthorized',
  'rate_limited',
  'internal_error',
  'service_unavailable',
];

export const VIDEO_TYPES = ['video/mp4', 'video/webm', 'video/quicktime', 'video/x-matroska'] as const;
/** A test brings a short clip, not a film. */
export const CLIP_MAX_BYTES = 20_000_000;

export const OPERATIONS = define({
  createTouchpointEvent: {
    method: 'POST',
    path: '/v1/touchpoint-events',
    operationId: 'createTouchpointEvent',
    tag: 'Touchpoint events',
    summary: 'Report a moment',
    description:
      "Reports a business moment. The organization's own touchpoint decides script, page and delivery. A 202 means that there " +
      'is nothing more to do: keep the id and retrieve the event to find the intro it created. A repeat with the same ' +
      'Idempotency-Key and body returns the same event with status `duplicate` and creates nothing.',
    query: NoQuery,
    body: { kind: 'needed', schema: CreateTouchpointEvent },
    success: { status: 202, schema: AcceptedEvent, says: 'The event is kept and will be processed.' },
    errors: [...CREATION, 'touchpoint_not_found'],
  },
  retrieveEvent: {
    method: 'GET',
    path: '/v1/events/{id}',
    operationId: 'retrieveEvent',
    tag: 'Touchpoint events',
    summary: 'Retrieve an event',
    description: 'Shows what became of an event: what it was matched to, and the intro it created.',
    params: IdParams('The event id returned when the event was sent.', 'evt_01kahzv8e1f0rtx5m2q6n9d3bw'),
    query: NoQuery,
    success: { status: 200, schema: TouchpointEvent, says: 'The event.' },
    errors: ['validation_failed', 'not_found'],
  },
  createIntro: {
    method: 'POST',
    path: '/v1/intros',
    operationId: 'createIntro',
    tag: 'Intros',
    summary: 'Create an intro',
    description:
      'Creates an intro directly, with no touchpoint: the request brings context, script and delivery. A repeat with the same ' +
      'Idempotency-Key and body returns the original answer with `Idempotent-Replayed: true`.',
    query: NoQuery,
    body: { kind: 'needed', schema: CreateIntro },
    success: { status: 201, schema: Intro, says: 'The intro, waiting for the member to record.' },
    errors: CREATION,
  },
  listIntros: {
    method: 'GET',
    path: '/v1/intros',
    operationId: 'listIntros',
    tag: 'Intros',
    summary: 'List intros',
    description: 'Newest first. Filters are combined: an intro has to meet all of them.',
    query: ListIntrosQuery,
    success: { status: 200, schema: ListOf(Intro), says: 'One page of intros.' },
    errors: ['validation_failed'],
  },
  retrieveIntro: {
    method: 'GET',
    path: '/v1/intros/{id}',
    operationId: 'retrieveIntro',
    tag: 'Intros',
    summary: 'Retrieve an intro',
    description: 'The intro as it stands now.',
    params: INTRO_ID,
    query: NoQuery,
    success: { status: 200, schema: Intro, says: 'The intro.' },
    errors: ['validation_failed', 'not_found'],
  },
  cancelIntro: {
    method: 'POST',
    path: '/v1/intros/{id}/cancel',
    operationId: 'cancelIntro',
    tag: 'Intros',
    summary: 'Cancel an intro',
    description:
      'For a cancelled or rescheduled appointment. From `requested` or `ready` the intro becomes `cancelled` and its links ' +
      'stop working. One that was already sent, cancelled or expired stays as it is, and the answer is still 200.',
    params: INTRO_ID,
    query: NoQuery,
    body: { kind: 'empty', schema: EmptyBody },
    success: { status: 200, schema: Intro, says: 'The intro after the call.' },
    errors: [...EVERY_POST, 'not_found'],
  },
  markIntroSent: {
    method: 'POST',
    path: '/v1/intros/{id}/mark_sent',
    operationId: 'markIntroSent',
    tag: 'Intros',
    summary: 'Mark an intro as sent',
    description:
      'Tells that your system has delivered the link, when `delivery.responsibility` is `integration`. Opening the page by a ' +
      'person does the same. An intro that is already `sent` stays as it is.',
    params: INTRO_ID,
    query: NoQuery,
    body: { kind: 'empty', schema: EmptyBody },
    success: { status: 200, schema: Intro, says: 'The intro, sent.' },
    errors: [...EVERY_POST, 'not_found', 'intro_not_ready', 'intro_closed'],
  },
  retrieveTimeline: {
    method: 'GET',
    path: '/v1/intros/{id}/timeline',
    operationId: 'retrieveTimeline',
    tag: 'Intros',
    summary: 'Retrieve the timeline of an intro',
    description:
      'Every step so far, oldest first and all at once: who was told when, when it was recorded, sent, opened and watched, ' +
      'and why something did not happen. Steps of new kinds may be added: ignore those that you do not know.',
    params: INTRO_ID,
    query: NoQuery,
    success: { status: 200, schema: ListOf(TimelineStep), says: 'The steps.' },
    errors: ['validation_failed', 'not_found'],
  },
  recordTestIntro: {
    method: 'POST',
    path: '/v1/test_helpers/intros/{id}/record',
    operationId: 'recordTestIntro',
    tag: 'Test helpers',
    summary: 'Record as a simulated member',
    description:
      'In the test environment: records the intro as its member would, so that a test runs from end to end without a camera. A ' +
      'built-in clip with sound is taken, or the video you send as the body. It passes the same checks and the same processing as ' +
      "a member's own take: the intro becomes `ready` a few seconds later. A video that would be refused leaves it `requested`.",
    params: INTRO_ID,
    query: NoQuery,
    body: { kind: 'clip', schema: EmptyBody },
    success: { status: 202, schema: Intro, says: 'The intro; its video is being processed.' },
    errors: [...EVERY_POST, 'unsupported_media_type', 'not_found', 'intro_closed'],
  },
  listTouchpoints: {
    method: 'GET',
    path: '/v1/touchpoints',
    operationId: 'listTouchpoints',
    tag: 'Touchpoints',
    summary: 'List touchpoints',
    description: "The organization's touchpoints in its own order, all at once. Read this list; do not hard-code it.",
    query: NoQuery,
    success: { status: 200, schema: ListOf(Touchpoint), says: 'All touchpoints.' },
    errors: ['validation_failed'],
  },
  listMembers: {
    method: 'GET',
    path: '/v1/members',
    operationId: 'listMembers',
    tag: 'Members',
    summary: 'List members',
    description: 'The people who record, newest first. Member ids come from here.',
    query: ListMembersQuery,
    success: { status: 200, schema: ListOf(Member), says: 'One page of members.' },
    errors: ['validation_failed'],
  },
  ...WEBHOOK_OPERATIONS,
});

export type OperationId = keyof typeof OPERATIONS;
