import { formatCount, formatList } from '../../format.ts';

export const PASSKEYS = {
  title: 'Passkeys',
  lead: 'With a passkey, signing in also takes your fingerprint, face, PIN, or security key. A stolen email is not enough.',
  empty: 'No passkeys yet. You sign in with a link by email or your company account alone.',
  list: 'Your passkeys',
  add: 'Add passkey',
  addLead: 'Your browser asks where to save it. It signs you in on every device that has it.',
  addAction: 'Continue',
  name: 'Name',
  nameHint: 'A name you will recognize, such as the device that holds it.',
  added: 'Passkey added',
  created: 'Added',
  used: 'Last used',
  rename: 'Rename',
  renameOf: (name: string) => `Rename ${name}`,
  renameTitle: 'Rename passkey',
  renamed: 'Passkey renamed',
  remove: 'Remove',
  removeOf: (name: string) => `Remove ${name}`,
  removeTitle: (name: string) => `Remove “${name}”?`,
  removeLead: 'It no longer signs you in. Delete it on your device as well.',
  removeLast: 'It is your only passkey. Without one, you sign in with a link by email or your company account alone.',
  removeAction: 'Remove passkey',
  removed: 'Passkey removed',
  unsupported: 'This browser doesn’t support passkeys. Use a current version of Chrome, Edge, Firefox, or Safari.',
  needsSignIn: 'To add your first passkey, sign in again. This keeps others from adding one on a device you left open.',
  signInAgain: 'Sign in again',
  alreadyAdded: 'This device already has one of your passkeys.',
  wrongAddress:
    'Passkeys don’t work at this address. Open the console at the address that your administrator gave you.',
  canceled: 'Nothing was confirmed. Try again, and follow your browser’s instructions.',
  failed: 'Your browser couldn’t use a passkey. Try again, or use another browser.',
} as const;

export const SECOND_FACTOR = {
  title: 'Require passkeys',
  lead: 'Owners and managers then need a passkey to sign in. They have a week to add one; afterwards they add it when they sign in.',
  off: 'Not required',
  requiredFrom: 'Required from',
  requiredSince: 'Required since',
  turnOff: 'Stop requiring',
  turnedOn: 'Passkeys are required from next week.',
  turnedOff: 'Passkeys are no longer required.',
  everyone: 'Every owner and manager has a passkey.',
  missing: (names: readonly string[]) =>
    `Without a passkey: ${names.length > 5 ? formatCount(names.length, 'person', 'people') : formatList(names)}.`,
} as const;

export const MEMBER_PASSKEYS = {
  title: 'Passkeys',
  lead: (count: number) => `Signs in with ${formatCount(count, 'passkey')}.`,
  remove: 'Remove passkeys',
  removeTitle: (name: string) => `Remove the passkeys of ${name}?`,
  removeLead:
    'Do this when the member has lost them. The member is signed out everywhere, signs in without a passkey, and can add a new one. Make sure that the request really comes from the member.',
  removed: 'Passkeys removed',
} as const;

export const PASSKEY_SIGN_IN = {
  confirmTitle: 'Use your passkey',
  confirmLead: (email: string) => `Confirm that it’s you, ${email}.`,
  confirmAction: 'Use passkey',
  addTitle: 'Add a passkey',
  addLead: (organization: string) =>
    `${organization} requires passkeys for owners and managers. Your browser asks where to save it. From then on, you need it to sign in.`,
  addAction: 'Add passkey',
  opening: 'You’re signed in. Opening the console…',
  lostTitle: 'Lost your passkey?',
  lost: 'Ask an owner of your organization to remove it, on your page under Members. If you are the only owner, ask the administrator of this server to run foreword member reset-passkeys.',
  other: 'Use another account',
} as const;
