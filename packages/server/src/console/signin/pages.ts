import { type Document, renderTeamPage } from '../../pages/index.ts';
import { type Html, html } from '../../platform/html.ts';

/** All texts of the sign-in pages. */
export const SIGN_IN = {
  title: 'Sign in',
  lead: 'We’ll email you a link. It works once, for 15 minutes.',
  email: 'Email',
  send: 'Email me a link',
  orElse: 'or',
  withCompany: 'Sign in with your company account',
  noMail: 'Email isn’t set up on this server yet. Ask your administrator to create a sign-in link for you:',
  noMailCommand: 'npx foreword signin --email you@example.com',
  badEmail: 'That doesn’t look like an email address. Check it and try again.',
  sentTitle: 'Check your inbox',
  sent: (email: string) =>
    `If ${email} belongs to a member, we’ve sent a sign-in link. It works for 15 minutes, in this browser only.`,
  sentHint:
    'Nothing after a few minutes? Check your spam folder and the address, or request another link. After many requests, use the newest email you have.',
  again: 'Request another link',
  confirmTitle: (organization: string) => `Sign in to ${organization}`,
  confirm: (name: string, email: string) => `You’ll be signed in as ${name}, ${email}.`,
  confirmButton: 'Sign in',
  elsewhereTitle: 'Open this link in the browser that requested it',
  elsewhere:
    'The link was requested in another browser and works only there. Open it there, or request a new link here.',
  deadTitle: 'This link no longer works',
  dead: 'It has already been used, or is older than 15 minutes. Request a new one.',
  tooManyTitle: 'Too many attempts',
  tooMany: 'There were too many sign-in attempts from your network. Wait a minute, then try again.',
  signedOut: 'You’re signed out.',
  noMemberTitle: 'No member has this email',
  noMember: (email: string) => `${email} doesn’t belong to an active member. Ask an owner to add you with this email.`,
  companyFailedTitle: 'Company sign-in failed',
  companyFailed:
    'Your company’s sign-in service didn’t respond as expected. Try again. If it keeps failing, contact your administrator.',
  companyLateTitle: 'Sign-in timed out',
  companyLate: 'Start signing in again.',
  companyUnverified: 'Your company account has no verified email address, so we can’t match it to a member.',
  chooseTitle: 'Choose an account',
  choose: 'Your email belongs to several accounts. To use another one later, sign in again.',
} as const;

export interface SignInOptions {
  /** Whether the service can send email. */
  readonly hasMail: boolean;
  /** Whether the operator set up OpenID Connect. */
  readonly hasCompany: boolean;
}

const render = (title: string, inside: Html, accent: string | null = null): Document =>
  renderTeamPage({ title, inside, accent, name: 'Foreword' });

function form(options: SignInOptions, next: string, problem: string | null, email: string): Html {
  const bad = problem !== null && html`<p class="bad" id="problem" role="alert">${problem}</p>`;
  const described = problem === null ? html`` : html` aria-invalid="true" aria-describedby="problem"`;
  const byEmail = options.hasMail
    ? html`<form method="post" action="/console/signin">
<input type="hidden" name="next" value="${next}">
<label for="email">${SIGN_IN.email}</label>
<input id="email" name="email" type="email" autocomplete="username" inputmode="email" required maxlength="254" value="${email}"${described}>
${bad}
<button class="button full">${SIGN_IN.send}</button>
</form>`
    : html`<p class="notice">${SIGN_IN.noMail} <code>${SIGN_IN.noMailCommand}</code></p>`;
  const company =
    options.hasCompany &&
    html`${options.hasMail && html`<p class="or">${SIGN_IN.orElse}</p>`}
<a class="button" href="/console/signin/company?next=${encodeURIComponent(next)}">${SIGN_IN.withCompany}</a>`;
  return html`${byEmail}${company}`;
}

export function renderSignIn(
  options: SignInOptions,
  values: { next: string; problem?: string; email?: string; notice?: string },
): Document {
  const { next, problem = null, email = '', notice } = values;
  return render(
    SIGN_IN.title,
    html`${notice !== undefined && html`<p class="notice" role="status">${notice}</p>`}
${options.hasMail && html`<p>${SIGN_IN.lead}</p>`}
${form(options, next, problem, email)}`,
  );
}

export const renderSent = (email: string, next: string): Document =>
  render(
    SIGN_IN.sentTitle,
    html`<p>${SIGN_IN.sent(email)}</p><p>${SIGN_IN.sentHint}</p>
<a class="button" href="/console/signin?next=${encodeURIComponent(next)}">${SIGN_IN.again}</a>`,
  );

/** For a link that was not requested in a browser. Link scanners follow links, but submit no forms. */
export const renderConfirm = (member: {
  path: string;
  name: string;
  email: string;
  organization: { name: string; accent: string | null };
}): Document =>
  render(
    SIGN_IN.confirmTitle(member.organization.name),
    html`<p>${SIGN_IN.confirm(member.name, member.email)}</p>
<form method="post" action="${member.path}"><button class="button full">${SIGN_IN.confirmButton}</button></form>`,
    member.organization.accent,
  );

/** For an email that belongs to several members. */
export const renderChoice = (
  members: readonly { id: string; first_name: string; last_name: string; organization: { name: string } }[],
): Document =>
  render(
    SIGN_IN.chooseTitle,
    html`<p>${SIGN_IN.choose}</p>
<form method="post" action="/console/signin/company/choose">
${members.map(
  ({ id, first_name, last_name, organization }) =>
    html`<button class="button choice" name="member" value="${id}"><b>${organization.name}</b> <span>${first_name} ${last_name}</span></button>`,
)}
</form>`,
  );

/** Explains what went wrong and shows the sign-in form again. */
export const renderProblem = (options: SignInOptions, title: string, message: string): Document =>
  render(title, html`<p>${message}</p>${form(options, '/console', null, '')}`);

export const renderTooMany = (): Document => render(SIGN_IN.tooManyTitle, html`<p>${SIGN_IN.tooMany}</p>`);
