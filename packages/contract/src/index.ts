/** Describes the API once: schemas, operations, errors and examples. */

export { type AgentTool, buildAgentTools, KEY_ARGUMENT } from './agent-tools.ts';
export * from './console/index.ts';
export { ERROR_GUIDE, type ErrorGuideEntry, errorExample } from './error-guide.ts';
export * from './errors.ts';
export * from './events.ts';
export * from './failure-actions.ts';
export {
  Email,
  ExternalText,
  IdempotencyKey,
  Lane,
  Name,
  openEnum,
  Phone,
  Responsibility,
  TouchpointContext,
} from './fields.ts';
export * from './intros.ts';
export * from './link-domains.ts';
export * from './members.ts';
export {
  AGENT_GROUPS,
  type AgentGroup,
  type BodyOf,
  DEFAULT_PAGE_SIZE,
  type List,
  MAX_PAGE_SIZE,
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
export * from './operations.ts';
export * from './plain/audit.ts';
export { decodeText } from './plain/decode-text.ts';
export * from './plain/index.ts';
export * from './plain/retention.ts';
export * from './plain/text-segments.ts';
export type { ChangeConsent, EraseRecipient, OptOut, RecipientConsent, RecipientErasure } from './recipients.ts';
export * from './recorder.ts';
export * from './schema.ts';
export * from './test-helpers.ts';
export * from './timeline.ts';
export * from './touchpoints.ts';
export * from './webhook-messages.ts';
export * from './webhooks.ts';
