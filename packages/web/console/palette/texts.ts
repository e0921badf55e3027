export const PALETTE = {
  title: 'Search and commands',
  placeholder: 'Name, phone, reference, page, or setting',
  hint: 'Use the arrow keys and Enter. Escape closes.',
  actions: 'Actions',
  pages: 'Pages',
  settings: 'Settings',
  byId: 'By ID',
  searching: 'Searching',
  none: (text: string) => `No results for “${text}”.`,
  noneHint: 'Search for a name, the start or the end of a phone number, a reference, or an ID.',
  found: (amount: number) => (amount === 1 ? '1 result' : `${amount} results`),
  failed: 'The search failed.',
  allIntros: (text: string) => `Show all intros for “${text}”`,
  open: (kind: string, id: string) => `Open ${kind} ${id}`,
} as const;

export const KEYS = {
  title: 'Keyboard shortcuts',
  list: [
    ['/', 'Search, or Ctrl K or ⌘K'],
    ['j', 'Next row of a list'],
    ['k', 'Previous row of a list'],
    ['Enter', 'Open the row'],
    ['?', 'Show these shortcuts'],
    ['Esc', 'Close a dialog or menu'],
  ],
} as const;
