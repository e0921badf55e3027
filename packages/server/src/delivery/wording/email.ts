import { brandColors } from '../../organizations/index.ts';
import { html } from '../../platform/html.ts';
import type { Letter, LetterToMember } from './texts.ts';

/** A letter as mail programs show it: no picture, no style sheet, nothing from another host. */
export function renderLetter(letter: Letter | LetterToMember, accent: string | null): string {
  const { accent: ground, onAccent } = brandColors(accent).light;
  const button = `display:inline-block;padding:14px 24px;border-radius:10px;background:${ground};color:${onAccent};font-weight:600;text-decoration:none`;
  const page = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${letter.subject}</title></head>
<body style="margin:0;padding:24px;background:#faf8f4;color:#151412;font:16px/1.5 system-ui,-apple-system,'Segoe UI',sans-serif">
<div style="max-width:520px;margin:0 auto">
<p>${letter.greeting}</p>
${letter.lines.map((line) => html`<p>${line}</p>`)}
${'link' in letter && html`<p style="margin:28px 0"><a href="${letter.link}" style="${button}">${letter.button}</a></p>`}
<p style="color:#5d5a54;font-size:14px">${letter.organization}</p>
</div>
</body>
</html>
`;
  return page.text;
}
