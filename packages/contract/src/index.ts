export * from './errors.ts';
export {
  Email,
  EVENT_STATUSES,
  ExternalText,
  IdempotencyKey,
  INTRO_STATUSES,
  LANES,
  Lane,
  Name,
  Phone,
  RESPONSIBILITIES,
  Responsibility,
  TOUCHPOINT_CONTEXTS,
} from './fields.ts';
export { buildOpenApi } from './openapi.ts';
export { COMMON_ERRORS, OPERATIONS, type Operation, type OperationId } from './operations.ts';
export {
  type CreateIntro,
  type CreateTouchpointEvent,
  DEFAULT_PAGE_SIZE,
  type ListIntrosQuery,
  type ListMembersQuery,
  type MemberChoice,
} from './requests.ts';
export type { AcceptedEvent, ErrorBody, Intro, List, Member, Touchpoint, TouchpointEvent } from './resources.ts';
