/** The title of the document, as in the server's page. */
export const TITLE = (firstName: string, organization: string): string => `Record for ${firstName} · ${organization}`;

export const NEXT = {
  heading: (name: string) => `Next: ${name}`,
  due: (when: string) => `due ${when}`,
  left: (amount: number, hasMore: boolean) => `${hasMore ? 'more than ' : ''}${amount} left`,
  none: 'Nothing left to record',
  noneLead: 'You’ll be notified when there is something new.',
  record: 'Record',
  home: 'Home',
};

/** Earlier intros of this visit. */
export const EARLIER = {
  region: 'Earlier videos',
  uploading: (percent: number) => `${percent}% uploaded`,
  waiting: 'Waiting for signal',
  processing: 'Processing',
  failed: 'Not sent',
  closed: 'No longer needed',
  open: 'Open',
  openFor: (name: string) => `Open the video for ${name}`,
};
