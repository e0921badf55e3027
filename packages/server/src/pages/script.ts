import { createHash } from 'node:crypto';

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
  video.play().catch((error) => { if (error.name !== 'AbortError') fail(); });
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
 * background tab. Watching counts the parts actually played, so skipping to the end does not count.
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
