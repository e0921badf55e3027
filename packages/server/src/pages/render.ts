import { DEFAULT_LANGUAGE, type Language } from '@foreword/contract';
import { type Html, html, trusted } from '../platform/html.ts';
import type { Inline } from './script.ts';
import type { Document, PageView } from './view.ts';

interface Parts {
  readonly language?: Language;
  readonly title: string;
  readonly head: Html;
  readonly body: Html;
  readonly styles: readonly Inline[];
  readonly script: Inline | null;
  /** Directives in addition to those for the inline parts. */
  readonly policy: readonly string[];
}

/** Relative to the host, so that links work behind a proxy, on another port and in a preview. */
export const pathOf = ({ url }: PageView): string => new URL(url).pathname;

export function renderBrand(view: PageView): Html {
  const { logo, name } = view.organization;
  if (logo === null) return html`<bdi>${name}</bdi>`;
  return html`<img src="${pathOf(view)}/logo.png" alt="${name}" width="180" height="40">`;
}

const hashes = (parts: readonly Inline[]): string => parts.map(({ hash }) => hash).join(' ');

/** Assembles a document whose policy allows only its own inline styles and script to run. */
export function assemble({ language = DEFAULT_LANGUAGE, title, head, body, styles, script, policy }: Parts): Document {
  const page = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1,viewport-fit=cover">
<title>${title}</title>
<meta name="robots" content="noindex">
${head}
${styles.map(({ text }) => html`<style>${trusted(text)}</style>`)}
</head>
${body}
</html>
`;
  const directives = [
    "default-src 'none'",
    `style-src ${hashes(styles)}`,
    ...(script === null ? [] : [`script-src ${script.hash}`]),
    ...policy,
    "base-uri 'none'",
    // For the opt-out form.
    "form-action 'self'",
  ];
  return { html: page.text, policy: directives.join('; ') };
}
