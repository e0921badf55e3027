import { DEFAULT_REPLY_LABELS, REPLY_MESSAGE_MAX_LENGTH, type ReplyType } from '@foreword/contract';
import { type Html, html } from '../platform/html.ts';
import { ICONS } from './icons.ts';
import { textsIn } from './texts/index.ts';
import type { PageView } from './view.ts';

/** The organization's own labels are in its language. `insertReply` applies the same rule. */
const labelOf = ({ organization, language }: PageView, type: ReplyType): string =>
  (organization.language === language ? organization[`reply_${type}`] : null) ?? DEFAULT_REPLY_LABELS[language][type];

/** Plain forms, so that replies work without JavaScript. In a preview, the buttons do nothing. */
function renderForms(view: PageView, isPreview: boolean): Html {
  const texts = textsIn(view.language);
  const action = `${new URL(view.url).pathname}/reply`;
  const type = isPreview ? 'button' : 'submit';
  const oneTap: readonly ReplyType[] = view.appointment === null ? ['thanks'] : ['confirm', 'reschedule'];
  return html`<form class="replies" method="post" action="${action}">${oneTap.map(
    (reply) =>
      html`<button class="button" type="${type}" name="reply" value="${reply}"><bdi>${labelOf(view, reply)}</bdi></button>`,
  )}</form>
<details class="ask">
<summary class="button"><bdi>${labelOf(view, 'question')}</bdi></summary>
<form method="post" action="${action}"><input type="hidden" name="reply" value="question"><label for="message">${texts.yourQuestion(view.member.firstName)}</label>
<textarea id="message" name="message" rows="3" maxlength="${REPLY_MESSAGE_MAX_LENGTH}" required></textarea>
<button class="button full" type="${type}">${texts.sendQuestion}</button></form>
</details>`;
}

/** The reply buttons or, after a reply, what was sent and a way to change it. */
export function renderReplies(view: PageView, { preview }: { readonly preview: boolean }): Html {
  const { reply, member } = view;
  const texts = textsIn(view.language);
  const forms = renderForms(view, preview);
  if (reply === null) {
    return html`<section class="card reply" id="reply"><h2>${texts.replyTo(member.firstName)}</h2>${forms}</section>`;
  }
  return html`<section class="card reply" id="reply">
<p class="done" role="status">${ICONS.check}<span><strong>${texts.replySent(member.firstName)}</strong><bdi>${texts.yourReply(reply.label)}</bdi></span></p>
<details class="change"><summary>${texts.changeReply}${ICONS.chevron}</summary><div>${forms}</div></details>
</section>`;
}
