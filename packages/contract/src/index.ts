/** Describes the API once: schemas, operations, errors and examples. */

export { type AgentTool, buildAgentTools, KEY_ARGUMENT } from './agent-tools.ts';
export * from './console/index.ts';
export { DeclineBody, HandOverBody } from './declines.ts';
export type { DryRunResult } from './dry-run-operation.ts';
export { ERROR_GUIDE, type ErrorGuideEntry } from './error-guide.ts';
export * from './errors.ts';
export { EXAMPLES, WEBHOOK_EXAMPLES } from './examples/index.ts';
export {
  DELIVERY_DELAY_ACTIONS,
  DELIVERY_FAILURE_ACTIONS,
  EVENT_FAILURE_ACTIONS,
  RECORDING_FAILURE_ACTIONS,
  WEBHOOK_DISABLED_ACTIONS,
} from './failure-actions.ts';
export { Email, ExternalText, IdempotencyKey, Lane, Name, Phone, Responsibility, TouchpointContext } from './fields.ts';
export { type CreateLinkDomain, type LinkDomain, LinkHost } from './link-domains.ts';
export type { CreateMember, DeactivateMember, UpdateMember } from './member-operations.ts';
export { buildOpenApi } from './openapi.ts';
export {
  AGENT_GROUPS,
  type AgentGroup,
  type BodyOf,
  needsKey,
  type Operation,
  type OperationAccess,
  type OperationForm,
  type ParamsOf,
  type QueryOf,
  type ResponseOf,
  scopesOf,
} from './operation.ts';
export {
  CLIP_MAX_BYTES,
  COMMON_ERRORS,
  OPERATIONS,
  type OperationId,
  type OperationOf,
  VIDEO_TYPES,
} from './operations.ts';
export * from './plain/audit.ts';
export * from './plain/index.ts';
export * from './plain/retention.ts';
export * from './plain/text-segments.ts';
export {
  type ChangeConsent,
  type EraseRecipient,
  EraseRecipient as EraseRecipientSchema,
  type OptOut,
  type RecipientConsent,
  type RecipientErasure,
} from './recipients.ts';
export type { ClosedReason, Colleague, RecorderNext, RecorderState, RecorderTextStatus } from './recorder.ts';
export type { CreateRecordingLink, RecordingLink } from './recording-links.ts';
export { INTRO_REPLY_TYPES, type IntroReplyType } from './replies.ts';
export {
  type CreateIntro,
  type CreateTouchpointEvent,
  DEFAULT_PAGE_SIZE,
  type ListEventsQuery,
  type ListIntrosQuery,
  type ListMembersQuery,
  type MemberChoice,
  type PageQuery,
} from './requests.ts';
export type {
  AcceptedEvent,
  ErrorBody,
  FieldProblem,
  Intro,
  List,
  Member,
  Touchpoint,
  TouchpointEvent,
} from './resources.ts';
export {
  type AdvanceTestClock,
  type FailTestIntro,
  RECORDING_FAILURES,
  type RecordingFailureCode,
  type ReplyTestIntro,
  TEST_CLOCK_MAX_S,
  TEST_FAILURES,
  type TestClock,
  WATCH_STEPS,
  type WatchTestIntro,
} from './test-helpers.ts';
export { TIMELINE_STEPS, type TimelineStep, type TimelineStepType } from './timeline.ts';
export type { ListWebhookMessagesQuery, TestWebhook, WebhookMessage } from './webhook-messages.ts';
export {
  type CreateWebhookEndpoint,
  type ReplayWebhooks,
  type UpdateWebhookEndpoint,
  WEBHOOK_CHOICES,
  WEBHOOK_EVENTS,
  WEBHOOK_TEST,
  type WebhookAttempt,
  WebhookChoice,
  type WebhookEndpoint,
  type WebhookEndpointWithSecret,
  type WebhookEventType,
  type WebhookReplay,
  WebhookUrl,
} from './webhooks.ts';
