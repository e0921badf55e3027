import { SCRIPT_MAX_LENGTH } from '@foreword/contract/plain';
import { useEffect, useRef, useState } from 'preact/hooks';
import { CAPTIONS, COUNTDOWN } from '#recorder-texts';
import { Button } from './button.tsx';

interface CaptionsProps {
  script: string | null;
  language: string;
  /** The words of the captions; empty: none. */
  captions: string;
  onChange(captions: string): void;
}

/** The words of the captions. They are off unless the voice fits the script, or the member types what they said. */
export function Captions({ script, language, captions, onChange }: CaptionsProps) {
  const [draft, setDraft] = useState<string | null>(null);
  const part = useRef<HTMLFieldSetElement>(null);
  const isOpen = draft !== null;
  const wasOpen = useRef(isOpen);
  // The pressed button disappears.
  const moveFocus = () => part.current?.querySelector<HTMLElement>('textarea, [data-edit]')?.focus();
  useEffect(() => {
    if (wasOpen.current !== isOpen) moveFocus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  const change = (text: string) => {
    moveFocus();
    setDraft(null);
    onChange(text.trim());
  };
  if (draft !== null) {
    return (
      <fieldset class="words" ref={part}>
        <label for="captions">{CAPTIONS.label}</label>
        <textarea
          id="captions"
          rows={3}
          lang={language}
          maxLength={SCRIPT_MAX_LENGTH}
          value={draft}
          onInput={({ currentTarget }) => setDraft(currentTarget.value)}
        />
        <div class="links">
          <Button kind="plain" label={COUNTDOWN.cancel} onClick={() => setDraft(null)} />
          <Button kind="plain" label={CAPTIONS.save} onClick={() => change(draft)} />
        </div>
      </fieldset>
    );
  }
  const isOff = captions === '';
  return (
    <fieldset class="row" ref={part}>
      <legend class="sr">{CAPTIONS.title}</legend>
      <p role="status">
        {isOff ? CAPTIONS.off : captions === script ? CAPTIONS.script : CAPTIONS.own}
        {isOff && script !== null && <em>{CAPTIONS.unfit}</em>}
      </p>
      <div class="links">
        {isOff && script !== null && <Button kind="plain" label={CAPTIONS.useScript} onClick={() => change(script)} />}
        <Button
          kind="plain"
          label={CAPTIONS.edit}
          data-edit
          onClick={() => setDraft(isOff ? (script ?? '') : captions)}
        />
        {!isOff && <Button kind="plain" label={CAPTIONS.turnOff} onClick={() => change('')} />}
      </div>
    </fieldset>
  );
}
