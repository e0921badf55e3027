/** Describes the API once: schemas, operations, errors and examples. */

export { type AgentTool, buildAgentTools, KEY_ARGUMENT } from './agent-tools.ts';
export * from './console/index.ts';
export { ERROR_GUIDE, type ErrorGuideEntry } from './error-guide.ts';
export * from './errors.ts';
export {
  type AcceptedEvent,
  type CreateTouchpointEvent,
  type DryRunResult,
  eventExample,
  type ListEventsQuery,
  type TouchpointEvent,
} from './events.ts';
export {
  DELIVERY_DELAY_ACTIONS,
  DELIVERY_FAILURE_ACTIONS,
  EVENT_FAILURE_ACTIONS,
  RECORDING_FAILURE_ACTIONS,
  WEBHOOK_DISABLED_ACTIONS,
} from './failure-actions.ts';
export { Email, ExternalText, IdempotencyKey, Lane, Name, Phone, Responsibility, TouchpointContext } from './fields.ts';
export {
  type CreateIntro,
  type CreateRecordingLink,
  DeclineBody,
  HandOverBody,
  INTRO_API_FIELDS,
  INTRO_REPLY_TYPES,
  type Intro,
  type IntroReplyType,
  introExample,
  type ListIntrosQuery,
  type MemberChoice,
  type RecordingLink,
} from './intros.ts';
export { type CreateLinkDomain, type LinkDomain, LinkHost } from './link-domains.ts';
export type { CreateMember, DeactivateMember, ListMembersQuery, Member, UpdateMember } from './members.ts';
export { buildOpenApi } from './openapi.ts';
export {
  AGENT_GROUPS,
  type AgentGroup,
  type BodyOf,
  DEFAULT_PAGE_SIZE,
  type List,
  needsKey,
  type Operation,
  type OperationAccess,
  type OperationForm,
  type PageQuery,
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
export type { Touchpoint } from './touchpoints.ts';
export type {
  ListWebhookMessagesQuery,
  ReplayWebhooks,
  TestWebhook,
  WebhookAttempt,
  WebhookMessage,
  WebhookReplay,
} from './webhook-messages.ts';
export {
  type CreateWebhookEndpoint,
  type UpdateWebhookEndpoint,
  WEBHOOK_CHOICES,
  WEBHOOK_EVENTS,
  WEBHOOK_TEST,
  WebhookChoice,
  type WebhookEndpoint,
  type WebhookEndpointWithSecret,
  type WebhookEventType,
  WebhookUrl,
  webhookEndpointExample,
  webhookExample,
} from './webhooks.ts';
