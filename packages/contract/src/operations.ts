import type { ErrorCode } from './errors.ts';
import { EVENT_OPERATIONS } from './events.ts';
import { INTRO_OPERATIONS } from './intros.ts';
import { LINK_DOMAIN_OPERATIONS } from './link-domains.ts';
import { MEMBER_OPERATIONS } from './members.ts';
import { RECIPIENT_OPERATIONS } from './recipients.ts';
import { TEST_HELPER_OPERATIONS } from './test-helpers.ts';
import { TIMELINE_OPERATIONS } from './timeline.ts';
import { TOUCHPOINT_OPERATIONS } from './touchpoints.ts';
import { WEBHOOK_MESSAGE_OPERATIONS } from './webhook-messages.ts';
import { WEBHOOK_ENDPOINT_OPERATIONS } from './webhooks.ts';

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

export const OPERATIONS = {
  ...EVENT_OPERATIONS,
  ...INTRO_OPERATIONS,
  ...TIMELINE_OPERATIONS,
  ...RECIPIENT_OPERATIONS,
  ...TEST_HELPER_OPERATIONS,
  ...TOUCHPOINT_OPERATIONS,
  ...MEMBER_OPERATIONS,
  ...LINK_DOMAIN_OPERATIONS,
  ...WEBHOOK_ENDPOINT_OPERATIONS,
  ...WEBHOOK_MESSAGE_OPERATIONS,
};

export type OperationId = keyof typeof OPERATIONS;

export type OperationOf<K extends OperationId> = (typeof OPERATIONS)[K];
