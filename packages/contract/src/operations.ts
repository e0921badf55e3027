import { DRY_RUN_OPERATION } from './dry-run-operation.ts';
import type { ErrorCode } from './errors.ts';
import { LINK_DOMAIN_OPERATIONS } from './link-domains.ts';
import { MEMBER_OPERATIONS } from './member-operations.ts';
import { define, EVERY_POST } from './operation.ts';
import { RECIPIENT_OPERATIONS } from './recipients.ts';
import { RECORDING_LINK_OPERATIONS } from './recording-links.ts';
import {
  CreateIntro,
  CreateTouchpointEvent,
  EmptyBody,
  IdParams,
  ListEventsQuery,
  ListIntrosQuery,
  NoQuery,
  RetrieveEventQuery,
  RetrieveIntroQuery,
} from './requests.ts';
import { AcceptedEvent, Intro, ListOf, Touchpoint, TouchpointEvent } from './resources.ts';
import { TEST_HELPER_OPERATIONS } from './test-helper-operations.ts';
import { TimelineStep } from './timeline.ts';
import { WEBHOOK_OPERATIONS } from './webhook-operations.ts';

const CREATION: readonly ErrorCode[] = [...EVERY_POST, 'member_not_found', 'member_ambiguous'];
const EVENT_ID = IdParams('The event id returned when the event was sent.', 'evt_01kahzv8e1f0rtx5m2q6n9d3bw');
const INTRO_ID = IdParams('The intro identifier.', 'int_01kahzv8e1f0rtx5m2q6n9d3bw');

export const COMMON_ERRORS: readonly ErrorCode[] = [
  'unauthorized',
  'forbidden',
  'rate_limited',
  'internal_error',
  'service_unavailable',
];

export const VIDEO_TYPES = ['video/mp4', 'video/webm', 'video/quicktime', 'video/x-matroska'] as const;
/** Tests send short clips. */
export const CLIP_MAX_BYTES = 20_000_000;

