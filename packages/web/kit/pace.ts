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
