import { type Static, Type } from 'typebox';
import { Environment, Id, Nullable, Phone, Timestamp } from './fields.ts';
import { define, EVERY_POST } from './operation.ts';
import { ERASED_KINDS, ERASURE_MAX_INTROS, type ErasedKind } from './plain/index.ts';
import { IdParams, NoQuery } from './requests.ts';

export const EraseRecipient = Type.Object(
  { phone: Phone },
  {
    additionalProperties: false,
    'x-component': 'EraseRecipient',
    description: 'The recipient to erase.',
    examples: [{ phone: '+14155550123' }],
  },
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

const count = (kind: ErasedKind) => Type.Integer({ minimum: 0, description: DESCRIPTIONS[kind], examples: [1] });

export const RecipientErasure = Type.Object(
  {
    id: Id('ers', 'Identifier of the receipt.'),
    object: Type.Literal('recipient_erasure', { description: 'Always `recipient_erasure`.' }),
    status: Type.Enum(['processing', 'completed'], {
      type: 'string',
      'x-component': 'ErasureStatus',
      'x-open': true,
      description: '`processing` until everything is removed, usually about half a minute.',
    }),
    intros: Type.Array(Id('int', 'Identifier of an erased intro.'), {
      description: `The erased intros, newest first; the newest ${ERASURE_MAX_INTROS.toLocaleString('en-US')} if there are more.`,
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
  { 'x-component': 'RecipientErasure', description: 'The receipt of an erasure. It does not identify the recipient.' },
);

export const RECIPIENT_OPERATIONS = define({
  eraseRecipient: {
    method: 'POST',
    path: '/v1/recipients/erase',
    operationId: 'eraseRecipient',
    tag: 'Recipients',
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
    query: NoQuery,
    body: { kind: 'required', schema: EraseRecipient },
    success: {
      status: 202,
      schema: RecipientErasure,
      description: 'The receipt. The rest is removed in the background.',
    },
    errors: [...EVERY_POST],
  },
  retrieveErasure: {
    method: 'GET',
    path: '/v1/recipients/erasures/{id}',
    operationId: 'retrieveErasure',
    tag: 'Recipients',
    summary: 'Retrieve the receipt of an erasure',
    description: 'Returns what was removed so far, and whether the erasure is complete. Receipts are kept.',
    params: IdParams('The erasure identifier.', 'ers_01kahzv8e1f0rtx5m2q6n9d3bw'),
    query: NoQuery,
    success: { status: 200, schema: RecipientErasure, description: 'The receipt.' },
    errors: ['validation_failed', 'not_found'],
  },
});

export type EraseRecipient = Static<typeof EraseRecipient>;
export type RecipientErasure = Static<typeof RecipientErasure>;
