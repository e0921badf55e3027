import {
  type AuditAction,
  type CONSOLE_OPERATIONS,
  type ConsentSource,
  DAY_MS,
  type OPERATIONS,
  type SignInFailure,
} from '@foreword/contract';
import { columnsOf, type Db, type Tenant } from '../../db/tenancy.ts';
import { systemClock } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import { currentOrigin, type Origin } from '../../platform/origin.ts';
import { USER_AGENT_MAX_LENGTH } from './rules.ts';
import { findOldest, insertEntries, removeBefore } from './store.ts';

export interface AuditedChange {
  readonly action: AuditAction;
  /** The id of the changed object. */
  readonly object: string | null;
  /** The id of the member who gets what the action takes from another. */
  readonly related?: string;
  /** The names of the changed fields, never their values. */
  readonly fields?: readonly string[];
  readonly reason?: SignInFailure | ConsentSource;
  /** The member or API key, where the code knows better than the request. */
  readonly by?: string | null;
}

function actorOf({ actor }: Origin, by: string | null | undefined): Origin['actor'] {
  if (by === undefined || by === null || by === actor.id) return actor;
  return { type: by.startsWith('key_') ? 'key' : 'member', id: by };
}

/**
 * Writes entries of the audit log in the transaction of the changes, so that neither exists without the other. The actor and
 * the address come from the current request or command.
 */
export async function recordChanges(tx: Db, tenant: Tenant, changes: readonly AuditedChange[]): Promise<void> {
  if (changes.length === 0) return;
  const origin = currentOrigin();
  const rows = changes.map(({ action, object, related = null, fields = [], reason = null, by }) => {
    const actor = actorOf(origin, by);
    return {
      ...columnsOf(tenant),
      // The order comes from the database's time, which the table adds.
      id: newId('aud', systemClock()),
      action,
      actor_type: actor.type,
      actor_id: actor.id,
      object_id: object,
      related_id: related,
      fields: [...fields],
      reason,
      ip: origin.ip,
      user_agent: origin.userAgent?.slice(0, USER_AGENT_MAX_LENGTH) ?? null,
      request_id: origin.requestId,
    };
  });
  await insertEntries(tx, tenant, rows);
}

export const recordChange = (tx: Db, tenant: Tenant, change: AuditedChange): Promise<void> =>
  recordChanges(tx, tenant, [change]);

/**
 * Deletes the oldest day (UTC) with entries if all of it is before the time. Returns the number of entries: 0 if there is no
 * such day.
 */
export async function removeOldestDay(tx: Db, tenant: Tenant, before: Date): Promise<number> {
  const oldest = await findOldest(tx, tenant);
  if (oldest === null) return 0;
  const dayEnd = new Date(oldest.getTime() - (oldest.getTime() % DAY_MS) + DAY_MS);
  if (dayEnd > before) return 0;
  return removeBefore(tx, tenant, dayEnd);
}

/** The action that an operation records, or why it records none. */
export type AuditDeclaration = AuditAction | { readonly exempt: string };

type Writes<T extends Readonly<Record<string, { method: string }>>> = {
  [Id in keyof T]: T[Id]['method'] extends 'GET' ? never : Id;
}[keyof T];
type AuditableOperation = Writes<typeof CONSOLE_OPERATIONS> | Writes<typeof OPERATIONS>;

const READS_ONLY = { exempt: 'It changes nothing.' };
const OWN_DATA = { exempt: "It appears in the intro's timeline or in the events." };
const TEST_HELPER = { exempt: 'A test helper: it simulates what a recipient, a carrier or time does.' };
const CHECKS_DOMAIN = {
  exempt: 'It only brings the next check forward. `link_domain.verified` records what it proves.',
};
const CEREMONY = { exempt: 'The first half of a ceremony. The second half is recorded.' };

