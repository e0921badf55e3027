import { DEFAULT_LANGUAGE, type Language } from '@foreword/contract';
import { Context, type Emitter, type FilterImplOptions, Liquid, LiquidError, type Template } from 'liquidjs';
import { BoundedMap } from '../platform/bounded-map.ts';
import { wallTime } from '../platform/instants.ts';
import { nearest } from '../platform/nearest.ts';

/** Values as they are spoken in each language. */
interface Vocabulary {
  readonly weekdays: readonly string[];
  readonly months: readonly string[];
  readonly date: (month: string, day: number) => string;
  readonly halves: readonly [morning: string, afternoon: string];
  readonly appointment: (weekday: string, date: string, time: string) => string;
  /** Trades without an entry keep their name. */
  readonly trades: Readonly<Record<string, string>>;
}

const VOCABULARIES: Readonly<Record<Language, Vocabulary>> = {
  en: {
    weekdays: ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'],
    months: [
      ...['January', 'February', 'March', 'April', 'May', 'June'],
      ...['July', 'August', 'September', 'October', 'November', 'December'],
    ],
    date: (month, day) => `${month} ${day}`,
    halves: ['AM', 'PM'],
    appointment: (weekday, date, time) => `${weekday}, ${date} at ${time}`,
    trades: {},
  },
  es: {
    weekdays: ['domingo', 'lunes', 'martes', 'miércoles', 'jueves', 'viernes', 'sábado'],
    months: [
      ...['enero', 'febrero', 'marzo', 'abril', 'mayo', 'junio'],
      ...['julio', 'agosto', 'septiembre', 'octubre', 'noviembre', 'diciembre'],
    ],
    date: (month, day) => `${day} de ${month}`,
    // Without periods, which would be doubled at the end of a sentence.
    halves: ['AM', 'PM'],
    // "a la 1:30", but "a las 2:30".
    appointment: (weekday, date, time) => `${weekday} ${date} a ${time.startsWith('1:') ? 'la' : 'las'} ${time}`,
    trades: {
      roofing: 'techo',
      siding: 'revestimiento',
      windows: 'ventanas',
      doors: 'puertas',
      gutters: 'canaletas',
    },
  },
};

export const templateVariables: readonly { path: string; says: string }[] = [
  { path: 'recipient.first_name', says: 'First name of the recipient' },
  { path: 'recipient.last_name', says: 'Last name of the recipient; empty if not sent' },
  { path: 'member.first_name', says: 'First name of the member who records the video' },
  { path: 'member.last_name', says: 'Last name of the member who records the video' },
  { path: 'organization.name', says: 'Name of your organization' },
  {
    path: 'appointment',
    says: 'The full appointment, such as Thursday, March 12 at 2:30 PM; empty if there is none',
  },
  { path: 'appointment.weekday', says: 'Weekday of the appointment, such as Thursday' },
  { path: 'appointment.date', says: 'Date of the appointment, such as March 12' },
  { path: 'appointment.time', says: 'Local time of the appointment, such as 2:30 PM' },
  { path: 'trade', says: 'The trade, such as roofing; empty if not sent' },
  { path: 'lane', says: 'The lane, retail or insurance; empty if not sent' },
];

export interface TemplateValues {
  recipient: { first_name: string; last_name: string | null };
  member: { first_name: string; last_name: string };
  organization: { name: string };
  appointment: { startsAt: Date; timezone: string } | null;
  trade: string | null;
  lane: string | null;
}

/** The values as the template sees them, with the appointment formatted. */
type Scope = Omit<TemplateValues, 'appointment'> & {
  appointment: { weekday: string; date: string; time: string; toString: () => string } | null;
};

interface SampleOrganization {
  readonly name: string;
  readonly timezone: string;
}

/** Typical names, and every optional value. */
export const sampleValues = ({ name, timezone }: SampleOrganization): TemplateValues => ({
  recipient: { first_name: 'Sarah', last_name: 'Miller' },
  member: { first_name: 'Jake', last_name: 'Turner' },
  organization: { name },
  // Far enough in the future to be recognized as a sample. In the Americas this is the afternoon of March 12.
  appointment: { startsAt: new Date('2031-03-12T20:30:00Z'), timezone },
  trade: 'roofing',
  lane: 'retail',
});

