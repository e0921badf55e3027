/** The moments at which a try is likely to succeed: the signal is back, or the member is. Returns how to stop listening. */
export function onComeback(listener: () => void): () => void {
  const tell = (): void => {
    if (document.visibilityState === 'visible') listener();
  };
  document.addEventListener('visibilitychange', tell);
  // A page that comes out of the browser's store of visited pages has not always changed its visibility.
  window.addEventListener('pageshow', tell);
  window.addEventListener('online', tell);
  return () => {
    document.removeEventListener('visibilitychange', tell);
    window.removeEventListener('pageshow', tell);
    window.removeEventListener('online', tell);
  };
}
