/** For the links of an intro, on its page and in the overview. */
export const SHARE_LINK = {
  share: 'Share link',
  copy: 'Copy recipient link',
  forRecipient: (action: string, recipient: string) => `${action} for ${recipient}`,
  copied: 'Link copied.',
};
