/** A number from 0 up to 1. Chance comes in as a parameter everywhere else, so that tests can do without it. */
export type Chance = () => number;

export const systemChance: Chance = () => Math.random();
