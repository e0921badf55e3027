import type { TouchpointContent, TouchpointPreview, TouchpointProblem, TouchpointRendering } from '@foreword/contract';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { call } from '../../api.ts';
import { Field } from '../../parts/field.tsx';
import { Notice } from '../../parts/notice.tsx';
import { Select } from '../../parts/select.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { TOUCHPOINT } from '../../texts/touchpoints.ts';
import { useRested } from './draft.ts';

/** After the last letter; typing is not disturbed by what is half written. */
const REST_MS = 400;
const FRESH_MS = 60_000;
/** The meter shows a third more than fits. */
const METER_SHARE = 0.75;

export type PreviewQuery = UseQueryResult<TouchpointPreview, Error>;

export function usePreview({ page_title, script, text_message }: TouchpointContent): PreviewQuery {
  const draft = useRested({ page_title, script, text_message }, REST_MS);
  return useQuery({
    queryKey: ['touchpoint-preview', draft],
    queryFn: ({ signal }) => call('POST /touchpoint-preview', { body: draft }, signal),
    placeholderData: (earlier) => earlier,
    staleTime: FRESH_MS,
  });
}

export interface Found {
  readonly error: string | undefined;
  readonly line: number | null;
}

/** What the preview found wrong with a field, as a sentence beside it. */
export function findIn(preview: TouchpointPreview | undefined, field: TouchpointProblem['field']): Found {
  const problem = preview?.problems.find((one) => one.field === field);
  if (problem === undefined) return { error: undefined, line: null };
  const said = problem.message.charAt(0).toUpperCase() + problem.message.slice(1);
  const { line } = problem;
  return { error: line === null ? said : `${TOUCHPOINT.line(line)}: ${problem.message}`, line };
}

export const warnsOf = (preview: TouchpointPreview | undefined, field: TouchpointProblem['field']): boolean =>
  preview?.warnings.some((one) => one.field === field) === true;

export const pick = (preview: TouchpointPreview | undefined, people: string): TouchpointRendering | undefined =>
  preview?.renderings[Number(people)] ?? preview?.renderings[0];

function Meter({ words, seconds, atMost }: { words: number; seconds: number; atMost: number }) {
  const isOver = words > atMost;
  return (
    <div className={isOver ? 'meter meter-over' : 'meter'}>
      <div className="meter-bar" aria-hidden="true">
        <span style={{ width: `${Math.min(100, (words / atMost) * METER_SHARE * 100)}%` }} />
        <i style={{ left: `${METER_SHARE * 100}%` }} />
      </div>
      <p className="meter-words">
        <strong>{TOUCHPOINT.meter(words, seconds)}</strong>{' '}
        <span>{isOver ? TOUCHPOINT.meterOver(words - atMost, atMost) : TOUCHPOINT.meterFits}</span>
      </p>
    </div>
  );
}

const nameOf = ({ people, recipient }: TouchpointRendering): string =>
  people === 'real' ? TOUCHPOINT.preview.real(recipient) : TOUCHPOINT.preview[people];

interface PreviewProps {
  query: PreviewQuery;
  people: string;
  onPeople: (people: string) => void;
  /** Words on the button, when there is one. */
  action: string | null;
}

/** The draft with people's names in it, beside what is written. */
export function Preview({ query, people, onPeople, action }: PreviewProps) {
  const { data: preview } = query;
  const shown = pick(preview, people);
  return (
    <section className="card preview" aria-label={TOUCHPOINT.previewTitle} aria-busy={query.isFetching}>
      <h2>{TOUCHPOINT.previewTitle}</h2>
      {query.isError && preview === undefined && <Notice tone="bad">{TOUCHPOINT.previewFailed}</Notice>}
      {query.isPending && <SkeletonRows rows={3} />}
      {preview !== undefined && shown !== undefined && (
        <>
          <Field label={TOUCHPOINT.previewFor} hint={TOUCHPOINT.previewSays[shown.people]}>
            <Select
              value={String(preview.renderings.indexOf(shown))}
              onChange={onPeople}
              options={preview.renderings.map((rendering, index) => ({
                value: String(index),
                label: nameOf(rendering),
              }))}
            />
          </Field>
          <div className="preview-page">
            <p className="preview-title">{shown.page_title ?? TOUCHPOINT.previewBroken}</p>
            <div className="preview-script">
              <p className="preview-reads">{TOUCHPOINT.previewReads(shown.member)}</p>
              <p className="preview-words">{shown.script ?? TOUCHPOINT.previewBroken}</p>
            </div>
            {action !== null && <span className="preview-action">{action}</span>}
          </div>
          {shown.script !== null && <Meter words={shown.words} seconds={shown.seconds} atMost={preview.max_words} />}
        </>
      )}
    </section>
  );
}
