import { useEffect, useState } from 'react';
import { PARTS } from '../texts/common.ts';
import { Button, IconButton } from './button.tsx';
import { dismissToast, type Toast, useToasts } from './toast-store.ts';

/** Long enough to read the toast and reach its button. Failures stay until dismissed. */
const SHOWN_MS = 7_000;

function ToastCard({ toast }: { toast: Toast }) {
  const [isPaused, setPaused] = useState(false);
  const { id, kind, text, action } = toast;
  useEffect(() => {
    if (isPaused || kind === 'bad') return;
    const timer = setTimeout(() => dismissToast(id), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isPaused, id, kind]);
  const act = () => {
    dismissToast(id);
    action?.run();
  };
  return (
    <li
      className={`toast toast-${kind}`}
      onPointerEnter={() => setPaused(true)}
      onPointerLeave={() => setPaused(false)}
      onFocus={() => setPaused(true)}
      onBlur={() => setPaused(false)}
    >
      <p>{text}</p>
      {action !== undefined && (
        <Button kind="plain" small onClick={act}>
          {action.label}
        </Button>
      )}
      <IconButton icon="close" label={PARTS.dismiss} onClick={() => dismissToast(id)} />
    </li>
  );
}

/** Always rendered: screen readers announce only changes inside an existing live region. */
export const Toasts = () => (
  <div className="toasts" aria-live="polite">
    <ul>
      {useToasts().map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
    </ul>
  </div>
);
