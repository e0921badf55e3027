import { clampPace, PACE } from './script.ts';

const KEY = 'foreword.words-per-minute';
/** The thumb taps several times in a row; only where it stops is worth a request. */
const SETTLED_MS = 800;

/** Private windows may refuse to remember: then the server's answer is all there is. */
function recall(): number | null {
  try {
    const stored = Number(localStorage.getItem(KEY));
    return stored > 0 ? stored : null;
  } catch {
    return null;
  }
}

function remember(wordsPerMinute: number): void {
  try {
    localStorage.setItem(KEY, String(wordsPerMinute));
  } catch {}
}

export const firstPace = (fromServer: number | null): number => clampPace(recall() ?? fromServer ?? PACE.usual);

/** Remembered here at once, and for the member's other devices soon. A request that fails is not worth a word. */
export function createPaceKeeper(api: string): (wordsPerMinute: number) => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return (wordsPerMinute) => {
    remember(wordsPerMinute);
    clearTimeout(timer);
    timer = setTimeout(() => {
      fetch(`${api}/pace`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ words_per_minute: wordsPerMinute }),
        keepalive: true,
      }).catch(() => {});
    }, SETTLED_MS);
  };
}
