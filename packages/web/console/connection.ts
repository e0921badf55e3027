import { useSyncExternalStore } from 'react';

/** `offline`: this device has no network. `silent`: the server does not respond. */
export type Connection = 'online' | 'offline' | 'silent';

const listeners = new Set<() => void>();
let silent = false;

const read = (): Connection => {
  if (!navigator.onLine) return 'offline';
  return silent ? 'silent' : 'online';
};

const notify = (): void => {
  for (const listener of listeners) listener();
};

function setSilent(isSilent: boolean): void {
  if (silent === isSilent) return;
  silent = isSilent;
  notify();
}

export const noteResponse = (): void => setSilent(false);
export const noteNoResponse = (): void => setSilent(true);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('online', listener);
  window.addEventListener('offline', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('online', listener);
    window.removeEventListener('offline', listener);
  };
}

export const useConnection = (): Connection => useSyncExternalStore(subscribe, read);
