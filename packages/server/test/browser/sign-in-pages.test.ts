import { expect, test } from 'vitest';
import {
  renderChoice,
  renderConfirm,
  renderProblem,
  renderSent,
  renderSignIn,
  renderTooMany,
  SIGN_IN,
} from '../../src/console/signin/pages.ts';
import { forFile } from '../harness/index.ts';
import { openChromium } from './chromium.ts';
import { DESKTOP, openTestPage, PHONE } from './console-test-page.ts';
import { expectAccessibleInBothModes } from './page-actions.ts';

const browser = await forFile(openChromium());

const ALL = { hasMail: true, hasCompany: true };
const organization = { name: 'Acme Exteriors', accent: '#2c6652' };
const MEMBERS = ['Acme Exteriors', 'Northside Roofing and Siding of Greater Minneapolis'].map((name, number) => ({
  id: `mem_${number}`,
  first_name: 'Ana',
  last_name: 'Ng',
  organization: { name },
}));

const PAGES = {
  'the form': renderSignIn(ALL, { next: '/console' }),
  'the form after an error': renderSignIn(ALL, { next: '/console', email: 'ana', problem: SIGN_IN.badEmail }),
  'the form after signing out': renderSignIn(ALL, { next: '/console', notice: SIGN_IN.signedOut }),
  'the form without email': renderSignIn({ hasMail: false, hasCompany: false }, { next: '/console' }),
  'the link was sent': renderSent('ana@acme.example', '/console'),
  'a link to confirm': renderConfirm({ path: '/', name: 'Ana Ng', email: 'ana@acme.example', organization }),
  'a choice of accounts': renderChoice(MEMBERS),
  'a used link': renderProblem(ALL, SIGN_IN.deadTitle, SIGN_IN.dead),
  'a link of another browser': renderProblem(ALL, SIGN_IN.elsewhereTitle, SIGN_IN.elsewhere),
  'an unknown email': renderProblem(ALL, SIGN_IN.noMemberTitle, SIGN_IN.noMember('ana@acme.example')),
  'too many attempts': renderTooMany(),
};

test.each([
  ['a phone', PHONE],
  ['a desktop', DESKTOP],
])('every page of the sign-in is accessible and fits %s', async (_device, options) => {
  const { page } = await openTestPage(browser, options);
  for (const [name, { html }] of Object.entries(PAGES)) {
    await page.setContent(html);
    await expectAccessibleInBothModes(page);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), name).toBe(true);
  }
});
