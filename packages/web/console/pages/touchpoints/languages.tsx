import type { TouchpointContent } from '@foreword/contract';
import type { Language } from '@foreword/contract/plain';
import { LANGUAGES } from '@foreword/contract/plain';
import { Button } from '../../parts/button.tsx';
import { Segmented } from '../../parts/choices.tsx';
import { Notice } from '../../parts/notice.tsx';
import { LANGUAGE_NAMES } from '../../texts/common.ts';
import { TOUCHPOINT } from '../../texts/touchpoints.ts';

/** The fields that have a version in each language. */
export const FIELDS_IN = {
  en: { script: 'script', page_title: 'page_title', text_message: 'text_message', action_label: 'action_label' },
  es: {
    script: 'script_es',
    page_title: 'page_title_es',
    text_message: 'text_message_es',
    action_label: 'action_label_es',
  },
} as const satisfies Record<Language, Record<string, keyof TouchpointContent>>;

/** The texts for recipients with this language. Without a Spanish script, they are English. */
export function contentIn(language: Language, content: TouchpointContent) {
  const { script_es, page_title_es, text_message_es } = content;
  return language === 'es' && script_es !== null
    ? ({ language, script: script_es, page_title: page_title_es, text_message: text_message_es } as const)
    : ({ ...content, language: 'en' } as const);
}

/** The label of the button on pages in a language. */
export const shownLabel = (
  language: Language,
  { action_label, action_label_es }: Pick<TouchpointContent, 'action_label' | 'action_label_es'>,
): string | null => (language === 'es' ? (action_label_es ?? action_label) : action_label);

interface SwitchProps {
  language: Language;
  onChange: (language: Language) => void;
}

export const LanguageSwitch = ({ language, onChange }: SwitchProps) => (
  <div className="editor-language">
    <Segmented
      label={TOUCHPOINT.language}
      value={language}
      onChange={onChange}
      options={LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))}
    />
    <p>{TOUCHPOINT.languageHint}</p>
  </div>
);

interface MissingProps {
  text: string;
  action: string;
  onAdd: () => void;
}

/** In place of a field that has no version in the language. */
export const Missing = ({ text, action, onAdd }: MissingProps) => (
  <Notice
    action={
      <Button kind="quiet" small onClick={onAdd}>
        {action}
      </Button>
    }
  >
    {text}
  </Notice>
);

export const RemoveVersion = ({ label, onRemove }: { label: string; onRemove: () => void }) => (
  <div>
    <Button kind="quiet" small onClick={onRemove}>
      {label}
    </Button>
  </div>
);
