import type { BrandPreview, BrandShades } from '@foreword/contract';
import { fieldProblem } from '../../failure.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Field } from '../../parts/field.tsx';
import { Input } from '../../parts/input.tsx';
import { BRAND } from '../../texts/brand.ts';
import { emptyAsNull } from './draft.ts';
import type { FieldsProps } from './fields.tsx';

/** The default accent color, which the picker shows while none is chosen. */
const DEFAULT_COLOR = '#2c6652';

const isColor = (text: string | null): text is string => text !== null && /^#[0-9a-f]{6}$/i.test(text);

/** Accepts a color without the leading #. */
const parseColor = (text: string): string | null =>
  emptyAsNull(/^[0-9a-f]{6}$/i.test(text.trim()) ? `#${text.trim()}` : text.trim());

function Swatch({ shades, title, scheme }: { shades: BrandShades; title: string; scheme: 'light' | 'dark' }) {
  const { accent, edge, on_accent, accent_text, button_differs, text_differs, contrast } = shades;
  return (
    <div className="brand-swatch">
      <h3>{title}</h3>
      <div className={`brand-ground brand-ground-${scheme}`} aria-hidden="true">
        <span className="brand-sample" style={{ background: accent, borderColor: edge, color: on_accent }}>
          {BRAND.sampleButton}
        </span>
        <span className="brand-sample-link" style={{ color: accent_text }}>
          {BRAND.sampleLink}
        </span>
      </div>
      <ul className="brand-remarks">
        {!button_differs && !text_differs && <li>{BRAND.asChosen}</li>}
        {button_differs && <li>{BRAND.buttonDiffers(accent)}</li>}
        {text_differs && <li>{BRAND.textDiffers(accent_text)}</li>}
        <li>{BRAND.contrast(contrast)}</li>
      </ul>
    </div>
  );
}

export function ColorCard({ draft, change, problem, preview }: FieldsProps & { preview: BrandPreview | undefined }) {
  const { accent } = draft;
  return (
    <Card title={BRAND.color} lead={BRAND.colorLead}>
      <Field label={BRAND.accent} hint={BRAND.accentHint} error={fieldProblem(problem, 'accent')} optional>
        <div className="brand-color">
          <input
            type="color"
            className="brand-picker"
            aria-label={BRAND.pickColor}
            value={isColor(accent) ? accent.toLowerCase() : DEFAULT_COLOR}
            onChange={(event) => change({ accent: event.currentTarget.value })}
          />
          <Input
            value={accent ?? ''}
            onChange={(text) => change({ accent: parseColor(text) })}
            placeholder={DEFAULT_COLOR}
            spellCheck={false}
            maxLength={9}
          />
          {accent !== null && (
            <Button kind="plain" onClick={() => change({ accent: null })}>
              {BRAND.defaultColor}
            </Button>
          )}
        </div>
      </Field>
      {preview !== undefined && (
        <div className="brand-swatches" aria-live="polite">
          <Swatch shades={preview.light} title={BRAND.onLight} scheme="light" />
          <Swatch shades={preview.dark} title={BRAND.onDark} scheme="dark" />
        </div>
      )}
    </Card>
  );
}
