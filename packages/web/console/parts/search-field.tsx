import { useEffect, useRef, useState } from 'react';
import { PARTS } from '../texts/common.ts';
import { IconButton } from './button.tsx';
import { Icon } from './icon.tsx';

/** As long as people pause between words, so that one asks once for each. */
const PAUSE_MS = 250;

interface SearchFieldProps {
  label: string;
  placeholder?: string;
  value: string;
  /** After a pause in typing, or at once with Enter. */
  onSearch: (text: string) => void;
}

export function SearchField({ label, placeholder, value, onSearch }: SearchFieldProps) {
  const [text, setText] = useState(value);
  const told = useRef(value);
  const tell = (next: string) => {
    if (next === told.current) return;
    told.current = next;
    onSearch(next);
  };
  // The address bar changed by another hand: Back, or a link.
  useEffect(() => {
    if (value === told.current) return;
    told.current = value;
    setText(value);
  }, [value]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the pause begins with each letter, not with each drawing.
  useEffect(() => {
    const timer = setTimeout(() => tell(text.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <search className="search">
      <Icon name="search" />
      <input
        type="search"
        className="input"
        aria-label={label}
        placeholder={placeholder ?? label}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Enter' && tell(text.trim())}
      />
      {text !== '' && <IconButton icon="close" label={PARTS.searchClear} onClick={() => setText('')} />}
    </search>
  );
}
