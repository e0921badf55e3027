import { type ImportField, LANES, ROLES, type Role } from '@foreword/contract';
import type { Row } from '../../db/tenancy.ts';
import { invalid } from '../../platform/errors.ts';

/** The values of a line. Empty cells are left out, so a file without phone numbers does not erase any. */
export type ImportValues = Partial<
  Pick<Row<'members'>, 'first_name' | 'last_name' | 'email' | 'role' | 'lanes'> & {
    phone: string;
    external_id: string;
    title: string;
    title_es: string;
  }
>;

const ALL_LANES = ['all', 'both', 'any'];

/** Ten digits are a US number, as everywhere in the console. */
function readPhone(text: string): string {
  const digits = text.replaceAll(/[\s().\-–/]/g, '');
  if (/^\d{10}$/.test(digits)) return `+1${digits}`;
  if (/^1\d{10}$/.test(digits)) return `+${digits}`;
  return digits.replace(/^00(?=[1-9])/, '+');
}

function readLanes(text: string): Row<'members'>['lanes'] {
  const words = text
    .toLowerCase()
    .split(/[\s,;/|+&]+/)
    .filter((word) => word !== '' && word !== 'and');
  if (words.some((word) => ALL_LANES.includes(word))) return [];
  const lanes = LANES.filter((lane) => words.includes(lane));
  const unknown = words.find((word) => !LANES.some((lane) => lane === word));
  if (unknown !== undefined) throw invalid('lanes', `must be ${LANES.join(', ')}, or all`);
  return lanes.length === LANES.length ? [] : lanes;
}

function readRole(text: string): Role {
  const role = ROLES.find((known) => known === text.toLowerCase());
  if (role === undefined) throw invalid('role', `must be one of ${ROLES.join(', ')}`);
  return role;
}

export function readValues({
  phone,
  lanes,
  role,
  ...texts
}: Readonly<Partial<Record<ImportField, string>>>): ImportValues {
  return {
    ...(Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== '')) as typeof texts),
    ...(phone && { phone: readPhone(phone) }),
    ...(lanes && { lanes: readLanes(lanes) }),
    ...(role && { role: readRole(role) }),
  };
}

/** A member as changed by the lines read so far. */
export interface Draft extends Pick<Row<'members'>, ImportField | 'active'> {
  /** Null for a member that the import adds. */
  readonly id: string | null;
  /** The line that added or changed this member. */
  line: number | null;
}

const nameOf = ({ first_name, last_name }: Draft): string => `${first_name} ${last_name}`;

/** The organization's members during an import: finds the member of a line, and conflicts with others. */
export class Roster {
  readonly #byExternalId = new Map<string, Draft>();
  readonly #byEmail = new Map<string, Set<Draft>>();
  #activeOwners = 0;

  constructor(members: readonly Row<'members'>[]) {
    for (const member of members) this.#index({ ...member, line: null });
  }

  get activeOwners(): number {
    return this.#activeOwners;
  }

  #index(draft: Draft): void {
    if (draft.external_id !== null) this.#byExternalId.set(draft.external_id, draft);
    const key = draft.email.toLowerCase();
    this.#byEmail.set(key, (this.#byEmail.get(key) ?? new Set()).add(draft));
    if (draft.active && draft.role === 'owner') this.#activeOwners += 1;
  }

  #unindex(draft: Draft): void {
    if (draft.external_id !== null) this.#byExternalId.delete(draft.external_id);
    this.#byEmail.get(draft.email.toLowerCase())?.delete(draft);
    if (draft.active && draft.role === 'owner') this.#activeOwners -= 1;
  }

  /** Looks up by external id first, then by email. Null when the line adds a new member. */
  find({ external_id: externalId, email }: ImportValues): Draft | null {
    const named = externalId === undefined ? undefined : this.#byExternalId.get(externalId);
    if (named !== undefined) {
      if (named.active) return named;
      throw invalid('external_id', `belongs to ${nameOf(named)}, who is deactivated. Reactivate them first`);
    }
    if (email === undefined) {
      throw invalid('email', externalId === undefined ? 'is missing, and so is the external id' : 'is missing');
    }
    const found = this.#findByEmail(email);
    if (found !== null && externalId !== undefined && found.external_id !== null) {
      throw invalid(
        'external_id',
        `does not match: ${nameOf(found)} has this email with the external id "${found.external_id}"`,
      );
    }
    return found;
  }

  #findByEmail(email: string): Draft | null {
    const all = [...(this.#byEmail.get(email.toLowerCase()) ?? [])];
    const [one, other] = all.filter(({ active }) => active);
    if (one !== undefined && other !== undefined) {
      throw invalid('email', `belongs to both ${nameOf(one)} and ${nameOf(other)}. Add the external id`);
    }
    const [former] = all;
    if (one === undefined && former !== undefined) {
      throw invalid('email', `belongs to ${nameOf(former)}, who is deactivated. Reactivate them first`);
    }
    return one ?? null;
  }

  /** An integration could not select a member by an email that two active members share. */
  refuseSharing(email: string, except: Draft | null): void {
    for (const other of this.#byEmail.get(email.toLowerCase()) ?? []) {
      if (other !== except && other.active) throw invalid('email', `already belongs to ${nameOf(other)}`);
    }
  }

  add(draft: Draft): void {
    this.#index(draft);
  }

  change(draft: Draft, change: ImportValues, line: number): void {
    this.#unindex(draft);
    Object.assign(draft, change, { line });
    this.#index(draft);
  }
}
