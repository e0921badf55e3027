import { DEFAULT_LANGUAGE, type Language } from '@foreword/contract';
import { Context, Liquid, LiquidError, type Template } from 'liquidjs';
import { BoundedMap } from '../platform/bounded-map.ts';
import { nearest } from '../platform/nearest.ts';
import {
  BARE_SAMPLE_VALUES,
  SAMPLE_VALUES,
  type Scope,
  scopeOf,
  type TemplateValues,
  templateVariables,
} from './template-values.ts';

/** In code points. Four times the longest script, to leave room for conditions. */
export const SOURCE_LIMIT = 4_000;
/** LiquidJS's own limit, in UTF-16 units. A code point takes at most two. */
const PARSE_LIMIT = SOURCE_LIMIT * 2;
/** LiquidJS counts one unit per character a filter produces and per number of a range. A long script needs about 2,000. */
const MEMORY_LIMIT = 20_000;
/** Taken from the same budget for each rendered piece, so that a loop ends after the same 2,000 steps on every machine. */
const STEP_COST = 10;
/** A last resort: a good script takes well under 1 ms, and the memory budget normally stops a bad one first. */
const RENDER_LIMIT_MS = 2_000;
/** In UTF-16 units, before trimming. Longer text is refused without being copied or counted. */
const RAW_OUTPUT_LIMIT = 20_000;
/** A typical parsed script takes 6 KB, the longest 60 KB. Parsing one again takes 0.1 ms. */
const CACHED_TEMPLATES = 1_000;

// Allow-lists: the other tags and filters read files (include, render, layout), evaluate text as code (where_exp),
// read the clock (date) or build strings that no limit counts (capture).
const TAGS = ['#', 'assign', 'break', 'case', 'comment', 'continue', 'for', 'if', 'raw', 'unless'];
const PARTS_OF_TAGS = /^(?:end[a-z]+|else|elsif|when)$/;
const FILTERS = [
  ...['append', 'capitalize', 'default', 'downcase', 'first', 'join', 'last', 'lstrip', 'prepend', 'remove'],
  ...['remove_first', 'replace', 'replace_first', 'rstrip', 'size', 'slice', 'split', 'squish', 'strip'],
  ...['strip_newlines', 'truncate', 'truncatewords', 'upcase'],
];

/** The message is shown to the user who edits the template. */
export class TemplateProblem extends Error {
  override readonly name = 'TemplateProblem';
  readonly line: number | null;

  constructor(message: string, line: number | null, cause?: unknown) {
    super(line === null ? message : `line ${line}: ${message}`, { cause });
    this.line = line;
  }
}

const liquid = createLiquid();
const parsedTemplates = new BoundedMap<string, Template[]>({ maxSize: CACHED_TEMPLATES });
const variablePaths = templateVariables.map((variable) => variable.path);
const variableRoots = new Set(variablePaths.map((path) => path.split('.')[0]));

function createLiquid(): Liquid {
  const engine = new Liquid({
    // Replaces the file system with an empty set of templates in memory.
    templates: {},
    ownPropertyOnly: true,
    strictFilters: true,
    parseLimit: PARSE_LIMIT,
    memoryLimit: MEMORY_LIMIT,
    renderLimit: RENDER_LIMIT_MS,
  });
  for (const name of Object.keys(engine.tags)) if (!TAGS.includes(name)) delete engine.tags[name];
  for (const name of Object.keys(engine.filters)) if (!FILTERS.includes(name)) engine.unregisterFilter(name);
  return engine;
}

/** Throws a TemplateProblem for a template that must not be saved. */
export function checkTemplate(text: string): void {
  if (text.trim() === '') throw new TemplateProblem('the template is empty', null);
  const template = parseCached(text);
  // Rendered with and without optional values to find mistakes that parsing does not show, such as endless loops.
  for (const sample of [SAMPLE_VALUES, BARE_SAMPLE_VALUES]) renderParsed(template, sample);
}

/** The text with its ends trimmed, at most `maxLength` code points long. Dates are written in the language of the template. */
export function renderTemplate(
  text: string,
  values: TemplateValues,
  maxLength: number,
  language: Language = DEFAULT_LANGUAGE,
): string {
  const template = parseCached(text);
  const rendered = renderParsed(template, scopeOf(values, language)).replaceAll('\t', ' ').trim();
  if (rendered === '') throw new TemplateProblem('the rendered text is empty', null);
  // A code point is one UTF-16 unit or two.
  if (rendered.length <= maxLength) return rendered;
  const length = countCodePoints(rendered);
  if (length > maxLength) throw tooLong(`${length} characters`, maxLength);
  return rendered;
}

