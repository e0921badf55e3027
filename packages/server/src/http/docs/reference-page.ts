import { ERRORS } from '@foreword/contract';
import { assemble, brandStyle, type Document, inline, TEAM_STYLE } from '../../pages/index.ts';
import { type Html, html, trusted } from '../../platform/html.ts';

/** The parts of JSON Schema that the contract uses. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly format?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
}

interface Example {
  readonly $ref?: string;
  readonly summary?: string;
  readonly value?: unknown;
}

interface Content {
  readonly [mediaType: string]: { readonly schema: Schema; readonly examples?: Readonly<Record<string, Example>> };
}

interface Body {
  readonly $ref?: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly content?: Content;
}

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly 'x-codeSamples': readonly { readonly label: string; readonly source: string }[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body>>;
}

type Methods = Readonly<Record<string, Operation>>;

interface OpenApi {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Methods>>;
  readonly webhooks: Readonly<Record<string, Methods>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>> & {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly headers: Readonly<Record<string, { readonly description: string }>>;
  };
}

const STYLE = inline(
  `
html{scroll-padding-top:72px}
body{font-size:1rem}
header{position:sticky;top:0;z-index:1;display:flex;gap:20px;align-items:center;height:56px;padding:0 20px;background:var(--paper);border-bottom:1px solid var(--line)}
header a{display:flex;align-items:center;min-height:44px;color:inherit;text-decoration:none}
header a:hover{text-decoration:underline}
header a:first-child{margin-right:auto;font-weight:600}
.docs{display:grid;max-width:88rem;margin:auto}
nav{padding:16px 20px}
nav input{width:100%;min-height:44px;padding:8px 12px;border:1px solid var(--soft);border-radius:10px;background:var(--surface);color:inherit;font:inherit}
nav h2,dt h4{font-size:.875rem}
nav h2{margin:20px 0 4px}
nav ul,ol{margin:0;padding:0;list-style:none}
nav li a{display:block;padding:12px 0;color:var(--soft);font-size:.875rem;text-decoration:none}
nav li a:hover,summary:hover{color:var(--ink);text-decoration:underline}
main{min-width:0;padding:24px 20px 64px}
main h1{font-size:2rem;margin-bottom:16px}
main>section>h2{margin:56px 0 4px;font-size:1.5rem}
article{display:grid;gap:12px 40px;margin-top:24px;padding-top:24px;border-top:1px solid var(--line)}
article>*{min-width:0}
h3{font-size:1.125rem}
h3 a{color:inherit;text-decoration:none}
h3 a:hover{text-decoration:underline}
h4{margin:20px 0 4px;font-size:1rem}
p+p{margin-top:10px}
code,pre{font:.875em/1.55 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.path{margin:4px 0 10px}
.path b{margin-right:8px;color:var(--accent-text)}
dl{margin:0}
dt{margin-top:10px;padding-top:10px;border-top:1px solid var(--line)}
dt code{font-weight:600}
dt span{margin-left:8px;color:var(--soft);font-size:.875rem}
dt .required{color:var(--ink)}
dd{margin:2px 0 0;color:var(--soft)}
summary{min-height:44px;padding:10px 0;color:var(--soft);font-size:.875rem;cursor:pointer}
pre{overflow:auto;max-height:28rem;margin:0;padding:14px 16px;border:1px solid var(--line);border-radius:12px;background:var(--surface);white-space:pre;tab-size:2;overflow-wrap:normal}
.try{display:inline-flex;align-items:center;min-height:44px;font-weight:600}
@media(min-width:48rem){
.docs{grid-template-columns:17rem minmax(0,1fr)}
nav{position:sticky;top:56px;overflow:auto;height:calc(100vh - 56px);border-right:1px solid var(--line)}
nav>details>summary{display:none}
nav li a{padding:4px 0}
main{padding:32px 40px 64px}
}
@media(min-width:72rem){article.operation{grid-template-columns:minmax(0,1fr) minmax(0,1fr)}}
`.replaceAll('\n', ''),
);

/**
 * Shows the operations, events and objects whose names contain words that start with what was typed, or whose texts do if no
 * name does. The list of pages starts open where there is room.
 */
