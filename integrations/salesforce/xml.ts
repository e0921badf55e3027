import { RequestError } from '../bridge/index.ts';

/** An element with its name and namespace resolved. Comments and processing instructions are dropped. */
export interface XmlElement {
  readonly name: string;
  readonly namespace: string;
  /** Attributes with a prefix keep it, except `xsi:type`, which the outbound message uses. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** The text of the element itself, trimmed. */
  readonly text: string;
}

const MOST_ELEMENTS = 20_000;
const MOST_DEPTH = 32;

const NAME = '[A-Za-z_][\\w.-]*(?::[A-Za-z_][\\w.-]*)?';
/** One piece of markup: comment, CDATA, declaration, end tag or start tag. Sticky, so that it never searches ahead. */
const MARKUP = new RegExp(
  `<!--(?<comment>(?:(?!--)[\\s\\S])*)-->|<!\\[CDATA\\[(?<cdata>(?:(?!\\]\\]>)[\\s\\S])*)\\]\\]>|<\\?xml\\s[^?<>]*\\?>|` +
    `</(?<end>${NAME})\\s*>|<(?<start>${NAME})(?<attributes>(?:\\s+${NAME}\\s*=\\s*(?:"[^"<]*"|'[^'<]*'))*)\\s*(?<empty>/?)>`,
  'y',
);
const ATTRIBUTE = new RegExp(`(${NAME})\\s*=\\s*(?:"([^"<]*)"|'([^'<]*)')`, 'g');

const PREDEFINED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const invalid = (): RequestError => new RequestError(400, 'the body is not the expected XML');

/** Decodes the five predefined entities and character references. No other entity exists, because document types are rejected. */
function decode(text: string): string {
  return text.replace(/&([^;&]{0,10});?/g, (reference, name: string) => {
    if (!reference.endsWith(';')) throw invalid();
    const known = Object.hasOwn(PREDEFINED, name) ? PREDEFINED[name] : undefined;
    if (known !== undefined) return known;
    const [, hex, decimal] = /^#(?:x([\da-fA-F]{1,6})|(\d{1,7}))$/.exec(name) ?? [];
    const code = hex !== undefined ? Number.parseInt(hex, 16) : Number(decimal);
    if (!(code > 0 && code <= 0x10ffff)) throw invalid();
    return String.fromCodePoint(code);
  });
}

interface OpenElement {
  readonly tag: string;
  readonly name: string;
  readonly namespace: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: XmlElement[];
  readonly namespaces: ReadonlyMap<string, string>;
  text: string;
}

function open(tag: string, source: string, outer: ReadonlyMap<string, string>): OpenElement {
  const attributes = new Map<string, string>();
  const namespaces = new Map(outer);
  for (const [, name = '', quoted, single] of source.matchAll(ATTRIBUTE)) {
    if (attributes.has(name)) throw invalid();
    const value = decode(quoted ?? single ?? '');
    attributes.set(name, value);
    if (name === 'xmlns') namespaces.set('', value);
    else if (name.startsWith('xmlns:')) namespaces.set(name.slice('xmlns:'.length), value);
  }
  const [prefix, local] = tag.includes(':') ? tag.split(':') : ['', tag];
  const namespace = namespaces.get(prefix ?? '') ?? (prefix === '' ? '' : undefined);
  if (namespace === undefined || local === undefined) throw invalid();
  return { tag, name: local, namespace, attributes, children: [], namespaces, text: '' };
}

/**
 * Parses a small document without document type, entities and processing instructions: what a SOAP 1.1 message may contain.
 * A package would do more than this, and each further feature of XML is a risk. Throws a `RequestError` with 400.
 */
export function parseXml(source: string): XmlElement {
  const stack: OpenElement[] = [];
  const root: OpenElement = { ...open('root', '', new Map()), children: [] };
  const text = source.replace(/^\uFEFF/, '');
  let count = 0;
  for (let at = 0; at < text.length; ) {
    const current = stack.at(-1) ?? root;
    const next = text.indexOf('<', at);
    const end = next === -1 ? text.length : next;
    if (end > at) {
      current.text += decode(text.slice(at, end));
      if (current === root && root.text.trim() !== '') throw invalid();
      at = end;
      continue;
    }
    MARKUP.lastIndex = at;
    const found = MARKUP.exec(text);
    if (found === null) throw invalid();
    at = MARKUP.lastIndex;
    const { cdata, end: endTag, start, attributes = '', empty } = found.groups ?? {};
    if (cdata !== undefined) {
      if (current === root) throw invalid();
      current.text += cdata;
    } else if (endTag !== undefined) {
      close(stack, root, endTag);
    } else if (start !== undefined) {
      count += 1;
      if (count > MOST_ELEMENTS || stack.length >= MOST_DEPTH) throw invalid();
      stack.push(open(start, attributes, current.namespaces));
      if (empty === '/') close(stack, root, start);
    }
  }
  const [document, second] = root.children;
  if (stack.length > 0 || document === undefined || second !== undefined) throw invalid();
  return document;
}

function close(stack: OpenElement[], root: OpenElement, tag: string): void {
  const closed = stack.pop();
  if (closed === undefined || closed.tag !== tag) throw invalid();
  const { name, namespace, attributes, children, text } = closed;
  (stack.at(-1) ?? root).children.push({ name, namespace, attributes, children, text: text.trim() });
}
