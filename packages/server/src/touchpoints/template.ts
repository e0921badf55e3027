import { Context, Liquid, LiquidError, type Template } from 'liquidjs';
import { type QuickTemplate, quicken } from './quick-template.ts';
import {
  BARE_SAMPLE_VALUES,
  SAMPLE_VALUES,
  type Scope,
  scopeOf,
  type TemplateValues,
  templateVariables,
} from './template-values.ts';

/** Code points. Four times the longest script, which leaves room for conditions around the words. */
export const SOURCE_LIMIT = 4_000;
/** UTF-16 units, of which a code point takes at most two. LiquidJS asks for a limit of its own. */
const PARSE_LIMIT = SOURCE_LIMIT * 2;
/** Units LiquidJS charges for each character a filter makes and each number of a range. A long script needs about 2,000. */
const MEMORY_LIMIT = 20_000;
/** Charged to the same budget for each piece rendered, so a loop ends after the same 2,000 steps on every machine. */
const STEP_COST = 10;
/** A last resort: a good script takes well under 1 ms, and the budget above ends a bad one first, whatever the load. */
const RENDER_LIMIT_MS = 2_000;
/** UTF-16 units before the ends are trimmed: beyond it the text is refused without being copied or counted. */
const RAW_OUTPUT_LIMIT = 20_000;
/** A parsed script of the usual length takes some 6 KB, one at the limit ten times that; parsing anew costs 0.1 ms. */
const PARSED_TEMPLATES_KEPT = 1_000;

// Allow-lists, because the rest reads files (include, render, layout), evaluates text as code (where_exp),
// reads the clock (date) or builds strings that no limit counts (capture).
const TAGS = ['#', 'assign', 'break', 'case', 'comment', 'continue', 'for', 'if', 'raw', 'unless'];
const PARTS_OF_TAGS = /^(?:end[a-z]+|else|elsif|when)$/;
const FILTERS = [
  ...['append', 'capitalize', 'default', 'downcase', 'first', 'join', 'last', 'lstrip', 'prepend', 'remove'],
  ...['remove_first', 'replace', 'replace_first', 'rstrip', 'size', 'slice', 'split', 'squish', 'strip'],
  ...['strip_newlines', 'truncate', 'truncatewords', 'upcase'],
];

interface ParsedTemplate {
  readonly pieces: Template[];
  readonly quick: QuickTemplate | null;
}

/** The message is for the person who edits the template. */
export class TemplateProblem extends Error {
  override readonly name = 'TemplateProblem';
  readonly line: number | null;

  constructor(message: string, line: number | null, cause?: unknown) {
    super(line === null ? message : `line ${line}: ${message}`, { cause });
    this.line = line;
  }
}

/** The least recently used entry leaves first: a Map remembers the order of insertion. */
class RecentlyUsed<V> {
  readonly #entries = new Map<string, V>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: string, make: (key: string) => V): V {
    const value = this.#entries.get(key) ?? make(key);
    this.#entries.delete(key);
    this.#entries.set(key, value);
    const oldest = this.#entries.keys().next();
    if (this.#entries.size > this.#limit && !oldest.done) this.#entries.delete(oldest.value);
    return value;
  }
}

const liquid = createLiquid();
const parsedTemplates = new RecentlyUsed<ParsedTemplate>(PARSED_TEMPLATES_KEPT);
const variablePaths = templateVariables.map((variable) => variable.path);
const variableRoots = new Set(variablePaths.map((path) => path.split('.')[0]));

