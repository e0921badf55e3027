/** The steps an intro can reach after it is requested. */
export const MEASURES = ['recorded', 'sent', 'opened', 'watched'] as const;
export type Measure = (typeof MEASURES)[number];
