import { useEffect, useState } from 'react';

/** Returns the value once it has not changed for `ms`. */
export function useDebounced<T>(value: T, ms: number): T {
  const [debounced, setDebounced] = useState(value);
  const isSame = JSON.stringify(debounced) === JSON.stringify(value);
  useEffect(() => {
    if (isSame) return;
    const timer = setTimeout(() => setDebounced(value), ms);
    return () => clearTimeout(timer);
  }, [isSame, value, ms]);
  return debounced;
}