function createLiquid(): Liquid {
  const engine = new Liquid({
    // An empty set of templates in memory takes the place of the file system.
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
  const template = parsedTemplates.get(text, parse);
  // Both ways once, so that what only shows when rendering (a loop without end, a filter short of its argument) shows now.
  for (const sample of [SAMPLE_VALUES, BARE_SAMPLE_VALUES]) renderParsed(template, sample);
}

/** The text with its ends trimmed, at most `maxLength` code points long. */
export function renderTemplate(text: string, values: TemplateValues, maxLength: number): string {
  const template = parsedTemplates.get(text, parse);
  const rendered = renderParsed(template, scopeOf(values)).trim();
  if (rendered === '') throw new TemplateProblem('the template comes out empty', null);
  // A code point is one UTF-16 unit or two.
  if (rendered.length <= maxLength) return rendered;
  const length = countCodePoints(rendered);
  if (length > maxLength) throw tooLong(`${length} characters`, maxLength);
  return rendered;
}

function tooLong(found: string, limit: number): TemplateProblem {
  return new TemplateProblem(`the text comes out too long: ${found}, where ${limit} are allowed`, null);
}

function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function parse(text: string): ParsedTemplate {
  const length = countCodePoints(text);
  if (length > SOURCE_LIMIT) {
    throw new TemplateProblem(`the template has ${length} characters, where ${SOURCE_LIMIT} are allowed`, null);
  }
  try {
    const pieces = liquid.parse(text);
    refuseUnknownVariables(pieces);
    return { pieces, quick: quicken(pieces, variablePaths) };
  } catch (error) {
    throw asProblem(error);
  }
}

function renderParsed({ pieces, quick }: ParsedTemplate, scope: Scope): string {
  // Made when LiquidJS is needed, and then one for all: the pieces of a template share what it may cost.
  let context: Context | undefined;
  const renderPieces = (some: Template[]): string => {
    context ??= createContext(scope);
    return liquid.renderSync(some, context);
  };
  let rendered: string;
  try {
    rendered = quick === null ? renderPieces(pieces) : quick(scope, (piece) => renderPieces([piece]));
  } catch (error) {
    throw asProblem(error);
  }
  if (rendered.length > RAW_OUTPUT_LIMIT) throw tooLong(`over ${RAW_OUTPUT_LIMIT} characters`, RAW_OUTPUT_LIMIT);
  return rendered;
}

/** The values, and what rendering them may cost. */
function createContext(scope: Scope): Context {
  const context = new Context(scope, liquid.options, { sync: true }, { liquid });
  const { memoryLimit, renderLimit } = context;
  const checkClock = renderLimit.check.bind(renderLimit);
  // LiquidJS looks at the clock before each piece. Counting there too makes the limit a matter of the template alone:
  // by the clock only, a machine that stalls would refuse a good script.
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
  // A local under the name of a given value would hide it, and its properties could no longer be checked.
  for (const variable of Object.values(locals).flat()) {
    const name = String(variable.segments[0]);
    if (!variableRoots.has(name)) continue;
    problems.push({ line: variable.location.row, message: `${name} is a given value; assign to another name` });
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

/** The closest name, unless more than a third of it would have to change. */
export function nearest(written: string, names: readonly string[]): string | undefined {
  const [closest] = names
    .map((name) => ({ name, distance: editDistance(written, name) }))
    .filter(({ name, distance }) => distance <= name.length / 3)
    .sort((a, b) => a.distance - b.distance);
  return closest?.name;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

function asProblem(error: unknown): unknown {
  const cause = LiquidError.is(error) ? (error.originalError ?? error) : error;
  if (cause instanceof TemplateProblem) return cause;
  const line = LiquidError.is(error) ? (error.token.getPosition()[0] ?? null) : null;
  // The stack ends, or an array or a string would be too large for the runtime.
  if (cause instanceof RangeError) return new TemplateProblem('the template is nested too deeply', line, error);
  if (!LiquidError.is(error) || !(cause instanceof Error)) return error;
  return new TemplateProblem(inPlainWords(cause.message), line, error);
}

function inPlainWords(message: string): string {
  if (message.endsWith('limit exceeded')) return 'the template does too much work; make its loops and texts smaller';
  const [, tag] = /^tag "(.*)" not found$/.exec(message) ?? [];
  if (tag !== undefined && PARTS_OF_TAGS.test(tag)) return `${tag} stands outside the tag it belongs to`;
  if (tag !== undefined) return `unknown tag ${tag}; the tags are ${TAGS.slice(1).join(', ')}`;
  const [, filter] = /^undefined filter: (.*)$/.exec(message) ?? [];
  if (filter !== undefined) {
    const meant = nearest(filter, FILTERS);
    return `unknown filter ${filter}; ${meant ? `did you mean ${meant}?` : `the filters are ${FILTERS.join(', ')}`}`;
  }
  return message.replace(/, line:\d+, col:\d+$/, '');
}
