import type { Likeness } from '@foreword/contract';

export const ConsentText = ({ text }: Pick<Likeness, 'text'>) => (
  <div className="stack-tight">
    {[text.short, ...text.paragraphs].map((paragraph) => (
      <p key={paragraph}>{paragraph}</p>
    ))}
  </div>
);
