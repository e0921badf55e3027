import { createHash } from 'node:crypto';
import { DEFAULT_LANGUAGE, type Language } from '@foreword/contract';
import { brandColors, type Shades } from '../organizations/index.ts';
import { type Html, html, trusted } from '../platform/html.ts';
import { textsIn } from './texts/index.ts';
import { type Brand, type Document, initials, type PageView } from './view.ts';

/**
 * The player's inline script: one large button until the first tap, native controls afterwards and without JavaScript. The
 * video's metadata loads only after the page.
 */
const PLAYER = `
const video = document.querySelector('video'), [play, again, note, reply] = ['play', 'again', 'note', 'reply'].map((id) => document.getElementById(id));
const showButton = () => { play.hidden = false; video.controls = false; };
const showControls = () => { play.hidden = again.hidden = true; video.controls = true; };
let wanted = false;
const fail = () => { if (wanted) { showButton(); note.hidden = false; } };
showButton();
const start = () => {
  wanted = true;
  if (video.error) video.load();
  note.hidden = true;
  showControls();
  video.focus();
  video.play().catch(() => {});
};
play.addEventListener('click', start);
again.addEventListener('click', start);
video.addEventListener('ended', () => {
  if (document.fullscreenElement) document.exitFullscreen();
  if (video.webkitDisplayingFullscreen) video.webkitExitFullscreen();
  again.hidden = false;
  video.controls = false;
  if (document.activeElement === video) again.focus({ preventScroll: true });
  reply.scrollIntoView({ block: 'nearest' });
});
video.addEventListener('play', showControls);
video.addEventListener('error', fail);
addEventListener('load', () => setTimeout(() => { if (video.preload === 'none') video.preload = 'metadata'; }, 1));
`;

/**
 * The beacon. A page counts as opened once it was visible for a second or touched, not when it was prerendered or in a
 * background tab. Watching counts the parts actually played, so skipping to the end does not count. Each kind of tap counts once.
 */
const BEACON = `
const seen = document.body.dataset.seen, sent = new Set();
const send = (body, tries) => fetch(seen, { method: 'POST', keepalive: true, credentials: 'omit', headers: { 'content-type': 'application/json' }, body })
  .then(({ status }) => { if (status >= 500) throw status; })
  .catch(() => { if (tries) setTimeout(send, 3000, body, tries - 1); });
const report = (event) => { const body = JSON.stringify(event); if (!sent.has(body)) { sent.add(body); send(body, 5); } };
const visible = () => document.visibilityState === 'visible' && !document.prerendering;
const opened = () => { if (visible()) report({ what: 'opened' }); };
let timer;
const wait = () => { clearTimeout(timer); if (visible()) timer = setTimeout(opened, 1000); };
document.addEventListener('visibilitychange', wait);
document.addEventListener('prerenderingchange', wait);
addEventListener('pointerdown', opened);
addEventListener('keydown', opened);
wait();
const watch = () => {
  let played = 0;
  for (let i = 0; i < video.played.length; i++) played += video.played.end(i) - video.played.start(i);
  const share = played / video.duration;
  for (const percent of [25, 50, 75]) if (share >= percent / 100) report({ what: 'watched', percent });
  if (share >= 0.99 || (video.ended && share >= 0.95)) report({ what: 'watched', percent: 100 });
};
video.addEventListener('timeupdate', watch);
video.addEventListener('ended', watch);
addEventListener('click', ({ target }) => {
  const type = target.closest('[data-click]')?.dataset.click;
  if (type) report({ what: 'clicked', type });
});
`;

export interface Inline {
  readonly text: string;
  /** For a content security policy. */
  readonly hash: string;
}

