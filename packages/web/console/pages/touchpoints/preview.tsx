import type {
  ConsoleBody,
  TouchpointContent,
  TouchpointFit,
  TouchpointPreview,
  TouchpointProblem,
  TouchpointRendering,
} from '@foreword/contract';
import { DEFAULT_LANGUAGE, isCutOff, type Language } from '@foreword/contract/plain';
import { keepPreviousData, queryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api.ts';
import { capitalize, formatNumber } from '../../format.ts';
import { systemScheme, useDebounced } from '../../hooks.ts';
import { Card, MessageBubble, Notice, PhonePreview } from '../../parts/display.tsx';
import { SelectField } from '../../parts/form.tsx';
import { Loaded, SkeletonRows } from '../../parts/states.tsx';
import { TextSize } from '../../parts/text-size.tsx';
import { load } from '../../queries.ts';
import { TOUCHPOINT } from './texts.ts';

/** The content for recipients with one language. */
interface Shown
  extends Pick<TouchpointContent, 'script' | 'text_message' | 'invites_to_save' | 'delivery'>,
    Record<'page_title' | 'action_label', string | null> {
  readonly language: Language;
  readonly script_language: Language;
}

/** Without a Spanish script, the member reads the English one. Page and text are in Spanish all the same. */
export function contentIn(language: Language, content: TouchpointContent): Shown {
  const { script_es, page_title_es, text_message_es, action_label, action_label_es } = content;
  const { shows_action, delivery, script, page_title, text_message, invites_to_save } = content;
  const label = language === 'es' ? (action_label_es ?? action_label) : action_label;
  const rest = { delivery, invites_to_save, action_label: (shows_action && label) || null, language };
  if (language === 'en') return { ...rest, script_language: language, script, page_title, text_message };
  const texts = { ...rest, page_title: page_title_es, text_message: text_message_es };
  return { ...texts, script: script_es ?? script, script_language: script_es === null ? 'en' : language };
}

/** Waits for a pause in typing, so that half-written templates show no errors. */
const TYPING_PAUSE_MS = 400;
/** The address of the page works for ten minutes, so it is renewed well before. */
const FRESH_MS = 300_000;

type PreviewDraft = ConsoleBody<'POST /touchpoint-preview'>;
/** With the draft that it shows, because the fields may have changed since. */
type DraftPreview = TouchpointPreview & { readonly draft: PreviewDraft };
type PreviewQuery = UseQueryResult<DraftPreview, Error>;

export function usePreview({
  page_title,
  script,
  text_message,
  invites_to_save = false,
  action_label = null,
  language = DEFAULT_LANGUAGE,
  script_language = language,
}: PreviewDraft): PreviewQuery {
  const fields = { page_title, script, text_message, invites_to_save, action_label, language, script_language };
  const draft = useDebounced(fields, TYPING_PAUSE_MS);
  return useQuery({
    queryKey: ['touchpoint-preview', draft],
    queryFn: async ({ signal }) => ({ ...(await call('POST /touchpoint-preview', { body: draft }, signal)), draft }),
    placeholderData: keepPreviousData,
    staleTime: FRESH_MS,
    refetchInterval: FRESH_MS,
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
  const { line, message } = problem;
  return { error: line === null ? capitalize(message) : `Line ${line}: ${message}`, line };
}

export const hasWarning = (preview: TouchpointPreview | undefined, field: TouchpointProblem['field']): boolean =>
  preview?.warnings.some((one) => one.field === field) === true;

const pick = (preview: TouchpointPreview | undefined, people: string): TouchpointRendering | undefined =>
  preview?.renderings[Number(people)] ?? preview?.renderings[0];

/** The length at the usual pace, and whether it fits. */
function Length({ words, seconds, limit }: { words: number; seconds: number; limit: number }) {
  const title = TOUCHPOINT.meter(words, seconds);
  if (isCutOff(seconds)) {
    return (
      <Notice tone="bad" title={title}>
        {TOUCHPOINT.meterCutOff}
      </Notice>
    );
  }
  const over = words - limit;
  return (
    <Notice tone={over > 0 ? 'warn' : 'good'} title={title}>
      {over > 0 ? TOUCHPOINT.meterOver(over, limit) : 'Short enough to be watched to the end'}
    </Notice>
  );
}

const nameOf = ({ people, recipient }: TouchpointRendering): string =>
  people === 'real' ? TOUCHPOINT.preview.real(recipient) : TOUCHPOINT.preview[people];

/** Changes with everything that the page of a rendering shows. */
const pageOf = ({ page_title, recipient, member }: TouchpointRendering, { action_label, language }: PreviewDraft) =>
  JSON.stringify([page_title, recipient, member, action_label, language]);

/** Keeps its first address: a newer one for the same page would only load it again. */
function PageFrame({ path }: { path: string }) {
  const [address] = useState(`${path}&scheme=${systemScheme()}`);
  return <PhonePreview label="The page that the recipient sees" src={address} />;
}

interface PreviewProps {
  query: PreviewQuery;
  people: string;
  onPeople: (people: string) => void;
  content: Shown;
}

/** The script, the page and the text of the draft, with sample or real names. */
export function Preview({ query, people, onPeople, content }: PreviewProps) {
  const { data: preview } = query;
  const shown = pick(preview, people);
  const { script_language: language, delivery } = content;
  return (
    <section className="card" aria-label={TOUCHPOINT.previewTitle} aria-busy={query.isFetching}>
      <h2>{TOUCHPOINT.previewTitle}</h2>
      {query.isError && preview === undefined && (
        <Notice tone="bad">The preview didn’t load. Your changes are kept.</Notice>
      )}
      {query.isPending && <SkeletonRows rows={3} />}
      {preview !== undefined && shown !== undefined && (
        <>
          <SelectField
            label="Preview with"
            value={String(preview.renderings.indexOf(shown))}
            onChange={onPeople}
            options={preview.renderings.map((rendering, index) => ({
              value: String(index),
              label: nameOf(rendering),
            }))}
          />
          <div className="quote" lang={language}>
            <p className="hint">{shown.member} reads</p>
            <p className="script-text">{shown.script ?? TOUCHPOINT.previewBroken}</p>
          </div>
          {shown.script !== null && <Length words={shown.words} seconds={shown.seconds} limit={preview.max_words} />}
          {shown.page_path === null ? (
            <Notice tone="warn">{TOUCHPOINT.previewBroken}</Notice>
          ) : (
            <PageFrame key={pageOf(shown, preview.draft)} path={shown.page_path} />
          )}
          {shown.text !== null && delivery === 'service' && (
            <figure className="grid" aria-label="Preview of the text">
              <MessageBubble>{shown.text.body}</MessageBubble>
              <figcaption className="hint">
                <TextSize text={shown.text.body} price={preview.segment_price} />
              </figcaption>
            </figure>
          )}
        </>
      )}
    </section>
  );
}

const CHECK_PAUSE_MS = 900;
const MAX_ROWS = 8;

/** Warns when members need more than the recommended time, and when they would be cut off. */
function Summary({ fit }: { fit: TouchpointFit }) {
  const { over, active_members: active, limit_seconds: limit, end_seconds: end, checked } = fit;
  const cutOff = over.filter(({ seconds }) => seconds > end).length;
  return (
    <Notice tone={over.length === 0 ? 'good' : 'warn'}>
      {over.length === 0 && TOUCHPOINT.fitAll(active, limit)}
      {cutOff > 0 && TOUCHPOINT.fitCutOff(cutOff, active, end)}
      {over.length > 0 && cutOff === 0 && TOUCHPOINT.fitOver(over.length, active, limit)}
      {checked < active && ` Checked the ${formatNumber(checked)} slowest members.`}
    </Notice>
  );
}

/** Lists the members who couldn't read the script in time. */
export function LengthCheck({ script, language }: { script: string; language: Language }) {
  const draft = useDebounced({ script, ...(language !== DEFAULT_LANGUAGE && { language }) }, CHECK_PAUSE_MS);
  const query = queryOptions({
    ...load(['members', 'touchpoint-fit', draft], 'POST /touchpoint-fit', { body: draft }),
    placeholderData: keepPreviousData,
  });
  const { data } = useQuery(query);
  const lead = data === undefined ? undefined : TOUCHPOINT.fitLead(data.longest_recipient, data.longest_member);
  return (
    <Card title="Length check" lead={lead}>
      <Loaded query={query}>
        {(fit) => {
          const { over, problem } = fit;
          if (problem !== null) return <Notice tone="warn">Fix the script first.</Notice>;
          if (fit.active_members === 0) return <Notice>You have no active members yet.</Notice>;
          return (
            <>
              <Summary fit={fit} />
              {over.length > 0 && (
                <ul className="list" aria-label="Members who need more time">
                  {over.slice(0, MAX_ROWS).map((one) => (
                    <li key={one.id} className="list-row entry wrap between gap-12">
                      <Link to="/members/$id" params={{ id: one.id }} className="row-text">
                        {one.name}
                      </Link>
                      <span className="hint">{TOUCHPOINT.fitPace(one.words_per_minute, one.is_own_pace)}</span>
                      <strong>{TOUCHPOINT.fitSeconds(one.seconds)}</strong>
                    </li>
                  ))}
                  {over.length > MAX_ROWS && (
                    <li className="list-row entry hint">and {formatNumber(over.length - MAX_ROWS)} more</li>
                  )}
                </ul>
              )}
              <p className="hint">{TOUCHPOINT.fitLongest(fit.words, fit.seconds, fit.default_words_per_minute)}</p>
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}
