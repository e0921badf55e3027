import { oneOf } from '../../fields.ts';
import { ClosedObject, Type } from '../../schema.ts';
import { define, response, Time } from '../operation.ts';

const METHODS = ['GET', 'POST', 'DELETE'] as const;
const STATUS_CLASSES = ['2xx', '4xx', '5xx'] as const;

export const searchText = (description: string, maxLength = 255) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: '^[^\\p{Cc}\\p{Cs}]*$',
    'x-problem': 'must be text without control characters or broken Unicode',
    description,
  });

export const RequestsQuery = ClosedObject({
  method: Type.Optional(oneOf(METHODS, 'Only this method.')),
  path: Type.Optional(searchText('Only paths that start with this.')),
  status: Type.Optional(oneOf(STATUS_CLASSES, 'Only responses of this class.')),
  key: Type.Optional(searchText('Only requests with this key id.')),
  error: Type.Optional(searchText('Only responses with this error code.')),
  request_id: Type.Optional(searchText('Only the request with this id.')),
  object_id: Type.Optional(searchText('Only requests that returned or named this object.')),
  since: Type.Optional(Time('At this time or later.')),
  until: Type.Optional(Time('Before this time.')),
  before: Type.Optional(searchText('`next` of the previous page.')),
});

export interface LoggedKey {
  readonly id: string;
  readonly name: string;
  readonly ending: string;
}

export interface LoggedRequest {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly error: string | null;
  readonly duration_ms: number;
  readonly object_id: string | null;
  readonly key: LoggedKey;
  readonly created_at: string;
}

export interface LoggedRequestDetail extends LoggedRequest {
  /** Phone numbers and secrets are masked here, in the body and in the response. */
  readonly query: string | null;
  /** The first 8 KB. Null without a body, or when it was not text. */
  readonly body: string | null;
  readonly body_bytes: number;
  readonly is_cut: boolean;
  /** The response body of an error. */
  readonly answer: string | null;
}

export interface LoggedRequests {
  readonly requests: readonly LoggedRequest[];
  /** The start of the next page. Null on the last page. */
  readonly next: string | null;
  /** Set when the page is not full because the scan reached its limit, at this time. */
  readonly scanned_back_to: string | null;
  /** Requests of this period that were not logged, because there were too many. */
  readonly not_logged: number;
}

export interface RequestChoices {
  readonly keys: readonly LoggedKey[];
  readonly error_codes: readonly string[];
  readonly retention_days: number;
}

export const REQUESTS_OPERATIONS = define({
  searchRequests: {
    route: 'GET /requests',
    role: 'manager',
    query: RequestsQuery,
    success: response<LoggedRequests>(),
  },
  readRequestChoices: { route: 'GET /requests/choices', role: 'manager', success: response<RequestChoices>() },
  readRequest: { route: 'GET /requests/{id}', role: 'manager', success: response<LoggedRequestDetail>() },
});
