import {
  COMMON_ERRORS,
  Component,
  ERRORS,
  type ErrorCode,
  errorExample,
  type JsonObject,
  OPERATIONS,
  type Operation,
  openEnum,
  pascalCase,
  SCRIPT_FIT_SECONDS,
  SCRIPT_FIT_WORDS,
  Type,
} from '@foreword/contract';
import { publish } from './schemas.ts';

/** Returned before a request reaches an operation. */
const WITHOUT_OPERATION: readonly ErrorCode[] = [
  'malformed_request',
  'not_found',
  'method_not_allowed',
  'request_timeout',
  'payload_too_large',
  'uri_too_long',
  'headers_too_large',
];

const codesOf = (operation: Operation): readonly ErrorCode[] => [...COMMON_ERRORS, ...operation.errors];

function listCodes(): ErrorCode[] {
  const returned = new Set<ErrorCode>([
    ...WITHOUT_OPERATION,
    ...(Object.values(OPERATIONS) as Operation[]).flatMap(codesOf),
  ]);
  return (Object.keys(ERRORS) as ErrorCode[]).filter((code) => returned.has(code));
}

const ApiError = Component('ApiError', 'The body of every error response.', {
  error: Component('ApiErrorDetails', 'The error.', {
    code: openEnum('ErrorCode', listCodes(), 'A stable code for programs. New codes may be added.'),
    message: Type.String({ description: 'An explanation for people, with the next step.' }),
    field: Type.Optional(
      Type.String({
        description:
          'The field with the first problem, as a dotted path. With `validation_failed`, `member_not_found`, `member_ambiguous` and `touchpoint_not_found`.',
        examples: ['recipient.phone'],
      }),
    ),
    problems: Type.Optional(
      Type.Array(
        Component('FieldProblem', 'A problem of one field.', {
          field: Type.String({ description: 'The field, as a dotted path.', examples: ['recipient.phone'] }),
          message: Type.String({ description: 'An explanation for people. It starts with the field.' }),
        }),
        { description: 'With `validation_failed`: every problem, in the documented order of the fields.' },
      ),
    ),
    object_id: Type.Optional(
      Type.String({
        description: 'With `idempotency_conflict`: the object that the key belongs to.',
        examples: ['evt_01kahzv8e1f0rtx5m2q6n9d3bw'],
      }),
    ),
  }),
});

/** The error responses of all operations, by name. Collected when the operations are published. */
const responses = new Map<string, JsonObject>();

function publishResponse(status: number, codes: readonly ErrorCode[]): JsonObject {
  const headers: JsonObject = { 'Request-Id': headerRef('RequestId'), Link: headerRef('Link') };
  // Every response has them, as the introduction says. Only here a caller must read them.
  if (status === 429) {
    for (const name of ['Limit', 'Remaining', 'Reset']) headers[`RateLimit-${name}`] = headerRef(`RateLimit${name}`);
  }
  if (status === 429 || status === 503 || status === 507) headers['Retry-After'] = headerRef('RetryAfter');
  return {
    // The examples say what each code means.
    description: codes.map((code) => `\`${code}\``).join(', '),
    headers,
    content: {
      'application/json': {
        schema: publish(ApiError),
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  };
}

export function errorResponses(operation: Operation): JsonObject {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codesOf(operation)) {
    const { status, otherStatus = status }: { status: number; otherStatus?: number } = ERRORS[code];
    for (const each of new Set([status, otherStatus])) byStatus.set(each, [...(byStatus.get(each) ?? []), code]);
  }
  const sorted = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries(
    sorted.map(([status, codes]) => {
      const name = `${status}${codes.map(pascalCase).join('Or')}`;
      if (!responses.has(name)) responses.set(name, publishResponse(status, codes));
      return [status, { $ref: `#/components/responses/${name}` }];
    }),
  );
}

export const publishedErrors = (): JsonObject =>
  Object.fromEntries([...responses].sort(([a], [b]) => (a < b ? -1 : 1)));

/** Examples of the codes that operations return. */
export function errorExamples(): JsonObject {
  const used = new Set((Object.values(OPERATIONS) as Operation[]).flatMap(codesOf));
  return Object.fromEntries(
    [...used].map((code) => [code, { summary: ERRORS[code].description, value: JSON.parse(errorExample(code)) }]),
  );
}

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
      'appointment had already started, when the recipient opted out, when the member has neither a number nor an email address ' +
      'that works, or when too many requests wait already.',
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
