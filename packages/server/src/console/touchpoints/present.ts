import type {
  PartialCount,
  TouchpointAuthor,
  TouchpointChange,
  TouchpointDetail,
  TouchpointSummary,
} from '@foreword/contract';
import { DEFAULT_TEXT } from '../../delivery/index.ts';
import type { OrganizationRow, TouchpointRow } from '../../tables.ts';
import {
  type ChangeRow,
  countWords,
  findOriginal,
  lanesOf,
  renderTemplate,
  SCRIPT_MAX_LENGTH,
  sampleValues,
  secondsToSay,
  TemplateProblem,
  templateVariables,
  USUAL_WORDS_PER_MINUTE,
} from '../../touchpoints/index.ts';

interface Counts {
  readonly counts: ReadonlyMap<string, number>;
  readonly more: boolean;
}

/** What goes on under the touchpoints while they are edited. */
export interface OpenWork {
  /** By slug. */
  readonly intros: Counts;
  /** By id. */
  readonly events: Counts;
}

const soFar = ({ counts, more }: Counts, name: string): PartialCount => ({ count: counts.get(name) ?? 0, more });

const concerned = ({ intros, events }: OpenWork, { id, slug }: TouchpointRow) => ({
  open_intros: soFar(intros, slug),
  waiting_events: soFar(events, id),
});

function wordsOf(script: string, organization: OrganizationRow): number {
  try {
    return countWords(renderTemplate(script, sampleValues(organization), SCRIPT_MAX_LENGTH));
  } catch (problem) {
    // It was sound when it was saved; a longer name of the organization may have pushed it over its limit.
    if (problem instanceof TemplateProblem) return countWords(script);
    throw problem;
  }
}

export function presentSummary(row: TouchpointRow, organization: OrganizationRow, way: OpenWork): TouchpointSummary {
  const words = wordsOf(row.script, organization);
  return {
    id: row.id,
    slug: row.slug,
    name: row.name,
    context: row.context,
    lane: row.lane,
    active: row.active,
    delivery: row.delivery,
    words,
    seconds: secondsToSay(words, USUAL_WORDS_PER_MINUTE),
    ...concerned(way, row),
    version: row.version,
  };
}

/** A member who made the change and is not there any more cannot be: members are never deleted. */
const presentAuthor = ({ member_id: id, first_name, last_name }: ChangeRow): TouchpointAuthor =>
  id === null ? null : { id, name: `${first_name} ${last_name}` };

export function presentDetail(
  row: TouchpointRow,
  { organization, last, way }: { organization: OrganizationRow; last: ChangeRow | null; way: OpenWork },
): TouchpointDetail {
  return {
    id: row.id,
    slug: row.slug,
    name: row.name,
    context: row.context,
    lane: row.lane,
    active: row.active,
    delivery: row.delivery,
    days_to_record: row.days_to_record,
    page_title: row.page_title,
    script: row.script,
    action_label: row.action_label,
    action_url: row.action_url,
    text_message: row.text_message,
    reminds: row.reminds,
    version: row.version,
    created_at: row.created_at.toISOString(),
    last_change: last && { at: last.created_at.toISOString(), by: presentAuthor(last) },
    ...concerned(way, row),
    original: findOriginal(organization, row.slug),
    lanes: lanesOf(organization),
    variables: templateVariables,
    default_text: DEFAULT_TEXT,
  };
}

export const presentChange = (row: ChangeRow): TouchpointChange => ({
  id: row.id,
  kind: row.kind,
  at: row.created_at.toISOString(),
  by: presentAuthor(row),
  version: row.version,
  fields: row.fields.map(({ field, before, after }) => ({ field, before, after })),
  undoes: row.undoes,
  copy_of: row.copy_of,
});