/** The same people, with only the required values. */
export const bareSampleValues = (organization: SampleOrganization): TemplateValues => ({
  ...sampleValues(organization),
  recipient: { first_name: 'Sarah', last_name: null },
  appointment: null,
  trade: null,
  lane: null,
});

/** A fixed organization: renaming the real one later must not break a saved template. */
export const SAMPLE_ORGANIZATION = { name: 'Summit Home Group', timezone: 'America/Chicago' };

/** A title and a script are rendered from the same values, so each appointment is formatted once for a language. */
const scopes: Readonly<Record<Language, WeakMap<TemplateValues, Scope>>> = { en: new WeakMap(), es: new WeakMap() };

export function scopeOf(values: TemplateValues, language: Language): Scope {
  const known = scopes[language].get(values);
  if (known !== undefined) return known;
  const { appointment, trade } = values;
  const scope = {
    ...values,
    appointment: appointment && formatAppointment(appointment.startsAt, appointment.timezone, VOCABULARIES[language]),
    trade: trade && (VOCABULARIES[language].trades[trade] ?? trade),
  };
  scopes[language].set(values, scope);
  return scope;
}

function formatAppointment(startsAt: Date, timezone: string, vocabulary: Vocabulary): Scope['appointment'] {
  const { weekdays, months, halves } = vocabulary;
  const local = wallTime(startsAt, timezone);
  const hour = local.getUTCHours();
  const minute = String(local.getUTCMinutes()).padStart(2, '0');
  const weekday = weekdays[local.getUTCDay()] ?? '';
  const date = vocabulary.date(months[local.getUTCMonth()] ?? '', local.getUTCDate());
  const time = `${hour % 12 === 0 ? 12 : hour % 12}:${minute} ${halves[hour < 12 ? 0 : 1]}`;
  return { weekday, date, time, toString: () => vocabulary.appointment(weekday, date, time) };
}

type Piece =
  | { readonly text: string }
  | { readonly path: readonly string[]; readonly maxLength: number; readonly fallback: string }
  | { readonly condition: readonly string[]; readonly given: Piece[]; readonly otherwise: Piece[] };