function tooLong(found: string, limit: number): TemplateProblem {
  return new TemplateProblem(`the rendered text is too long: ${found}; the limit is ${limit}`, null);
}

function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Templates change rarely and are rendered for every event. */
function parseCached(text: string): Template[] {
  const cached = parsedTemplates.get(text);
  if (cached !== undefined) return cached;
  const parsed = parse(text);
  parsedTemplates.set(text, parsed);
  return parsed;
}

function parse(text: string): Template[] {
  const length = countCodePoints(text);
  if (length > SOURCE_LIMIT) {
    throw new TemplateProblem(`the template has ${length} characters; the limit is ${SOURCE_LIMIT}`, null);
  }
  try {
    const template = liquid.parse(text);
    refuseUnknownVariables(template);
    return template;
  } catch (error) {
    throw asProblem(error);
  }
}

function renderParsed(template: Template[], scope: Scope): string {
  let rendered: string;
  try {
    rendered = liquid.renderSync(template, createContext(scope));
  } catch (error) {
    throw asProblem(error);
  }
  if (rendered.length > RAW_OUTPUT_LIMIT) throw tooLong(`over ${RAW_OUTPUT_LIMIT} characters`, RAW_OUTPUT_LIMIT);
  return rendered;
}

/** The values and the limits of one rendering. */
function createContext(scope: Scope): Context {
  const context = new Context(scope, liquid.options, { sync: true }, { liquid });
  const { memoryLimit, renderLimit } = context;
  const checkClock = renderLimit.check.bind(renderLimit);
  // LiquidJS checks the clock before each piece. Counting steps there makes the limit depend on the template alone: with
  // only the clock, a stalled machine would refuse a good script.
  renderLimit.check = (now) => {
    checkClock(now);
    memoryLimit.use(STEP_COST);
  };
  return context;
}

function refuseUnknownVariables(template: Template[]): void {
  const { globals, locals } = liquid.analyzeSync(template);
  const problems: { line: number; message: string }[] = [];
  for (const variable of Object.values(globals).flat()) {
    const path = variable.segments.every((segment) => typeof segment === 'string') ? variable.segments.join('.') : '';
    if (variablePaths.includes(path)) continue;
    const written = path || String(variable);
    const meant = nearestVariable(written);
    const message = `unknown variable ${written}${meant ? `; did you mean ${meant}?` : ''}`;
    problems.push({ line: variable.location.row, message });
  }
  // A local variable with the name of a built-in one would hide it, and its properties could not be checked.
  for (const variable of Object.values(locals).flat()) {
    const name = String(variable.segments[0]);
    if (!variableRoots.has(name)) continue;
    problems.push({ line: variable.location.row, message: `${name} is a built-in variable; assign to another name` });
  }
  const first = problems.sort((a, b) => a.line - b.line)[0];
  if (first) throw new TemplateProblem(first.message, first.line);
}

function nearestVariable(written: string): string | undefined {
  const parts = written.split(/[.[]/);
  return (
    nearest(written, variablePaths) ??
    variablePaths.find((path) => path.split('.').at(-1) === parts.at(-1)) ??
    variablePaths.find((path) => path.split('.')[0] === parts[0])
  );
}

function asProblem(error: unknown): unknown {
  const cause = LiquidError.is(error) ? (error.originalError ?? error) : error;
  if (cause instanceof TemplateProblem) return cause;
  const line = LiquidError.is(error) ? (error.token.getPosition()[0] ?? null) : null;
  // A stack overflow, or an array or string larger than the runtime allows.
  if (cause instanceof RangeError) return new TemplateProblem('the template is nested too deeply', line, error);
  if (!LiquidError.is(error) || !(cause instanceof Error)) return error;
  return new TemplateProblem(plainMessage(cause.message), line, error);
}

function plainMessage(message: string): string {
  if (message.endsWith('limit exceeded')) return 'the template takes too long to render; shorten its loops and texts';
  const [, tag] = /^tag "(.*)" not found$/.exec(message) ?? [];
  if (tag !== undefined && PARTS_OF_TAGS.test(tag)) return `${tag} has no matching opening tag`;
  if (tag !== undefined) return `unknown tag ${tag}; the tags are ${TAGS.slice(1).join(', ')}`;
  const [, filter] = /^undefined filter: (.*)$/.exec(message) ?? [];
  if (filter !== undefined) {
    const meant = nearest(filter, FILTERS);
    return `unknown filter ${filter}; ${meant ? `did you mean ${meant}?` : `the filters are ${FILTERS.join(', ')}`}`;
  }
  return message.replace(/, line:\d+, col:\d+$/, '');
}
