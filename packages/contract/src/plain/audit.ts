/** The actions in the audit log. The part before the dot is the group that the console filters by. */
export const AUDIT_ACTIONS = [
  'session.started',
  'session.ended',
  'session.failed',
  'session.link_created',
  'passkey.added',
  'passkey.renamed',
  'passkey.removed',
  'passkey.reset',
  'key.created',
  'key.changed',
  'key.revoked',
  'member.added',
  'member.changed',
  'member.role_changed',
  'member.deactivated',
  'member.reactivated',
  'member.pages_replaced',
  'member.pages_restored',
  'likeness.given',
  'likeness.withdrawn',
  'likeness.removed',
  'organization.created',
  'organization.changed',
  'organization.texts_resumed',
  'organization.imported',
  'brand.changed',
  'touchpoint.created',
  'touchpoint.copied',
  'touchpoint.changed',
  'touchpoint.reset',
  'touchpoint.undone',
  'touchpoint.moved',
  'webhook.created',
  'webhook.changed',
  'webhook.secret_rotated',
  'webhook.replayed',
  'webhook.disabled',
  'webhook.deleted',
  'link_domain.added',
  'link_domain.verified',
  'link_domain.removed',
  'intro.reassigned',
  'intro.phone_corrected',
  'intro.cancelled',
  'intro.taken_down',
  'consent.withdrawn',
  'consent.restored',
  'recipient.erased',
  'export.created',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

type GroupOf<Action extends string> = Action extends `${infer Group}.${string}` ? Group : never;
export type AuditGroup = GroupOf<AuditAction>;

export const auditGroupOf = (action: AuditAction): AuditGroup => action.slice(0, action.indexOf('.')) as AuditGroup;
export const AUDIT_GROUPS = [...new Set(AUDIT_ACTIONS.map(auditGroupOf))] as [AuditGroup, ...AuditGroup[]];

/** Managers see no sign-ins, passkeys and keys, because only owners manage them. */
export const OWNER_AUDIT_GROUPS: readonly AuditGroup[] = ['session', 'passkey', 'key'];

/** `operator` is someone who ran the command on the server. `system` is the service itself. */
export const AUDIT_ACTORS = ['member', 'key', 'operator', 'system'] as const;
export type AuditActor = (typeof AUDIT_ACTORS)[number];

/** Why a sign-in failed. */
export const SIGN_IN_FAILURES = ['link_expired', 'other_browser', 'passkey_refused'] as const;
export type SignInFailure = (typeof SIGN_IN_FAILURES)[number];

/** How long entries are kept, in days. The minimum leaves time to notice a break-in. */
export const AUDIT_DAYS = { default: 365, min: 90, max: 3650 } as const;
