import { SCRIPT_FIT_SECONDS, SCRIPT_FIT_WORDS } from '../plain/index.ts';
import type { JsonObject } from './schemas.ts';

/** The headers of responses, as components. */
export const HEADERS: JsonObject = {
  RequestId: {
    description: 'Id of this request, which is also in the server log.',
    schema: { type: 'string' },
    example: 'req_01kahzv8e1f0rtx5m2q6n9d3bw',
  },
  RateLimitLimit: {
    description: 'Size of the budget of the key or of its organization, whichever has less left.',
    schema: { type: 'integer' },
    example: 200,
  },
  RateLimitRemaining: { description: 'What is left of this budget.', schema: { type: 'integer' }, example: 187 },
  RateLimitReset: {
    description: 'Seconds until this budget is full again.',
    schema: { type: 'integer' },
    example: 1,
  },
  RetryAfter: { description: 'Seconds to wait before a retry.', schema: { type: 'integer' }, example: 1 },
  Link: {
    description: 'The page that explains the error code.',
    schema: { type: 'string' },
    example: '<https://intros.example.com/docs/errors#validation_failed>; rel="help"',
  },
  ETag: {
    description:
      'Identifies this version of the response. Send it in `If-None-Match` to get a 304 if nothing has changed.',
    schema: { type: 'string' },
    example: 'W/"d7Vv3nCkZ1xkTnYw3n1p2tV3o5Xh0Jm2rVQn0yJ8v1c"',
  },
  ForewordHint: {
    description:
      `Advice about the request, which succeeded: present when the script has more than ${SCRIPT_FIT_WORDS} words, when the ` +
      'appointment had already started, or when the member has neither a number nor an email address that works.',
    schema: { type: 'string' },
    example: `The script has 60 words. Up to ${SCRIPT_FIT_WORDS} words, about ${SCRIPT_FIT_SECONDS} seconds, work best.`,
  },
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
