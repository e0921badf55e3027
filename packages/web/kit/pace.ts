/** The usual range of teleprompters, in words per minute. */
export const PACE = { slowest: 60, fastest: 220, usual: 150, step: 10 } as const;

/** The pace is an average, so the duration depends only on the number of words. */
export const secondsToSay = (wordCount: number, wordsPerMinute: number): number => (wordCount / wordsPerMinute) * 60;

const KEY = 'foreword.words-per-minute';

/** The pace stored on this device. Null in private windows without storage, where the server's value applies. */
export function recallPace(): number | null {
  try {
    const stored = Number(localStorage.getItem(KEY));
    return stored > 0 ? stored : null;
  } catch {
    return null;
  }
}

export function rememberPace(wordsPerMinute: number): void {
  try {
    localStorage.setItem(KEY, String(wordsPerMinute));
  } catch {}
}
