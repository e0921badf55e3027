import {
  ACTION_LABEL_MAX,
  type TouchpointContent,
  type TouchpointField,
  type TouchpointProblem,
} from '@foreword/contract';
import { ApiError, invalid } from '../platform/errors.ts';
import { SCRIPT_MAX_LENGTH, TEXT_MAX_LENGTH, TITLE_MAX_LENGTH } from './rules.ts';
import { bareSampleValues, longestValues, sampleValues } from './samples.ts';
import type { Lane } from './starting-set.ts';
import { checkTemplate, renderTemplate, TemplateProblem } from './template.ts';
import type { TemplateValues } from './template-values.ts';

export type TemplateField = TouchpointProblem['field'];

const TEMPLATE_LIMITS: Readonly<Record<TemplateField, number>> = {
  page_title: TITLE_MAX_LENGTH,
  script: SCRIPT_MAX_LENGTH,
  text_message: TEXT_MAX_LENGTH,
};

// A template is judged by itself: whoever renames the organization later must not find it broken.
const SOMEBODY = { name: 'Summit Home Group', timezone: 'America/Chicago' };

function problemOf(field: TemplateField, work: () => unknown): TouchpointProblem | null {
  try {
    work();
    return null;
  } catch (problem) {
    if (!(problem instanceof TemplateProblem)) throw problem;
    return { field, line: problem.line, message: problem.message.replace(/^line \d+: /, '') };
  }
}

const render = (field: TemplateField, text: string, values: TemplateValues) =>
  renderTemplate(text, values, TEMPLATE_LIMITS[field]);

/** Why this template must not be saved; null when it may. */
export const findProblem = (field: TemplateField, text: string): TouchpointProblem | null =>
  problemOf(field, () => {
    checkTemplate(text);
    for (const values of [sampleValues(SOMEBODY), bareSampleValues(SOMEBODY)]) render(field, text, values);
  });

/** Why it would fail for people of very long names, although it may be saved. */
export const findWarning = (field: TemplateField, text: string): TouchpointProblem | null =>
  problemOf(field, () => render(field, text, longestValues(SOMEBODY)));

function refuse({ field, line, message }: TouchpointProblem): never {
  const problem = `${field}${line === null ? ':' : ` line ${line}:`} ${message}`;
  throw new ApiError('validation_failed', /[.?!]$/.test(problem) ? problem : `${problem}.`, { field });
}

function requirePair({ action_label: label, action_url: url }: TouchpointContent): void {
  if ((label === null) === (url === null)) return;
  throw label === null
    ? invalid('action_label', `is required: a button needs words, at most ${ACTION_LABEL_MAX} characters`)
    : invalid('action_url', 'is required: a button needs an address');
}

/** Throws `validation_failed` for the first of the changed fields that must not be saved. */
export function requireSound(
  content: TouchpointContent,
  changed: readonly TouchpointField[],
  lanes: readonly Lane[],
): void {
  const { page_title: title, script, text_message: text, lane } = content;
  const has = (field: TouchpointField) => changed.includes(field);
  if (has('lane') && lane !== null && !lanes.includes(lane)) {
    const choice = lanes.length === 0 ? '' : `${lanes.join(' or ')}, or `;
    throw invalid('lane', `must be ${choice}null: your organization works in no other lane`);
  }
  const templates: [TemplateField, string | null][] = [
    ['script', script],
    ['page_title', title],
    ['text_message', text],
  ];
  for (const [field, source] of templates) {
    const problem = has(field) && source !== null ? findProblem(field, source) : null;
    if (problem !== null) refuse(problem);
  }
  if (has('action_label') || has('action_url')) requirePair(content);
}
