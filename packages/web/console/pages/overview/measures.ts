/** How far an intro came. */
export const MEASURES = ['recorded', 'sent', 'opened', 'watched'] as const;
export type Measure = (typeof MEASURES)[number];
