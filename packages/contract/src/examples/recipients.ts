import type { OptOut, RecipientErasure } from '../recipients.ts';
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

const OPT_OUT: OptOut = {
  id: 'opt_01kkczv7mrw00qyd5rz5ce7eex',
  object: 'opt_out',
  phone: '+14155550177',
  source: 'api',
  reason: 'Dana asked on the phone',
  opted_out_at: '2026-03-10T23:36:01.112Z',
  environment: 'test',
};

const BY_TEXT: OptOut = {
  ...OPT_OUT,
  id: 'opt_01kk4yq3fay3m8c2v6w1x9t5de',
  phone: '+13125550186',
  source: 'text',
  reason: 'Please stop texting me',
  opted_out_at: '2026-03-07T18:22:46.090Z',
};

export const RECIPIENT_EXAMPLES = {
  optOutRecipient: {
    idempotencyKey: 'acme_crm:contact_5512:opt_out:2026-03-10',
    requests: {
      reason: { summary: 'With the reason', value: { phone: OPT_OUT.phone, reason: 'Dana asked on the phone' } },
      number: { summary: 'Only the number', value: { phone: OPT_OUT.phone } },
    },
    responses: { optedOut: { summary: 'The opt-out', value: OPT_OUT } },
  },
  optInRecipient: {
    idempotencyKey: 'acme_crm:contact_5512:opt_in:2026-03-12',
    requests: {
      reason: { summary: 'With the reason', value: { phone: '+14155550178', reason: 'Dana wrote an email' } },
    },
    responses: {
      optedIn: {
        summary: 'The number may be texted',
        value: {
          object: 'recipient',
          phone: '+14155550178',
          opted_in_at: '2026-03-12T15:10:09.004Z',
          environment: 'test',
        },
      },
    },
  },
  listOptOuts: {
    query: { phone: OPT_OUT.phone },
    responses: {
      page: { summary: 'Two opt-outs', value: { object: 'list', data: [OPT_OUT, BY_TEXT], has_more: false } },
      empty: { summary: 'No opt-outs', value: { object: 'list', data: [], has_more: false } },
    },
  },
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
} satisfies Pick<Examples, 'eraseRecipient' | 'retrieveErasure' | 'optOutRecipient' | 'optInRecipient' | 'listOptOuts'>;
