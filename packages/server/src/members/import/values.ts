import { type ImportField, LANES, ROLES, type Role } from '@foreword/contract';
import { invalid } from '../../platform/errors.ts';
import type { MemberRow } from '../../tables.ts';

/** What a line says of its person. A cell that is empty says nothing: nobody loses a number to a file that has none. */
export type ImportValues = Partial<
  Pick<MemberRow, 'first_name' | 'last_name' | 'email' | 'role' | 'lanes'> & {
    phone: string;
    external_id: string;
    title: string;
  }
>;

const ALL_LANES = ['all', 'both', 'any'];

/** Ten digits are taken as a number of the US, as everywhere in the console. */
function readPhone(text: string): string {
  const digits = text.replaceAll(/[\s().\-–/]/g, '');
  if (/^\d{10}$/.test(digits)) return `+1${digits}`;
  if (/^1\d{10}$/.test(digits)) return `+${digits}`;
  return digits.replace(/^00(?=[1-9])/, '+');
}

function readLanes(text: string): MemberRow['lanes'] {
  const words = text
    .toLowerCase()
    .split(/[\s,;/|+&]+/)
    .filter((word) => word !== '' && word !== 'and');
  if (words.some((word) => ALL_LANES.includes(word))) return [];
  const lanes = LANES.filter((lane) => words.includes(lane));
  const foreign = words.find((word) => !LANES.some((lane) => lane === word));
  if (foreign !== undefined) throw invalid('lanes', `must be ${LANES.join(', ')}, or all`);
  return lanes.length === LANES.length ? [] : lanes;
}

function readRole(text: string): Role {
  const role = ROLES.find((known) => known === text.toLowerCase());
  if (role === undefined) throw invalid('role', `must be one of ${ROLES.join(', ')}`);
  return role;
}

export function readValues(cells: Readonly<Partial<Record<ImportField, string>>>): ImportValues {
  const { first_name, last_name, email, phone, external_id, title, lanes, role } = cells;
  const said = <K extends string>(key: K, text: string | undefined) => (text ? { [key]: text } : {});
  return {
    ...said('first_name', first_name),
    ...said('last_name', last_name),
    ...said('email', email),
    ...said('external_id', external_id),
    ...said('title', title),
    ...(phone && { phone: readPhone(phone) }),
    ...(lanes && { lanes: readLanes(lanes) }),
    ...(role && { role: readRole(role) }),
  };
}