const SCRIPT = inline(`
const field = document.getElementById('find');
const list = document.getElementById('list');
const none = document.getElementById('none');
const wide = matchMedia('(min-width:48rem)');
const fit = () => { list.open = wide.matches; };
wide.addEventListener('change', fit);
fit();
field.hidden = false;
const wordsOf = (text) => text.toLowerCase().split(/[^\\p{L}\\p{N}]+/u).filter(Boolean);
const textOf = (...parts) => ' ' + wordsOf(parts.join(' ')).join(' ');
let entries;
field.addEventListener('input', () => {
  entries ??= [...document.querySelectorAll('article')].map((element) => ({
    element,
    name: textOf(element.id, element.querySelector('h3').textContent, element.querySelector('.path')?.textContent),
    text: textOf(element.textContent),
    link: list.querySelector('[href="#' + element.id + '"]').parentElement,
  }));
  const words = wordsOf(field.value);
  const find = (part) => entries.filter((entry) => words.every((word) => entry[part].includes(' ' + word)));
  const named = find('name');
  const found = new Set(named.length > 0 ? named : find('text'));
  for (const entry of entries) entry.element.hidden = entry.link.hidden = !found.has(entry);
  for (const group of document.querySelectorAll('main>section, #list>section'))
    group.hidden = group.id === 'introduction' ? words.length > 0 : !group.querySelector('article:not([hidden]), li:not([hidden])');
  none.hidden = found.size > 0;
  if (words.length > 0) scrollTo(0, 0);
});
`);

const slugOf = (name: string): string => name.toLowerCase().replaceAll(' ', '-');
const isErrorCode = (text: string): boolean => text in ERRORS;

/** Text in which parts between backticks are code, and between asterisks bold or emphasized. */
export function prose(text: string): Html[] {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*|\*[^*\s][^*]*\*)/).map((part) => {
    if (part.startsWith('`')) {
      const code = part.slice(1, -1);
      return isErrorCode(code) ? html`<a href="errors#${code}"><code>${code}</code></a>` : html`<code>${code}</code>`;
    }
    if (part.startsWith('**')) return html`<strong>${part.slice(2, -2)}</strong>`;
    return part.startsWith('*') && part.length > 2 ? html`<em>${part.slice(1, -1)}</em>` : html`${part}`;
  });
}

const paragraphs = (text: string): Html[] => text.split('\n\n').map((each) => html`<p>${prose(each)}</p>`);
const writeJson = (value: unknown): string => JSON.stringify(value, null, 2);
/** A box that scrolls must be reachable by keyboard. */
const code = (text: string): Html => html`<pre tabindex="0"><code>${text}</code></pre>`;
const fold = (title: string, inside: Html, isOpen = false): Html =>
  html`<details${isOpen && html` open`}><summary>${title}</summary>${inside}</details>`;
/** Objects have an entry of their own; simpler schemas are described where they are used. */
const hasEntry = ({ properties, oneOf }: Schema): boolean => properties !== undefined || oneOf !== undefined;

class Renderer {
  readonly #document: OpenApi;

  constructor(document: OpenApi) {
    this.#document = document;
  }