/** Every operation of the console and of the API that is not a GET. A new one without a declaration is a type error. */
export const AUDITED_OPERATIONS = {
  signOut: 'session.ended',
  endSession: 'session.ended',
  endOtherSessions: 'session.ended',
  startPasskey: CEREMONY,
  addPasskey: 'passkey.added',
  renamePasskey: 'passkey.renamed',
  removePasskey: 'passkey.removed',
  resetPasskeys: 'passkey.reset',
  changeSecondFactor: 'organization.changed',
  createKey: 'key.created',
  changeKey: 'key.changed',
  revokeKey: 'key.revoked',
  explainEvent: READS_ONLY,
  changeBrand: 'brand.changed',
  previewBrand: READS_ONLY,
  uploadLogo: 'brand.changed',
  removeLogo: 'brand.changed',
  createTouchpoint: 'touchpoint.created',
  changeTouchpoint: 'touchpoint.changed',
  copyTouchpoint: 'touchpoint.copied',
  resetTouchpoint: 'touchpoint.reset',
  undoTouchpointChange: 'touchpoint.undone',
  moveTouchpoint: 'touchpoint.moved',
  previewTouchpoint: READS_ONLY,
  checkScriptLength: READS_ONLY,
  startIntro: OWN_DATA,
  changeOwnSettings: 'member.changed',
  addMember: 'member.added',
  changeMember: 'member.changed',
  uploadPhoto: 'member.changed',
  removePhoto: 'member.changed',
  confirmEmail: 'member.changed',
  replacePages: 'member.pages_replaced',
  restorePages: 'member.pages_restored',
  giveLikeness: 'likeness.given',
  withdrawLikeness: 'likeness.withdrawn',
  previewImport: READS_ONLY,
  importMembers: 'member.added',
  changeTextLimits: 'organization.changed',
  resumeTexts: 'organization.texts_resumed',
  importOptOuts: 'consent.withdrawn',
  dismissSetup: { exempt: 'It hides a checklist, and changes no setting.' },
  reassignIntro: 'intro.reassigned',
  declineIntro: OWN_DATA,
  remindMember: OWN_DATA,
  sendAgain: OWN_DATA,
  settleReply: OWN_DATA,
  changeRetention: 'organization.changed',
  previewRetention: READS_ONLY,
  previewErasure: READS_ONLY,
  createTouchpointEvent: OWN_DATA,
  retryEvent: OWN_DATA,
  dryRun: READS_ONLY,
  createIntro: OWN_DATA,
  cancelIntro: 'intro.cancelled',
  markIntroSent: OWN_DATA,
  correctIntroPhone: 'intro.phone_corrected',
  takeDownIntro: 'intro.taken_down',
  optOutRecipient: 'consent.withdrawn',
  optInRecipient: 'consent.restored',
  eraseRecipient: 'recipient.erased',
  retryRecording: OWN_DATA,
  createRecordingLink: { exempt: 'The link expires soon, and the request log shows who asked for it.' },
  recordTestIntro: TEST_HELPER,
  openTestIntro: TEST_HELPER,
  watchTestIntro: TEST_HELPER,
  replyTestIntro: TEST_HELPER,
  optOutTestRecipient: TEST_HELPER,
  optInTestRecipient: TEST_HELPER,
  expireTestIntro: TEST_HELPER,
  failTestIntro: TEST_HELPER,
  advanceTestClock: TEST_HELPER,
  resetTestClock: TEST_HELPER,
  createMember: 'member.added',
  updateMember: 'member.changed',
  deactivateMember: 'member.deactivated',
  reactivateMember: 'member.reactivated',
  createLinkDomain: 'link_domain.added',
  checkLinkDomain: CHECKS_DOMAIN,
  deleteLinkDomain: 'link_domain.removed',
  createWebhookEndpoint: 'webhook.created',
  updateWebhookEndpoint: 'webhook.changed',
  deleteWebhookEndpoint: 'webhook.deleted',
  rotateWebhookSecret: 'webhook.secret_rotated',
  testWebhookEndpoint: { exempt: 'A sample message, which is listed with the messages of the endpoint.' },
  replayWebhooks: 'webhook.replayed',
} as const satisfies Record<AuditableOperation, AuditDeclaration>;
