/** What teleprompters offer, in words a minute. */
export const PACE = { slowest: 60, fastest: 220, usual: 150, step: 10 } as const;

/** Each word goes in full: the pace is an average, so the length follows from the count alone. */
export const secondsToSay = (wordCount: number, wordsPerMinute: number): number => (wordCount / wordsPerMinute) * 60;

const KEY = 'foreword.words-per-minute';

/** On this device. Private windows may refuse to remember: then the server's answer is all there is. */
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
