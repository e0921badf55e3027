/** On a 24-unit grid, stroke 1.75. Decorative only: every icon has text or a label next to it. */
const PATHS = {
  camera:
    'M3 8.5A2.5 2.5 0 0 1 5.5 6h7A2.5 2.5 0 0 1 15 8.5v7a2.5 2.5 0 0 1-2.5 2.5h-7A2.5 2.5 0 0 1 3 15.5zM15 11l6-3.5v9L15 13',
  flip: 'M4 11a8 8 0 0 1 14-4.5L20.5 9M20.5 4.5V9H16M20 13a8 8 0 0 1-14 4.5L3.5 15M3.5 19.5V15H8',
  back: 'M15 5l-7 7 7 7',
  forward: 'M9 5l7 7-7 7',
  people:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20a6.5 6.5 0 0 1 13 0M16 4.5a3.5 3.5 0 0 1 0 6.3M18 14.5a6.5 6.5 0 0 1 3.5 5.5',
  decline: 'M12 3.5a8.5 8.5 0 1 1 0 17 8.5 8.5 0 0 1 0-17zM6 6l12 12',
  play: 'M8 5.5v13l10.5-6.5z',
  again: 'M4 12a8 8 0 1 0 2.6-5.9L4 8.5M4 4v4.5h4.5',
  send: 'M5 12h14M13 6l6 6-6 6',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  done: 'M12 3.5a8.5 8.5 0 1 1 0 17 8.5 8.5 0 0 1 0-17zM8 12.2l2.8 2.8L16 9.6',
  note: 'M12 8v5M12 16.4v.1M12 3.5a8.5 8.5 0 1 1 0 17 8.5 8.5 0 0 1 0-17z',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  share: 'M12 15V4M8 7.5 12 3.5l4 4M6 12H5v8.5h14V12h-1',
  light:
    'M12 7.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9zM12 2.5v1.5M12 20v1.5M2.5 12H4M20 12h1.5M5.3 5.3l1 1M17.7 17.7l1 1M5.3 18.7l1-1M17.7 6.3l1-1',
  voice: 'M12 3.5a3 3 0 0 1 3 3v5a3 3 0 0 1-6 0v-5a3 3 0 0 1 3-3zM5.5 11.5a6.5 6.5 0 0 0 13 0M12 18v3',
  signal:
    'M3 3l18 18M5 13a10 10 0 0 1 4-2.4M2 9.5a15 15 0 0 1 4.5-3M19 13a10 10 0 0 0-5-2.8M22 9.5A15 15 0 0 0 10.5 5.1M8.5 16.5a5 5 0 0 1 7 0M12 20v.1',
  clock: 'M12 3.5a8.5 8.5 0 1 1 0 17 8.5 8.5 0 0 1 0-17zM12 7.5V12l3 2',
  calendar: 'M4 6.5h16V20H4zM4 10.5h16M8 3.5v4M16 3.5v4',
  file: 'M6 3.5h8l4 4v13H6zM14 3.5v4h4M10.5 11.5v5l4-2.5z',
  minus: 'M6 12h12',
  plus: 'M6 12h12M12 6v12',
} as const;

export type IconName = keyof typeof PATHS;

export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
);
