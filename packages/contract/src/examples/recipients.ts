import type { RecipientErasure } from '../recipients.ts';
import { SENT } from './objects/intros.ts';
import type { Examples } from './types.ts';

const PROCESSING: RecipientErasure = {
  id: 'ers_01kkczv7mrw00qyd5rz5ce7eex',
  object: 'recipient_erasure',
  status: 'processing',
  intros: [SENT.id],
  removed: {
    intros: 1,
    events: 1,
    recordings: 0,
    messages: 0,
    replies: 0,
    team_emails: 0,
    stored_responses: 0,
    webhooks: 0,
    logged_requests: 0,
    consents: 0,
  },
  opt_out_kept: false,
  environment: 'test',
  created_at: '2026-03-10T23:36:01.112Z',
  completed_at: null,
};

export const ERASED: RecipientErasure = {
  ...PROCESSING,
  status: 'completed',
  removed: {
    ...PROCESSING.removed,
    recordings: 1,
    messages: 2,
    replies: 1,
    stored_responses: 1,
    webhooks: 5,
    logged_requests: 2,
    consents: 1,
  },
  opt_out_kept: true,
  completed_at: '2026-03-10T23:36:24.870Z',
};

/** A number without any data. */
const NOTHING: RecipientErasure = {
  ...PROCESSING,
  id: 'ers_01kkd00awfw000j0nf2gwp5mkv',
  intros: [],
  removed: { ...PROCESSING.removed, intros: 0, events: 0 },
};

export const RECIPIENT_EXAMPLES = {
  eraseRecipient: {
    idempotencyKey: 'acme_crm:erasure_request_77',
    requests: { phone: { summary: 'By number', value: { phone: '+14155550177' } } },
    responses: {
      processing: { summary: 'Accepted', value: PROCESSING },
      nothing: { summary: 'Nothing is stored for the number', value: NOTHING },
    },
  },
  retrieveErasure: {
    responses: {
      completed: { summary: 'Everything is removed', value: ERASED },
      processing: { summary: 'Being removed', value: PROCESSING },
    },
  },
} satisfies Pick<Examples, 'eraseRecipient' | 'retrieveErasure'>;
