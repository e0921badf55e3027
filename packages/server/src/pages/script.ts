import { createHash } from 'node:crypto';

/**
 * The few lines that run on the page, as they are sent. The player's: one large button of ours until the first tap, native
 * controls afterwards and whenever there is no script. The rest of the video's head comes only once the poster is there.
 */
const PLAYER = `
const video = document.querySelector('video'), play = document.getElementById('play'), note = document.getElementById('note');
const rest = () => { play.hidden = false; video.controls = false; };
const wake = () => { play.hidden = true; video.controls = true; };
let wanted = false;
const fail = () => { if (wanted) { rest(); note.hidden = false; } };
rest();
play.addEventListener('click', () => {
  wanted = true;
  if (video.error) video.load();
  note.hidden = true;
  wake();
  video.focus();
  video.play().catch((error) => { if (error.name !== 'AbortError') fail(); });
});
video.addEventListener('play', wake);
video.addEventListener('error', fail);
addEventListener('load', () => setTimeout(() => { if (video.preload === 'none') video.preload = 'metadata'; }, 1));
`;

/**
 * The beacon. Opened: the page is really visible, for a second or until it is touched; not fetched, prerendered or in a tab
 * behind others. Watched: by the parts that were played, so that jumping to the end is not watching.
 */
const BEACON = `
const seen = document.body.dataset.seen, told = new Set();
const send = (body, tries) => fetch(seen, { method: 'POST', keepalive: true, credentials: 'omit', headers: { 'content-type': 'application/json' }, body })
  .then(({ status }) => { if (status >= 500) throw status; })
  .catch(() => { if (tries) setTimeout(send, 3000, body, tries - 1); });
const tell = (what) => { const body = JSON.stringify(what); if (!told.has(body)) { told.add(body); send(body, 5); } };
const visible = () => document.visibilityState === 'visible' && !document.prerendering;
const opened = () => { if (visible()) tell({ what: 'opened' }); };
let timer;
const look = () => { clearTimeout(timer); if (visible()) timer = setTimeout(opened, 1000); };
document.addEventListener('visibilitychange', look);
document.addEventListener('prerenderingchange', look);
addEventListener('pointerdown', opened);
addEventListener('keydown', opened);
look();
const watch = () => {
  let played = 0;
  for (let i = 0; i < video.played.length; i++) played += video.played.end(i) - video.played.start(i);
  const share = played / video.duration;
  for (const percent of [25, 50, 75]) if (share >= percent / 100) tell({ what: 'watched', percent });
  if (share >= 0.99 || (video.ended && share >= 0.95)) tell({ what: 'watched', percent: 100 });
};
video.addEventListener('timeupdate', watch);
video.addEventListener('ended', watch);
`;

export interface Inline {
  readonly text: string;
  /** As a content security policy names it. */
  readonly hash: string;
}

export const inline = (text: string): Inline => ({
  text,
  hash: `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
});

const module = (text: string): Inline => inline(`{${text.replaceAll(/\n +/g, '\n')}}`);

export const PAGE_SCRIPT = module(PLAYER + BEACON);
/** Nobody is counted who looks at a preview: what would tell of it is not there. */
export const PREVIEW_SCRIPT = module(PLAYER);

/** Where it leads is nobody's business in a sample, which would be gone by it. */
const STAY = `
addEventListener('click', (event) => { if (event.target.closest('a')) event.preventDefault(); });
`;
export const SAMPLE_SCRIPT = module(PLAYER + STAY);
