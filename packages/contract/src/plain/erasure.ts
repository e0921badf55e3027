/** The first name of an erased recipient. */
export const ERASED_NAME = 'Erased';

/** The counts in a receipt. */
export const ERASED_KINDS = [
  'intros',
  'events',
  'recordings',
  'messages',
  'replies',
  'team_emails',
  'stored_responses',
  'webhooks',
  'logged_requests',
  'consents',
] as const;
export type ErasedKind = (typeof ERASED_KINDS)[number];

/** Most ids in a receipt. A person has few intros; a number that stands for many people may have thousands. */
export const ERASURE_MAX_INTROS = 1_000;
