import { useEffect, useState } from 'preact/hooks';
import { COUNTDOWN } from '#recorder-texts';

const FROM = 3;

interface CountdownProps {
  onEnd(): void;
  onCancel(): void;
}

export function Countdown({ onEnd, onCancel }: CountdownProps) {
  const [left, setLeft] = useState(FROM);
  useEffect(() => {
    const timer = setTimeout(() => (left > 1 ? setLeft(left - 1) : onEnd()), 1000);
    return () => clearTimeout(timer);
  }, [left, onEnd]);
  useEffect(() => {
    const leave = (event: KeyboardEvent) => {
      if (event.key === 'Escape') onCancel();
    };
    const hide = () => {
      if (document.visibilityState === 'hidden') onCancel();
    };
    window.addEventListener('keydown', leave);
    document.addEventListener('visibilitychange', hide);
    return () => {
      window.removeEventListener('keydown', leave);
      document.removeEventListener('visibilitychange', hide);
    };
  }, [onCancel]);
  return (
    <>
      <p class="countdown" key={left} aria-hidden="true">
        {left}
      </p>
      <p class="sr" role="alert">
        {left === FROM ? COUNTDOWN.begins(left) : String(left)}
      </p>
    </>
  );
}