export const OPERATIONS = define({
  createTouchpointEvent: {
    method: 'POST',
    path: '/v1/touchpoint-events',
    operationId: 'createTouchpointEvent',
    tag: 'Touchpoint events',
    summary: 'Report an event',
    description:
      "Reports a business event. The organization's touchpoint determines script, page and delivery. After a 202 nothing else " +
      'is needed: store the id, and retrieve the event to find the intro it created. Repeating the request with the same ' +
      'Idempotency-Key and body returns the same event with status `duplicate` and creates nothing.',
    allowsEventKeys: true,
    isBatched: true,
    query: NoQuery,
    body: { kind: 'required', schema: CreateTouchpointEvent },
    success: { status: 202, schema: AcceptedEvent, description: 'The event is stored and will be processed.' },
    errors: [...CREATION, 'touchpoint_not_found'],
  },
  listEvents: {
    method: 'GET',
    path: '/v1/events',
    operationId: 'listEvents',
    tag: 'Touchpoint events',
    summary: 'List events',
    description: 'Newest first. Filters are combined with AND.',
    allowsEventKeys: true,
    query: ListEventsQuery,
    success: { status: 200, schema: ListOf(TouchpointEvent), description: 'One page of events.' },
    errors: ['validation_failed'],
  },
  retrieveEvent: {
    method: 'GET',
    path: '/v1/events/{id}',
    operationId: 'retrieveEvent',
    tag: 'Touchpoint events',
    summary: 'Retrieve an event',
    description:
      'Returns the status of an event, what it was matched to, and the intro it created. With `wait`, responds as soon as the ' +
      'event is processed or has failed. A key may have 500 waiting requests; further ones get the current state at once.',
    allowsEventKeys: true,
    params: EVENT_ID,
    query: RetrieveEventQuery,
    success: { status: 200, schema: TouchpointEvent, description: 'The event.' },
    errors: ['validation_failed', 'not_found'],
  },
  retryEvent: {
    method: 'POST',
    path: '/v1/events/{id}/retry',
    operationId: 'retryEvent',
    role: 'manager',
    tag: 'Touchpoint events',
    summary: 'Retry a failed event',
    description:
      'Processes a `failed` event again, once its cause is fixed. It stays the same event with the same Idempotency-Key, and becomes ' +
      '`accepted`, then `processed` or `failed`. Each retry needs an Idempotency-Key of its own.',
    allowsEventKeys: true,
    params: EVENT_ID,
    query: NoQuery,
    body: { kind: 'empty', schema: EmptyBody },
    success: { status: 202, schema: TouchpointEvent, description: 'The event, which will be processed again.' },
    errors: [...EVERY_POST, 'not_found', 'event_not_failed'],
  },
  ...DRY_RUN_OPERATION,
  createIntro: {
    method: 'POST',
    path: '/v1/intros',
    operationId: 'createIntro',
    tag: 'Intros',
    summary: 'Create an intro',
    description:
      'Creates an intro directly, without a touchpoint: the request contains context, script and delivery. Repeating it with the ' +
      'same Idempotency-Key and body returns the original response with `Idempotent-Replayed: true`.',
    isBatched: true,
    query: NoQuery,
    body: { kind: 'required', schema: CreateIntro },
    success: { status: 201, schema: Intro, description: 'The intro, waiting for the member to record.' },
    errors: CREATION,
  },
  listIntros: {
    method: 'GET',
    path: '/v1/intros',
    operationId: 'listIntros',
    tag: 'Intros',
    summary: 'List intros',
    description: 'Newest first. Filters are combined with AND.',
    query: ListIntrosQuery,
    success: { status: 200, schema: ListOf(Intro), description: 'One page of intros.' },
    errors: ['validation_failed'],
  },
  retrieveIntro: {
    method: 'GET',
    path: '/v1/intros/{id}',
    operationId: 'retrieveIntro',
    tag: 'Intros',
    summary: 'Retrieve an intro',
    description:
      'Returns the current state of an intro. With `wait`, responds as soon as the intro has changed. A key may have 500 ' +
      'waiting requests; further ones get the current state at once.',
    params: INTRO_ID,
    query: RetrieveIntroQuery,
    success: { status: 200, schema: Intro, description: 'The intro.' },
    errors: ['validation_failed', 'not_found'],
  },
  cancelIntro: {
    method: 'POST',
    path: '/v1/intros/{id}/cancel',
    operationId: 'cancelIntro',
    role: 'member',
    tag: 'Intros',
    summary: 'Cancel an intro',
    isDestructive: true,
    description:
      'For a cancelled or rescheduled appointment. A `requested` or `ready` intro becomes `cancelled` and its links stop working. ' +
      'An intro that was already sent, cancelled or expired does not change, and the response is still a 200.',
    params: INTRO_ID,
    query: NoQuery,
    body: { kind: 'empty', schema: EmptyBody },
    success: { status: 200, schema: Intro, description: 'The intro after the request.' },
    errors: [...EVERY_POST, 'not_found'],
  },
  markIntroSent: {
    method: 'POST',
    path: '/v1/intros/{id}/mark_sent',
    operationId: 'markIntroSent',
    role: 'member',
    tag: 'Intros',
    summary: 'Mark an intro as sent',
    description:
      'Records that your system has delivered the link, for intros whose `delivery.responsibility` is `integration`. When a person ' +
      'opens the page, this happens automatically. An intro that is already `sent` does not change.',
    params: INTRO_ID,
    query: NoQuery,
    body: { kind: 'empty', schema: EmptyBody },
    success: { status: 200, schema: Intro, description: 'The intro, sent.' },
    errors: [...EVERY_POST, 'not_found', 'intro_not_ready', 'intro_closed'],
  },
  takeDownIntro: {
    method: 'POST',
    path: '/v1/intros/{id}/take_down',
    operationId: 'takeDownIntro',
    role: 'owner',
    tag: 'Intros',
    summary: 'Take down the page of a sent intro',
    isDestructive: true,
    description:
      'The link of a `sent` intro shows a card of the organization instead of the video, and the addresses of the video and its ' +
      'pictures stop working. The `status` stays `sent`, and `taken_down_at` is set. This cannot be undone. An intro whose page ' +
      'was already taken down, or that is cancelled or expired, does not change. Cancel an intro that is not sent yet.',
    params: INTRO_ID,
    query: NoQuery,
    body: { kind: 'empty', schema: EmptyBody },
    success: { status: 200, schema: Intro, description: 'The intro after the request.' },
    errors: [...EVERY_POST, 'not_found', 'intro_not_sent'],
  },
  retryRecording: {
    method: 'POST',
    path: '/v1/intros/{id}/retry_recording',
    operationId: 'retryRecording',
    role: 'member',
    tag: 'Intros',
    summary: 'Process a failed take again',
    description:
      'The last step of the timeline is `recording_refused`: processes that take again, for example after a fault of the service. ' +
      'Failed takes are stored for as long as originals are, a week by default. If it succeeds, the intro becomes `ready`.',
    params: INTRO_ID,
    query: NoQuery,
    body: { kind: 'empty', schema: EmptyBody },
    success: { status: 202, schema: Intro, description: 'The intro; its take is being processed.' },
    errors: [...EVERY_POST, 'not_found', 'intro_closed', 'recording_not_failed'],
  },
  retrieveTimeline: {
    method: 'GET',
    path: '/v1/intros/{id}/timeline',
    operationId: 'retrieveTimeline',
    tag: 'Intros',
    summary: 'Retrieve the timeline of an intro',
    description:
      'Every step so far, oldest first and without pages: when the member was notified, when the video was recorded, sent, opened ' +
      'and watched, and why a step failed. New types of steps may be added: ignore those that you do not know.',
    params: INTRO_ID,
    query: NoQuery,
    success: { status: 200, schema: ListOf(TimelineStep), description: 'The steps.' },
    errors: ['validation_failed', 'not_found'],
  },
  recordTestIntro: {
    method: 'POST',
    path: '/v1/test_helpers/intros/{id}/record',
    operationId: 'recordTestIntro',
    tag: 'Test helpers',
    summary: 'Record as a simulated member',
    description:
      'In the test environment: records the intro as its member would, so that an end-to-end test needs no camera. Uses a ' +
      'built-in clip with sound, or the video you send as the body. It goes through the same checks and processing as ' +
      "a member's own take: the intro becomes `ready` a few seconds later. If the video is rejected, it stays `requested`. " +
      'The video is texted to test numbers, `+1500555…`, and to real numbers only if the organization allows it: otherwise ' +
      '`delivery.reason` is `test_recording`.',
    params: INTRO_ID,
    query: NoQuery,
    body: { kind: 'clip', schema: EmptyBody },
    success: { status: 202, schema: Intro, description: 'The intro; its video is being processed.' },
    errors: [...EVERY_POST, 'not_found', 'intro_closed', 'storage_full'],
  },
  ...RECIPIENT_OPERATIONS,
  ...TEST_HELPER_OPERATIONS,
  listTouchpoints: {
    method: 'GET',
    path: '/v1/touchpoints',
    operationId: 'listTouchpoints',
    tag: 'Touchpoints',
    summary: 'List touchpoints',
    description:
      "The organization's touchpoints in its own order, without pages. Read this list instead of hard-coding it.",
    allowsEventKeys: true,
    query: NoQuery,
    success: { status: 200, schema: ListOf(Touchpoint), description: 'All touchpoints.' },
    errors: ['validation_failed'],
  },
  retrieveTouchpoint: {
    method: 'GET',
    path: '/v1/touchpoints/{id}',
    operationId: 'retrieveTouchpoint',
    tag: 'Touchpoints',
    summary: 'Retrieve a touchpoint',
    description: 'Returns a touchpoint by its id. Slugs are not accepted here.',
    allowsEventKeys: true,
    params: IdParams('The touchpoint identifier.', 'tp_01kahzv8e1f0rtx5m2q6n9d3bw'),
    query: NoQuery,
    success: { status: 200, schema: Touchpoint, description: 'The touchpoint.' },
    errors: ['validation_failed', 'not_found'],
  },
  ...MEMBER_OPERATIONS,
  ...RECORDING_LINK_OPERATIONS,
  ...LINK_DOMAIN_OPERATIONS,
  ...WEBHOOK_OPERATIONS,
});

export type OperationId = keyof typeof OPERATIONS;

export type OperationOf<K extends OperationId> = (typeof OPERATIONS)[K];