  #resolve<T extends object>(part: T & { readonly $ref?: string }): T {
    if (part.$ref === undefined) return part;
    const [, , group = '', name = ''] = part.$ref.split('/');
    return this.#resolve((this.#document.components[group]?.[name] ?? {}) as T);
  }

  #type(schema: Schema): Html {
    const resolved = this.#resolve(schema);
    const name = schema.$ref?.split('/').at(-1);
    if (name !== undefined && hasEntry(resolved)) return html`<a href="#${name}">${name}</a>`;
    const { anyOf, type, items, format, const: constant } = resolved;
    if (anyOf !== undefined)
      return html`${anyOf.map((each, index) => html`${index > 0 && ' or '}${this.#type(each)}`)}`;
    if (constant !== undefined) return html`<code>${JSON.stringify(constant)}</code>`;
    if (items !== undefined) return html`list of ${this.#type(items)}`;
    const types = [type ?? []].flat();
    return html`${types.map((each) => (each === 'string' && format !== undefined ? format : each)).join(' or ')}`;
  }

  /** The values and limits of a field, and its default. */
  #limits(schema: Schema): Html[] {
    const { items, anyOf, ...own } = this.#resolve(schema);
    const { minLength = 0, maxLength, minimum, maximum, maxItems, default: usual } = own;
    const limits = [
      own.enum !== undefined &&
        html`One of ${own.enum.map((value, index) => html`${index > 0 && ', '}<code>${value}</code>`)}.`,
      maxLength !== undefined && html`${minLength > 1 ? `${minLength} to` : 'Up to'} ${maxLength} characters.`,
      minimum !== undefined && maximum !== undefined && html`From ${minimum} to ${maximum}.`,
      maxItems !== undefined && html`Up to ${maxItems} items.`,
      usual !== undefined && html`Default: <code>${JSON.stringify(usual)}</code>.`,
    ].filter((limit) => limit !== false);
    const inner = [...(items === undefined ? [] : [items]), ...(anyOf ?? [])];
    return [...limits, ...inner.filter((each) => !hasEntry(this.#resolve(each))).flatMap((each) => this.#limits(each))];
  }

  #field(
    name: string,
    schema: Schema,
    details: { required: boolean; place?: string; description?: string | undefined },
  ): Html {
    const { description = schema.description ?? this.#resolve(schema).description ?? '' } = details;
    const limits = this.#limits(schema).map((limit) => html` ${limit}`);
    return html`<dt><code>${name}</code><span>${this.#type(schema)}${details.place !== undefined && `, ${details.place}`}</span>${
      details.required && html`<span class="required">required</span>`
    }</dt><dd>${prose(description)}${limits}</dd>`;
  }

  #fields({ properties = {}, required = [] }: Schema, showsRequired: boolean): Html {
    return html`<dl>${Object.entries(properties).map(([name, schema]) =>
      this.#field(name, schema, { required: showsRequired && required.includes(name) }),
    )}</dl>`;
  }

  #examples(examples: Readonly<Record<string, Example>> = {}, isOpen = false): Html[] {
    return Object.values(examples)
      .map((example) => this.#resolve(example))
      .map(({ summary = '', value }) => fold(`Example: ${summary}`, code(writeJson(value)), isOpen));
  }

  #request(body: Body): Html {
    const { content = {}, required = false } = this.#resolve(body);
    const [json, ...files] = Object.entries(content);
    const schema = this.#resolve(json?.[1].schema ?? {});
    const others = files.map(([type]) => type);
    if (!hasEntry(schema) && others.length === 0) return html``;
    return html`<h4>Body${!required && ' (optional)'}</h4>${
      others.length > 0 && html`<p>JSON, or a video as ${others.join(', ')}.</p>`
    }${schema.oneOf === undefined ? this.#fields(schema, true) : html`<p>${this.#choices(schema)}</p>`}`;
  }

  #choices({ oneOf = [] }: Schema): Html {
    return html`One of ${oneOf.map((each, index) => html`${index > 0 && ', '}${this.#type(each)}`)}.`;
  }

  #responses(responses: Operation['responses']): Html {
    const all = Object.entries(responses).map(([status, response]) => [status, this.#resolve(response)] as const);
    return html`<h4>Responses</h4><dl>${all.map(([status, { description = '', content }]) => {
      const schema = content?.['application/json']?.schema;
      const type = schema !== undefined && !/^[45]/.test(status) && html`<span>${this.#type(schema)}</span>`;
      return html`<dt><code>${status}</code>${type}</dt><dd>${prose(description)}</dd>`;
    })}</dl>`;
  }

  #successes(responses: Operation['responses']): Html[] {
    return Object.entries(responses)
      .filter(([status]) => status.startsWith('2'))
      .flatMap(([, response]) => this.#examples(this.#resolve(response).content?.['application/json']?.examples));
  }

  operation(path: string, method: string, operation: Operation): Html {
    const { operationId: id, tags, summary, description, parameters = [], requestBody, responses } = operation;
    const shown = parameters.map((parameter) => this.#resolve(parameter));
    const target = `${slugOf(tags[0] ?? '')}/${method.toUpperCase()}${path}`;
    return html`<article class="operation" id="${id}"><div>
<h3><a href="#${id}">${summary}</a></h3>
<p class="path"><b>${method.toUpperCase()}</b><code>${path}</code></p>
${paragraphs(description)}
${
  shown.length > 0 &&
  html`<h4>Parameters</h4><dl>${shown.map(({ name, schema, required = false, in: place, description: text }) =>
    this.#field(name, schema, { required, place, description: text }),
  )}</dl>`
}
${requestBody !== undefined && this.#request(requestBody)}
${this.#responses(responses)}
</div><div>
${operation['x-codeSamples'].map(({ label, source }, index) => fold(label, code(source.trim()), index === 0))}
${this.#successes(responses)}
<a class="try" href="reference/try#tag/${target}">Try it</a>
</div></article>
`;
  }

  webhook(type: string, { description, requestBody = {} }: Operation): Html {
    const { schema = {}, examples } = requestBody.content?.['application/json'] ?? {};
    return html`<article class="operation" id="${type}"><div><h3><a href="#${type}">${type}</a></h3>
${paragraphs(description)}<p>Payload: ${this.#type(schema)}</p></div><div>${this.#examples(examples)}</div></article>
`;
  }

  object(name: string, schema: Schema): Html {
    return html`<article id="${name}"><div><h3><a href="#${name}">${name}</a></h3>
${schema.description !== undefined && html`<p>${prose(schema.description)}</p>`}
${schema.oneOf === undefined ? this.#fields(schema, !('object' in (schema.properties ?? {}))) : html`<p>${this.#choices(schema)}</p>`}
</div></article>
`;
  }
}

interface Section {
  readonly title: string;
  readonly lead: Html;
  readonly entries: readonly { readonly id: string; readonly name: string; readonly page: Html }[];
}

function listSections(document: OpenApi): Section[] {
  const { tags, paths, webhooks, components } = document;
  const renderer = new Renderer(document);
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  return [
    ...tags.map(({ name, description }) => ({
      title: name,
      lead: html`<p>${prose(description)}</p>`,
      entries: operations
        .filter(({ operation }) => operation.tags.includes(name))
        .map(({ path, method, operation }) => ({
          id: operation.operationId,
          name: operation.summary,
          page: renderer.operation(path, method, operation),
        })),
    })),
    {
      title: 'Webhook events',
      lead: html`<p>Messages that Foreword sends to your webhook endpoints.</p>`,
      entries: Object.entries(webhooks).flatMap(([type, { post }]) =>
        post === undefined ? [] : [{ id: type, name: type, page: renderer.webhook(type, post) }],
      ),
    },
    {
      title: 'Objects',
      lead: html`<p>Each response has these headers where they apply.</p><dl>${Object.entries(components.headers).map(
        ([name, { description }]) =>
          html`<dt><code>${name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-')}</code></dt><dd>${prose(description)}</dd>`,
      )}</dl>`,
      entries: Object.entries(components.schemas)
        .filter(([, schema]) => hasEntry(schema))
        .map(([name, schema]) => ({ id: name, name, page: renderer.object(name, schema) })),
    },
  ];
}

/** Every operation, event and object of the OpenAPI document. Links are relative, for a proxy that adds a path. */
export function renderReference(openApi: object): Document {
  const document = openApi as OpenApi;
  const { title, version, description } = document.info;
  const sections = listSections(document);
  return assemble({
    title: 'Foreword API reference',
    head: html`<link rel="icon" href="data:,">`,
    body: html`<body>
<header><a href="../docs">Foreword</a><a href="../docs">Docs</a><a href="../openapi.json">OpenAPI</a></header>
<div class="docs">
<nav aria-label="Reference"><input id="find" type="search" placeholder="Search" aria-label="Search the reference" hidden>
<details id="list"><summary>All operations, events and objects</summary>
${sections.map(
  (section) =>
    html`<section><h2>${section.title}</h2><ul>${section.entries.map(
      ({ id, name }) => html`<li><a href="#${id}">${name}</a></li>`,
    )}</ul></section>`,
)}</details></nav>
<main>
<section id="introduction"><h1>${title}</h1><p class="path">Version ${version}</p>${paragraphs(description)}</section>
<p id="none" role="status" hidden>Nothing matches. Try fewer words.</p>
${sections.map(
  (section) => html`<section id="${slugOf(section.title)}"><h2>${section.title}</h2>${section.lead}
${section.entries.map(({ page }) => page)}</section>`,
)}
</main></div>
<script>${trusted(SCRIPT.text)}</script>
</body>`,
    styles: [TEAM_STYLE, brandStyle(null), STYLE],
    script: SCRIPT,
    policy: ["font-src 'self'", 'img-src data:', "frame-ancestors 'none'"],
  });
}
