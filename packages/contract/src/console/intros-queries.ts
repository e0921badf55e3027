import { AnyId, ExternalText, oneOf } from '../fields.ts';
import {
  DELIVERY_STATUSES,
  INTRO_PROBLEMS,
  INTRO_SORTS,
  INTRO_STATUSES,
  STORED_EVENT_STATUSES,
} from '../plain/index.ts';
import { ClosedObject, Type } from '../schema.ts';

const anyOf = (values: readonly string[]) =>
  Type.String({
    pattern: `^(?:${values.join('|')})(?:,(?:${values.join('|')}))*$`,
    'x-problem': `must be one or more of ${values.join(', ')}, separated by commas`,
  });

/** Dates in the organization's time zone, both inclusive. */
export const Day = Type.String({
  pattern: '^\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])$',
  'x-problem': 'must be a date, such as 2026-03-12',
});

const filters = {
  member: Type.Optional(AnyId('A member id.', 'mem_01kahzv8e1f0rtx5m2q6n9d3bw')),
  touchpoint: Type.Optional(
    Type.String({
      pattern: '^(?:[a-z0-9_]{1,64}|-)$',
      'x-problem': 'must be the slug of a touchpoint, or - for intros without one',
    }),
  ),
  from: Type.Optional(Day),
  to: Type.Optional(Day),
  q: Type.Optional(
    ExternalText(
      'A name, the beginning or the end of a phone number, a reference id, or an intro or event id.',
      'Dana',
    ),
  ),
  after: Type.Optional(AnyId('`next` of the previous page.', 'int_01kahzv8e1f0rtx5m2q6n9d3bw')),
};

export const IntrosQuery = ClosedObject({
  status: Type.Optional(anyOf(INTRO_STATUSES)),
  delivery: Type.Optional(anyOf(DELIVERY_STATUSES)),
  /** `any`: all of them. */
  problem: Type.Optional(anyOf(['any', ...INTRO_PROBLEMS])),
  /** Watched to the end. */
  watched: Type.Optional(Type.String({ pattern: '^yes$', 'x-problem': 'must be yes' })),
  sort: Type.Optional(oneOf(INTRO_SORTS, 'The order of the list.')),
  ...filters,
  after: Type.Optional(
    Type.String({ maxLength: 80, description: '`next` of the previous page, whose form depends on the order.' }),
  ),
});
export const EventsQuery = ClosedObject({ status: Type.Optional(anyOf(STORED_EVENT_STATUSES)), ...filters });

export const MessagesQuery = ClosedObject({
  status: Type.Optional(anyOf(['scheduled', 'sending', 'accepted', 'delivered', 'undelivered', 'failed', 'dropped'])),
  audience: Type.Optional(anyOf(['member', 'recipient'])),
  after: filters.after,
});
