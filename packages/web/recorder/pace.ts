import { PACE } from '@foreword/contract/plain';
import { recallPace, rememberPace } from '../kit/pace.ts';
import { clampPace } from './script.ts';

/** The thumb taps several times in a row; only where it stops is worth a request. */
const SETTLED_MS = 800;

export const firstPace = (fromServer: number | null): number => clampPace(recallPace() ?? fromServer ?? PACE.usual);

/** Remembered here at once, and for the member's other devices soon. A request that fails is not worth a word. */
export function createPaceKeeper(api: string): (wordsPerMinute: number) => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return (wordsPerMinute) => {
    rememberPace(wordsPerMinute);
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
