import type { Language } from '@foreword/contract';
import type { Row } from '../db/tenancy.ts';

type Templates = Pick<Row<'touchpoints'>, 'script' | 'script_es' | 'page_title' | 'page_title_es'>;
type TextMessages = Pick<Row<'touchpoints'>, 'text_message' | 'text_message_es'>;

/** The templates of an intro. Title and text are in the recipient's language, because the page around the title is. */
export interface IntroTemplates {
  readonly script: string;
  readonly scriptLanguage: Language;
  /** Null: the page's own title. */
  readonly pageTitle: string | null;
}

/** Without a script in the recipient's language, the member reads the English one. */
export function templatesIn(language: Language, touchpoint: Templates): IntroTemplates {
  const { script, script_es, page_title, page_title_es } = touchpoint;
  if (language === 'en') return { script, scriptLanguage: 'en', pageTitle: page_title };
  return { script: script_es ?? script, scriptLanguage: script_es === null ? 'en' : 'es', pageTitle: page_title_es };
}

/** Null: the default text of the language. */
export const textMessageIn = (language: Language, touchpoint: TextMessages): string | null =>
  language === 'en' ? touchpoint.text_message : touchpoint.text_message_es;
