import {
  ACTION_LABEL_MAX,
  DEFAULT_LANGUAGE,
  type Lane,
  type Language,
  SCRIPT_MAX_LENGTH,
  TEXT_MAX_LENGTH,
  TITLE_MAX_LENGTH,
  type TouchpointContent,
  type TouchpointField,
  type TouchpointProblem,
} from '@foreword/contract';
import type { Row } from '../db/tenancy.ts';
import { ApiError, invalid } from '../platform/errors.ts';
import {
  bareSampleValues,
  checkTemplate,
  renderTemplate,
  SAMPLE_ORGANIZATION,
  sampleValues,
  TemplateProblem,
  type TemplateValues,
} from './template.ts';

/** The API's limit for a name. */
const LONGEST_NAME = 100;

/** A template that fits with these values fits for everyone. */
const LONGEST_VALUES: TemplateValues = {
  ...sampleValues(SAMPLE_ORGANIZATION),
  recipient: { first_name: 'x'.repeat(LONGEST_NAME), last_name: 'x'.repeat(LONGEST_NAME) },
  member: { first_name: 'x'.repeat(LONGEST_NAME), last_name: 'x'.repeat(LONGEST_NAME) },
};

export type TemplateField = TouchpointProblem['field'];

const TEMPLATE_LIMITS: Readonly<Record<TemplateField, number>> = {
  page_title: TITLE_MAX_LENGTH,
  script: SCRIPT_MAX_LENGTH,
  text_message: TEXT_MAX_LENGTH,
};

function problemOf(field: TemplateField, check: () => unknown): TouchpointProblem | null {
  try {
    check();
    return null;
  } catch (problem) {
    if (!(problem instanceof TemplateProblem)) throw problem;
    return { field, line: problem.line, message: problem.message.replace(/^line \d+: /, '') };
  }
}

const render = (field: TemplateField, text: string, values: TemplateValues, language: Language) =>
  renderTemplate(text, values, TEMPLATE_LIMITS[field], language);

/** The problem that prevents saving this template, if any. */
export const findProblem = (
  field: TemplateField,
  text: string,
  language: Language = DEFAULT_LANGUAGE,
): TouchpointProblem | null =>
  problemOf(field, () => {
    checkTemplate(text);
    for (const values of [sampleValues(SAMPLE_ORGANIZATION), bareSampleValues(SAMPLE_ORGANIZATION)])
      render(field, text, values, language);
  });

/** A problem with very long names, which does not prevent saving. */
export const findWarning = (
  field: TemplateField,
  text: string,
  language: Language = DEFAULT_LANGUAGE,
): TouchpointProblem | null => problemOf(field, () => render(field, text, LONGEST_VALUES, language));

function refuse(field: TouchpointField, { line, message }: TouchpointProblem): never {
  const problem = `${field}${line === null ? ':' : ` line ${line}:`} ${message}`;
  throw new ApiError('validation_failed', /[.?!]$/.test(problem) ? problem : `${problem}.`, { field });
}

function requirePair({ action_label: label, action_url: url }: TouchpointContent): void {
  if ((label === null) === (url === null)) return;
  throw label === null
    ? invalid('action_label', `is required: a button needs a label of at most ${ACTION_LABEL_MAX} characters`)
    : invalid('action_url', 'is required: a button needs a link');
}

const TEMPLATE_FIELDS = [
  ['script', 'script', 'en'],
  ['script_es', 'script', 'es'],
  ['page_title', 'page_title', 'en'],
  ['page_title_es', 'page_title', 'es'],
  ['text_message', 'text_message', 'en'],
  ['text_message_es', 'text_message', 'es'],
] as const satisfies [TouchpointField, TemplateField, Language][];

/** Throws `validation_failed` for the first changed field that is invalid. */
export function requireValidContent(
  content: TouchpointContent,
  changed: readonly TouchpointField[],
  lanes: readonly Lane[],
): void {
  const { lane } = content;
  const has = (field: TouchpointField) => changed.includes(field);
  if (has('lane') && lane !== null && !lanes.includes(lane)) {
    const choice = lanes.length === 0 ? '' : `${lanes.join(' or ')}, or `;
    throw invalid('lane', `must be ${choice}null: your organization does not work in that lane`);
  }
  for (const [field, kind, language] of TEMPLATE_FIELDS) {
    const source = content[field];
    const problem = has(field) && source !== null ? findProblem(kind, source, language) : null;
    if (problem !== null) refuse(field, problem);
  }
  if (has('action_label') || has('action_url')) requirePair(content);
}

type Templates = Pick<Row<'touchpoints'>, 'script' | 'script_es' | 'page_title' | 'page_title_es'>;
type TextMessages = Pick<Row<'touchpoints'>, 'text_message' | 'text_message_es'>;

/**
 * The templates of an intro. Title and text are in the recipient's language, because the page around the title is. Without a
 * script in that language, the member reads the English one; without a title, the page has its own.
 */
export function templatesIn(language: Language, touchpoint: Templates) {
  const { script, script_es, page_title, page_title_es } = touchpoint;
  if (language === 'en') return { script, scriptLanguage: language, pageTitle: page_title };
  const scriptLanguage: Language = script_es === null ? 'en' : 'es';
  return { script: script_es ?? script, scriptLanguage, pageTitle: page_title_es };
}

/** Null: the default text of the language. */
export const textMessageIn = (language: Language, touchpoint: TextMessages): string | null =>
  language === 'en' ? touchpoint.text_message : touchpoint.text_message_es;
