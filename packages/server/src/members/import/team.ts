import { invalid } from '../../platform/errors.ts';
import type { MemberRow } from '../../tables.ts';
import type { ImportValues } from './values.ts';

/** A member as they will stand after the lines before. */
export interface Draft
  extends Pick<
    MemberRow,
    'first_name' | 'last_name' | 'email' | 'phone' | 'title' | 'lanes' | 'role' | 'external_id' | 'active'
  > {
  /** Null for one who is to be added. */
  readonly id: string | null;
  /** The line that said something of them. */
  line: number | null;
}

const nameOf = ({ first_name, last_name }: Draft): string => `${first_name} ${last_name}`;

/** The organization's members while a file is gone through: who is meant by a line, and who would stand in its way. */
export class Team {
  readonly #byExternalId = new Map<string, Draft>();
  readonly #byEmail = new Map<string, Set<Draft>>();
  #activeOwners = 0;

  constructor(members: readonly MemberRow[]) {
    for (const member of members) this.#keep({ ...member, line: null });
  }

  get activeOwners(): number {
    return this.#activeOwners;
  }

  #keep(draft: Draft): void {
    if (draft.external_id !== null) this.#byExternalId.set(draft.external_id, draft);
    const key = draft.email.toLowerCase();
    this.#byEmail.set(key, (this.#byEmail.get(key) ?? new Set()).add(draft));
    if (draft.active && draft.role === 'owner') this.#activeOwners += 1;
  }

  #drop(draft: Draft): void {
    if (draft.external_id !== null) this.#byExternalId.delete(draft.external_id);
    this.#byEmail.get(draft.email.toLowerCase())?.delete(draft);
    if (draft.active && draft.role === 'owner') this.#activeOwners -= 1;
  }

  /** The external id decides; without one that is known, the address does. Null: nobody yet. */
  find({ external_id: externalId, email }: ImportValues): Draft | null {
    const named = externalId === undefined ? undefined : this.#byExternalId.get(externalId);
    if (named !== undefined) {
      if (named.active) return named;
      throw invalid('external_id', `belongs to ${nameOf(named)}, who is deactivated. Reactivate them first`);
    }
    if (email === undefined) {
      throw invalid('email', externalId === undefined ? 'is missing, and there is no external id' : 'is missing');
    }
    const found = this.#findByEmail(email);
    if (found !== null && externalId !== undefined && found.external_id !== null) {
      throw invalid(
        'external_id',
        `is another one than "${found.external_id}", which ${nameOf(found)} has with this e-mail`,
      );
    }
    return found;
  }

  #findByEmail(email: string): Draft | null {
    const all = [...(this.#byEmail.get(email.toLowerCase()) ?? [])];
    const [one, other] = all.filter(({ active }) => active);
    if (one !== undefined && other !== undefined) {
      throw invalid('email', `belongs to ${nameOf(one)} and to ${nameOf(other)}. Say by the external id who is meant`);
    }
    const [former] = all;
    if (one === undefined && former !== undefined) {
      throw invalid('email', `belongs to ${nameOf(former)}, who is deactivated. Reactivate them first`);
    }
    return one ?? null;
  }

  /** An address of two active members would name none of them to an integration. */
  refuseSharing(email: string, except: Draft | null): void {
    for (const other of this.#byEmail.get(email.toLowerCase()) ?? []) {
      if (other !== except && other.active) throw invalid('email', `belongs to ${nameOf(other)} already`);
    }
  }

  add(draft: Draft): void {
    this.#keep(draft);
  }

  change(draft: Draft, change: ImportValues, line: number): void {
    this.#drop(draft);
    Object.assign(draft, change, { line });
    this.#keep(draft);
  }
}
