import { Environment, Id, Nullable, openEnum, Phone, SingleLine, Timestamp } from './fields.ts';
import { introExample } from './intros.ts';
import { define, idParams, ListOf, listExample, paging, returns } from './operation.ts';
import {
  CONSENT_SOURCES,
  ERASED_KINDS,
  ERASURE_MAX_INTROS,
  type ErasedKind,
  CONSENT_REASON_MAX_LENGTH as REASON_MAX_LENGTH,
} from './plain/index.ts';
import { ClosedObject, Component, RequestComponent, type Static, Type } from './schema.ts';

const ListOptOutsQuery = ClosedObject({ ...paging, phone: Type.Optional(Phone) });

export const ConsentSource = openEnum(
  'ConsentSource',
  CONSENT_SOURCES,
  'How it was received. `text`: the recipient replied. `page`: the button on the video page. `carrier`: reported by the carrier. ' +
    '`api`: with an API key. `team`: in the console. `operator`: with the command. `import`: from a file.',
);

const ChangeConsent = RequestComponent('ChangeConsent', 'A decision of the recipient that was received elsewhere.', {
  phone: Phone,
  reason: Type.Optional(
    SingleLine({
      minLength: 1,
      maxLength: REASON_MAX_LENGTH,
      'x-problem': `must be text of at most ${REASON_MAX_LENGTH} characters without control characters or invalid Unicode`,
      description: 'Who asked for it, and how. It is stored as evidence.',
      examples: ['Dana asked on the phone'],
    }),
  ),
});

const OptOut = Component('OptOut', 'A number that is not texted.', {
  id: Id('opt', 'Identifier of the opt-out.'),
  object: Type.Literal('opt_out'),
  phone: Type.String({ description: 'Mobile number in E.164 format.' }),
  source: ConsentSource,
  reason: Nullable(Type.String(), "The recipient's words, or the reason that was sent; null when there is none."),
  opted_out_at: Timestamp('When the recipient opted out.'),
  environment: Environment,
});

const RecipientConsent = Component('RecipientConsent', 'A recipient who may be texted.', {
  object: Type.Literal('recipient'),
  phone: Type.String({ description: 'Mobile number in E.164 format.' }),
  opted_in_at: Nullable(Timestamp('When texts were allowed again.'), 'Null when the recipient had not opted out.'),
  environment: Environment,
});

export const EraseRecipient = RequestComponent(
  'EraseRecipient',
  'The recipient to erase.',
  { phone: Phone },
  { examples: [{ phone: '+14155550123' }] },
);

const DESCRIPTIONS: Record<ErasedKind, string> = {
  intros: 'Intros for the number.',
  events: 'Events that named the recipient.',
  recordings: 'Takes whose files were deleted: video, pictures and captions.',
  messages: 'Texts and emails about the intros.',
  replies: "The recipient's questions, and what members wrote when they declined.",
  team_emails: 'Emails to owners and managers that named the recipient.',
  stored_responses: 'Responses that were stored for idempotency keys.',
  webhooks: 'Payloads of webhooks.',
  logged_requests: 'Requests in the request log.',
  consents: "Entries in the log of the recipient's consent.",
};

const count = (kind: ErasedKind) => Type.Integer({ minimum: 0, description: DESCRIPTIONS[kind] });

export const RecipientErasure = Component(
  'RecipientErasure',
  'The receipt of an erasure. It does not identify the recipient.',
  {
    id: Id('ers', 'Identifier of the receipt.'),
    object: Type.Literal('recipient_erasure'),
    status: openEnum(
      'ErasureStatus',
      ['processing', 'completed'],
      '`processing` until everything is removed, usually about half a minute.',
    ),
    intros: Type.Array(Id('int', 'Identifier of an erased intro.'), {
      description: `The erased intros, newest first; the newest ${ERASURE_MAX_INTROS} if there are more.`,
    }),
    removed: Type.Object(
      Object.fromEntries(ERASED_KINDS.map((kind) => [kind, count(kind)])) as Record<
        ErasedKind,
        ReturnType<typeof count>
      >,
      { 'x-component': 'ErasureCounts', description: 'How much was removed so far. New counts may be added.' },
    ),
    opt_out_kept: Type.Boolean({
      description: 'True when the recipient had opted out of texts. A keyed hash of the number keeps them opted out.',
    }),
    environment: Environment,
    created_at: Timestamp('When the request was accepted.'),
    completed_at: Nullable(Timestamp('When everything was removed; null before.')),
  },
);

export type OptOut = Static<typeof OptOut>;
export type RecipientErasure = Static<typeof RecipientErasure>;