export const inline = (text: string): Inline => ({
  text,
  hash: `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
});

const module = (text: string): Inline => inline(`{${text.replaceAll(/\n +/g, '\n')}}`);

export const PAGE_SCRIPT = module(PLAYER + BEACON);
/** Without the beacon: viewing a preview does not count. */
export const PREVIEW_SCRIPT = module(PLAYER);

/** Links in a sample do nothing, because following one would replace the sample. */
const IGNORE_LINKS = `
addEventListener('click', (event) => { if (event.target.closest('a')) event.preventDefault(); });
`;
export const SAMPLE_SCRIPT = module(PLAYER + IGNORE_LINKS);

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

/** Plain forms, so that they work without JavaScript. */
export const renderUndo = (view: PageView, look: 'button' | 'link'): Html =>
  html`<form method="post" action="${pathOf(view)}/undo-opt-out"><button class="${look}">${textsIn(view.language).undo}</button></form>`;

/** In the footer: stops texts or, once they are stopped, says so. */
export function renderTexts(view: PageView): Html {
  const { optOut, stopped, restart } = textsIn(view.language);
  const { name } = view.organization;
  if (view.optOut === null) {
    return html`<form method="post" action="${pathOf(view)}/opt-out"><button>${optOut(name)}</button></form>`;
  }
  return view.optOut.canUndo
    ? html`<p>${stopped(name)}</p>${renderUndo(view, 'link')}`
    : html`<p>${stopped(name)} ${restart}</p>`;
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

const minify = (css: string): string =>
  css.replaceAll(/\s*\n\s*/g, '').replaceAll(/\s*([{}:;,>])\s+|\s+([{}>])/g, '$1$2');

const BASE = `
:root{color-scheme:light dark;--paper:#faf8f4;--surface:#fff;--ink:#1d1b18;--soft:#625d55;--line:#e5e0d6}
@media(prefers-color-scheme:dark){:root{--paper:#151412;--surface:#1f1d1a;--ink:#f4f1ea;--soft:#aea89d;--line:#37332d}}
*,::before,::after{box-sizing:border-box;margin:0}
[hidden]{display:none!important}
html{-webkit-text-size-adjust:100%}
body{background:var(--paper);color:var(--ink);font:400 1.0625rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:anywhere}
h1{font:500 clamp(1.6rem,6vw,2.4rem)/1.18 ui-serif,"New York",Georgia,"Times New Roman",serif;letter-spacing:-.01em;text-wrap:balance}
a{color:var(--accent-text)}
:focus-visible{outline:3px solid var(--edge);outline-offset:3px}
svg{display:block;width:22px;height:22px;flex:none;fill:none;stroke:currentColor;stroke-width:1.75;stroke-linecap:round;stroke-linejoin:round}
.brand{display:flex;align-items:center;min-height:40px;font-weight:600;letter-spacing:.01em}
.brand img{display:block;width:180px;height:40px;object-fit:contain;object-position:left}
.button{display:flex;align-items:center;justify-content:center;gap:10px;min-height:52px;padding:12px 22px;border:1px solid var(--line);border-radius:26px;background:var(--surface);color:var(--ink);font-weight:600;line-height:1.25;text-align:center;text-decoration:none}
.button.full{background:var(--accent);border-color:var(--edge);color:var(--on-accent)}
button.button{width:100%;font:inherit;font-weight:600;line-height:1.25;cursor:pointer}
.button svg{color:var(--accent-text)}
.button.full svg{color:inherit}
@media(prefers-color-scheme:dark){.brand img{width:auto;max-width:200px;height:48px;padding:6px 10px;border-radius:10px;background:#fff}}
`;

// The video is a pixel larger than its visible area, because a fractional width would leave a dark line at its edge.
const PAGE = `
.page{display:flow-root;width:min(100%,72rem);min-height:100svh;margin:auto;padding:16px max(20px,env(safe-area-inset-right)) 24px max(20px,env(safe-area-inset-left))}
.lead{margin:14px 0 18px}
.for{color:var(--soft);font-size:.95rem}
.player{position:relative;width:min(100%,var(--fit)*66svh);min-width:min(100%,220px);margin:auto;aspect-ratio:var(--fit);border-radius:14px;overflow:hidden;background:#0d0c0b}
video{display:block;width:calc(100% + 1px);height:calc(100% + 1px);object-fit:cover}
.play{position:absolute;inset:0;width:100%;border:0;padding:0;background:none;color:var(--on-accent);font:inherit;cursor:pointer;-webkit-tap-highlight-color:transparent}
.play:focus-visible{outline-offset:-6px;border-radius:14px}
.disc{position:absolute;top:var(--disc);left:50%;display:grid;place-items:center;width:88px;height:88px;margin:-44px;border-radius:50%;background:var(--accent);box-shadow:0 0 0 1.5px #fffc,0 2px 12px #0003;transition:transform .15s}
.play:active .disc{transform:scale(.95)}
.disc svg{width:36px;height:36px;margin-left:5px;fill:currentColor}
.length{position:absolute;right:12px;bottom:12px;padding:2px 10px;border-radius:12px;background:#000a;color:#fff;font-size:.875rem;font-variant-numeric:tabular-nums}
.again{background:#0009}
.again .disc{top:50%}
.again .disc svg{margin:0;fill:none}
.again .length{right:auto;bottom:auto;top:calc(50% + 56px);left:50%;transform:translateX(-50%);font-size:1rem;font-weight:600}
.note{margin:12px 0 0;padding:12px 16px;border-radius:14px;background:var(--surface);border:1px solid var(--line)}
.rest{display:grid;gap:20px;margin-top:20px}
.who{display:flex;align-items:center;gap:14px}
.who strong{display:block;font-size:1.15rem;line-height:1.3}
.who p span{color:var(--soft)}
.face{flex:none;display:grid;place-items:center;width:3.5rem;height:3.5rem;border-radius:50%;object-fit:cover;background:var(--accent);box-shadow:inset 0 0 0 1px var(--edge);color:var(--on-accent);font-weight:600;letter-spacing:.02em;overflow:hidden}
.card{padding:18px 20px;border:1px solid var(--line);border-radius:14px;background:var(--surface)}
.meet h2,.check h2,.reply h2{font-size:.875rem;font-weight:600;color:var(--soft)}
.meet .time{margin-top:2px;font-size:1.125rem;font-weight:600;line-height:1.35;text-wrap:balance}
.meet .zone{color:var(--soft);font-size:.95rem}
.meet{padding-bottom:6px}
.meet .add{display:flex;flex-wrap:wrap;align-items:center;column-gap:22px;margin-top:14px;padding-top:4px;border-top:1px solid var(--line);font-size:.95rem}
.add span{display:flex;flex:1 0 100%;align-items:center;gap:8px;padding-top:10px;color:var(--soft)}
.add a{display:inline-flex;align-items:center;min-height:48px;font-weight:600}
.reach,.replies{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,9.5rem),1fr));gap:12px}
.reach .button{flex-wrap:wrap;gap:0 10px;padding-inline:14px}
.reach .number{display:none;font-weight:400;font-size:.95rem;white-space:nowrap}
.reply{scroll-margin:16px}
.replies{margin-top:12px}
.ask{margin-top:12px}
.ask summary{justify-content:center;min-height:52px;padding:12px 22px}
.ask form{display:grid;gap:10px;margin-top:16px}
.ask label{font-weight:600}
textarea{width:100%;padding:12px 14px;border:1px solid var(--soft);border-radius:14px;background:var(--paper);color:inherit;font:inherit;resize:vertical}
.done{display:flex;gap:12px}
.done svg{color:var(--accent-text)}
.done strong{display:block}
.change>summary{padding:12px 0 0;min-height:48px;font-size:.95rem}
.change>div{padding-top:4px}
summary{display:flex;align-items:center;gap:12px;min-height:56px;padding:12px 20px;font-weight:600;cursor:pointer;list-style:none}
summary::-webkit-details-marker{display:none}
summary svg{color:var(--accent-text)}
summary .chevron{width:18px;height:18px;margin-left:auto;color:var(--soft);transition:transform .15s}
[open] .chevron{transform:rotate(180deg)}
.check{padding:0}
.check .inside{display:grid;gap:14px;padding:0 20px 20px}
.check dl{display:grid;grid-template-columns:fit-content(40%) 1fr;gap:8px 18px}
.check dt{color:var(--soft)}
.check dd a{display:inline-block;padding:12px 0;margin:-12px 0;font-weight:600}
footer{margin-top:32px;color:var(--soft);font-size:.875rem}
footer button{min-height:48px;padding:0;border:0;background:none;color:inherit;font:inherit;text-align:left;text-decoration:underline;text-underline-offset:3px;cursor:pointer}
@media(min-width:56rem){
.page{display:flex;flex-direction:column;width:fit-content;max-width:76rem;padding:28px 48px}
main{flex:1;display:grid;grid-template-columns:auto minmax(0,30rem);grid-template-rows:auto 1fr;column-gap:72px;padding:28px 0}
.video{grid-row:1/3}
.player{width:calc(var(--fit)*76svh);min-width:300px;max-width:min(46vw,34rem)}
.lead{margin:20px 0 0}
.rest{align-content:start;margin-top:28px}
.add span{flex:none;padding:0}
}
@media(hover:hover) and (pointer:fine){.reach .number{display:inline}}
@media(prefers-reduced-motion:no-preference){html{scroll-behavior:smooth}}
@media(prefers-reduced-motion:reduce){*{transition:none!important}}
@media print{
.play,.save,.action,.meet .add,.check,.reply,.reach svg,.reach .button:not(:has(.number)),footer form{display:none}
.reach .button{justify-content:start;min-height:0;padding:0;border:0;background:none}
.reach .number{display:inline}
.meet{padding-bottom:18px}
.player{width:12rem;min-width:0;margin:0}
}
`;

const CLOSED = `
.page{display:flex;flex-direction:column;width:min(100%,34rem);min-height:100svh;margin:auto;padding:20px max(24px,env(safe-area-inset-right)) 24px max(24px,env(safe-area-inset-left))}
main{flex:1;display:flex;flex-direction:column;justify-content:center;gap:16px;padding:32px 0 20vh}
main::before{content:"";width:44px;height:4px;border-radius:2px;background:var(--edge)}
p{color:var(--soft);font-size:1.125rem}
.button{margin-top:12px}
:is(.button,form)+.button{margin-top:0}
@media(min-width:30rem){.button{align-self:flex-start}}
`;

const CARD = `
.number{margin-top:-8px;font-size:1rem}
.number a{display:inline-flex;align-items:center;min-height:48px;font-weight:600}
footer{color:var(--soft);font-size:.875rem}
footer button{min-height:48px;padding:0;border:0;background:none;color:inherit;font:inherit;text-align:left;text-decoration:underline;text-underline-offset:3px;cursor:pointer}
`;

/** The console's look, for pages that members, developers and visitors without a recipient's link see. */
const TEAM = `
@font-face{font-family:Figtree;font-weight:400 700;font-display:swap;src:url(/assets/figtree.woff2) format("woff2")}
body,h1{font-family:Figtree,system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
h1{font-weight:600;font-size:clamp(1.5rem,6vw,1.75rem);letter-spacing:-.015em}
`;

const TEAM_CARD = `
.page{width:min(100%,30rem)}
main{padding-bottom:16vh}
main::before{content:none}
p{font-size:1.0625rem}
p a{display:inline-flex;align-items:center;min-height:44px}
form{display:grid;gap:14px;margin-top:8px}
label{font-weight:600}
input{width:100%;min-height:52px;padding:12px 16px;border:1px solid var(--soft);border-radius:14px;background:var(--surface);color:var(--ink);font:inherit}
.bad{color:#a82a1e;font-weight:600}
.or{display:flex;align-items:center;gap:14px;font-size:1rem}
.or::before,.or::after{content:"";flex:1;border-top:1px solid var(--line)}
.or+.button{align-self:stretch;margin-top:0}
button.choice{display:block;text-align:left;line-height:1.35}
.choice b,.choice span{display:block}
.choice span{font-weight:400;color:var(--soft)}
code{display:block;margin-top:8px;font-size:.875rem;color:var(--ink);overflow-wrap:anywhere}
.notice{padding:12px 16px;border:1px solid var(--line);border-radius:14px;background:var(--surface)}
@media(prefers-color-scheme:dark){.bad{color:#ff8f82}}
`;

export const PAGE_STYLE = inline(minify(BASE + PAGE));
export const TEAM_STYLE = inline(minify(BASE + TEAM));
const TEAM_CARD_STYLE = inline(minify(BASE + CLOSED + TEAM + TEAM_CARD));
export const CLOSED_STYLE = inline(minify(BASE + CLOSED));
export const CARD_STYLE = inline(minify(BASE + CLOSED + CARD));

const variables = ({ accent, edge, onAccent, accentText }: Shades): string =>
  `--accent:${accent};--edge:${edge};--on-accent:${onAccent};--accent-text:${accentText}`;

/** The brand's colors as CSS, plus other variables in `more`. */
export function brandRules(accent: string | null, more = ''): string {
  const { light, dark } = brandColors(accent);
  return `:root{${variables(light)}${more}}@media(prefers-color-scheme:dark){:root{${variables(dark)}}}`;
}

export const brandStyle = (accent: string | null, more = '') => inline(brandRules(accent, more));

/** A page for members and other team members outside of the console, such as signing in. */
export const renderTeamPage = (page: {
  readonly language?: Language;
  readonly title: string;
  readonly inside: Html;
  /** In the header. */
  readonly name?: string;
  readonly accent?: string | null;
}): Document =>
  assemble({
    ...(page.language !== undefined && { language: page.language }),
    title: page.name === undefined ? page.title : `${page.title} · ${page.name}`,
    // Without a referrer, the browser would also send no origin with a form, and we could not recognize our own page.
    head: html`<link rel="icon" href="data:,"><meta name="referrer" content="same-origin">`,
    body: html`<body><div class="page">${page.name !== undefined && html`<header class="brand"><bdi>${page.name}</bdi></header>`}
<main><h1>${page.title}</h1>
${page.inside}
</main></div></body>`,
    styles: [TEAM_CARD_STYLE, brandStyle(page.accent ?? null)],
    script: null,
    policy: ["font-src 'self'", 'img-src data:', "frame-ancestors 'none'"],
  });

const draw = (shapes: string, name = '') =>
  trusted(`<svg viewBox="0 0 24 24" aria-hidden="true"${name === '' ? '' : ` class="${name}"`}>${shapes}</svg>`);

export const ICONS = {
  play: draw('<path d="M7 4.5v15l12-7.5z"/>'),
  calendar: draw('<rect x="3.5" y="5" width="17" height="15.5" rx="2.5"/><path d="M3.5 10h17M8 2.8V7M16 2.8V7"/>'),
  phone: draw(
    '<path d="M5 3.5h3.2l1.6 4.3-2.1 1.6a12 12 0 0 0 6.9 6.9l1.6-2.1 4.3 1.6V19a1.6 1.6 0 0 1-1.7 1.6A16.6 16.6 0 0 1 3.4 5.2 1.6 1.6 0 0 1 5 3.5z"/>',
  ),
  message: draw(
    '<path d="M4.5 4.5h15a1.5 1.5 0 0 1 1.5 1.5v9.5a1.5 1.5 0 0 1-1.5 1.5H11l-5 4v-4H4.5A1.5 1.5 0 0 1 3 15.5V6a1.5 1.5 0 0 1 1.5-1.5z"/>',
  ),
  contact: draw('<circle cx="9.5" cy="8" r="3.8"/><path d="M2.8 20a6.7 6.7 0 0 1 13.4 0M19 7.5v6M16 10.5h6"/>'),
  shield: draw(
    '<path d="M12 2.8l7.5 2.7v6c0 4.5-3.2 7.9-7.5 9.7-4.3-1.8-7.5-5.2-7.5-9.7v-6z"/><path d="M8.7 11.8l2.4 2.4 4.3-4.5"/>',
  ),
  check: draw('<path d="M4.5 12.5l5 5 10-11"/>'),
  replay: draw('<path d="M4.5 12a7.5 7.5 0 1 0 2.6-5.7"/><path d="M4.2 3.6v4h4"/>'),
  chevron: draw('<path d="M5 9l7 7 7-7"/>', 'chevron'),
} as const;

/** The brand's initial in its color, for the browser tab. */
export function renderFavicon({ name, accent }: Brand): string {
  const { light } = brandColors(accent);
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect x=".5" y=".5" width="31" height="31" rx="8" fill="${light.accent}" stroke="${light.edge}"/><text x="16" y="22.5" font-family="Georgia,serif" font-size="19" text-anchor="middle" fill="${light.onAccent}">${initials(name, '')}</text></svg>`
    .text;
}
