import type { JsonObject } from './schemas.ts';

/** The headers of responses, as components. */
export const HEADERS: JsonObject = {
  RequestId: {
    description: 'Id of this request, which is also in the server log.',
    schema: { type: 'string' },
    example: 'req_01kahzv8e1f0rtx5m2q6n9d3bw',
  },
  RateLimitLimit: { description: 'Maximum number of requests in a burst.', schema: { type: 'integer' }, example: 200 },
  RateLimitRemaining: { description: 'Number of requests left right now.', schema: { type: 'integer' }, example: 187 },
  RateLimitReset: {
    description: 'Seconds until the full burst is available again.',
    schema: { type: 'integer' },
    example: 1,
  },
  RetryAfter: { description: 'Seconds to wait before a retry.', schema: { type: 'integer' }, example: 1 },
  IdempotentReplayed: {
    description: '`true` when this is the original response to an earlier request with the same key.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
};

export const headerRef = (name: string): JsonObject => ({ $ref: `#/components/headers/${name}` });

export const RATE_HEADERS: JsonObject = {
  'RateLimit-Limit': headerRef('RateLimitLimit'),
  'RateLimit-Remaining': headerRef('RateLimitRemaining'),
  'RateLimit-Reset': headerRef('RateLimitReset'),
};