const optOutExample: OptOut = {
  id: 'opt_01kkczv7mrw00qyd5rz5ce7eex',
  object: 'opt_out',
  phone: '+14155550177',
  source: 'api',
  reason: 'Dana asked on the phone',
  opted_out_at: '2026-03-10T23:36:01.112Z',
  environment: 'test',
};

export const erasureExample: RecipientErasure = {
  id: 'ers_01kkczv7mrw00qyd5rz5ce7eex',
  object: 'recipient_erasure',
  status: 'completed',
  intros: [introExample.id],
  removed: {
    intros: 1,
    events: 1,
    recordings: 1,
    messages: 2,
    replies: 1,
    team_emails: 0,
    stored_responses: 1,
    webhooks: 5,
    logged_requests: 2,
    consents: 1,
  },
  opt_out_kept: true,
  environment: 'test',
  created_at: '2026-03-10T23:36:01.112Z',
  completed_at: '2026-03-10T23:36:24.870Z',
};

export const RECIPIENT_OPERATIONS = define('Recipients', {
  optOutRecipient: {
    route: 'POST /v1/recipients/opt_out',
    role: 'manager',
    summary: 'Opt a recipient out of texts',
    description:
      'For a recipient who asked you for no more texts, on the phone or by email. From then on, nothing is texted to the number, and ' +
      '`recipient.opted_out` is sent. For a number that already opted out, nothing changes.',
    body: {
      kind: 'required',
      schema: ChangeConsent,
      examples: { 'With the reason': { phone: optOutExample.phone, reason: optOutExample.reason } },
    },
    success: returns(200, OptOut, 'The opt-out.', optOutExample),
  },
  optInRecipient: {
    route: 'POST /v1/recipients/opt_in',
    role: 'manager',
    summary: 'Allow texts to a recipient again',
    isDestructive: true,
    description:
      'For a recipient who asked you for texts again. After an opt-out by text, only they can do that, by replying START: the ' +
      'response is 422 `recipient_opted_out`. For a number that has not opted out, nothing changes.',
    body: {
      kind: 'required',
      schema: ChangeConsent,
      examples: { 'With the reason': { phone: '+14155550178', reason: 'Dana wrote an email' } },
    },
    success: returns(200, RecipientConsent, 'The recipient, who may be texted.', {
      object: 'recipient',
      phone: optOutExample.phone,
      opted_in_at: '2026-03-12T15:10:09.004Z',
      environment: 'test',
    }),
    errors: ['recipient_opted_out'],
  },
  listOptOuts: {
    route: 'GET /v1/recipients/opt_outs',
    summary: 'List opt-outs',
    description: 'The numbers that are not texted, newest opt-out first.',
    query: ListOptOutsQuery,
    success: returns(200, ListOf(OptOut), 'One page of opt-outs.', listExample(optOutExample)),
    filterExample: { phone: optOutExample.phone },
  },
  eraseRecipient: {
    route: 'POST /v1/recipients/erase',
    role: 'owner',
    summary: 'Erase a recipient',
    // It cannot be undone.
    isClosedToAgents: true,
    description:
      'Removes everything that identifies the recipient with this number: names, number, context, metadata and scripts of their ' +
      'intros and events, videos and pictures, texts, replies, stored responses, webhook payloads and logged requests. Open ' +
      'intros are cancelled, texts that are not sent yet are withdrawn, and the links answer 410. Ids, references, states, times ' +
      'and counts stay. Responses about an erased intro have `erased_at`, the first name `Erased` and an empty number. This ' +
      'cannot be undone. It covers what was accepted before: a later event for the number is new data. A number without any ' +
      'data also gets a receipt. When everything is removed, `recipient.erased` is sent.',
    body: { kind: 'required', schema: EraseRecipient, examples: { 'By number': { phone: optOutExample.phone } } },
    success: returns(202, RecipientErasure, 'The receipt. The rest is removed in the background.', {
      ...erasureExample,
      status: 'processing',
      completed_at: null,
    }),
  },
  retrieveErasure: {
    route: 'GET /v1/recipients/erasures/{id}',
    summary: 'Retrieve the receipt of an erasure',
    description: 'Returns what was removed so far, and whether the erasure is complete. Receipts are kept.',
    params: idParams('The erasure identifier.', erasureExample),
    success: returns(200, RecipientErasure, 'The receipt.', erasureExample),
  },
});

export type ChangeConsent = Static<typeof ChangeConsent>;
export type RecipientConsent = Static<typeof RecipientConsent>;
export type EraseRecipient = Static<typeof EraseRecipient>;
