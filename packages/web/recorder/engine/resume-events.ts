/** Calls back when a retry is likely to succeed: the signal or the member is back. Returns a function that stops listening. */
export function onResume(listener: () => void): () => void {
  const notify = (): void => {
    if (document.visibilityState === 'visible') listener();
  };
  document.addEventListener('visibilitychange', notify);
  // A page restored from the back/forward cache does not always report a visibility change.
  window.addEventListener('pageshow', notify);
  window.addEventListener('online', notify);
  return () => {
    document.removeEventListener('visibilitychange', notify);
    window.removeEventListener('pageshow', notify);
    window.removeEventListener('online', notify);
  };
}
