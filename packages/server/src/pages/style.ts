import { brandColors, type Shades } from '../organizations/index.ts';
import { inline } from './script.ts';

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
.face{flex:none;display:grid;place-items:center;width:56px;height:56px;border-radius:50%;object-fit:cover;background:var(--accent);box-shadow:inset 0 0 0 1px var(--edge);color:var(--on-accent);font-weight:600;letter-spacing:.02em;overflow:hidden}
.card{padding:18px 20px;border:1px solid var(--line);border-radius:14px;background:var(--surface)}
.meet h2,.check h2,.reply h2{font-size:.875rem;font-weight:600;color:var(--soft)}
.meet .time{margin-top:2px;font-size:1.125rem;font-weight:600;line-height:1.35;text-wrap:balance}
.meet .zone{color:var(--soft);font-size:.95rem}
.meet{padding-bottom:6px}
.meet .add{display:flex;flex-wrap:wrap;align-items:center;column-gap:22px;margin-top:14px;padding-top:4px;border-top:1px solid var(--line);font-size:.95rem}
.add span{display:flex;flex:1 0 100%;align-items:center;gap:8px;padding-top:10px;color:var(--soft)}
.add a{display:inline-flex;align-items:center;min-height:48px;font-weight:600}
.reach,.replies{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,9.5rem),1fr));gap:12px}
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
.check dl{display:grid;grid-template-columns:auto 1fr;gap:8px 18px}
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
@media(prefers-reduced-motion:no-preference){html{scroll-behavior:smooth}}
@media(prefers-reduced-motion:reduce){*{transition:none!important}}
@media print{.play,.reach,.add,.check,.reply{display:none}}
`;

const CLOSED = `
.page{display:flex;flex-direction:column;width:min(100%,34rem);min-height:100svh;margin:auto;padding:20px max(24px,env(safe-area-inset-right)) 24px max(24px,env(safe-area-inset-left))}
main{flex:1;display:flex;flex-direction:column;justify-content:center;gap:16px;padding:32px 0 20vh}
main::before{content:"";width:44px;height:4px;border-radius:2px;background:var(--edge)}
p{color:var(--soft);font-size:1.125rem}
.button{margin-top:12px}
@media(min-width:30rem){.button{align-self:flex-start}}
`;

const CARD = `
.number{margin-top:-8px;font-size:1rem}
.number a{display:inline-flex;align-items:center;min-height:48px;font-weight:600}
footer{color:var(--soft);font-size:.875rem}
footer button{min-height:48px;padding:0;border:0;background:none;color:inherit;font:inherit;text-align:left;text-decoration:underline;text-underline-offset:3px;cursor:pointer}
`;

export const PAGE_STYLE = inline(minify(BASE + PAGE));
export const CLOSED_STYLE = inline(minify(BASE + CLOSED));
export const CARD_STYLE = inline(minify(BASE + CLOSED + CARD));

const variables = ({ accent, edge, onAccent, accentText }: Shades): string =>
  `--accent:${accent};--edge:${edge};--on-accent:${onAccent};--accent-text:${accentText}`;

/** The brand's colors, plus other variables in `more`. */
export function brandStyle(accent: string | null, more = '') {
  const { light, dark } = brandColors(accent);
  return inline(`:root{${variables(light)}${more}}@media(prefers-color-scheme:dark){:root{${variables(dark)}}}`);
}
