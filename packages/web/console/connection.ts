import { useSyncExternalStore } from 'react';

/** `offline`: this device has no network. `silent`: it has, but the server does not answer. */
export type Connection = 'fine' | 'offline' | 'silent';

const listeners = new Set<() => void>();
let silent = false;

const read = (): Connection => {
  if (!navigator.onLine) return 'offline';
  return silent ? 'silent' : 'fine';
};

const tell = (): void => {
  for (const listener of listeners) listener();
};

function change(isSilent: boolean): void {
  if (silent === isSilent) return;
  silent = isSilent;
  tell();
}

export const noteAnswer = (): void => change(false);
export const noteSilence = (): void => change(true);

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
