import type { ConsoleBody, TouchpointPreview, TouchpointProblem, TouchpointRendering } from '@foreword/contract';
import { DEFAULT_LANGUAGE, type Language } from '@foreword/contract/plain';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useDebounced } from '../../hooks.ts';
import { Notice } from '../../parts/display.tsx';
import { SelectField } from '../../parts/form.tsx';
import { SkeletonRows } from '../../parts/states.tsx';
import { load } from '../../queries.ts';
import { TOUCHPOINT } from './texts.ts';

/** Waits for a pause in typing, so that half-written templates show no errors. */
const TYPING_PAUSE_MS = 400;
const FRESH_MS = 60_000;
/** The limit is at three quarters of the meter. */
const METER_SHARE = 0.75;

type PreviewDraft = ConsoleBody<'POST /touchpoint-preview'>;
type PreviewQuery = UseQueryResult<TouchpointPreview, Error>;

export function usePreview({
  page_title,
  script,
  text_message,
  invites_to_save = false,
  language = DEFAULT_LANGUAGE,
}: PreviewDraft): PreviewQuery {
  const draft = useDebounced({ page_title, script, text_message, invites_to_save, language }, TYPING_PAUSE_MS);
  return useQuery({
    ...load(['touchpoint-preview', draft], 'POST /touchpoint-preview', { body: draft }),
    placeholderData: (previous) => previous,
    staleTime: FRESH_MS,
  });
}

interface FieldProblem {
  readonly error: string | undefined;
  readonly line: number | null;
}

/** The problem that the preview found in a field, as a sentence. */
export function findProblem(preview: TouchpointPreview | undefined, field: TouchpointProblem['field']): FieldProblem {
  const problem = preview?.problems.find((one) => one.field === field);
  if (problem === undefined) return { error: undefined, line: null };
  const sentence = problem.message.charAt(0).toUpperCase() + problem.message.slice(1);
  const { line } = problem;
  return { error: line === null ? sentence : `${TOUCHPOINT.line(line)}: ${problem.message}`, line };
}

export const hasWarning = (preview: TouchpointPreview | undefined, field: TouchpointProblem['field']): boolean =>
  preview?.warnings.some((one) => one.field === field) === true;

export const pick = (preview: TouchpointPreview | undefined, people: string): TouchpointRendering | undefined =>
  preview?.renderings[Number(people)] ?? preview?.renderings[0];

function Meter({ words, seconds, limit }: { words: number; seconds: number; limit: number }) {
  const isOver = words > limit;
  return (
    <div className={isOver ? 'grid gap-8 meter meter-over' : 'grid gap-8 meter'}>
      <div className="meter-bar" aria-hidden="true">
        <span style={{ width: `${Math.min(100, (words / limit) * METER_SHARE * 100)}%` }} />
        <i style={{ left: `${METER_SHARE * 100}%` }} />
      </div>
      <p className="meter-text">
        <strong>{TOUCHPOINT.meter(words, seconds)}</strong>{' '}
        <span>{isOver ? TOUCHPOINT.meterOver(words - limit, limit) : TOUCHPOINT.meterFits}</span>
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
  language: Language;
  /** The button's label; null without a button. */
  action: string | null;
}

/** Renders the draft with sample or real names. */
export function Preview({ query, people, onPeople, language, action }: PreviewProps) {
  const { data: preview } = query;
  const shown = pick(preview, people);
  return (
    <section className="card preview" aria-label={TOUCHPOINT.previewTitle} aria-busy={query.isFetching}>
      <h2>{TOUCHPOINT.previewTitle}</h2>
      {query.isError && preview === undefined && <Notice tone="bad">{TOUCHPOINT.previewFailed}</Notice>}
      {query.isPending && <SkeletonRows rows={3} />}
      {preview !== undefined && shown !== undefined && (
        <>
          <SelectField
            label={TOUCHPOINT.previewFor}
            hint={TOUCHPOINT.previewHints[shown.people]}
            value={String(preview.renderings.indexOf(shown))}
            onChange={onPeople}
            options={preview.renderings.map((rendering, index) => ({
              value: String(index),
              label: nameOf(rendering),
            }))}
          />
          <div className="grid gap-16 preview-page">
            <p className="preview-title" lang={language}>
              {shown.page_title ?? TOUCHPOINT.previewBroken}
            </p>
            <div className="preview-script">
              <p className="hint preview-reads">{TOUCHPOINT.previewReads(shown.member)}</p>
              <p className="preview-text" lang={language}>
                {shown.script ?? TOUCHPOINT.previewBroken}
              </p>
            </div>
            {action !== null && <span className="preview-action">{action}</span>}
          </div>
          {shown.script !== null && <Meter words={shown.words} seconds={shown.seconds} limit={preview.max_words} />}
        </>
      )}
    </section>
  );
}
