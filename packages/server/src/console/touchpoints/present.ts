import {
  countWords,
  lanesOf,
  PACE,
  type PartialCount,
  SCRIPT_MAX_LENGTH,
  type TouchpointAuthor,
  type TouchpointChange,
  type TouchpointDetail,
  type TouchpointSummary,
} from '@foreword/contract';
import type { Row } from '../../db/tenancy.ts';
import { defaultTextIn } from '../../delivery/index.ts';
import {
  type ChangeRow,
  findOriginal,
  pickContent,
  renderTemplate,
  sampleValues,
  speakingSeconds,
  TemplateProblem,
  templateVariables,
} from '../../touchpoints/index.ts';

interface Counts {
  readonly counts: ReadonlyMap<string, number>;
  readonly more: boolean;
}

/** Unfinished work that a change to a touchpoint affects. */
export interface OpenWork {
  /** By slug. */
  readonly intros: Counts;
  /** By id. */
  readonly events: Counts;
}

const countOf = ({ counts, more }: Counts, name: string): PartialCount => ({ count: counts.get(name) ?? 0, more });

const presentOpenWork = ({ intros, events }: OpenWork, { id, slug }: Row<'touchpoints'>) => ({
  open_intros: countOf(intros, slug),
  waiting_events: countOf(events, id),
});

function wordsOf(script: string, organization: Row<'organizations'>): number {
  try {
    return countWords(renderTemplate(script, sampleValues(organization), SCRIPT_MAX_LENGTH));
  } catch (problem) {
    // It was valid when it was saved, but a longer organization name may have pushed it over the limit.
    if (problem instanceof TemplateProblem) return countWords(script);
    throw problem;
  }
}

export function presentSummary(
  row: Row<'touchpoints'>,
  organization: Row<'organizations'>,
  work: OpenWork,
): TouchpointSummary {
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
    seconds: speakingSeconds(words, PACE.usual),
    ...presentOpenWork(work, row),
    version: row.version,
  };
}

/** Members are never deleted, so the author always has a name. */
const presentAuthor = ({ member_id: id, first_name, last_name }: ChangeRow): TouchpointAuthor =>
  id === null ? null : { id, name: `${first_name} ${last_name}` };

export function presentDetail(
  row: Row<'touchpoints'>,
  { organization, last, work }: { organization: Row<'organizations'>; last: ChangeRow | null; work: OpenWork },
): TouchpointDetail {
  return {
    id: row.id,
    slug: row.slug,
    ...pickContent(row),
    version: row.version,
    created_at: row.created_at.toISOString(),
    last_change: last && { at: last.created_at.toISOString(), by: presentAuthor(last) },
    ...presentOpenWork(work, row),
    original: findOriginal(organization, row.slug),
    lanes: lanesOf(organization),
    variables: templateVariables,
    default_text: defaultTextIn('en'),
    default_text_es: defaultTextIn('es'),
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