/** `{{ variable }}`, with `truncate: 60` or `default: "text"`, and `{% if variable %}`, `{% else %}` or `{% endif %}`. */
const TAG =
  /\{\{\s*([a-z_.]+)\s*(?:\|\s*(?:truncate:\s*(\d{1,4})|default:\s*"([^"\\{}]*)")\s*)?\}\}|\{%\s*(?:if\s+([a-z_.]+)|(else)|endif)\s*%\}/g;
const PATHS = new Map(templateVariables.map(({ path }) => [path, path.split('.')]));

function valueAt(scope: Scope, path: readonly string[]): unknown {
  let value: unknown = scope;
  for (const name of path) value = (value as Readonly<Record<string, unknown>> | null)?.[name];
  return value ?? null;
}

/** Null if a value is too long: LiquidJS truncates it. */
function render(pieces: readonly Piece[], scope: Scope): string | null {
  let output = '';
  for (const piece of pieces) {
    if ('text' in piece) {
      output += piece.text;
    } else if ('path' in piece) {
      const value = String(valueAt(scope, piece.path) ?? '');
      if (value.length > piece.maxLength) return null;
      output += value || piece.fallback;
    } else {
      const part = render(valueAt(scope, piece.condition) === null ? piece.otherwise : piece.given, scope);
      if (part === null) return null;
      output += part;
    }
  }
  return output;
}

/**
 * Most templates have only variables and plain conditions. Rendering them here takes a tenth of LiquidJS's time, and a quarter of the
 * memory of an event. Null for every other template. Requires a template that LiquidJS has parsed; a test compares the two.
 */
export function compileSimple(text: string): ((scope: Scope) => string | null) | null {
  const root: Piece[] = [];
  const open: { readonly otherwise: Piece[]; readonly outer: Piece[]; hasElse: boolean }[] = [];
  let pieces = root;
  let end = 0;
  const addText = (until: number): boolean => {
    const between = text.slice(end, until);
    pieces.push({ text: between });
    return !/\{[{%]/.test(between);
  };
  for (const match of text.matchAll(TAG)) {
    if (!addText(match.index)) return null;
    end = match.index + match[0].length;
    const [, variable, maxLength, fallback = '', condition, isElse] = match;
    const name = variable ?? condition;
    const path = name === undefined ? undefined : PATHS.get(name);
    if (name !== undefined && path === undefined) return null;
    const innermost = open.at(-1);
    if (variable !== undefined && path !== undefined) {
      pieces.push({ path, maxLength: Number(maxLength ?? Number.POSITIVE_INFINITY), fallback });
    } else if (path !== undefined) {
      const branch = { condition: path, given: [], otherwise: [] };
      pieces.push(branch);
      open.push({ otherwise: branch.otherwise, outer: pieces, hasElse: false });
      pieces = branch.given;
    } else if (innermost === undefined || (isElse !== undefined && innermost.hasElse)) {
      return null;
    } else if (isElse === undefined) {
      pieces = innermost.outer;
      open.pop();
    } else {
      innermost.hasElse = true;
      pieces = innermost.otherwise;
    }
  }
  if (!addText(text.length) || open.length > 0) return null;
  return (scope) => render(root, scope);
}

/** In code points. Four times the longest script, to leave room for conditions. */
export const SOURCE_LIMIT = 4_000;
/** LiquidJS's own limit, in UTF-16 units. A code point takes at most two. */
const PARSE_LIMIT = SOURCE_LIMIT * 2;
/** Pieces, runs of a loop and filters. A long script needs about 200. The same on every machine, unlike a time limit. */
const STEP_LIMIT = 2_000;
/** A last resort: a good script takes well under 1 ms, and the steps normally stop a bad one first. */
const RENDER_LIMIT_MS = 2_000;
/** In UTF-16 units, before trimming: of the output, and of the text or list that a filter produces. */
const RAW_OUTPUT_LIMIT = 20_000;
/** LiquidJS's own budget, in characters and numbers: a second safeguard behind our limits, which do not rely on it. */
const MEMORY_LIMIT = 20_000;
/** `replace` and `join` may insert their argument at each character. */
const MULTIPLYING_FILTERS = ['join', 'replace'];
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
const parsedTemplates = new BoundedMap<string, ParsedTemplate>({ maxSize: CACHED_TEMPLATES });
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
  for (const [name, filter] of Object.entries(engine.filters)) {
    if (FILTERS.includes(name)) engine.registerFilter(name, limitFilter(name, filter));
    else engine.unregisterFilter(name);
  }
  const { renderer } = engine;
  const renderTemplates = renderer.renderTemplates.bind(renderer);
  // Each tag renders its content through here, a loop once for each run.
  renderer.renderTemplates = (templates, context, emitter) => {
    takeSteps(context, templates.length + 1);
    return renderTemplates(templates, context, emitter ?? new LimitedOutput());
  };
  return engine;
}

interface ParsedTemplate {
  readonly parsed: Template[];
  /** Null unless the template is simple. */
  readonly renderSimple: ((scope: Scope) => string | null) | null;
}

/** The remaining limits of one rendering. */
class LimitedContext extends Context {
  steps = STEP_LIMIT;
  readonly deadlineMs = performance.now() + RENDER_LIMIT_MS;
}

class LimitedOutput implements Emitter {
  buffer = '';

  write(piece: unknown): void {
    this.buffer += String(piece ?? '');
    if (this.buffer.length > RAW_OUTPUT_LIMIT) throw tooLong(`over ${RAW_OUTPUT_LIMIT} characters`, RAW_OUTPUT_LIMIT);
  }
}

const tooMuchWork = (line: number | null = null): TemplateProblem =>
  new TemplateProblem('the template takes too long to render; shorten its loops and texts', line);

function takeSteps(context: Context, count: number): void {
  // LiquidJS passes on the context that it was given.
  const limited = context as LimitedContext;
  limited.steps -= count;
  if (limited.steps < 0 || performance.now() > limited.deadlineMs) throw tooMuchWork();
}

const sizeOf = (value: unknown): number => (typeof value === 'string' || Array.isArray(value) ? value.length : 1);

/** Bounds the steps of filters, and the length of what they produce, which may never reach the output. */
function limitFilter(name: string, filter: FilterImplOptions): FilterImplOptions {
  const apply = typeof filter === 'function' ? filter : filter.handler;
  const handler: typeof apply = function (value, ...args) {
    takeSteps(this.context, 1);
    const longest = Math.max(1, ...args.map(sizeOf));
    // Before it is produced: a text of 20,000 characters that is joined 20,000 times would fill the memory.
    if (MULTIPLYING_FILTERS.includes(name) && sizeOf(value) * longest > RAW_OUTPUT_LIMIT * 10) throw tooMuchWork();
    const result = apply.call(this, value, ...args);
    if (sizeOf(result) > RAW_OUTPUT_LIMIT) throw tooMuchWork();
    return result;
  };
  return typeof filter === 'function' ? handler : { ...filter, handler };
}

/** LiquidJS creates the numbers of a range at once, so its size must be known before. */
function refuseLongRanges(text: string): void {
  for (const [tag = '', at] of findTags(text)) {
    const line = text.slice(0, at).split('\n').length;
    const unquoted = tag.replace(/"[^"]*"|'[^']*'/g, '""');
    const ranges = [...unquoted.matchAll(/\(\s*(-?\d{1,12})\s*\.\.\s*(-?\d{1,12})\s*\)/g)];
    if (ranges.length < unquoted.split('..').length - 1)
      throw new TemplateProblem('a range must have two whole numbers, such as (1..3)', line);
    if (ranges.some(([, low, high]) => Number(high) - Number(low) > STEP_LIMIT)) throw tooMuchWork(line);
  }
}

const findTags = (text: string): [string, number][] =>
  [...text.matchAll(/\{[{%][\s\S]*?[}%]\}/g)].map(({ 0: tag, index }) => [tag, index]);

/** Throws a TemplateProblem for a template that must not be saved. */
export function checkTemplate(text: string): void {
  if (text.trim() === '') throw new TemplateProblem('the template is empty', null);
  const { parsed } = parseCached(text);
  // Rendered with and without optional values to find mistakes that parsing does not show, such as endless loops.
  for (const values of [sampleValues(SAMPLE_ORGANIZATION), bareSampleValues(SAMPLE_ORGANIZATION)])
    renderParsed(parsed, scopeOf(values, DEFAULT_LANGUAGE));
}

/** The text with its ends trimmed, at most `maxLength` code points long. Dates are written in the language of the template. */
export function renderTemplate(
  text: string,
  values: TemplateValues,
  maxLength: number,
  language: Language = DEFAULT_LANGUAGE,
): string {
  const rendered = renderCached(parseCached(text), scopeOf(values, language)).replaceAll('\t', ' ').trim();
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
function parseCached(text: string): ParsedTemplate {
  const cached = parsedTemplates.get(text);
  if (cached !== undefined) return cached;
  const template = { parsed: parse(text), renderSimple: compileSimple(text) };
  parsedTemplates.set(text, template);
  return template;
}

function renderCached({ parsed, renderSimple }: ParsedTemplate, scope: Scope): string {
  const rendered = renderSimple?.(scope) ?? null;
  return rendered === null || rendered.length > RAW_OUTPUT_LIMIT ? renderParsed(parsed, scope) : rendered;
}

function parse(text: string): Template[] {
  const length = countCodePoints(text);
  if (length > SOURCE_LIMIT) {
    throw new TemplateProblem(`the template has ${length} characters; the limit is ${SOURCE_LIMIT}`, null);
  }
  try {
    const template = liquid.parse(text);
    refuseUnknownVariables(template);
    refuseLongRanges(text);
    return template;
  } catch (error) {
    throw asProblem(error);
  }
}

function renderParsed(template: Template[], scope: Scope): string {
  try {
    return liquid.renderSync(template, new LimitedContext(scope, liquid.options, { sync: true }, { liquid }));
  } catch (error) {
    throw asProblem(error);
  }
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
  if (message.endsWith('limit exceeded')) return tooMuchWork().message;
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
