import type { Language } from '@foreword/contract';
import type { Tenant, Tx } from '../../db/tenancy.ts';
import { endLikeness, findMember, lockLikeness, memberNotFound, restoreLikeness } from '../../members/index.ts';
import { ApiError, invalid } from '../../platform/errors.ts';
import { ID_PATTERN, newId } from '../../platform/ids.ts';
import { recordChange } from '../audit/index.ts';
import { endConsents, findRemoval, type GivenConsent, insertConsent, insertRemoval, type Withdrawal } from './store.ts';
import { consentText, currentConsentText, type ShownConsent, wholeText } from './texts.ts';

export type { Withdrawal };

const toRow = (memberId: string, shown: ShownConsent, by: GivenConsent['given_by'], now: Date): GivenConsent => ({
  id: newId('lik', now),
  member_id: memberId,
  version: shown.version,
  language: shown.language,
  text: wholeText(shown),
  given_by: by,
});

async function store(tx: Tx, tenant: Tenant, consent: GivenConsent, now: Date): Promise<void> {
  if (!(await insertConsent(tx, tenant, consent, now))) return;
  await recordChange(tx, tenant, { action: 'likeness.given', object: consent.member_id, by: consent.member_id });
}

export interface Recording {
  readonly memberId: string;
  readonly organization: string;
  /** The text that the recorder showed. Null: the upload names no text that exists. */
  readonly shown: { readonly version: string; readonly language: Language } | null;
}

/**
 * Stores the consent that a member gives by recording, in the transaction that creates the upload. Returns false when the member
 * has withdrawn it: the lock makes a withdrawal and a new upload run one after the other.
 */
export async function consentByRecording(
  tx: Tx,
  tenant: Tenant,
  { memberId, organization, shown }: Recording,
  now: Date,
): Promise<boolean> {
  if ((await lockLikeness(tx, tenant, memberId)) !== null) return false;
  const text = shown && consentText(shown.version, shown.language, organization);
  if (text !== null) await store(tx, tenant, toRow(memberId, text, 'recording', now), now);
  return true;
}

/** The member gives the consent in the console, for the first time or again. */
export async function giveConsent(
  tx: Tx,
  tenant: Tenant,
  member: { readonly id: string; readonly organization: string; readonly language: Language },
  now: Date,
): Promise<void> {
  const removal = await findRemoval(tx, tenant, member.id);
  if (removal !== null && removal.finished_at === null) {
    throw new ApiError('edit_conflict', 'Your videos are still being removed. Try again in a minute.');
  }
  await restoreLikeness(tx, tenant, member.id);
  const text = currentConsentText(member.language, member.organization);
  await store(tx, tenant, toRow(member.id, text, 'console', now), now);
}

async function requireSuccessor(tx: Tx, tenant: Tenant, id: string, leaver: string): Promise<void> {
  const found = ID_PATTERN.test(id) && id !== leaver ? await findMember(tx, tenant, id) : null;
  if (found?.active !== true || found.likeness_withdrawn_at !== null) {
    throw invalid('to', 'must be another active member of your organization who can record');
  }
}

/**
 * From the commit on, no page, preview or file shows the member, and no one can record as them. A worker then closes the intros
 * and deletes the files. Withdrawing twice is harmless: false if it was withdrawn before.
 */
export async function withdrawConsent(tx: Tx, tenant: Tenant, withdrawal: Withdrawal, now: Date): Promise<boolean> {
  const { memberId, by, reassignTo } = withdrawal;
  if (!ID_PATTERN.test(memberId) || (await findMember(tx, tenant, memberId)) === null) throw memberNotFound();
  if (reassignTo !== null) await requireSuccessor(tx, tenant, reassignTo, memberId);
  if (!(await endLikeness(tx, tenant, memberId, now))) return false;
  await endConsents(tx, tenant, { id: newId('lik', now), memberId, by }, now);
  await insertRemoval(tx, tenant, withdrawal, now);
  await recordChange(tx, tenant, {
    action: 'likeness.withdrawn',
    object: memberId,
    by,
    ...(reassignTo !== null && { related: reassignTo }),
  });
  return true;
}
