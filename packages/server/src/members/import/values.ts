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

export function readValues(cells: Readonly<Partial<Record<ImportField, string>>>): ImportValues {
  const { first_name, last_name, email, phone, external_id, title, title_es, lanes, role } = cells;
  const present = <K extends string>(key: K, text: string | undefined) => (text ? { [key]: text } : {});
  return {
    ...present('first_name', first_name),
    ...present('last_name', last_name),
    ...present('email', email),
    ...present('external_id', external_id),
    ...present('title', title),
    ...present('title_es', title_es),
    ...(phone && { phone: readPhone(phone) }),
    ...(lanes && { lanes: readLanes(lanes) }),
    ...(role && { role: readRole(role) }),
  };
}
