import { readSyntax, type Syntax, type Tag } from './syntax.ts';

/** Labels of template variables, in buttons and pills; their descriptions come from the server. */
export const VARIABLES: Record<string, string> = {
  'recipient.first_name': 'Recipient: first name',
  'recipient.last_name': 'Recipient: last name',
  'member.first_name': 'Member: first name',
  'member.last_name': 'Member: last name',
  'organization.name': 'Your organization',
  appointment: 'Appointment',
  'appointment.weekday': 'Weekday',
  'appointment.date': 'Date',
  'appointment.time': 'Time',
  trade: 'Trade',
  lane: 'Lane',
};

/** `trade | default: "home"` → "Trade, or “home”" */
function variableLabel(path: string, filters: string): string {
  const label = VARIABLES[path] ?? path;
  const [, fallback] = /^default: *["']([^"']*)["']$/.exec(filters) ?? [];
  if (fallback !== undefined) return `${label}, or “${fallback}”`;
  const [, length] = /^truncate: *(\d+)$/.exec(filters) ?? [];
  if (length !== undefined) return `${label}, up to ${length} characters`;
  return filters === '' ? label : `${label}, ${filters}`;
}

/** "If appointment"; a comparison is shown as written. */
function conditionLabel(name: string, condition: string): string {
  const [path = ''] = /^[\w.]+$/.exec(condition) ?? [];
  const shown = path === '' ? condition : (VARIABLES[path] ?? path).toLowerCase();
  if (name === 'else') return 'Otherwise';
  const starts: Record<string, string> = { if: 'If', unless: 'If no', elsif: 'Otherwise, if' };
  const start = name === 'unless' && path === '' ? 'Unless' : starts[name];
  return `${start ?? name} ${shown}`;
}

const endLabel = 'End if';

/** The label of a tag, whether or not its condition is complete. */
export function tagLabel({ kind, name, inner }: Pick<Tag, 'kind' | 'name' | 'inner'>): string {
  const rest = inner.slice(name.length).trim();
  if (kind === 'output') return variableLabel(name, rest.replace(/^\|\s*/, ''));
  return name.startsWith('end') ? endLabel : conditionLabel(name, rest);
}

export const TEMPLATE = {
  moreOf: (field: string) => `More for ${field}`,
  raw: 'Edit as Liquid',
  pills: 'Edit as text',
  loading: 'Loading the editor',
  line: (line: number) => `Line ${line}`,
  insert: (where: string) => `Insert into: ${where}`,
  unclosed: (tag: string) =>
    `${tag} is never closed. Add {% end${tag.replace(/^\{%-?\s*(\w+)[\s\S]*$/, '$1')} %} after its text.`,
  unopened: (tag: string) => `${tag} belongs to no condition. Delete it, or add its opening tag.`,
  braces: (braces: string) => `${braces} is missing its closing ${braces === '{{' ? '}}' : '%}'}.`,
  deleted: (label: string) => `Deleted: ${label}`,
} as const;

export interface Pill {
  readonly from: number;
  readonly to: number;
  readonly kind: 'variable' | 'condition';
  readonly label: string;
}

const PATH = /^[\w.]+/;
const CONDITIONS = ['if', 'unless'];

function outputPill(tag: Tag, paths: readonly string[]): Pill[] {
  const [path = ''] = PATH.exec(tag.inner) ?? [];
  const filters = tag.inner.slice(path.length).trim();
  // Anything else stays visible as text, so that it can be corrected.
  if (!paths.includes(path) || (filters !== '' && !filters.startsWith('|'))) return [];
  return [{ from: tag.from, to: tag.to, kind: 'variable', label: variableLabel(path, filters.slice(1).trim()) }];
}

/** The tags that the editor shows as pills: known variables, and conditions that are closed. */
export function findPills(text: string, paths: readonly string[], { tags, blocks }: Syntax = readSyntax(text)): Pill[] {
  const pills = tags.filter(({ kind }) => kind === 'output').flatMap((tag) => outputPill(tag, paths));
  for (const { open, middles, close } of blocks) {
    if (close === null || !CONDITIONS.includes(open.name)) continue;
    const add = ({ from, to }: Tag, label: string) => pills.push({ from, to, kind: 'condition', label });
    add(open, conditionLabel(open.name, open.inner.slice(open.name.length).trim()));
    for (const middle of middles)
      add(middle, conditionLabel(middle.name, middle.inner.slice(middle.name.length).trim()));
    add(close, endLabel);
  }
  return pills.sort((a, b) => a.from - b.from);
}
